"""A few of every kind of edit case, made from this machine's source files: right to the byte, or refused."""

from __future__ import annotations

import pytest
from edit_cases import KINDS, Case, cases

from jobs.agent.tools.match import Ambiguous, Missed, apply


@pytest.fixture(scope="module")
def by_kind() -> dict[str, list[Case]]:
    made: dict[str, list[Case]] = {}
    for case in cases(seed=7, each=4, files=90):
        made.setdefault(case.kind, []).append(case)
    return made


@pytest.mark.parametrize("kind", KINDS)
def test_every_case_ends_as_it_must(kind: str, by_kind: dict[str, list[Case]]) -> None:
    assert len(by_kind[kind]) == 4
    for case in by_kind[kind]:
        try:
            made = apply(case.data, case.old, case.new, change_context=case.context).data
        except (Missed, Ambiguous):
            made = None
        assert made == case.want, (case.form, case.old, case.new)

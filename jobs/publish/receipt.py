"""What a run came to, as one frozen value and as the JSON that `--json` writes. Pure."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from jobs.agent.attempt import Attempt
from jobs.outcome import Level, Outcome
from jobs.repo.patch import Patch
from jobs.score.minimality import HunkScore, Minimality
from jobs.suite.finding import Finding
from jobs.suite.report import Report
from jobs.suite.verdict import Matrix, Verdict

Counts = dict[str, int]  # {passed, failed, errors, skipped}
_PROVED = (Outcome.FIXED, Outcome.NOT_REPRODUCED)
_UNWRITTEN = ("proof", "patch")
_PARTIAL = (Outcome.NOT_FIXED, Outcome.OUT_OF_BUDGET)
_STAGES = ("setup", "baseline", "model", "tools", "verify", "score")


@dataclass(frozen=True)
class Ended:
    """Everything that is known when a run ends; what it did not come to is None or empty.

    `seconds` has any of total, setup, baseline, model, tools, verify, score; `layer` and `tools` (name to version) say
    what the proof was made with; `trace` is a file or an address.
    """

    run: str
    outcome: Outcome
    reason: str
    base: str | None = None
    branch: str | None = None
    commit: str | None = None
    baseline: Report | None = None
    verdict: Verdict | None = None
    minimality: Minimality | None = None
    attempt: Attempt | None = None
    patch: Patch | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)
    budget_usd: float | None = None
    pr_url: str | None = None
    trace: str | None = None
    layer: str | None = None
    tools: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class SuiteTable:
    """The suite before and after. `seconds` is the run on the result, or on the base if there is no result."""

    command: str
    seconds: float
    before: Counts | None
    after: Counts | None
    matrix: dict[str, Counts | None]
    fixed: tuple[str, ...]
    broken: tuple[str, ...]
    flaky: tuple[str, ...]
    missing: tuple[str, ...]


@dataclass(frozen=True)
class Cost:
    """`usd` is None where the model has no price; `cache_hit_rate` is the share of input read from the cache."""

    usd: float | None
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    cache_hit_rate: float | None
    budget_usd: float | None


@dataclass(frozen=True)
class Proof:
    """What bodies show beside the JSON: new tests that the old code fails, tests that are skipped since, red or green
    by exit code where the suite has no ids, what the proof was made with."""

    proven: tuple[str, ...] = ()
    newly_skipped: tuple[str, ...] = ()
    green_before: bool | None = None
    green_after: bool | None = None
    layer: str | None = None
    tools: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Receipt:
    """The result of a run; absent things are None, never missing. `proof` and `patch` (a change that was not proven, as
    a diff) are not part of the JSON."""

    run: str
    outcome: Outcome
    reason: str
    level: Level | None
    branch: str | None
    commit: str | None
    tree: str | None
    base: str | None
    files: tuple[str, ...] | None
    added: int | None
    removed: int | None
    suite: SuiteTable | None
    tamper: tuple[Finding, ...]
    minimality: Minimality | None
    cost: Cost | None
    rounds: int | None
    calls: int | None
    seconds: dict[str, float | None]
    pr_url: str | None
    trace: str | None
    proof: Proof = field(default_factory=Proof)
    patch: str = ""

    def to_dict(self) -> dict[str, Any]:
        """JSON values under exactly the documented keys."""
        out = {f.name: getattr(self, f.name) for f in dataclasses.fields(self) if f.name not in _UNWRITTEN}
        return {
            **out,
            "outcome": str(self.outcome),
            "level": None if self.level is None else str(self.level),
            "files": None if self.files is None else list(self.files),
            "suite": self._suite(),
            "tamper": [{"kind": f.kind, "file": f.file, "line": f.line, "text": f.text} for f in self.tamper],
            "minimality": _minimality(self.minimality),
            "cost": _plain(self.cost),
        }

    def _suite(self) -> dict[str, Any] | None:
        """The table, in which new tests that the old code fails count as fixed: they were red there and are green."""
        table = _plain(self.suite)
        if table is not None:
            table["fixed"] = sorted({*table["fixed"], *self.proof.proven})
        return table

    def to_json(self) -> str:
        """One JSON object, indented, in the documented order; what UTF-8 can't carry is escaped."""
        text = json.dumps(self.to_dict(), ensure_ascii=False, indent=2)
        return text.encode("utf-8", "backslashreplace").decode()


def receipt(ended: Ended) -> Receipt:
    """The receipt of a run."""
    attempt, patch, verdict = ended.attempt, ended.patch, ended.verdict
    judged = verdict is not None and ended.outcome in _PROVED
    return Receipt(
        run=ended.run,
        outcome=ended.outcome,
        reason=ended.reason,
        level=verdict.level if verdict is not None and judged else None,
        branch=ended.branch,
        commit=ended.commit,
        tree=patch.tree if patch else None,
        base=ended.base,
        files=patch.paths if patch else None,
        added=patch.added if patch else None,
        removed=patch.removed if patch else None,
        suite=_suite(verdict, ended.baseline),
        tamper=verdict.tamper if verdict else (),
        minimality=ended.minimality,
        cost=_cost(attempt, ended.budget_usd) if attempt else None,
        rounds=attempt.rounds if attempt else None,
        calls=attempt.calls if attempt else None,
        seconds=_seconds(ended.seconds, attempt),
        pr_url=ended.pr_url,
        trace=ended.trace,
        proof=_proof(ended),
        patch=patch.text.decode("utf-8", "replace") if patch and ended.outcome in _PARTIAL else "",
    )


def restored(values: Mapping[str, Any]) -> Receipt:
    """The receipt that `Receipt.to_dict` wrote as `values`; what is not part of the JSON is empty."""
    suite, cost = values["suite"], values["cost"]
    lists = ("fixed", "broken", "flaky", "missing")
    known = {
        "outcome": Outcome(values["outcome"]),
        "level": None if values["level"] is None else Level(values["level"]),
        "files": None if values["files"] is None else tuple(values["files"]),
        "suite": None if suite is None else SuiteTable(**{**suite, **{name: tuple(suite[name]) for name in lists}}),
        "tamper": tuple(Finding(**found, blocks=False) for found in values["tamper"]),
        "minimality": _measured(values["minimality"]),
        "cost": None if cost is None else Cost(**cost),
    }
    return Receipt(**{**values, **known})


def _measured(values: Mapping[str, Any] | None) -> Minimality | None:
    if values is None:
        return None
    hunks = tuple(HunkScore(**{**hunk, "lines": tuple(hunk["lines"])}) for hunk in values["hunks"])
    return Minimality(**{**values, "hunks": hunks})


def _suite(verdict: Verdict | None, baseline: Report | None) -> SuiteTable | None:
    matrix = verdict.matrix if verdict else Matrix(baseline) if baseline else None
    if matrix is None:
        return None
    before, after = matrix.old_tests_old_code, _after(matrix)
    names = [f.name for f in dataclasses.fields(matrix)]
    reports: dict[str, Report | None] = {name: getattr(matrix, name) for name in names}
    return SuiteTable(
        command=before.command,
        seconds=round((after or before).seconds, 3),
        before=before.counts,
        after=after.counts if after else None,
        matrix={name: report.counts if report else None for name, report in reports.items()},
        fixed=verdict.fixed if verdict else (),
        broken=verdict.broken if verdict else (),
        flaky=verdict.flaky if verdict else (),
        missing=verdict.missing if verdict else (),
    )


def _after(matrix: Matrix) -> Report | None:
    return matrix.new_tests_new_code or matrix.old_tests_new_code


def _cost(attempt: Attempt, budget_usd: float | None) -> Cost:
    usage = attempt.usage
    return Cost(
        usd=None if attempt.usd is None else round(attempt.usd, 6),
        input_tokens=usage.input,
        output_tokens=usage.output,
        cache_read_tokens=usage.cache_read,
        cache_write_tokens=usage.cache_write,
        cache_hit_rate=round(usage.cache_read / usage.total_input, 4) if usage.total_input else None,
        budget_usd=budget_usd,
    )


def _seconds(seconds: Mapping[str, float], attempt: Attempt | None) -> dict[str, float | None]:
    known: dict[str, float] = dict(seconds)
    if attempt is not None:
        known = {"model": attempt.model_seconds, "tools": attempt.tool_seconds, **known}
    return {name: round(known[name], 3) if name in known else None for name in ("total", *_STAGES)}


def _proof(ended: Ended) -> Proof:
    verdict = ended.verdict
    after = _after(verdict.matrix) if verdict else None
    before = verdict.matrix.old_tests_old_code if verdict else ended.baseline
    return Proof(
        proven=verdict.proven if verdict else (),
        newly_skipped=verdict.newly_skipped if verdict else (),
        green_before=before.green if before else None,
        green_after=after.green if after else None,
        layer=ended.layer,
        tools=dict(ended.tools),
    )


def _minimality(minimality: Minimality | None) -> dict[str, Any] | None:
    if minimality is None:
        return None
    keys = ("score", "changed_lines", "needed_lines", "unproven_lines", "waste_lines")
    hunks = [dataclasses.asdict(hunk) for hunk in minimality.hunks]
    return {**{key: getattr(minimality, key) for key in keys}, "hunks": hunks}


def _plain(value: SuiteTable | Cost | None) -> dict[str, Any] | None:
    return None if value is None else dataclasses.asdict(value)

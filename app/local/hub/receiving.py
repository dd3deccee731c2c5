"""Decides over a push ref by ref, moves the refs, and lets follow what follows."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from app.local.hub import history, receive
from app.local.hub.pushes import PROTECTED, moved, refusal
from app.local.hub.records import Repository
from app.local.hub.state import Receipt, State
from jobs.repo.git import GitError

Command = tuple[str, str, str]  # old, new, ref


def install_hook(repository: Repository) -> None:
    """Makes every push to the repository ask the hub."""
    hook = repository.git_dir / "hooks" / "proc-receive"
    hook.parent.mkdir(exist_ok=True)
    script = shlex.join([sys.executable, "-I", "-S", str(Path(receive.__file__).resolve())])
    hook.write_text(f'#!/bin/sh\nexec {script} "$HUB_PORT" "$HUB_KEY"\n')
    hook.chmod(0o755)


def decide(state: State, receipt: Receipt, commands: Sequence[Command], *, atomic: bool) -> list[str]:
    """`ok REF` or `ng REF REASON` for each command, and `# REMARK` lines for the one who pushes."""
    which = receipt.repository
    workflows = receipt.permissions.get("workflows") == "write"
    reasons = {ref: refusal(which, ref, old, new, workflows=workflows) for old, new, ref in commands}
    if atomic and any(reasons.values()):
        reasons = {ref: why or "atomic push failure" for ref, why in reasons.items()}
    lines: list[str] = []
    for old, new, ref in commands:
        why = reasons[ref] or _move(which, old, new, ref)
        lines += [f"ng {ref} {why}", *_remarks(ref, why)] if why else [f"ok {ref}"]
        if not why:
            moved(state, which, ref, old, new, receipt.account)
    return lines


def _move(which: Repository, old: str, new: str, ref: str) -> str | None:
    try:
        history.update_ref(which.git_dir, ref, new, old)
    except GitError:
        return "cannot lock ref"
    return None


def _remarks(ref: str, why: str) -> list[str]:
    if why != PROTECTED:
        return []
    return [
        f"# error: GH006: Protected branch update failed for {ref}.",
        "# error: Changes must be made through a pull request.",
    ]

"""Refs moved by REST calls: the same refusals as for a push, the same consequences."""

from __future__ import annotations

from app.local.hub import history
from app.local.hub.calls import Call
from app.local.hub.history import Person
from app.local.hub.pushes import PROTECTED, moved, refusal
from app.local.hub.refusal import Refused
from jobs.repo.git import GitError


def advance(call: Call, ref: str, old: str, new: str, *, conflict: int = 422) -> None:
    """Moves `ref` (ZERO creates or deletes) and lets follow what follows. Raises Refused `conflict` or 403."""
    token, which = call.caller.token, call.repository
    why = refusal(which, ref, old, new, workflows=token is not None and token.allows("workflows", "write"))
    if why == PROTECTED:
        raise Refused(conflict, f"Repository rule violations found\n\nCannot update this protected ref: {ref}")
    if why is not None:
        raise Refused(403 if "workflows" in why else 422, why)
    try:
        history.update_ref(which.git_dir, ref, new, old)
    except GitError as lost:
        raise Refused(409, f"is at a different commit than expected: {ref}") from lost
    moved(call.state, which, ref, old, new, call.account)


def author(call: Call, role: str) -> Person:
    """The identity that the body gives for `role`, else the App's own."""
    given = call.fields.get(role) or {}
    return Person(
        given.get("name") or call.account.login, given.get("email") or call.account.email, given.get("date") or ""
    )

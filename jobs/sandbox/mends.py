"""What to do where this machine does not let bubblewrap start. Pure."""

from __future__ import annotations

_MENDS = (
    ("uid map", "User name spaces are forbidden here: allow them for bubblewrap (AppArmor), or run as root."),
    ("RTM_NEWADDR", "User name spaces are restricted here: allow them for bubblewrap by an AppArmor profile."),
    ("No permissions to create", "User name spaces are off here: allow them (kernel.unprivileged_userns_clone=1)."),
    ("Unknown option", "This bubblewrap is too old: install 0.8 or newer, or Patchwright's extra `local`."),
    ("max_*_namespaces exceeded", "No more user name spaces may be made here: raise user.max_user_namespaces."),
    ("Creating new namespace failed", "Name spaces can't be made here: give the container CAP_SYS_ADMIN, or use a VM."),
    ("Operation not permitted", "This container forbids what the sandbox needs: give it CAP_SYS_ADMIN, or use a VM."),
)


def mend(words: str) -> str:
    """What to do about bubblewrap's `words`; empty if that is not known."""
    return next((text for sign, text in _MENDS if sign in words), "")

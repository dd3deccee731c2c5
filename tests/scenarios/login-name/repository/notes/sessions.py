"""Who is logged in: an unguessable id in a cookie stands for a user's name."""

import secrets
import time

COOKIE = "notes_session"
LIFETIME_S = 8 * 3600


class Sessions:
    """Sessions in memory; `clock` tells the time in seconds."""

    def __init__(self, clock=time.time):
        self._clock = clock
        self._sessions = {}

    def start(self, name):
        """A new session's id."""
        ident = secrets.token_urlsafe(24)
        self._sessions[ident] = (name, self._clock() + LIFETIME_S)
        return ident

    def user_of(self, ident):
        """The user's name, or None if there is no such session or it is over."""
        name, ends = self._sessions.get(ident, (None, 0))
        return name if self._clock() < ends else None

    def end(self, ident):
        """Ends a session, if there is one."""
        self._sessions.pop(ident, None)

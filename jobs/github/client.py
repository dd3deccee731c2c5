"""The client for one installation on one repository: its parts put together."""

from __future__ import annotations

from jobs.github.checks import Checks
from jobs.github.code import Code
from jobs.github.issues import Issues
from jobs.github.pulls import Pulls


class GitHub(Issues, Pulls, Checks, Code):
    """`GitHub(tokens, api_url, repository_id, full_name, installation_id, permissions)`.

    Every call may raise the errors of jobs.github.errors: EnvironmentFault for what no repetition mends, Retry for
    limits and lost answers. `fenced(guard)` gives the client that a run must write with.
    """

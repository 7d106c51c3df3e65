"""Messages to the server itself: uploads, stopping work, being alive."""

from __future__ import annotations

from .documents import Name, Reply, Request


class StopRequest(Request, kw_only=True):
    """Stop all work on a table (``POST /api/stop``)."""

    key: Name


class Stopped(Reply, kw_only=True):
    """The response to ``stop``; the work itself ends with a failure of the kind ``stopped``."""

    stopped: bool
    """Whether there was any work."""


class AliveRequest(Request, kw_only=True):
    """Ask for lines of progress for as long as the server lives (``POST /api/alive``)."""


class Ended(Reply, kw_only=True):
    """The last line of ``alive``, if the server was ended; without it, it was killed."""

    ended: bool


class Uploaded(Reply, kw_only=True):
    """The response to ``POST /api/upload?name=FILE``, whose body is the file itself."""

    key: str
    """For ``open``."""

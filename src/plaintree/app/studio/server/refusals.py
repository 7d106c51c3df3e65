"""Requests that are refused before anything is done, each with a status and a reason."""

from __future__ import annotations

from typing import Self

from ..messages.documents import Failure
from ..workers.failures import error_line


class Refused(Exception):
    """A request that is refused, with its status."""

    def __init__(self, status: int, failure: Failure) -> None:
        self.status, self.failure = status, failure
        super().__init__(failure.what)

    @classmethod
    def because(cls, status: int, what: str, got: str = "", hint: str = "") -> Self:
        """A refusal from its parts."""
        return cls(status, Failure(what=what, got=got, hint=hint))

    @property
    def line(self) -> bytes:
        """The body of the response."""
        return error_line(self.failure)

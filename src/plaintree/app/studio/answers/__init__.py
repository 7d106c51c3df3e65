"""Replies to every message of ``messages.REQUESTS``, computed by the library.

Data as pure functions of a table and a document; numbers come only from the library. May import
studies, messages and everything further in. Servers and pages never enter.
"""

from __future__ import annotations

from .answer import answer
from .held import Held

__all__ = ["Held", "answer"]

"""Replies to every message of ``messages.REQUESTS``, computed by the library.

Data as pure functions of a table and a document; numbers come only from the library. May import
studies, messages and everything further in. Servers and pages never enter.
"""

from __future__ import annotations

from .held import Held
from .reply import reply

__all__ = ["Held", "reply"]

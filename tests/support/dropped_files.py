"""A file let go above an element of a page, as a file manager does."""

from __future__ import annotations

from typing import Any

EVENTS = """(target, [name, text]) => {
  const data = new DataTransfer();
  data.items.add(new File([text], name, { type: "text/csv" }));
  const how = { dataTransfer: data, bubbles: true, cancelable: true };
  for (const type of ["dragenter", "dragover", "drop"])
    target.dispatchEvent(new DragEvent(type, how));
}"""


def drop(target: Any, name: str, text: str) -> None:
    """Drop a text file."""
    target.evaluate(EVENTS, [name, text])

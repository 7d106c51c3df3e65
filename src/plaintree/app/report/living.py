"""The living report: script, style and data in the same file as the report without script.

The script is the page of the studio, which takes its replies from the data in the file. The report
stays as it is where the page was not built, or msgspec is not installed.
"""

from __future__ import annotations

import base64
import gzip
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from shlex import quote

from plaintree.data.words import plain

from .. import studio
from .findings import Findings
from .markup import STYLE

STATIC = Path(studio.__file__).with_name("static")
LARGE = 200_000
"""Longer data are compressed."""
LIMITS = "base-uri 'none'; form-action 'none'"


@dataclass(frozen=True)
class Living:
    """What makes a report alive: its policy, elements of the head, and of the end of the body."""

    policy: str
    head: str
    tail: str


@dataclass(frozen=True)
class Bundle:
    """The page as it was built: one script and one style sheet."""

    script: str
    style: str


@cache
def _read(directory: Path) -> Bundle | None:
    script, style = directory / "report.js", directory / "report.css"
    if not (script.is_file() and style.is_file()):
        return None
    return Bundle(
        inert(script.read_text(encoding="utf-8")), inert(style.read_text(encoding="utf-8"))
    )


def bundle() -> Bundle | None:
    """The page; None if it was not built, or msgspec is not installed."""
    return _read(STATIC) if find_spec("msgspec") else None


def living(found: Findings, title: str, *, rows: bool = False) -> Living | None:
    """What makes the report of findings alive; None if that is not possible."""
    built = bundle()
    if built is None:
        return None
    from .held import can_be_held  # imports msgspec

    if not can_be_held(found):
        return None
    from .prediction import prediction_of

    prediction = prediction_of(found)
    verification = None if prediction is None else prediction.verification
    data = _element(_data(found, title, verification, rows=rows))
    scripts = [built.script]
    module = ""
    if prediction is not None:
        source = inert(prediction.module)
        scripts.append(source)
        module = f'<script type="module">{source}</script>\n'
    script_hashes, style_hashes = (
        " ".join(map(hashed, texts)) for texts in (scripts, (STYLE, built.style))
    )
    return Living(
        f"default-src 'none'; script-src {script_hashes}; style-src-elem {style_hashes}; "
        f"style-src-attr 'unsafe-inline'; img-src data:; {LIMITS}",
        f'<style id="plaintree-living" media="not all">{built.style}</style>\n',
        f'<div id="studio" hidden></div>\n{data}\n{module}<script>{built.script}</script>\n',
    )


def _data(found: Findings, title: str, verification: str | None, *, rows: bool) -> bytes:
    from .held import hello_of, table_of, work_of
    from .replies import Replies, encoded

    work, target = work_of(found), plain(found.subject.schema.target)
    replies = Replies.of(found, work, rows=rows)
    return encoded(
        {
            "format": 1,
            "title": title,
            "hello": hello_of(found),
            "table": table_of(found, work, rows=rows),
            "document": work.document,
            "replies": replies.by_name,
            "rows": replies.rows,
            "prediction": verification,
            "command": f"plaintree studio FILE --target {quote(target)}",
        }
    )


# -------------------------------------------------------------------- text in HTML


def _element(data: bytes) -> str:
    """The data as an element; large ones compressed, always to the same bytes."""
    text = data.decode()
    attributes = 'type="application/json" id="plaintree-data"'
    if len(data) <= LARGE:
        return f"<script {attributes}>{escaped(text)}</script>"
    packed = base64.b64encode(gzip.compress(data, 6, mtime=0)).decode()
    return f'<script {attributes} data-encoding="gzip">{packed}</script>'


def escaped(text: str) -> str:
    r"""JSON without the characters that HTML reads.

    >>> escaped('{"a": "</script>&"}')
    '{"a": "\\u003c/script\\u003e\\u0026"}'
    """
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def inert(source: str) -> str:
    r"""A script or style sheet without what would end its element.

    Both occur in strings only, where the backslash changes nothing.

    >>> inert('name = "</script><!--"')
    'name = "<\\/script><\\!--"'
    """
    source = source.replace("\r\n", "\n").replace("\r", "\n")
    return source.replace("</", "<\\/").replace("<!--", "<\\!--")


def hashed(content: str) -> str:
    """The hash of the content of an element, as a policy of content names it."""
    digest = base64.b64encode(sha256(content.encode()).digest()).decode()
    return f"'sha256-{digest}'"

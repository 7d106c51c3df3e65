"""A model, a picture or a document to save: the same bytes as the functions of the library give."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from typing import Any

import plaintree as pt
from plaintree.errors import ParameterError, nearest
from plaintree.interop.model_file.reading import to_bytes
from plaintree.progress import Progress

from ...study.export import TARGETS
from ...study.export import export as exported
from ..messages.tables import ExportKind
from ..messages.views import Exported, ExportRequest
from .held import quiet
from .replay import Work

NAME = "tree"
"""Files have one name, so the name of a table cannot choose a path."""
GROUPS: dict[str, dict[str, tuple[str, str, str]]] = {
    "Programs": {
        "sql": ("SQL", "sql", "application/sql"),
        "python": ("Python", "py", "text/x-python"),
        "c": ("C", "c", "text/x-c"),
        "javascript": ("JavaScript", "js", "text/javascript"),
        "java": ("Java", "java", "text/x-java"),
        "pmml": ("PMML", "pmml", "application/xml"),
        "onnx": ("ONNX", "onnx", "application/octet-stream"),
    },
    "Documents": {
        "report": ("Report (HTML)", "html", "text/html"),
        "solution_html": ("Worked solution (HTML)", "html", "text/html"),
        "solution_latex": ("Worked solution (LaTeX)", "tex", "application/x-tex"),
        "solution_markdown": ("Worked solution (Markdown)", "md", "text/markdown"),
        "text": ("Text", "txt", "text/plain"),
        "rules": ("Rules", "txt", "text/plain"),
        "formula": ("Formula", "txt", "text/plain"),
    },
    "Pictures": {
        "svg": ("Picture (SVG)", "svg", "image/svg+xml"),
        "tikz": ("TikZ", "tex", "application/x-tex"),
        "dot": ("Graphviz", "dot", "text/vnd.graphviz"),
        "mermaid": ("Mermaid", "mmd", "text/plain"),
    },
    "To continue later": {
        "model": ("Model file", "model", "application/octet-stream"),
    },
}
"""By heading and key: title, file extension and media type, in the order of the menu."""
KINDS = {key: kind for kinds in GROUPS.values() for key, kind in kinds.items()}


def export_kinds() -> list[ExportKind]:
    """The formats in which a model may be saved.

    >>> [kind.key for kind in export_kinds() if kind.verified]
    ['sql', 'python', 'c', 'javascript', 'java', 'pmml', 'onnx']
    """
    return [
        ExportKind(
            key=key, group=group, title=title, extension=extension, verified=_verifiable(key)
        )
        for group, kinds in GROUPS.items()
        for key, (title, extension, _) in kinds.items()
    ]


def _verifiable(key: str) -> bool:
    return key in TARGETS and TARGETS[key].verifiable


def export(work: Work, request: ExportRequest, progress: Progress) -> Exported:
    """Write a model in a format, and verify it on the rows of the table if that is asked for."""
    what = request.what
    if what not in KINDS:
        raise ParameterError(
            "there is no such export",
            got=repr(what),
            hint=nearest(what, KINDS) or f"use one of {', '.join(KINDS)}.",
        )
    if request.verify and not _verifiable(what):
        raise ParameterError(
            f"an export to {what} is not code, so it cannot be verified",
            got=f"verify=True with {what}",
            hint="leave verify out.",
        )
    verification = ""
    with quiet():
        if what in TARGETS:
            content, verification = _by_target(work, request, progress)
        else:
            content = WRITERS[what](work)
    _, extension, media_type = KINDS[what]
    text = content if isinstance(content, str) else None
    return Exported(
        filename=f"{NAME}.{extension}",
        media_type=media_type,
        text=text,
        base64=None if isinstance(content, str) else b64encode(content).decode(),
        verification=verification,
    )


def _by_target(work: Work, request: ExportRequest, progress: Progress) -> tuple[Any, str]:
    model: Any = work.model
    if not TARGETS[request.what].verifiable and not work.single:
        model = work.tree(request.member)
    rows = work.training.opened.frame if request.verify else None
    found = exported(model, request.what, {}, rows, progress)
    return found.content, "" if found.verification is None else f"{found.verification}."


# -------------------------------------------------------------------- other formats


def _solution(work: Work) -> Any:
    """The worked solution; one of a tree that was edited compares it with what growing gives."""
    tree = work.own_tree()
    source = tree if work.state.is_edited else work.model
    return pt.derive(source, work.training.X, work.training.y, work.rows.weights)


def _report(work: Work) -> str:
    from ...report.findings import find_out  # which imports the replies
    from ...report.report import living_page

    return living_page(find_out(work.model, work.training.X, work.training.y))


WRITERS: dict[str, Callable[[Work], str | bytes]] = {
    "model": lambda work: to_bytes(work.model),
    "solution_html": lambda work: _solution(work).to_html(),
    "solution_latex": lambda work: _solution(work).to_latex(),
    "solution_markdown": lambda work: _solution(work).to_markdown(),
    "report": _report,
}
"""The formats that are not targets of ``plaintree export``."""

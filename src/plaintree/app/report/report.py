"""The report as one HTML page that needs nothing else: no network, no script."""

from __future__ import annotations

from os import PathLike
from typing import Any

from plaintree.errors import ArgumentTypeError

from .findings import Findings, find_out
from .markup import POLICY, STYLE, words
from .sections import default_title, key_figures, sections
from .writing import write_whole


def report(
    model: Any,
    X: Any,
    y: Any,
    path: str | PathLike[str],
    *,
    title: str | None = None,
    cv: int | None = 10,
    random_state: int = 0,
) -> None:
    """Write a report on a model and a table: one HTML file, to be read, sent or printed.

    It shows the data, the tree (of a forest, one as an example), the rules, how good the model is
    (cross-validation, confusion, out-of-bag error), errors against size, importances, and all
    that is needed to make the model again. Nothing is loaded from elsewhere and no script runs.
    The file is written in one step.

    Parameters
    ----------
    model
        A fitted model, a Tree or a RuleList. Trees and rules from elsewhere cannot be grown again,
        so that they are judged by the given rows only.
    X, y
        The table: the training rows, as a rule.
    path
        The file's name.
    title
        Of the page; by default it says what the model is.
    cv
        Folds of the cross-validation; None or 0 for none.
    random_state
        Decides which rows are in which fold, and which are held out.

    Examples
    --------
    >>> import tempfile, pathlib, plaintree as pt
    >>> from plaintree.app.report.report import report
    >>> X, y = pt.datasets.load_golf()
    >>> file = pathlib.Path(tempfile.mkdtemp(), "golf.html")
    >>> report(pt.C45Classifier().fit(X, y), X, y, file, cv=5)
    >>> file.read_text()[:15], "A decision tree for play" in file.read_text()
    ('<!DOCTYPE html>', True)
    """
    if title is not None and not isinstance(title, str):
        raise ArgumentTypeError(
            "title is no text", got=f"an object of type {type(title).__name__}", hint="give a text."
        )
    found = find_out(model, X, y, cv=cv, seed=random_state)
    write_whole(path, page(found, title), "the report")


def page(found: Findings, title: str | None = None) -> str:
    """Findings as a whole page."""
    heading = words(default_title(found.subject) if title is None else title)
    parts = list(sections(found))
    links = "".join(f'<a href="#{part.anchor}">{part.heading}</a>' for part in parts)
    body = "\n".join(
        f'<section id="{part.anchor}">\n<h2>{part.heading}</h2>\n{part.body}\n</section>'
        for part in parts
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<link rel="icon" href="data:,">\n'
        f"<title>{heading}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{heading}</h1>\n{key_figures(found)}\n<nav>{links}</nav>\n{body}\n"
        "</main>\n</body>\n</html>\n"
    )

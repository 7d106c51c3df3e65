"""The report as one self-contained HTML page, which reads the same without script."""

from __future__ import annotations

from os import PathLike
from typing import Any

from plaintree.errors import ArgumentTypeError

from .findings import Findings, find_out
from .living import Living, living
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
    rows: bool = False,
) -> None:
    """Write a report on a model and a table as one HTML file.

    The report shows the data, the tree (for a forest, its first tree), the rules, metrics
    (cross-validation, out-of-bag error, confusion matrix, precision and recall), the error
    against size, the importances, and the parameters. For a numeric target it shows RMSE, MAE and
    R2, predicted against actual numbers, the residuals of each leaf and the largest errors. Every
    metric names the rows it was measured on. The file is self-contained and loads nothing.

    With the extra ``plaintree[studio]``, the report is interactive: it opens with the tree, the
    splits and formulas of its nodes, and predicts a row that is typed in. Without it, and in a
    browser without script, it is the same text and tables.

    Parameters
    ----------
    model : estimator, Tree or RuleList
        A fitted model. An imported tree or rule list cannot be cross-validated, so it is measured
        on the rows given.
    X : table of shape (n_rows, n_features)
        Usually the training rows. Other rows are predicted, and nothing is grown from them.
    y : array-like of shape (n_rows,)
        The classes or numbers of the rows.
    path : str or PathLike
        The file to write.
    title : str, default=None
        Title of the page; by default the kind of the model and its target.
    cv : int or None, default=10
        Number of folds of cross-validation on training rows; None or 0 for none.
    random_state : int, default=0
        Seed of the folds and of the held-out rows.
    rows : bool, default=False
        Whether the interactive report has the rows of the table, up to 5,000. Otherwise it has no
        row, and no value of a column that the model does not use.

    Raises
    ------
    FileError
        If the file cannot be written; an existing file is then unchanged.

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
            "title must be a string", got=f"an object of type {type(title).__name__}"
        )
    found = find_out(model, X, y, cv=cv, seed=random_state)
    write_whole(path, living_page(found, title, rows=rows), "the report")


def living_page(found: Findings, title: str | None = None, *, rows: bool = False) -> str:
    """The complete page of findings, alive where the page of the studio is built."""
    heading = default_title(found.subject) if title is None else title
    return page(found, title, living(found, heading, rows=rows))


def page(found: Findings, title: str | None = None, alive: Living | None = None) -> str:
    """The complete page of findings."""
    heading = words(default_title(found.subject) if title is None else title)
    policy, head, tail = (
        (POLICY, "", "") if alive is None else (alive.policy, alive.head, alive.tail)
    )
    parts = list(sections(found))
    links = "".join(f'<a href="#{part.anchor}">{part.heading}</a>' for part in parts)
    body = "\n".join(
        f'<section id="{part.anchor}">\n<h2>{part.heading}</h2>\n{part.body}\n</section>'
        for part in parts
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<link rel="icon" href="data:,">\n'
        f'<title>{heading}</title>\n<style id="plaintree-text">{STYLE}</style>\n{head}'
        f"</head>\n<body>\n<main>\n"
        f"<h1>{heading}</h1>\n{key_figures(found)}\n<nav>{links}</nav>\n{body}\n"
        f"</main>\n{tail}</body>\n</html>\n"
    )

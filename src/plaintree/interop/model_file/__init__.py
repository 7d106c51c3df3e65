"""Model files: fitted models, trees and rules saved, and loaded without running any code.

docs/model_file.md describes the format. document.py takes a model apart into a head (head.py) and
trees; text_form.py and packed_form.py write them, in one step (atomic.py). May import estimators,
because a file names the class that it holds, and rules, tree and data. The other formats never
enter, and nothing that is read is trusted.
"""

from __future__ import annotations

from os import PathLike
from typing import Any

from plaintree.checks import check_path

from .atomic import read_file, write_file
from .card import ModelCard as ModelCard
from .card import model_card as model_card
from .reading import from_bytes, to_bytes
from .reading import packed_state as packed_state
from .reading import unpacked_state as unpacked_state


def save(model: Any, path: str | PathLike[str]) -> None:
    """Write a fitted model, a Tree or a RuleList to a file that :func:`load` reads.

    Single trees and rules are written as JSON that people can read, ensembles and very large trees
    packed. The file is written in one step: after a crash or on a full disk an older file of that
    name is as it was.

    Parameters
    ----------
    model
        A fitted model of plaintree, a Tree or a RuleList.
    path
        The file's name; any suffix will do.

    Examples
    --------
    >>> import tempfile, plaintree as pt
    >>> from plaintree.interop.model_file import load, save
    >>> X, y = pt.datasets.load_tennis()
    >>> model = pt.C45Classifier().fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, f"{folder}/tennis.json")
    ...     again = load(f"{folder}/tennis.json")
    >>> again.tree_.difference(model.tree_) is None
    True
    """
    write_file(check_path(path), to_bytes(model))


def load(path: str | PathLike[str]) -> Any:
    """The model, Tree or RuleList of a file that :func:`save` has written.

    Everything is checked before it is used, and no code of the file is run. A file that does not
    hold a model, was damaged, or would take too much memory is refused (ModelFileError).

    Examples
    --------
    >>> import tempfile, plaintree as pt
    >>> from plaintree.interop.model_file import load, save
    >>> X, y = pt.datasets.load_tennis()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(pt.ID3Classifier().fit(X, y), f"{folder}/tennis.json")
    ...     model = load(f"{folder}/tennis.json")
    >>> model.predict(X[:2]).tolist(), model.training_.n_rows
    (['No', 'No'], 14)
    """
    return from_bytes(read_file(check_path(path)))

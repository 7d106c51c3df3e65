"""Model files: fitted models, trees and rules saved, and loaded without running any code.

docs/model_file.md describes the format. document.py takes a model apart into a head (head.py) and
trees; text_form.py and packed_form.py write them, in one step (atomic.py). May import estimators,
because a file names the class of its model, and rules, tree and data. The other formats never
enter, and nothing that is read is trusted.
"""

from __future__ import annotations

from os import PathLike
from typing import Any

from plaintree.checks import check_path

from .atomic import read_file, write_file
from .card import ModelCard as ModelCard
from .card import model_card as model_card
from .reading import from_bytes as from_bytes
from .reading import packed_state as packed_state
from .reading import to_bytes as to_bytes
from .reading import unpacked_state as unpacked_state


def save(model: Any, path: str | PathLike[str]) -> None:
    """Write a fitted model, a Tree or a RuleList to a file that :func:`load` reads.

    Single trees and rules are written as JSON that people can read, ensembles and very large trees
    compressed. Writing is atomic: after a crash or on a full disk, an older file of that name is
    unchanged.

    Parameters
    ----------
    model : estimator, Tree or RuleList
        A fitted estimator of plaintree, a tree or a rule list.
    path : str or PathLike
        The file to write; the extension does not matter.

    Raises
    ------
    ModelFileError
        If the model is not fitted, or has values that a file cannot store.
    FileError
        If the file cannot be written; a ``FileNotFoundError`` if its directory does not exist.

    Examples
    --------
    >>> import tempfile, plaintree as pt
    >>> from plaintree.interop.model_file import load, save
    >>> X, y = pt.datasets.load_tennis()
    >>> model = pt.C45Classifier().fit(X, y)
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     save(model, f"{directory}/tennis.json")
    ...     again = load(f"{directory}/tennis.json")
    >>> again.tree_.difference(model.tree_) is None
    True
    """
    write_file(check_path(path), to_bytes(model))


def load(path: str | PathLike[str]) -> Any:
    """Load a model, Tree or RuleList from a file that :func:`save` has written.

    The content is validated before it is used, and no code is run.

    Parameters
    ----------
    path : str or PathLike
        The file to read.

    Returns
    -------
    estimator, Tree or RuleList
        The object that was saved.

    Raises
    ------
    MissingFileError
        If there is no such file; also a ``FileNotFoundError``.
    ModelFileError
        If the file does not hold a model, is damaged, or would take too much memory.

    Examples
    --------
    >>> import tempfile, plaintree as pt
    >>> from plaintree.interop.model_file import load, save
    >>> X, y = pt.datasets.load_tennis()
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     save(pt.ID3Classifier().fit(X, y), f"{directory}/tennis.json")
    ...     model = load(f"{directory}/tennis.json")
    >>> model.predict(X[:2]).tolist(), model.training_.n_rows
    (['No', 'No'], 14)
    """
    return from_bytes(read_file(check_path(path)))

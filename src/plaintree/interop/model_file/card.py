"""Model cards: a summary of the model in a file."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import Any

from plaintree.checks import check_path
from plaintree.data.schema import Schema

from .atomic import read_file
from .document import parameters_of
from .packed_form import BEGINNING
from .reading import read_bytes, refusing


@dataclass(frozen=True)
class ModelCard:
    """Summary of a model file.

    Attributes
    ----------
    model : str
        The class of the model.
    version : int
        The version of the file format.
    plaintree : str
        The version of plaintree that wrote the file.
    form : {"text", "packed"}
        Whether the file is JSON or compressed.
    parameters : dict
        The parameters of the estimator.
    conventions : tuple of str
        The conventions that the trees were grown with.
    schema : Schema
        The columns and classes.
    n_features : int
        Number of features.
    target : str
        The name of the target column.
    classes : tuple of labels
        The classes that the model predicts.
    n_trees, n_nodes, n_rules : int
        Numbers of trees, of their nodes, and of rules.
    n_rows : int or None
        Number of training rows; None if not known.
    table_hash : str or None
        Hash of the training table (:class:`plaintree.data.TrainingRecord`); None if not known.
    edits : tuple of (int, dict)
        The edits by hand, in order, each with the number of its tree.
    """

    model: str
    version: int
    plaintree: str
    form: str
    parameters: dict[str, Any]
    conventions: tuple[str, ...]
    schema: Schema
    n_features: int
    target: str
    classes: tuple[Any, ...]
    n_trees: int
    n_nodes: int
    n_rules: int
    n_rows: int | None
    table_hash: str | None
    edits: tuple[tuple[int, dict[str, Any]], ...]


def model_card(path: str | PathLike[str]) -> ModelCard:
    """Return a summary of a model file, which is read and validated as by ``load``.

    Parameters
    ----------
    path : str or PathLike
        The model file.

    Returns
    -------
    ModelCard

    Raises
    ------
    MissingFileError
        If there is no such file; also a ``FileNotFoundError``.
    ModelFileError
        If the file does not hold a valid model.

    Examples
    --------
    >>> import tempfile, plaintree as pt
    >>> from plaintree.interop.model_file import model_card, save
    >>> X, y = pt.datasets.load_tennis()
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     save(pt.ID3Classifier().fit(X, y), f"{directory}/tennis.json")
    ...     card = model_card(f"{directory}/tennis.json")
    >>> card.model, card.n_nodes, card.n_rows, card.conventions
    ('ID3Classifier', 8, 14, ('id3',))
    """
    return card_of(read_file(check_path(path)))


def card_of(data: bytes) -> ModelCard:
    """Return the card of the bytes of a model file."""
    sizes: list[int] = []
    edits: list[tuple[int, dict[str, Any]]] = []
    with refusing():
        head, trees = read_bytes(data)
        for number, tree in enumerate(trees):
            sizes.append(tree.n_nodes)
            edits += [(number, edit) for edit in tree.edits]
        document = head.document
        parameters = parameters_of(document)
    training = document.training
    return ModelCard(
        model=document.model,
        version=head.data["version"],
        plaintree=head.plaintree,
        form="packed" if data.startswith(BEGINNING) else "text",
        parameters=parameters,
        conventions=tuple(map(str, head.conventions)),
        schema=document.schema,
        n_features=len(document.schema.features),
        target=document.schema.target,
        classes=document.schema.classes,
        n_trees=len(sizes),
        n_nodes=sum(sizes),
        n_rules=len(document.rules.rules) if document.rules else 0,
        n_rows=training.n_rows if training else None,
        table_hash=training.table_hash if training else None,
        edits=tuple(edits),
    )

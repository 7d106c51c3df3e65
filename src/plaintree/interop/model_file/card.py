"""What a model file says about its model, for people and programs that only want to look."""

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
    """The facts of a model file.

    - ``model``: the class; ``version``: of the format; ``plaintree``: the version that wrote it;
      ``form``: "text" or "packed".
    - ``schema``: columns and classes, in full; ``n_attributes``, ``target`` and ``classes`` are
      from it.
    - ``n_rows``, ``table_hash``: of the training table (:mod:`plaintree.data.training_record`),
      None where they are not known.
    - ``edits``: what was changed by hand, in order, with the number of the tree.
    """

    model: str
    version: int
    plaintree: str
    form: str
    parameters: dict[str, Any]
    conventions: tuple[str, ...]
    schema: Schema
    n_attributes: int
    target: str
    classes: tuple[Any, ...]
    n_trees: int
    n_nodes: int
    n_rules: int
    n_rows: int | None
    table_hash: str | None
    edits: tuple[tuple[int, dict[str, Any]], ...]


def model_card(path: str | PathLike[str]) -> ModelCard:
    """What a model file says about its model; the whole file is read and checked, as by ``load``.

    Examples
    --------
    >>> import tempfile, plaintree as pt
    >>> from plaintree.interop.model_file import model_card, save
    >>> X, y = pt.datasets.load_tennis()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(pt.ID3Classifier().fit(X, y), f"{folder}/tennis.json")
    ...     card = model_card(f"{folder}/tennis.json")
    >>> card.model, card.n_nodes, card.n_rows, card.conventions
    ('ID3Classifier', 8, 14, ('id3',))
    """
    return card_of(read_file(check_path(path)))


def card_of(data: bytes) -> ModelCard:
    """What the bytes of a model file say about its model."""
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
        n_attributes=len(document.schema.features),
        target=document.schema.target,
        classes=document.schema.classes,
        n_trees=len(sizes),
        n_nodes=sum(sizes),
        n_rules=len(document.rules.rules) if document.rules else 0,
        n_rows=training.n_rows if training else None,
        table_hash=training.table_hash if training else None,
        edits=tuple(edits),
    )

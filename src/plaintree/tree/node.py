"""A node of a tree as an object: its condition, children, counts and label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from plaintree.data.schema import Label

from .condition import Condition, NodeKind

if TYPE_CHECKING:
    from .tree import Tree


@dataclass(frozen=True, eq=True)
class Node:
    """One node of a tree, which reads the tree's arrays."""

    tree: Tree
    index: int

    @property
    def is_leaf(self) -> bool:
        """Whether the node has no children."""
        return bool(self.tree.kind[self.index] == NodeKind.LEAF)

    @property
    def condition(self) -> Condition | None:
        """The condition of the node; None in a leaf."""
        return self.tree.condition(self.index)

    @property
    def feature(self) -> str | None:
        """The name of the feature that the node splits on; None in a leaf."""
        column = int(self.tree.feature[self.index])
        return None if column < 0 else self.tree.schema.features[column].name

    @property
    def children(self) -> tuple[Node, ...]:
        """The children in the order of the condition's branches."""
        first = int(self.tree.first_child[self.index])
        n = int(self.tree.n_children[self.index])
        return tuple(Node(self.tree, first + i) for i in range(n))

    @property
    def parent(self) -> Node | None:
        """The node above; None for the root."""
        above = int(self.tree.parent[self.index])
        return None if above < 0 else Node(self.tree, above)

    @property
    def depth(self) -> int:
        """The number of edges from the root."""
        return int(self.tree.node_depths[self.index])

    @property
    def counts(self) -> dict[Label, float]:
        """The weight of every class among the training rows here (a count if unweighted)."""
        return dict(
            zip(self.tree.schema.classes, self.tree.class_weights[self.index].tolist(), strict=True)
        )

    @property
    def weight(self) -> float:
        """The sum of the training rows' weights."""
        return float(self.tree.weight[self.index])

    @property
    def n_rows(self) -> int:
        """The number of training rows that reached the node."""
        return int(self.tree.n_rows[self.index])

    @property
    def impurity(self) -> float:
        """The impurity of the class weights, by the measure the tree was grown with."""
        return float(self.tree.impurity[self.index])

    @property
    def score(self) -> float:
        """The score of the split; NaN in a leaf."""
        return float(self.tree.score[self.index])

    @property
    def label(self) -> Label:
        """The class predicted here; an error if the target is numeric."""
        from .task import needs_classes

        needs_classes(self.tree.schema, "the label of a node")
        return self.tree.schema.classes[int(self.tree.label[self.index])]

    @property
    def prediction(self) -> Label:
        """The class or the number predicted here."""
        tree = self.tree
        return self.label if tree.schema.classes else float(tree.prediction[self.index])

    def __repr__(self) -> str:
        test = self.feature or f"leaf {self.prediction!r}"
        return f"<Node {self.index}: {test}, weight {self.weight:g}>"

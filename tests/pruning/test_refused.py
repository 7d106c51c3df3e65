"""What pt.prune refuses: wrong options, missing rows, unknown labels, each told in words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from plaintree import ID3Classifier, datasets
from plaintree.errors import ArgumentTypeError, ParameterError, TableError, TreeError
from plaintree.pruning.methods import METHODS
from tests.support.pruned import pruned_tree
from tests.support.trees import XY_SCHEMA, build, tennis


class TestRefused:
    def test_an_unknown_method(self) -> None:
        with pytest.raises(ParameterError, match=r"method has a value.*'reduced_error'"):
            pruned_tree(tennis(), "reduced")  # type: ignore[arg-type]

    def test_an_option_of_another_method(self) -> None:
        with pytest.raises(ParameterError, match=r"'mdl' has no option 'alpha'.*it has coding"):
            pruned_tree(tennis(), "mdl", alpha=1)

    def test_a_misspelt_option(self) -> None:
        with pytest.raises(ParameterError, match=r"did you mean 'max_depth'"):
            pruned_tree(tennis(), "limits", maxdepth=1)

    def test_something_else_than_a_tree(self) -> None:
        with pytest.raises(ArgumentTypeError, match=r"no tree to read.*call fit first"):
            pruned_tree(ID3Classifier(), "mdl")

    def test_rows_for_a_method_that_looks_at_the_tree_alone(self) -> None:
        X, y = datasets.load_tennis()
        with pytest.raises(ParameterError, match=r"'mdl' uses the tree alone, no rows"):
            pruned_tree(ID3Classifier().fit(X, y), "mdl", X, y)
        with pytest.raises(ParameterError, match=r"uses the tree alone, no rows. Got sample_w"):
            pruned_tree(ID3Classifier().fit(X, y), "mdl", sample_weight=np.ones(14))

    @pytest.mark.parametrize("method", ["reduced_error", "error_based"])
    def test_no_rows_for_a_method_that_needs_them(self, method: Any) -> None:
        with pytest.raises(TableError, match=r"no rows to prune with.* Got no X and no y"):
            pruned_tree(tennis(), method)

    @pytest.mark.parametrize("method", ["reduced_error", "error_based"])
    def test_an_empty_validation_set(self, method: Any) -> None:
        X, y = datasets.load_tennis()
        model = ID3Classifier().fit(X, y)
        with pytest.raises(TableError, match=r"X has 0 sample.* at least one row"):
            pruned_tree(model, method, X[:0], y[:0])

    def test_labels_unseen_in_training(self) -> None:
        X, y = datasets.load_tennis()
        model = ID3Classifier().fit(X, y)
        with pytest.raises(TableError, match=r"not trained on. Got 'Maybe' in row 14.*'No', 'Yes'"):
            pruned_tree(model, "reduced_error", X, [*y[:13], "Maybe"])

    @pytest.mark.parametrize("confidence", [0, -0.1, 1.1, "high", None])
    def test_a_confidence_out_of_range(self, confidence: Any) -> None:
        X, y = datasets.load_tennis()
        with pytest.raises(ParameterError, match=r"confidence is out of range"):
            pruned_tree(ID3Classifier().fit(X, y), "error_based", X, y, confidence=confidence)

    @pytest.mark.parametrize("alpha", [-0.1, float("nan"), "1", True])
    def test_an_alpha_out_of_range(self, alpha: Any) -> None:
        with pytest.raises(ParameterError, match=r"alpha is out of range.*from 0 upwards"):
            pruned_tree(tennis(), "cost_complexity", alpha=alpha)

    @pytest.mark.parametrize("method", [m for m in METHODS if METHODS[m].needs_counts])
    def test_a_tree_without_class_counts(self, method: Any) -> None:
        bare = build(XY_SCHEMA, ("x <=", 1, [0, 0], [0, 0]))
        with pytest.raises(TreeError, match=r"needs class counts in the tree"):
            pruned_tree(bare, method)

    @pytest.mark.parametrize("value", ["no", 1, None])
    def test_merging_is_wanted_or_not(self, value: Any) -> None:
        with pytest.raises(ParameterError, match=r"merge_leaves has a value.* True, False"):
            pruned_tree(tennis(), "mdl", merge_leaves=value)

    @pytest.mark.parametrize(
        ("name", "options"),
        [
            ("method", {"method": ["mdl"]}),
            ("links", {"method": "cost_complexity", "alpha": 0.1, "links": ["weakest"]}),
            ("risk", {"method": "cost_complexity", "alpha": 0.1, "risk": ["error"]}),
            ("coding", {"method": "mdl", "coding": ["sliq"]}),
            ("ties", {"method": "mdl", "ties": np.array(["first"])}),
        ],
    )
    def test_a_list_instead_of_one_word(self, name: str, options: Any) -> None:
        with pytest.raises(ParameterError, match=rf"{name} has a value that is not allowed"):
            pruned_tree(tennis(), **options)

    @pytest.mark.parametrize("nodes", ["root", 1.5, [0, "1"], True, {"a": 1}])
    def test_nodes_to_cut_are_numbers(self, nodes: Any) -> None:
        for attempt in (tennis().cut, lambda n: pruned_tree(tennis(), "cut", nodes=n)):
            with pytest.raises(ArgumentTypeError, match=r"nodes must be given by their numbers"):
                attempt(nodes)

    def test_no_node_to_cut(self) -> None:
        with pytest.raises(ParameterError, match=r"no node to cut.* give nodes=3"):
            pruned_tree(tennis(), "cut")

    @pytest.mark.parametrize("fraction", ["a third", None, 0, 1, 1.5, float("nan"), True])
    def test_a_fraction_held_out_that_is_none(self, fraction: Any) -> None:
        X, y = datasets.load_tennis()
        options = {"validation_fraction": fraction}
        with pytest.raises(ParameterError, match=r"Got validation_fraction="):
            ID3Classifier(pruning="reduced_error", pruning_options=options).fit(X, y)

    def test_a_seed_that_is_none(self) -> None:
        with pytest.raises(ParameterError, match=r"random_state is not a seed. Got .*'lucky'"):
            pruned_tree(tennis(), "mdl", ties="random", random_state="lucky")  # type: ignore[arg-type]
        X, y = datasets.load_tennis()
        for method, more in (("reduced_error", {}), ("cost_complexity", {"choice": "min"})):
            model = ID3Classifier(pruning=method, pruning_options={"random_state": "lucky", **more})
            with pytest.raises(ParameterError, match=r"random_state is not a seed"):
                model.fit(X, y)

    def test_ties_other_than_first_or_random(self) -> None:
        with pytest.raises(ParameterError, match=r"ties has a value.*'first', 'random'"):
            pruned_tree(tennis(), "mdl", ties="last")  # type: ignore[arg-type]

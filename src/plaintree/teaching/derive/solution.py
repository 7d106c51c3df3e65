"""The worked solution of a model: ``derive`` computes it, a ``Derivation`` writes it."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from plaintree.data.encode import completed_schema, encode
from plaintree.data.rows import Rows
from plaintree.data.table import table_from
from plaintree.data.words import plain, shown_schema
from plaintree.errors import ArgumentTypeError, ParameterError, TableError, TreeError, not_allowed
from plaintree.tree.conventions import Conventions
from plaintree.tree.tree import Tree, tree_of
from plaintree.tree.walk import rows_from

from .cases import Cases
from .classify import classified
from .compose import Composer, Level
from .document import Composed, Document, with_blanks
from .held import held
from .introduction import MISSING_VALUES
from .pruning_steps import before_pruning, pruning_of
from .steps import TIES, Steps, work_out
from .terms import terms_of
from .write_html import to_html
from .write_latex import to_latex
from .write_markdown import to_markdown
from .write_text import to_text

FOLLOWED = frozenset(
    {
        *("criterion", "categorical", "missing", "unseen", "tied_label"),
        *("max_depth", "max_leaf_nodes", "min_samples_split", "min_samples_leaf"),
        *("min_samples_branch", "min_score", "min_weight_fraction_leaf", "min_impurity_decrease"),
        *("significance", "significance_test", "zero_gain", "threshold", "threshold_choice"),
        *("threshold_penalty", "average_gain", "numeric_branch_fraction", "min_separation"),
        *("tie_tolerance", "collapse", "exhaustive_categories"),
        *("max_surrogates", "use_surrogate", "surrogate_style"),
    }
)
"""The conventions that the steps follow."""


@dataclass(frozen=True, eq=False)
class Derivation:
    """The worked solution of a tree, to be written as text, Markdown, LaTeX or HTML.

    ``derive`` returns it; ``print`` shows it as text.

    Attributes
    ----------
    agrees : bool
        Whether the tree is the one that the derivation leads to, apart from ties.
    is_pruned_right : bool
        Whether pruning by these values gives the tree of the model. True if nothing was pruned.
    is_worksheet : bool
        Whether the results are left blank.

    Examples
    --------
    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_tennis()
    >>> solution = pt.derive(pt.ID3Classifier().fit(X, y), X, y)
    >>> solution
    <Derivation of a tree of 3 internal nodes>
    >>> print(solution.to_text().splitlines()[0])
    A decision tree for Play
    """

    document: Document
    steps: Steps
    sheet: Document
    is_pruned_right: bool = True
    is_worksheet: bool = False

    @property
    def agrees(self) -> bool:
        """Whether the tree is the one that the derivation leads to, apart from ties.

        Every node has the split found here or one with the same score, or it is a leaf where
        growing stops. Leaves predict the majority class, the mean or the median of their rows, and
        pruning gives the same tree.

        >>> import plaintree as pt
        >>> X, y = pt.datasets.load_tennis()
        >>> derive(pt.ID3Classifier().fit(X, y), X, y).agrees
        True
        """
        every = (kind for step in self.steps.by_node.values() for kind in step.differences)
        return self.is_pruned_right and TIES.issuperset(every)

    def worksheet(self) -> Derivation:
        """Make a worksheet: the task, the root with blanks, and space for the other steps.

        The steps below the root depend on its result, so they are not shown.

        Returns
        -------
        Derivation
            The same derivation with blanks instead of results.

        Examples
        --------
        >>> import plaintree as pt
        >>> X, y = pt.datasets.load_tennis()
        >>> pt.derive(pt.ID3Classifier().fit(X, y), X, y).worksheet()
        <Worksheet of a tree>
        """
        return replace(self, document=with_blanks(self.sheet), is_worksheet=True)

    def to_text(self, *, digits: int = 4, width: int | None = 80, ascii: bool = False) -> str:
        """Write plain text.

        Parameters
        ----------
        digits : int, default=4
            Digits after the decimal point, from 0 to 15. Only the text is rounded.
        width : int or None, default=80
            The maximum length of a line. None is the width of the terminal.
        ascii : bool, default=False
            Whether to use ASCII characters only.

        Returns
        -------
        str
        """
        return to_text(self.document, digits=digits, width=width, ascii=ascii)

    def to_markdown(self, *, digits: int = 4) -> str:
        """Write Markdown with formulas in TeX notation between dollar signs.

        Parameters
        ----------
        digits : int, default=4
            Digits after the decimal point, from 0 to 15.

        Returns
        -------
        str
        """
        return to_markdown(self.document, digits=digits)

    def to_latex(self, *, digits: int = 4) -> str:
        """Write a complete LaTeX document.

        Parameters
        ----------
        digits : int, default=4
            Digits after the decimal point, from 0 to 15.

        Returns
        -------
        str
        """
        return to_latex(self.document, digits=digits)

    def to_html(self, *, digits: int = 4) -> str:
        """Write a complete HTML page with formulas in MathML, without scripts.

        Parameters
        ----------
        digits : int, default=4
            Digits after the decimal point, from 0 to 15.

        Returns
        -------
        str
        """
        return to_html(self.document, digits=digits)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        if self.is_worksheet:
            return "<Worksheet of a tree>"
        return f"<Derivation of a tree of {self.steps.tree.size} internal nodes>"


def derive(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    level: Level = "full",
    rows: Any = None,
    max_rows: int | None = 10,
    worksheet: bool = False,
) -> Derivation:
    """Derive a tree step by step, with every number of every step.

    All values are computed again from the training rows, with exact fractions and without the
    core, and compared with the tree. The text reports every difference.

    Parameters
    ----------
    model : estimator or Tree
        A fitted estimator of a single tree, or a Tree that has its conventions. If the estimator
        prunes, the derivation has the tree as it was grown, and then its pruning.
    X : table
        The training rows, in any form that ``fit`` takes.
    y : sequence of labels or numbers
        The targets of the training rows.
    sample_weight : sequence of float or None, default=None
        The weights that were passed to ``fit``.
    level : {"full", "table", "summary"}, default="full"
        "full" has every formula, "table" the values in tables, "summary" the chosen splits, the
        tree and the rules.
    rows : table or None, default=None
        New rows with the same columns, to be predicted step by step.
    max_rows : int or None, default=10
        The number of candidate splits listed for each attribute, best first. None lists all.
    worksheet : bool, default=False
        Whether to leave blanks for the results, as :meth:`Derivation.worksheet` does.

    Returns
    -------
    Derivation
        The worked solution.

    Raises
    ------
    TableError
        If X and y are not the rows that the tree was grown from.
    TreeError
        If the splits of the tree were not chosen by a score, or by conventions that are not
        followed here, such as thresholds between bins (``max_bins``).

    Examples
    --------
    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_flu()
    >>> text = pt.derive(pt.ID3Classifier("gain_ratio").fit(X, y), X, y).to_text()
    >>> print(text[text.index("  GainRatio(Headache)"):].split("\\n")[0])
      GainRatio(Headache) ≈ 0.5216 / 0.9852 ≈ 0.5295
    """
    if level not in ("full", "table", "summary"):
        raise not_allowed("level", level, ("full", "table", "summary"))
    _check_max_rows(max_rows)
    tree = tree_to_derive(model)
    table = table_from(X)
    # A loaded tree has no values of columns that it does not split on; they are candidates here.
    tree = replace(tree, schema=completed_schema(tree.schema, table))
    encode(table, tree.schema, unseen="error")  # training rows have no unseen category
    given = rows_from(tree, table, y, sample_weight)
    grown, training, held_out = before_pruning(model, tree, given)
    assert grown.conventions is not None, "checked with the tree"
    cases = Cases.of(grown.schema, training, grown.conventions)
    check_training(grown, training, cases)
    steps = work_out(grown, cases, max_rows)
    pruned = pruning_of(model, steps, tree, held_out)
    shown = shown_schema(tree.schema)
    solved, asked = (
        () if rows is None else tuple(classified(tree, shown, rows, worksheet=blank))
        for blank in (False, True)
    )
    composer = Composer(steps, tree, pruned, level, getattr(model, "rules_", None), solved, asked)
    title = f"A {terms_of(cases.sums, shown).kind} tree for {plain(tree.schema.target)}"
    solution, sheet = (
        Document(title, Composed(blocks)) for blocks in (composer.blocks, composer.sheet)
    )
    found = Derivation(solution, steps, sheet, pruned is None or pruned.agrees)
    return found.worksheet() if worksheet else found


def _check_max_rows(max_rows: Any) -> None:
    is_integer = isinstance(max_rows, int) and not isinstance(max_rows, bool)
    if max_rows is not None and not (is_integer and max_rows >= 1):
        raise ParameterError(
            "max_rows is out of range",
            got=f"max_rows={max_rows!r}",
            hint="use an integer from 1, or None to list everything.",
        )


def tree_to_derive(model: Any) -> Tree:
    """The tree of a model, if its steps can be followed."""
    if not hasattr(model, "tree_") and hasattr(model, "n_estimators"):
        raise ArgumentTypeError(
            "an ensemble cannot be derived as one tree",
            got=f"an object of type {type(model).__name__}",
            hint="pass a single tree, such as an ID3Classifier or model.trees_[0].",
        )
    tree = tree_of(model)
    rules = tree.conventions
    scores = tree.score[tree.n_children > 0]
    unscored = scores.size and np.isnan(scores).all() and not tree.edits
    if rules is None or unscored:
        raise TreeError(
            "the splits of this tree were not chosen by a score, so there is nothing to derive",
            got="a tree without conventions" if rules is None else "splits without a score",
            hint="derive a tree grown by ID3Classifier, C45Classifier, CARTClassifier, "
            "CARTRegressor, DecisionTreeClassifier or DecisionTreeRegressor.",
        )
    check_conventions(rules)
    return tree


def check_conventions(rules: Conventions) -> None:
    """Refuse conventions that are not followed here, so the steps would be those of another tree.

    Fields that are not in ``FOLLOWED`` may have their defaults only.
    """
    if rules.max_bins is not None:
        raise TreeError(
            "thresholds between bins cannot be derived",
            got=f"a tree grown with max_bins={rules.max_bins}",
            hint="grow it with max_bins=None.",
        )
    odd = [f.name for f in fields(rules) if getattr(rules, f.name) != f.default]
    odd = [name for name in odd if name not in FOLLOWED]
    odd += [] if rules.missing in MISSING_VALUES else ["missing"]
    if odd:
        raise TreeError(
            f"a tree grown with {odd[0]} cannot be derived",
            got=f"{odd[0]}={getattr(rules, odd[0])!r}",
            hint=f"grow it with the default of {odd[0]}.",
        )


def check_training(tree: Tree, rows: Rows, cases: Cases) -> None:
    """Refuse rows that a tree was not grown from."""
    root = held(tree, cases.sums)
    if root.sums_differ(0, cases.counts(cases.everyone)):
        raise TableError(
            "X and y are not the rows that the tree was grown from",
            got=root.differs_from(rows),
            hint="pass the X, y (and sample_weight) that were passed to fit, or derive "
            "tree.refit(X, y).",
        )

"""The learners' parameters as options of the command line: one table declares them.

An option has the name of its parameter. Choices and types come from the conventions; the table
lists which learners have a parameter, and a test compares that with the learners. The learners
themselves are not imported, so ``--help`` stays fast.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from inspect import Parameter, signature
from typing import Annotated, Any, get_type_hints

import typer

from plaintree.errors import ParameterError
from plaintree.estimators.registry import BY_SHORT_NAME, BY_TASK, SINGLE_TREES, TaskName
from plaintree.pruning.names import BY_HAND, METHOD_NAMES
from plaintree.tree.conventions import CHOICES, Conventions

from ..study.known import check_known, features_from
from .declare import completing
from .flags import flag_of
from .help import LEARNER

DEFAULT = "c45"
DEFAULTS: dict[TaskName, str] = {"classification": DEFAULT, "regression": "cart"}
"""The learner of each task, unless another is named."""
LEARNERS = tuple(sorted(SINGLE_TREES, key=lambda name: name != DEFAULT))
"""The learners of single trees by their short names, the default first."""
COMPARED = tuple(BY_SHORT_NAME)
"""The learners that ``compare`` takes: single trees, rules and ensembles."""
PRUNING_METHODS = tuple(name for name in METHOD_NAMES if name != BY_HAND)
"""The pruning methods that do not need a list of nodes."""

_ALL = LEARNERS


def rows_from(text: str) -> float:
    """A number of rows, which is written as an integer, or a fraction of them."""
    try:
        return int(text) if text.lstrip("+-").isdigit() else float(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a number of rows, nor a fraction.") from None


_TYPES = {
    **get_type_hints(Conventions),
    "ccp_alpha": float,
    "class_weight": str,
    "confidence": float,
    "costs": list[str],
    "feature_costs": list[str],
    "priors": list[str],
    "first": list[str],
    "forbid": list[str],
    "interaction_cst": list[str],
    "max_features": str,
    "min_samples_leaf": rows_from,
    "min_samples_split": rows_from,
    "monotonic_cst": list[str],
    "numeric": str,
    "pruning": str,
    "pruning_options": list[str],
}


@dataclass(frozen=True)
class LearnerOption:
    """A parameter of some learners as an option.

    An option that can be repeated gives one item of its parameter, so its name is the singular.
    """

    parameter: str
    help: str
    learners: tuple[str, ...] = _ALL
    choices: tuple[str, ...] = ()
    metavar: str | None = None

    @property
    def flag(self) -> str:
        """The option's name."""
        flag = flag_of(self.parameter)
        return flag.removesuffix("s") if _TYPES[self.parameter] == list[str] else flag

    @property
    def type(self) -> Any:
        """The type that the command line reads; None is the learner's own default."""
        read = _TYPES[self.parameter]
        return (str if self.parameter in CHOICES or read is rows_from else read) | None

    @property
    def declaration(self) -> Parameter:
        """The option as typer reads it from a function's signature."""
        flags = self.flag
        if _TYPES[self.parameter] is bool:
            flags += "/--no-" + self.flag.removeprefix("--")
        choices = self.choices or CHOICES.get(self.parameter, ())
        text = f"{self.help}: {', '.join(choices)}." if choices else f"{self.help}."
        if self.learners != _ALL:
            text = f"({', '.join(self.learners)} only) {text}"
        option = typer.Option(
            flags,
            help=text,
            metavar=self.metavar,
            parser=rows_from if _TYPES[self.parameter] is rows_from else None,
            rich_help_panel=LEARNER,
            autocompletion=completing(choices) if choices else None,
        )
        return Parameter(
            self.parameter,
            Parameter.KEYWORD_ONLY,
            default=None,
            annotation=Annotated[self.type, option],
        )


OPTIONS = (
    LearnerOption("criterion", "Split criterion, of classes or of a numeric target"),
    LearnerOption("missing", "How rows with a missing value are split"),
    LearnerOption(
        "max_surrogates", "Maximum number of surrogate splits, with --missing surrogate", ("cart",)
    ),
    LearnerOption(
        "use_surrogate",
        "With --missing surrogate: 0 rows stop at the node, 1 or if no surrogate knows them, "
        "2 or then follow the larger branch",
        ("cart",),
    ),
    LearnerOption(
        "surrogate_style",
        "Agreement among all rows that the split knows (0), or that the surrogate knows too (1)",
        ("cart",),
    ),
    LearnerOption("unseen", "How categories not seen in training are treated"),
    LearnerOption("max_depth", "Maximum depth"),
    LearnerOption("max_leaf_nodes", "Maximum number of leaves", ("id3", "cart")),
    LearnerOption(
        "min_samples_split",
        "Minimum number of rows to split a node, or fraction of all rows",
        metavar="N",
    ),
    LearnerOption(
        "min_samples_leaf",
        "Minimum number of rows in every branch, or fraction of all rows",
        ("id3", "cart"),
        metavar="N",
    ),
    LearnerOption("min_samples_branch", "Minimum weight of at least two branches", ("c45",)),
    LearnerOption(
        "min_weight_fraction_leaf",
        "Minimum fraction of the total weight in a branch",
        ("id3", "cart"),
    ),
    LearnerOption(
        "max_features",
        "Features sampled at each node: sqrt, log2, all, a number or a fraction",
        metavar="N",
    ),
    LearnerOption(
        "min_impurity_decrease",
        "Minimum gain of a split, times the node's fraction of all rows",
    ),
    LearnerOption("class_weight", "Weights of the classes", choices=("balanced",)),
    LearnerOption(
        "priors",
        "Prior probability of a class; repeated for every class",
        ("cart",),
        metavar="CLASS=NUMBER",
    ),
    LearnerOption(
        "costs",
        "Cost of an error, by default 1; can be repeated",
        ("cart",),
        metavar="ACTUAL,PREDICTED=NUMBER",
    ),
    LearnerOption(
        "feature_costs",
        "Cost of a column, by default 1; can be repeated",
        ("cart",),
        metavar="COLUMN=NUMBER",
    ),
    LearnerOption(
        "decision_threshold",
        "Probability of the second of two classes above which it is predicted",
        ("cart",),
    ),
    LearnerOption("min_score", "Minimum score of a split"),
    LearnerOption("significance", "Maximum p-value of a split"),
    LearnerOption("significance_test", "p-value adjusted for the choice of the split, or not"),
    LearnerOption("zero_gain", "Allow splits without gain", ("id3", "cart")),
    LearnerOption(
        "categorical",
        "Splits on categories; c45 has multiway and grouped, cart the others",
        ("c45", "cart"),
    ),
    LearnerOption(
        "numeric",
        "Split numbers at thresholds, or discretise them into intervals before growing",
        ("id3", "c45"),
        ("threshold", "intervals"),
    ),
    LearnerOption("pruning", "Pruning method", choices=(*PRUNING_METHODS, "none")),
    LearnerOption(
        "pruning_options",
        "Option of the pruning method; can be repeated",
        metavar="NAME=VALUE",
    ),
    LearnerOption("ccp_alpha", "Cost-complexity pruning: minimum impurity decrease per leaf"),
    LearnerOption("confidence", "Confidence of error-based pruning; smaller values prune more"),
    LearnerOption("max_bins", "Bin numbers before growing; not exact", ("cart",)),
    LearnerOption("splitter", "Best split of each feature, or a random one", ("cart",)),
    LearnerOption(
        "monotonic_cst",
        "Direction of the prediction with a feature, 1 or -1; can be repeated",
        ("cart",),
        metavar="NAME=1",
    ),
    LearnerOption(
        "forbid",
        "Feature that no node splits on; can be repeated",
        ("cart",),
        metavar="NAME",
    ),
    LearnerOption(
        "first",
        "Feature of the root; repeated, of the levels below it",
        ("cart",),
        metavar="NAME",
    ),
    LearnerOption(
        "interaction_cst",
        "Features that may be on one path; can be repeated",
        ("cart",),
        metavar="NAME,NAME",
    ),
    LearnerOption("threshold", "Value reported as the threshold", ("c45",)),
    LearnerOption("threshold_choice", "Measure that chooses the threshold", ("c45",)),
    LearnerOption(
        "threshold_penalty", "Subtract the cost of choosing a threshold from its gain", ("c45",)
    ),
    LearnerOption("average_gain", "Require at least the average gain", ("c45",)),
    LearnerOption(
        "numeric_branch_fraction",
        "Minimum fraction of rows per class in a branch of a numeric split",
        ("c45",),
    ),
    LearnerOption("collapse", "Collapse subtrees that save no training errors", ("c45",)),
)


PRUNING = ("pruning", "pruning_options", "confidence")
"""The parameters of pruning; the others are about growing."""
GROWING_OPTIONS = tuple(option for option in OPTIONS if option.parameter not in PRUNING)
FOREST_HELP = {
    "criterion": "Split criterion",
    "categorical": "Splits on categories",
    "missing": None,
    "unseen": None,
    "max_depth": None,
    "max_leaf_nodes": None,
    "min_samples_split": None,
    "min_samples_leaf": None,
    "min_weight_fraction_leaf": None,
    "min_impurity_decrease": None,
    "min_score": None,
    "zero_gain": None,
    "max_bins": None,
}
"""The parameters of a forest's trees, with another help where that of single trees does not fit."""
FOREST_OPTIONS = tuple(
    replace(option, help=text or option.help, learners=_ALL)
    for name, text in FOREST_HELP.items()
    for option in OPTIONS
    if option.parameter == name
)
"""The options of a forest's trees."""


def learner_named(name: str) -> str:
    """The learner's name as LEARNERS has it; C4.5 and ID3 may be written as they are spoken."""
    plain = _unspoken(name)
    check_known("learner", f"--learner {name}", plain, LEARNERS)
    return plain


def parameters_of(learner: str, task: TaskName) -> tuple[str, ...]:
    """The parameters of a learner of a task."""
    return tuple(signature(BY_TASK[task][learner].load()).parameters)


def compared_learners(listed: str | None) -> tuple[str, ...]:
    """The names in a list with commas, as COMPARED has them, each of them once.

    Without a list there are none, which stands for all learners of the task.
    """
    if listed is None:
        return ()
    names = [_unspoken(part) for part in listed.split(",") if part.strip()]
    if not names:
        raise ParameterError(
            "there are no learners to compare",
            got=f"--learners {listed!r}",
            hint=f"give some of {','.join(COMPARED)}.",
        )
    for name in names:
        check_known("learner", f"{name} in --learners {listed}", name, COMPARED)
    return tuple(dict.fromkeys(names))


def _unspoken(name: str) -> str:
    return name.strip().lower().replace(".", "")


def flags_of(options: Iterable[LearnerOption]) -> dict[str, str]:
    """The options' flags by the parameters that they stand for."""
    return {option.parameter: option.flag for option in options}


MAPPINGS = ("priors", "costs", "feature_costs")
"""Parameters that are dictionaries: an option for each entry."""


def costs_from(texts: Iterable[str] | None) -> dict[Any, float] | None:
    """The costs of errors, each given as ACTUAL,PREDICTED=NUMBER; None without any."""
    return _mapping_from("costs", texts) if texts else None


def _mapping_from(parameter: str, texts: Iterable[str]) -> dict[Any, float]:
    """The entries of a dictionary, each given as NAME=NUMBER or, of a pair, NAME,NAME=NUMBER."""
    (option,) = (option for option in OPTIONS if option.parameter == parameter)
    of_pairs = parameter == "costs"
    found: dict[Any, float] = {}
    for text in texts:
        name, sign, number = text.rpartition("=")
        key = tuple(name.split(",")) if of_pairs else name
        try:
            complete = sign and (not of_pairs or len(key) == 2)
            found[key] = float(number if complete else "")
        except ValueError:
            raise ParameterError(
                f"{option.flag} needs {'two classes' if of_pairs else 'a name'} and a number",
                got=f"{option.flag} {text}",
                hint=f"write {option.flag} {option.metavar}.",
            ) from None
    return found


def growing_parameters(
    learner: str, given: Mapping[str, Any], task: TaskName = "classification"
) -> dict[str, Any]:
    """The parameters that were given; one that the learner does not have is an error."""
    chosen = {}
    of_regressor = () if task == "classification" else parameters_of(learner, task)
    for option in GROWING_OPTIONS:
        value = given.get(option.parameter)
        if value is None or value == []:
            continue
        values = value if isinstance(value, list) else [value]
        typed = " ".join(f"{option.flag} {it}" for it in values)
        if learner not in option.learners:
            having = " and ".join(option.learners)
            raise ParameterError(
                f"the learner {learner} has no option {option.flag}",
                got=typed,
                hint=f"{having} {'has' if len(option.learners) == 1 else 'have'} it.",
            )
        if task == "regression" and option.parameter not in of_regressor:
            raise ParameterError(
                f"the learner {learner} has no option {option.flag} for a numeric target",
                got=typed,
                hint="leave it out.",
            )
        read = _READ.get(option.parameter)
        chosen[option.parameter] = read(value) if read else value
    return chosen


def directions_from(texts: Iterable[str]) -> dict[str, int]:
    """The directions of features from strings such as income=1."""
    directions = {}
    for text in texts:
        name, equals, sign = text.rpartition("=")
        if not equals or sign.strip() not in ("1", "+1", "-1"):
            raise ParameterError(
                "a direction is a feature, = and 1 or -1",
                got=f"--monotonic-cst {text}",
                hint="write --monotonic-cst income=1 for a prediction that may only rise.",
            )
        directions[name] = int(sign)
    return directions


_READ: dict[str, Callable[[Any], Any]] = {
    **{parameter: partial(_mapping_from, parameter) for parameter in MAPPINGS},
    "max_features": features_from,
    "monotonic_cst": directions_from,
    "interaction_cst": lambda texts: [text.split(",") for text in texts],
}
"""How the strings of some options become parameters."""

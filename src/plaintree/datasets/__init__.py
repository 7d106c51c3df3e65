"""Small tables, most of them from textbooks and lecture notes, ready to grow a tree from.

Every ``load_...`` function returns a :class:`Dataset`. Nothing is read, and no data-frame library
is imported, before one of them is called. May import data and what is further in. Trees never
enter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "Dataset",
    "load_and",
    "load_emails",
    "load_flu",
    "load_golf",
    "load_houses",
    "load_lisbon_letters",
    "load_lisbon_signs",
    "load_loans",
    "load_or",
    "load_or_and",
    "load_tennis",
    "load_xor",
]

_DIRECTORY = Path(__file__).parent


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A table with the name of the column to be predicted.

    Unpacks into features and target.

    Attributes
    ----------
    name : str
        The name of the table.
    description : str
        One sentence about it, with its source.
    target : str
        The name of the column to predict.
    frame : polars.DataFrame
        The whole table.

    Examples
    --------
    >>> from plaintree.datasets import load_tennis
    >>> X, y = load_tennis()
    >>> X.columns
    ['Outlook', 'Temperature', 'Humidity', 'Wind']
    >>> y.name
    'Play'
    """

    name: str
    description: str
    target: str
    frame: pl.DataFrame

    @property
    def X(self) -> pl.DataFrame:
        """The features: every column except the target."""
        return self.frame.drop(self.target)

    @property
    def y(self) -> pl.Series:
        """The class or number of every row."""
        return self.frame[self.target]

    def __iter__(self) -> Iterator[pl.DataFrame | pl.Series]:
        yield self.X
        yield self.y

    def __repr__(self) -> str:
        rows, columns = self.frame.shape
        return f"<Dataset {self.name}: {rows} rows, {columns - 1} features, target {self.target}>"


def load_tennis() -> Dataset:
    """Load the tennis table: 14 days, weather as categories (Quinlan 1986).

    Returns
    -------
    Dataset

    Examples
    --------
    >>> from plaintree.datasets import load_tennis
    >>> load_tennis()
    <Dataset tennis: 14 rows, 4 features, target Play>
    """
    return _read(
        "tennis", "Was tennis played? 14 days, weather as categories (Quinlan 1986).", "Play"
    )


def load_golf() -> Dataset:
    """Load the golf table: the same days, two features as numbers (Quinlan).

    Returns
    -------
    Dataset

    Examples
    --------
    >>> from plaintree.datasets import load_golf
    >>> load_golf().frame["humidity"].max()
    96
    """
    return _read("golf", "Was golf played? 14 days, weather as numbers (Quinlan 1993).", "play")


def load_houses() -> Dataset:
    """Load the houses table: 240 made houses and their prices in thousands, for regression.

    Prices follow from a formula with noise; ``tools/houses_table.py`` writes the table. Text
    columns, and missing values: the garden of flats, and some years and kinds of heating.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> from plaintree.datasets import load_houses
    >>> houses = load_houses()
    >>> houses
    <Dataset houses: 240 rows, 7 features, target price>
    >>> houses.X["heating"].null_count()
    10
    """
    return _read("houses", "What does a house cost? 240 made houses, in thousands.", "price")


def load_loans() -> Dataset:
    """Load the loans table: 1,200 made loans, and whether they defaulted.

    Large enough to show pruning, missing values and the quality of a model. Labels follow from a
    small tree of rules; 8 % of them are flipped, so an unpruned tree overfits. The columns hold
    text, booleans, dates and numbers. A missing income is informative, missing savings are not;
    ``newsletter`` is irrelevant, and a split on ``postcode`` fits the training rows only.
    ``tools/make_loans.py`` writes the table.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> import plaintree as pt
    >>> loans = pt.datasets.load_loans()
    >>> loans
    <Dataset loans: 1200 rows, 15 features, target defaulted>
    >>> models = pt.C45Classifier(pruning=None), pt.C45Classifier()
    >>> [model.fit(*loans).tree_.size for model in models]
    [25, 6]
    """
    return _read("loans", "Does a loan default? 1,200 made loans.", "defaulted")


def load_flu() -> Dataset:
    """Load the flu table: 7 patients and their symptoms (Turin).

    Returns
    -------
    Dataset

    Examples
    --------
    >>> from plaintree.datasets import load_flu
    >>> load_flu().X.columns
    ['Temperature', 'Headache', 'Nausea']
    """
    return _read("flu", "Does the patient have the flu? 7 patients (Turin).", "Flu")


def load_emails(*, x6: bool = False) -> Dataset:
    """Load the e-mail table: 10 e-mails, legitimate or spam (Cagliari).

    The columns are the course's x1 to x5 in order.

    Parameters
    ----------
    x6 : bool, default=False
        Add a sixth column, the word "algorithm", which alone separates the two classes.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> from plaintree.datasets import load_emails
    >>> load_emails().X.columns
    ['research', 'cheap', 'travel', 'conference', 'price']
    """
    emails = _read("emails", "Is an e-mail spam? 10 e-mails, words in them (Cagliari).", "kind")
    if x6:
        return emails
    frame = emails.frame.drop("algorithm")
    return Dataset(emails.name, emails.description, emails.target, frame)


def load_lisbon_signs() -> Dataset:
    """Load six rows with the classes + and - (Lisbon, first exercise).

    Returns
    -------
    Dataset

    Examples
    --------
    >>> from plaintree.datasets import load_lisbon_signs
    >>> load_lisbon_signs().y.to_list()
    ['+', '+', '+', '-', '-', '-']
    """
    return _read("lisbon_signs", "Six rows of classes + and - (Lisbon, exercise 1).", "O")


def load_lisbon_letters() -> Dataset:
    """Load six rows with the classes m, n, y and f (Lisbon, second exercise).

    Returns
    -------
    Dataset

    Examples
    --------
    >>> from plaintree.datasets import load_lisbon_letters
    >>> load_lisbon_letters().y.n_unique()
    4
    """
    return _read("lisbon_letters", "Six rows of classes m, n, y, f (Lisbon, exercise 2).", "O")


def load_and() -> Dataset:
    """Load the four rows of x1 and x2, as numbers 0 and 1.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> from plaintree.datasets import load_and
    >>> load_and().y.to_list()
    [0, 0, 0, 1]
    """
    return _truth_table("and", "x1 and x2", 2, lambda x: x[0] & x[1])


def load_or() -> Dataset:
    """Load the four rows of x1 or x2, as numbers 0 and 1.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> from plaintree.datasets import load_or
    >>> load_or().y.to_list()
    [0, 1, 1, 1]
    """
    return _truth_table("or", "x1 or x2", 2, lambda x: x[0] | x[1])


def load_xor() -> Dataset:
    """Load the four rows of x1 xor x2: no single split has a gain.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> from plaintree.datasets import load_xor
    >>> load_xor().y.to_list()
    [0, 1, 1, 0]
    """
    return _truth_table("xor", "either x1 or x2", 2, lambda x: x[0] ^ x[1])


def load_or_and() -> Dataset:
    """Load the eight rows of (x1 or x2) and x3 (Turin, second exercise).

    Returns
    -------
    Dataset

    Examples
    --------
    >>> from plaintree.datasets import load_or_and
    >>> load_or_and().y.sum()
    3
    """
    return _truth_table("or_and", "(x1 or x2) and x3", 3, lambda x: (x[0] | x[1]) & x[2])


def _read(name: str, description: str, target: str) -> Dataset:
    import polars as pl

    frame = pl.read_csv(_DIRECTORY / f"{name}.csv", try_parse_dates=True)
    return Dataset(name, description, target, frame)


def _truth_table(
    name: str, formula: str, n_variables: int, law: Callable[[tuple[int, ...]], int]
) -> Dataset:
    import polars as pl

    rows = [(*values, law(values)) for values in product((0, 1), repeat=n_variables)]
    names = [f"x{i + 1}" for i in range(n_variables)] + ["y"]
    frame = pl.DataFrame(rows, schema=names, orient="row")
    return Dataset(name, f"The truth table of {formula}.", "y", frame)

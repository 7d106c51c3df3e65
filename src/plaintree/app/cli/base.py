"""The program, the options that commands share, and the files that they read and write.

numpy, polars and scikit-learn are imported inside the commands, so ``--help`` stays fast.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plaintree.errors import FileError, ModelFileError, ParameterError, nearest

from .declare import completing
from .flags import as_typed
from .help import FILES, LEARNER, OUTPUT, VALIDATION, Command, Commands, examples
from .messages import Messages, wrote
from .options import DEFAULTS, LEARNERS

if TYPE_CHECKING:
    from .show import Page

app = typer.Typer(
    name="plaintree",
    cls=Commands,
    epilog=examples(
        "demo --table golf.csv",
        "demo houses --table houses.csv",
        "inspect golf.csv -t play",
        "grow golf.csv -t play --save golf.json --report golf.html",
        "grow houses.csv -t price --max-depth 3",
        "predict golf.json golf.csv",
    ),
    help="Decision trees you can read, check and trust.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@dataclass(frozen=True)
class Report:
    """Options of the report; see ``with_options``."""

    report: Annotated[
        str | None,
        typer.Option(metavar="FILE.html", help="Write an HTML report.", rich_help_panel=FILES),
    ] = None
    report_rows: Annotated[
        bool,
        typer.Option(
            "--report-rows",
            help="Put the rows of the table into the report, up to 5,000.",
            rich_help_panel=FILES,
        ),
    ] = False


def command(*shown: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Register a command; ``shown`` are the examples in its help."""
    return app.command(cls=Command, epilog=examples(*shown))


File = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="CSV, TSV, Parquet, ARFF or C4.5's .names/.data; - reads CSV from standard input.",
    ),
]
Files = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="CSV, TSV, Parquet, ARFF or C4.5's .names/.data; - reads CSV from standard input. A "
        "pattern in quotes such as 'data/*.parquet', a directory, Arrow (.arrow, .feather) and "
        "compressed CSV (.csv.gz, .csv.zst) are read in batches.",
    ),
]
Model = Annotated[
    str,
    typer.Argument(
        metavar="MODEL", help="A model file, written by --save; - reads standard input."
    ),
]
Target = Annotated[str, typer.Option("-t", "--target", help="The column to predict.")]
MaybeTarget = Annotated[str | None, typer.Option("-t", "--target", help="The column to predict.")]
Learner = Annotated[
    str | None,
    typer.Option(
        help=f"One of {', '.join(LEARNERS)} (default: {DEFAULTS['classification']}; for a numeric "
        f"target {DEFAULTS['regression']}).",
        autocompletion=completing(LEARNERS),
        rich_help_panel=LEARNER,
    ),
]
Folds = Annotated[
    int,
    typer.Option(
        min=0, help="Number of folds of cross-validation; 0 for none.", rich_help_panel=VALIDATION
    ),
]
OwnFolds = Annotated[
    int | None,
    typer.Option(
        min=0,
        help="Number of folds of cross-validation; 0 for none (default: 10; 0 if the table is read "
        "in batches).",
        rich_help_panel=VALIDATION,
    ),
]
RandomState = Annotated[
    int,
    typer.Option(
        min=0,
        max=2**32 - 1,
        help="Seed of everything that is drawn at random.",
        rich_help_panel=VALIDATION,
    ),
]
Jobs = Annotated[
    int,
    typer.Option(
        "-j",
        "--jobs",
        "--n-jobs",
        help="Number of threads; -1 for all cores.",
        rich_help_panel=VALIDATION,
    ),
]
Interval = Annotated[
    float, typer.Option("--interval", help="Confidence level of intervals, between 0 and 1.")
]
OneTree = Annotated[
    int | None,
    typer.Option("--tree", min=0, help="(forests) One of the trees, counted from 0."),
]
Save = Annotated[
    str | None,
    typer.Option(
        metavar="MODEL",
        help="Save the model, for evaluate, predict, explain and export.",
        rich_help_panel=FILES,
    ),
]
Out = Annotated[
    str,
    typer.Option(
        "-o",
        "--out",
        metavar="FILE",
        help="The file to write; - is standard output.",
        rich_help_panel=FILES,
    ),
]
Width = Annotated[
    int | None,
    typer.Option(help="Line width (default: that of the terminal).", rich_help_panel=OUTPUT),
]
Json = Annotated[
    bool, typer.Option("--json", help="One JSON object instead of text.", rich_help_panel=OUTPUT)
]
Everything = Annotated[
    bool,
    typer.Option(
        "--all", help="Print a large tree, rule list or table in full.", rich_help_panel=OUTPUT
    ),
]


@dataclass(frozen=True)
class Output(Messages):
    """Options about what a command prints, and how."""

    json: Json = False
    width: Width = None


def present(page: Page, study: Any, show: Callable[..., None], as_json: bool) -> None:
    """Print a study as text or as JSON."""
    from .show import show_summary, write_json

    if as_json:
        write_json(study.to_json())
        return
    show_summary(page, study.table)
    show(page, study)


# -------------------------------------------------------------------- files to read


def model_bytes(file: str) -> bytes:
    """The content of a model file, or of standard input."""
    from plaintree.interop.model_file.atomic import read_file

    check_named(file, "model")
    if file == "-":
        return sys.stdin.buffer.read()
    path = Path(file)
    if path.exists():
        return read_file(path)
    beside = [f.name for f in path.parent.iterdir()] if path.parent.is_dir() else []
    raise FileError(
        f"there is no file {file}",
        hint=nearest(path.name, beside) or "plaintree grow ... --save MODEL writes a model file.",
    )


def load_model(file: str, n_jobs: int = -1) -> Any:
    """The model of a file, which uses so many threads."""
    from plaintree.interop.model_file.reading import from_bytes
    from plaintree.threads import thread_count

    with as_typed({"n_jobs": "--jobs"}):
        thread_count(n_jobs)
    with _tables_named(file):
        model = from_bytes(model_bytes(file))
    if hasattr(model, "n_jobs"):
        model.n_jobs = n_jobs
    return model


def chosen_tree(model: Any, tree: int | None) -> Any:
    """One of the trees of a model by its number, or the model."""
    if tree is None:
        return model
    trees = getattr(model, "trees_", None)
    if trees is None:
        raise ParameterError(
            "this model is not an ensemble of trees",
            got=f"--tree {tree} of a {type(model).__name__}",
            hint="leave out --tree.",
        )
    if tree >= len(trees):
        raise ParameterError(
            "there is no such tree",
            got=f"--tree {tree} of {len(trees)} trees",
            hint="trees are counted from 0.",
        )
    return trees[tree]


@contextmanager
def _tables_named(file: str) -> Iterator[None]:
    """Raise another error for a file that is not a model, if its name is that of a table."""
    from plaintree.data.files import EXTENSIONS

    try:
        yield
    except ModelFileError as error:
        if Path(file).suffix.lower() not in EXTENSIONS:
            raise
        raise ModelFileError(
            "the file is not a model file, but a table by its name",
            got=file,
            hint="name the model first; plaintree grow ... --save MODEL writes one.",
        ) from error


def check_one_pipe(*files: str | None) -> None:
    """Standard input can be read only once."""
    if files.count("-") > 1:
        raise ParameterError(
            "standard input can be read only once",
            got=f"- {files.count('-')} times",
            hint="name a file for the others.",
        )


def check_named(file: str, what: str) -> None:
    """A file to read has a name, and is not a directory."""
    if not file:
        raise ParameterError(f"the name of the {what} is empty", hint="name a file.")
    _check_possible(file)
    if Path(file).is_dir():
        raise FileError(
            f"{file} is a directory", hint=f"name the file in it that contains the {what}."
        )


def _check_possible(file: str) -> None:
    from plaintree.checks import check_path

    check_path(file)


# -------------------------------------------------------------------- files to write


def check_places(*files: str | None) -> None:
    """Refuse files that cannot be written at the end, as far as that can be found out first."""
    for file in files:
        if file in ("-", ""):
            raise ParameterError(
                "this is not written to standard output, which has the text",
                got=f"{file!r}",
                hint="name a file.",
            )
        if file:
            _check_possible(file)
        if file and not Path(file).parent.is_dir():
            raise FileError(f"there is no directory {Path(file).parent}", hint="create it first.")
        if file and Path(file).is_dir():
            raise FileError(f"{file} is a directory", hint="name a file in it.")


def check_out(out: str) -> None:
    """The same for a file that may be standard output."""
    if out != "-":
        check_places(out)


def write_out(out: str, content: str | bytes, what: str) -> None:
    """Write text or bytes to standard output or to a file."""
    if isinstance(content, str):
        content = content.rstrip("\n") + "\n"
    if out != "-":
        write_named(out, content, what)
    elif isinstance(content, str):
        print(content, end="")
    elif sys.stdout.isatty():
        raise ParameterError(f"{what} is not text", hint="name a file with -o.")
    else:
        sys.stdout.buffer.write(content)


def write_named(path: str, content: str | bytes, what: str) -> None:
    """Write a file, and name it."""
    from ..report.writing import write_whole

    write_whole(path, content, what)
    wrote(path)


def source_of(file: str) -> str:
    """The name of a table in messages."""
    return "standard input" if file == "-" else file

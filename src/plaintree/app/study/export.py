"""The facts of `plaintree export`: a model as code, in an exchange format, or as text.

:data:`TARGETS` is the one table of export targets. The help of the command line reads it, so the
modules that write are imported only when they are used.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from plaintree.errors import ParameterError

from .known import check_known

if TYPE_CHECKING:
    import polars as pl

    from plaintree.interop.verification.verify import VerificationResult
    from plaintree.progress import Progress


@dataclass(frozen=True)
class Target:
    """An export target: its function, its options, and whether an export can be verified.

    ``formats`` are the values of its option ``format``.
    """

    module: str
    function: str
    options: tuple[str, ...] = ()
    verifiable: bool = True
    formats: tuple[str, ...] = ()


TARGETS: Mapping[str, Target] = {
    "sql": Target("interop.program.sql", "export_sql", ("dialect", "table", "view", "proba")),
    "python": Target("interop.program.python", "export_python"),
    "c": Target("interop.program.c", "export_c", ("name",)),
    "javascript": Target("interop.program.javascript", "export_javascript"),
    "java": Target("interop.program.java", "export_java", ("name",)),
    "pmml": Target("interop.pmml", "export_pmml"),
    "onnx": Target("interop.onnx", "export_onnx"),
    "dot": Target("show.picture.dot", "export_dot", ("max_depth",), verifiable=False),
    "svg": Target("show.picture.svg", "export_svg", ("max_depth",), verifiable=False),
    "mermaid": Target("show.picture.mermaid", "export_mermaid", ("max_depth",), verifiable=False),
    "tikz": Target(
        "show.picture.tikz", "export_tikz", ("max_depth", "standalone"), verifiable=False
    ),
    "text": Target("show.text", "export_text", ("max_depth", "width"), verifiable=False),
    "rules": Target(
        "rules.extract",
        "export_rules",
        ("format", "width"),
        verifiable=False,
        formats=("text", "markdown"),
    ),
    "formula": Target(
        "app.study.formulas",
        "export_formulas",
        ("format", "class_", "above", "below", "no_simplify", "width"),
        verifiable=False,
        formats=("text", "unicode", "latex"),
    ),
}
"""The export targets, code and exchange formats first."""
LANGUAGES = tuple(name for name, target in TARGETS.items() if target.verifiable)
READINGS = tuple(name for name, target in TARGETS.items() if not target.verifiable)


@dataclass(frozen=True, eq=False)
class Exported:
    """An export, and its verification if it was run and compared with the model."""

    to: str
    content: str | bytes
    verification: VerificationResult | None = None

    def to_json(self) -> dict[str, Any]:
        """Everything as plain strings and numbers; bytes in base64."""
        if isinstance(self.content, str):
            written = {"text": self.content}
        else:
            written = {"base64": b64encode(self.content).decode()}
        found = self.verification
        shown = None if found is None else {"rows": found.n_rows, **asdict(found)}
        return {"to": self.to, "verified": shown is not None, "verification": shown, **written}


def check_options(to: str, given: Mapping[str, Any], *, verified: bool) -> dict[str, Any]:
    """The options that were given; one that the target does not have is a usage error."""
    check_known("export target", f"to={to}", to, TARGETS)
    chosen = {
        name: value for name, value in given.items() if value is not None and value is not False
    }
    target = TARGETS[to]
    for name, value in chosen.items():
        if name not in target.options:
            having = [key for key, other in TARGETS.items() if name in other.options]
            raise ParameterError(
                f"{to} has no option {name!r}",
                got=f"{name}={value}",
                hint=f"it is for {', '.join(having)}.",
            )
    if "format" in chosen:
        named = chosen["format"]
        check_known(f"format of {to}", f"format={named}", named, target.formats)
    if verified and not target.verifiable:
        raise ParameterError(
            f"an export to {to} is not code, so it cannot be verified",
            got=f"verify=True with to={to}",
            hint="leave out verify=True.",
        )
    return chosen


def export(
    model: Any,
    to: str,
    options: Mapping[str, Any],
    rows: pl.DataFrame | None,
    progress: Progress | None = None,
) -> Exported:
    """Export a model; with rows, verify the export on them and on generated rows."""
    from plaintree.data.typed_rows import columns_for, schema_of
    from plaintree.interop.verification.verify import Verification

    target = TARGETS[to]
    if not target.verifiable and hasattr(model, "trees_"):
        raise ParameterError(
            f"an ensemble cannot be exported to {to}, which shows one tree",
            got=f"{type(model).__name__} with to={to}",
            hint="choose one of its trees, such as tree=0, or export the whole ensemble to "
            f"{', '.join(LANGUAGES)}.",
        )
    write = getattr(import_module(f"plaintree.{target.module}"), target.function)
    if rows is None:
        return Exported(to, write(model, **options))
    table = columns_for(rows, schema_of(model), model.used_columns())
    check = Verification(table, progress=progress)
    return Exported(to, write(model, **options, verify=check), check.result)


def shows_the_tree_of_rules(model: Any, to: str) -> bool:
    """Whether a rule model is exported as the tree that its rules were made from."""
    of_rules = to in ("rules", "formula") or TARGETS[to].verifiable
    return hasattr(model, "rules_") and not of_rules

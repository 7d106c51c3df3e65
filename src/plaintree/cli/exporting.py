"""A model in another language: what `plaintree export` writes."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import polars as pl

from ..errors import ParameterError
from .options import check_known
from .typed_rows import columns_for, schema_of


@dataclass(frozen=True)
class Target:
    """A language: the function that writes it, the options it has, whether it can be proved."""

    module: str
    function: str
    options: tuple[str, ...] = ()
    provable: bool = True


TARGETS: Mapping[str, Target] = {
    "sql": Target("program.sql", "export_sql", ("dialect", "table", "view", "proba")),
    "python": Target("program.python", "export_python"),
    "c": Target("program.c", "export_c", ("name",)),
    "javascript": Target("program.javascript", "export_javascript"),
    "java": Target("program.java", "export_java", ("name",)),
    "pmml": Target("pmml", "export_pmml"),
    "onnx": Target("onnx", "export_onnx"),
    "dot": Target("dot", "export_dot", ("max_depth",), provable=False),
    "svg": Target("svg", "export_svg", ("max_depth",), provable=False),
    "mermaid": Target("mermaid", "export_mermaid", ("max_depth",), provable=False),
    "tikz": Target("tikz", "export_tikz", ("max_depth", "standalone"), provable=False),
    "text": Target("text", "export_text", ("max_depth",), provable=False),
}


@dataclass(frozen=True, eq=False)
class Exported:
    """What was written, and whether it was run and compared with the model."""

    to: str
    content: str | bytes
    verified: bool

    def to_json(self) -> dict[str, Any]:
        """Everything as plain strings and numbers; bytes in base64."""
        if isinstance(self.content, str):
            written = {"text": self.content}
        else:
            written = {"base64": b64encode(self.content).decode()}
        return {"to": self.to, "verified": self.verified, **written}


def check_options(to: str, given: Mapping[str, Any], *, verified: bool) -> dict[str, Any]:
    """The options that were given; one that the language does not have is wrong use."""
    check_known("language to export to", f"--to {to}", to, TARGETS)
    chosen = {
        name: value for name, value in given.items() if value is not None and value is not False
    }
    for name, value in chosen.items():
        if name not in TARGETS[to].options:
            having = [key for key, target in TARGETS.items() if name in target.options]
            flag = f"--{name.replace('_', '-')}"
            raise ParameterError(
                f"{to} has no option {flag}",
                got=f"{flag} {value}",
                hint=f"it is for {', '.join(having)}.",
            )
    if verified and not TARGETS[to].provable:
        raise ParameterError(
            "a picture cannot be run, and so not be verified",
            got=f"--verify with --to {to}",
            hint="leave out --verify.",
        )
    return chosen


def export(model: Any, to: str, options: Mapping[str, Any], rows: pl.DataFrame | None) -> Exported:
    """Write a model in a language; with rows, it is run on these and on rows made for it."""
    target = TARGETS[to]
    if not target.provable and hasattr(model, "trees_"):
        raise ParameterError(
            "a picture is of one tree, and this model has many",
            got=f"{type(model).__name__} with --to {to}",
            hint="choose one of its trees, such as --tree 0; all of them together can be "
            f"written as {', '.join(name for name, t in TARGETS.items() if t.provable)}.",
        )
    write = getattr(import_module(f"plaintree.export.{target.module}"), target.function)
    if rows is None:
        return Exported(to, write(model, **options), verified=False)
    table = columns_for(rows, schema_of(model))
    return Exported(to, write(model, **options, verify=table), verified=True)

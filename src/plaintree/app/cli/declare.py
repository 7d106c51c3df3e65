"""Declaring options: groups that commands share, and the completion of choices in a shell."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, is_dataclass
from functools import wraps
from inspect import Parameter, signature
from typing import Any, Protocol, get_type_hints


class Declared(Protocol):
    """An option that is declared in a table."""

    @property
    def declaration(self) -> Parameter:
        """The option as typer reads it from a function's signature."""


def completing(choices: Iterable[str]) -> Callable[[str], list[str]]:
    """A function that completes the beginning of a choice, for a shell.

    >>> completing(["c45", "cart", "id3"])("c")
    ['c45', 'cart']
    """
    return lambda incomplete: [choice for choice in choices if choice.startswith(incomplete)]


def either(choices: Sequence[str]) -> str:
    """Choices joined for a sentence.

    >>> either(("text", "unicode", "latex"))
    'text, unicode or latex'
    """
    return f"{', '.join(choices[:-1])} or {choices[-1]}"


def completing_list(choices: Iterable[str]) -> Callable[[str], list[str]]:
    """The same for a list with commas: completes its last item, without those already in it.

    >>> completing_list(["c45", "cart", "id3"])("cart,c")
    ['cart,c45']
    """

    def offered(incomplete: str) -> list[str]:
        *before, last = incomplete.split(",")
        begun = "".join(f"{name}," for name in before)
        return [begun + name for name in completing(choices)(last) if name not in before]

    return offered


def with_options(
    options: Sequence[Declared] = (),
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Declare the options of a command, as typer reads them from its signature.

    ``**given`` receives the options of the table. A parameter whose type is a dataclass receives
    its fields, each of them an option, so options that several commands share are declared once.
    """

    def declare(command: Callable[..., None]) -> Callable[..., None]:
        declared = signature(command, eval_str=True)
        own = [p for p in declared.parameters.values() if p.kind is not Parameter.VAR_KEYWORD]
        groups: dict[str, Any] = {p.name: p.annotation for p in own if is_dataclass(p.annotation)}

        @wraps(command)
        def called(**typed: Any) -> None:
            shared = {
                name: group(**{part.name: typed.pop(part.name) for part in fields(group)})
                for name, group in groups.items()
            }
            command(**typed, **shared)

        flat = [p for q in own for p in (_parts(q.annotation) if q.name in groups else [q])]
        parameters = [*flat, *(option.declaration for option in options)]
        vars(called)["__signature__"] = declared.replace(parameters=parameters)
        return called

    return declare


def _parts(group: Any) -> list[Parameter]:
    """The fields of a dataclass as parameters, its own before the inherited ones."""
    hints = get_type_hints(group, include_extras=True)
    ordered = sorted(fields(group), key=lambda part: part.name not in group.__annotations__)
    return [
        Parameter(p.name, Parameter.KEYWORD_ONLY, default=p.default, annotation=hints[p.name])
        for p in ordered
    ]

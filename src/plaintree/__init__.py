"""plaintree: decision trees you can read, check and trust.

>>> import plaintree as pt
>>> X, y = pt.datasets.load_tennis()
>>> model = pt.ID3Classifier().fit(X, y)
>>> model.tree_.root.feature
'Outlook'

The public names are listed in ``__init__.pyi``, with the modules they live in. They are loaded on
first use, so that ``import plaintree`` stays light.
"""

from __future__ import annotations

from importlib import import_module

__version__ = "0.1.0"


def _read_homes() -> dict[str, str]:
    """The public names and the modules they live in."""
    homes = {}
    stub_path = __file__.removesuffix("c").removesuffix(".py") + ".pyi"  # beside this module
    with open(stub_path, encoding="utf-8") as stub:
        for line in stub:
            match line.split():
                case ["from", module, "import", name, "as", _]:
                    homes[name] = module
    return homes


_HOMES = _read_homes()
__all__ = sorted([*_HOMES, "__version__"])  # noqa: PLE0605  # the stub has the names


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if _HOMES[name] == ".":
        return import_module(f".{name}", __name__)
    globals()[name] = value = getattr(import_module(_HOMES[name], __name__), name)
    return value


def __dir__() -> list[str]:
    return __all__.copy()

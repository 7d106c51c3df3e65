"""How Sphinx makes the documentation's pages: `make docs` writes them to build/docs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from sphinx.ext.napoleon import Config, NumpyDocstring

import plaintree

ROOT = Path(__file__).resolve().parent.parent

project = "plaintree"
author = "the plaintree developers"
copyright = author
version = release = plaintree.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
]
myst_heading_anchors = 3
highlight_language = "text"
exclude_patterns = ["pictures"]

html_theme = "furo"
html_title = "plaintree"
html_copy_source = False
html_show_sphinx = False
html_static_path: list[str] = []

# Signatures show names and defaults; what a parameter may be stands in the text below.
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_default_options = {
    "members": True,
    "inherited-members": "BaseEstimator, ClassifierMixin, TransformerMixin, Exception, tuple",
    # scikit-learn's own machinery for passing sample weights around.
    "exclude-members": (
        "set_fit_request, set_score_request, set_transform_request, set_output, "
        "get_metadata_routing, fit_transform, get_feature_names_out"
    ),
}
python_maximum_signature_line_length = 90


def read_headings(*event: Any) -> None:
    """Make Sphinx's notation of a docstring with headings (Parameters, Returns, Examples).

    Napoleon as an extension would also read "The size: how many nodes" of a property as a type
    and a description, so that only its reader is used.
    """
    lines: list[str] = event[-1]
    end_parameters(lines)
    config = Config(napoleon_use_ivar=True)  # fitted properties are described as members as well
    lines[:] = NumpyDocstring(lines, config, what="function").lines()


def end_parameters(lines: list[str]) -> None:
    """Let a plain paragraph end the list of parameters.

    Napoleon takes every line at the margin for one more parameter, until the next heading or two
    empty lines. A parameter is followed by indented lines, and a paragraph is not.
    """
    if "Parameters" not in lines:
        return
    for i in range(lines.index("Parameters") + 2, len(lines) - 1):
        starts = lines[i] and not lines[i].startswith(" ") and not lines[i - 1]
        if starts and not lines[i + 1].startswith(" "):
            lines.insert(i, "")
            return


def close_fences(_app: Any, _page: str, source: list[str]) -> None:
    """Leave out the empty line that ends the examples of a page, which only their test needs."""
    source[0] = re.sub(r"\n\n```$", "\n```", source[0], flags=re.MULTILINE)


def draw_gallery(_app: Any) -> None:
    """The pictures of the gallery, drawn by the example that the page shows."""
    command = [sys.executable, ROOT / "examples" / "gallery.py", ROOT / "build" / "gallery"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def setup(app: Any) -> None:
    """Called by Sphinx when it starts."""
    app.connect("builder-inited", draw_gallery)
    app.connect("source-read", close_fences)
    app.connect("autodoc-process-docstring", read_headings)

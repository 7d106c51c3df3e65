"""Settings of Sphinx: `make docs` writes the documentation to build/docs."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import plaintree

sys.path.insert(0, str(Path(__file__).resolve().parent / "extensions"))

from inventories import write_inventories  # beside this file

project = "plaintree"
author = "the plaintree developers"
copyright = author
version = release = plaintree.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "reference",
    "commands",
    "pictures",
    "array_types",
]
myst_heading_anchors = 3
highlight_language = "text"
smartquotes = False  # quotes around the values of parameters are part of them
exclude_patterns = ["pictures", "extensions", "static"]

html_theme = "furo"
html_title = "plaintree"
html_copy_source = False
html_show_sphinx = False
html_static_path = ["static"]
html_css_files = ["plaintree.css"]

intersphinx_mapping = write_inventories(
    Path(__file__).resolve().parents[1] / "build" / "inventories"
)

autosummary_generate = False  # reference.py writes the pages of the names
numpydoc_show_class_members = False  # autodoc describes all members in place
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_member_order = "bysource"
autodoc_default_options = {
    "members": True,
    # What a class has from these is not described again.
    "inherited-members": (
        "BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin, Exception, Enum, "
        "IntEnum, Protocol, dict, int, str, tuple"
    ),
    # scikit-learn's own machinery for passing sample weights around.
    "exclude-members": (
        "set_fit_request, set_predict_request, set_score_request, set_transform_request, "
        "set_output, get_metadata_routing, fit_transform, get_feature_names_out"
    ),
}
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 90


def close_fences(_app: Any, _page: str, source: list[str]) -> None:
    """Leave out the empty line that ends the examples of a page, which only their test needs."""
    source[0] = re.sub(r"\n\n```$", "\n```", source[0], flags=re.MULTILINE)


def setup(app: Any) -> None:
    """Called by Sphinx when it starts."""
    app.connect("source-read", close_fences)

"""The messages between the page and the server, described once.

Requests are checked while they are decoded: unknown fields, types, ranges and lengths. Responses
are encoded from the same kind of structs. ``schema.py`` writes their JSON schema, from which the
types of the page are made.

A request that depends on a tree carries the whole document, so the server remembers nothing that
the page does not know: a tree is a function of the table and the document. Nodes are addressed by
the numbers of the branches that lead to them from the root: ``[]``, ``[1]``, ``[1, 0]``.
"""

from __future__ import annotations

from .documents import Reply, Request
from .nodes import (
    CandidateFacts,
    Candidates,
    CandidatesRequest,
    Cells,
    CellsRequest,
    Cuts,
    CutsRequest,
    Formula,
    FormulaRequest,
    MeasureRequest,
    Rows,
    RowsRequest,
    TreeColumns,
    TreeRequest,
)
from .serving import AliveRequest, Ended, Stopped, StopRequest, Uploaded
from .tables import Hello, HelloRequest, OpenRequest, TableFacts
from .views import (
    CompareRequest,
    Comparison,
    Ensemble,
    EnsembleRequest,
    Explained,
    ExplainRequest,
    Exported,
    ExportRequest,
    PruningCurve,
    PruningRequest,
    Quality,
    QualityRequest,
    Regions,
    RegionsRequest,
    Rules,
    RulesRequest,
    Steps,
    StepsRequest,
)

REQUESTS: dict[str, tuple[type[Request], type[Reply]]] = {
    "hello": (HelloRequest, Hello),
    "open": (OpenRequest, TableFacts),
    "tree": (TreeRequest, TreeColumns),
    "candidates": (CandidatesRequest, Candidates),
    "measure": (MeasureRequest, CandidateFacts),
    "cuts": (CutsRequest, Cuts),
    "formula": (FormulaRequest, Formula),
    "rows": (RowsRequest, Rows),
    "cells": (CellsRequest, Cells),
    "regions": (RegionsRequest, Regions),
    "rules": (RulesRequest, Rules),
    "pruning": (PruningRequest, PruningCurve),
    "compare": (CompareRequest, Comparison),
    "explain": (ExplainRequest, Explained),
    "quality": (QualityRequest, Quality),
    "ensemble": (EnsembleRequest, Ensemble),
    "steps": (StepsRequest, Steps),
    "export": (ExportRequest, Exported),
}
"""By the name in the address: the request and the response."""
SERVED: dict[str, tuple[type[Request] | None, type[Reply]]] = {
    "stop": (StopRequest, Stopped),
    "alive": (AliveRequest, Ended),
    "upload": (None, Uploaded),
}
"""The same for messages to the server itself. The body of an upload is the file."""

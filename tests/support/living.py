"""The data of a living report, read as the page reads them."""

from __future__ import annotations

import base64
import gzip
import json
import re
from typing import Any


def data_of(text: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="plaintree-data"([^>]*)>([^<]*)<', text)
    assert found is not None
    content = found[2].encode()
    if "gzip" in found[1]:
        content = gzip.decompress(base64.b64decode(content))
    data: dict[str, Any] = json.loads(content)
    return data

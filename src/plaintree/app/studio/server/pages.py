"""The files of the page: read once, compressed, with tags for the browser's cache."""

from __future__ import annotations

import gzip
import re
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from .lines import SMALL, takes_gzip

STATIC = Path(__file__).parents[1] / "static"
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".json": "application/json",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
    ".txt": "text/plain; charset=utf-8",
    ".map": "application/json",
}
_COMPRESSED = {".html", ".js", ".css", ".svg", ".json", ".txt", ".map", ".webmanifest"}
_HASHED = re.compile(r"^/assets/.*-[\w-]{8,}\.\w+$")
"""Names with a hash of the content, as the build gives them: they never change."""
NO_PAGE = (
    "<!doctype html>\n<html lang='en'>\n<meta charset='utf-8'>\n<title>plaintree studio</title>\n"
    "<h1>The page of the studio is not built</h1>\n"
    "<p>This copy of plaintree was installed from its sources without it. Run "
    "<code>make studio</code> in the checkout (it needs Node 20), then start "
    "<code>plaintree studio</code> again.</p>\n</html>\n"
)


@dataclass(frozen=True)
class Page:
    """A file: its type, content, compressed content (empty if it is not smaller), and its tag."""

    media_type: str
    content: bytes
    compressed: bytes
    tag: str
    is_hashed: bool

    def response(self, request: Request) -> Response:
        """The file, or that the browser has it already."""
        headers = {
            "etag": self.tag,
            "cache-control": "max-age=31536000, immutable" if self.is_hashed else "no-cache",
            "vary": "Accept-Encoding",
        }
        known = request.headers.get("if-none-match", "")
        if self.tag in [tag.strip() for tag in known.split(",")]:
            return Response(status_code=304, headers=headers)
        content = self.content
        if self.compressed and takes_gzip(request):
            content = self.compressed
            headers["content-encoding"] = "gzip"
        return Response(content, headers={**headers, "content-type": self.media_type})


def read_pages(directory: Path = STATIC) -> dict[str, Page]:
    """The files of a directory by their paths in the address.

    A path that is asked for is looked up here, so there is none that leads out of the directory.
    Empty if the page is not built.
    """
    if not (directory / "index.html").is_file():
        return {}
    pages = {}
    for file in sorted(directory.rglob("*")):
        if file.is_file() and not file.is_symlink() and file.suffix in TYPES:
            path = "/" + file.relative_to(directory).as_posix()
            pages[path] = _page(path, file.suffix, file.read_bytes())
    pages["/"] = pages["/index.html"]
    return pages


def _page(path: str, suffix: str, content: bytes) -> Page:
    small = len(content) <= SMALL or suffix not in _COMPRESSED
    tag = f'W/"{sha256(content).hexdigest()[:24]}"'  # weak: both forms of the content have it
    compressed = b"" if small else gzip.compress(content, 9, mtime=0)
    return Page(TYPES[suffix], content, compressed, tag, bool(_HASHED.match(path)))

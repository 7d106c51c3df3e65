"""The guard in front of all routes: only the page of this server gets past it.

Any page in a browser can send requests to 127.0.0.1. So a request must name the server by one of
two literal hosts (a name that is bound to 127.0.0.1 by rebinding is neither), must not come from
another origin, and every message must carry the token. The token is in the fragment of the address,
which browsers do not send, and never in a cookie, which they send for everybody.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from hmac import compare_digest

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .limits import REQUEST_BYTES, UPLOAD_BYTES
from .lines import MEDIA_TYPE
from .refusals import Refused
from .uploads import too_large

TOKEN_HEADER = "x-plaintree-token"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
"""Sent with every response."""
DISCARDED_BYTES = 65_536
DISCARDING_SECONDS = 1.0


class Guard:
    """Refuses requests, and adds the headers of safety to every response."""

    def __init__(self, app: ASGIApp, port: int, token: str) -> None:
        self._app, self._token = app, token.encode()
        self._hosts = (f"127.0.0.1:{port}", f"localhost:{port}")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                headers.setdefault("cache-control", "no-store")
            await send(message)

        try:
            self._check(scope["method"], scope["path"], Headers(scope=scope))
        except Refused as refused:
            await _discard(receive, scope, refused)
            await _refuse(refused, with_headers)
        else:
            await self._app(scope, receive, with_headers)

    def _check(self, method: str, path: str, headers: Headers) -> None:
        """Raise ``Refused`` for a request that the page would not send."""
        is_message = path.startswith("/api/")
        self._check_origin(headers, is_message=is_message)
        if method not in _methods(path):
            raise Refused.because(405, "this method is not allowed here", got=method[:20])
        if is_message:
            given = headers.get(TOKEN_HEADER, "").encode()
            if not compare_digest(given, self._token):
                raise Refused.because(
                    401,
                    "the token is missing or wrong",
                    hint="open the address that plaintree studio has printed.",
                )
            if method == "POST":
                _check_body(headers, is_upload=path == "/api/upload")

    def _check_origin(self, headers: Headers, *, is_message: bool) -> None:
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            raise Refused.because(421, "this server has another name")
        origins = headers.getlist("origin")
        if origins and origins != [f"http://{hosts[0]}"]:
            raise Refused.because(403, "requests from other origins are refused")
        sites = headers.getlist("sec-fetch-site")
        followed = not is_message and _follows_link(headers)
        if sites and sites not in (["same-origin"], ["none"]) and not followed:
            raise Refused.because(403, "requests from other sites are refused")


def _methods(path: str) -> tuple[str, ...]:
    if path == "/api/alive":  # has nothing in its body
        return ("POST", "GET")
    return ("POST",) if path.startswith("/api/") else ("GET", "HEAD")


def _follows_link(headers: Headers) -> bool:
    """Whether a browser opens the page as a whole, such as from the address in a notebook.

    What is opened has no data in it, and cannot be read or framed by the page with the link.
    """
    return (headers.get("sec-fetch-mode"), headers.get("sec-fetch-dest")) == (
        "navigate",
        "document",
    )


def _check_body(headers: Headers, *, is_upload: bool) -> None:
    """Refuse a body by what its headers say; its bytes are counted when they arrive."""
    kind = "application/octet-stream" if is_upload else "application/json"
    if headers.get("content-type", "").partition(";")[0].strip().lower() != kind:
        raise Refused.because(415, f"the content type must be {kind}")
    declared = headers.get("content-length", "0")
    twice = "transfer-encoding" in headers and "content-length" in headers
    if twice or not (declared.isascii() and declared.isdigit()):
        raise Refused.because(400, "the length of the body is not clear")
    if is_upload and int(declared) > UPLOAD_BYTES:
        raise too_large()
    if not is_upload and int(declared) > REQUEST_BYTES:
        raise request_too_large()


def request_too_large() -> Refused:
    """The refusal of a message by its size."""
    return Refused.because(413, f"a message has at most {REQUEST_BYTES // 1_000_000} MB")


async def _discard(receive: Receive, scope: Scope, refused: Refused) -> None:
    """Read a small body: a client that still sends when the connection closes sees no reply."""
    declared = Headers(scope=scope).get("content-length", "")
    if refused.status == 413 or not declared.isdigit() or len(declared) > 9:
        return
    if 0 < int(declared) <= DISCARDED_BYTES:
        with suppress(TimeoutError):
            async with asyncio.timeout(DISCARDING_SECONDS):
                while (await receive()).get("more_body"):
                    pass


async def _refuse(refused: Refused, send: Send) -> None:
    """Respond, and close the connection."""
    headers = [
        (b"content-type", MEDIA_TYPE.encode()),
        (b"content-length", str(len(refused.line)).encode()),
        (b"connection", b"close"),
    ]
    if refused.status == 405:
        headers.append((b"allow", b"POST, GET, HEAD"))
    await send({"type": "http.response.start", "status": refused.status, "headers": headers})
    await send({"type": "http.response.body", "body": refused.line})

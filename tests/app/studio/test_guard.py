"""What is refused before anything is done: other hosts, origins, sites, tokens, sizes, garbage."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator

import pytest

from plaintree.app.studio.server import connections, limits, server
from plaintree.app.studio.server.guard import HEADERS
from tests.support.studio_server import Studio, running, status_of


@pytest.fixture(scope="module")
def studio() -> Iterator[Studio]:
    with running() as started:
        yield started


MESSAGE = "POST /api/hello"


def test_the_page_itself_gets_an_reply(studio: Studio) -> None:
    origin = f"http://127.0.0.1:{studio.port}"
    assert studio.status(MESSAGE, b"{}", origin=origin, sec_fetch_site="same-origin") == 200


def test_localhost_is_the_same_server(studio: Studio) -> None:
    host = f"localhost:{studio.port}"
    assert studio.status(MESSAGE, b"{}", host=host, origin=f"http://{host}") == 200


@pytest.mark.parametrize(
    "host",
    [
        "attacker.example:{port}",
        "attacker.example",
        "127.0.0.1",
        "127.0.0.1:1",
        "127.0.0.1.attacker.example:{port}",
        "localhost.:{port}",
        "LOCALHOST:{port}",
        "[::1]:{port}",
        "0.0.0.0:{port}",
        "user@127.0.0.1:{port}",
    ],
)
@pytest.mark.parametrize("line", [MESSAGE, "GET /"])
def test_another_host_is_refused_as_after_rebinding(studio: Studio, host: str, line: str) -> None:
    named = host.format(port=studio.port)
    assert studio.status(line, b"{}", host=named, origin=f"http://{named}") == 421


def test_a_request_without_host_is_refused(studio: Studio) -> None:
    assert status_of(studio.raw(b"GET / HTTP/1.0\r\n\r\n")) == 421
    assert status_of(studio.raw(b"GET / HTTP/1.1\r\n\r\n")) == 400


def test_two_hosts_are_refused(studio: Studio) -> None:
    twice = studio.request(MESSAGE, b"{}").replace(b"\r\n\r\n", b"\r\nhost: evil\r\n\r\n", 1)
    assert status_of(studio.raw(twice)) in (400, 421)


@pytest.mark.parametrize(
    "origin",
    [
        "http://attacker.example",
        "null",
        "https://127.0.0.1:{port}",
        "http://127.0.0.1:1",
        "http://127.0.0.1",
        "http://localhost:{port}",
        "file://",
    ],
)
def test_a_foreign_origin_is_refused(studio: Studio, origin: str) -> None:
    assert studio.status(MESSAGE, b"{}", origin=origin.format(port=studio.port)) == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site", "Same-Origin", "none, cross-site"])
def test_another_site_is_refused(studio: Studio, site: str) -> None:
    assert studio.status(MESSAGE, b"{}", sec_fetch_site=site) == 403
    assert studio.status("GET /", sec_fetch_site=site) == 403


def test_a_link_opens_the_page_but_sends_no_message(studio: Studio) -> None:
    link = {"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate"}
    assert studio.status("GET /", sec_fetch_dest="document", **link) in (200, 503)
    assert studio.status("GET /", sec_fetch_dest="iframe", **link) == 403
    assert studio.status(MESSAGE, b"{}", sec_fetch_dest="document", **link) == 403


@pytest.mark.parametrize("token", ["", "wrong", "{token}x", "{short}", "\x80\xff"])
@pytest.mark.parametrize("line", [MESSAGE, "POST /api/upload?name=a.csv", "GET /api/alive"])
def test_no_token_or_a_wrong_one_is_refused(studio: Studio, token: str, line: str) -> None:
    given = token.format(token=studio.token, short=studio.token[:-1])
    assert studio.status(line, b"{}", x_plaintree_token=given) == 401


def test_a_token_in_the_address_or_a_cookie_is_none(studio: Studio) -> None:
    line = f"POST /api/hello?token={studio.token}&X-Plaintree-Token={studio.token}"
    cookie = f"x-plaintree-token={studio.token}"
    assert studio.status(line, b"{}", x_plaintree_token="", cookie=cookie) == 401


def test_the_token_has_192_bits_and_is_in_the_fragment() -> None:
    with running() as one, running() as other:
        assert one.token != other.token
        assert len(one.token) * 6 == 192
        assert one.server.url.startswith(f"http://127.0.0.1:{one.port}/#t=")


@pytest.mark.parametrize("line", ["GET /", MESSAGE, "POST /api/nothing", "PUT /", "GET /nothing"])
def test_every_response_has_the_headers_of_safety_and_no_token(studio: Studio, line: str) -> None:
    reply = studio.raw(studio.request(line, b"{}"))
    head = reply.partition(b"\r\n\r\n")[0].decode().lower()
    for name, value in HEADERS.items():
        assert f"\r\n{name}: {value}" in head
    assert "access-control" not in head
    assert "server:" not in head
    assert studio.token.encode() not in reply


def test_a_preflight_is_refused(studio: Studio) -> None:
    asked = {"access_control_request_method": "POST", "origin": "http://attacker.example"}
    assert studio.status(MESSAGE.replace("POST", "OPTIONS"), x_plaintree_token="", **asked) == 403
    assert studio.status(MESSAGE.replace("POST", "OPTIONS")) == 405


@pytest.mark.parametrize(
    "line",
    ["GET /api/hello", "PUT /api/hello", "DELETE /", "POST /", "TRACE /", "CONNECT /", "OPTIONS *"],
)
def test_other_methods_are_refused(studio: Studio, line: str) -> None:
    assert studio.status(line, b"") == 405


@pytest.mark.parametrize("kind", ["", "text/plain", "application/x-www-form-urlencoded"])
def test_a_message_that_a_form_could_send_is_refused(studio: Studio, kind: str) -> None:
    assert studio.status(MESSAGE, b"{}", content_type=kind) == 415
    assert studio.status("POST /api/upload?name=a.csv", b"x", content_type=kind) == 415


@pytest.mark.parametrize(
    "path",
    [
        "/../../pyproject.toml",
        "/..%2f..%2fpyproject.toml",
        "/%2e%2e/%2e%2e/pyproject.toml",
        "/assets/../../door.py",
        "/assets/%2e%2e/%2e%2e/door.py",
        "/..%5c..%5cdoor.py",
        "//etc/passwd",
        "/%2fetc%2fpasswd",
        "/etc/passwd%00.html",
        "/%c0%ae%c0%ae/door.py",
        "/door.py",
        "http://127.0.0.1/etc/passwd",
        "/api/../etc/passwd",
    ],
)
def test_no_path_leads_out_of_the_page(studio: Studio, path: str) -> None:
    assert studio.status(f"GET {path}") in (404, 405)


# -------------------------------------------------------------------- sizes


@pytest.mark.parametrize(
    ("line", "kind", "most"),
    [
        (MESSAGE, "application/json", limits.REQUEST_BYTES),
        ("POST /api/upload?name=a.csv", "application/octet-stream", limits.UPLOAD_BYTES),
    ],
)
def test_a_large_declared_body_is_refused_before_it_is_sent(
    studio: Studio, line: str, kind: str, most: int
) -> None:
    declared = str(most + 1)
    assert studio.status(line, b"", content_type=kind, content_length=declared) == 413


@pytest.mark.parametrize("length", ["-1", "1e9", "99999999999999999999999", "0x10", "1, 2"])
def test_odd_lengths_are_refused(studio: Studio, length: str) -> None:
    assert studio.status(MESSAGE, b"{}", content_length=length) in (400, 413)


def chunked(studio: Studio, line: str, kind: str, n_chunks: int, size: int) -> bytes:
    """What the server replies to a body of chunks without a declared length."""
    head = studio.request(line, content_type=kind, content_length="", transfer_encoding="chunked")
    chunk = f"{size:x}\r\n".encode() + bytes(size) + b"\r\n"
    with socket.create_connection(("127.0.0.1", studio.port), 10) as connection:
        try:
            connection.sendall(head)
            for _ in range(n_chunks):
                connection.sendall(chunk)
        except OSError:  # the server has closed the connection
            pass
        try:
            return connection.recv(65_536)
        except ConnectionResetError:
            return b"HTTP/1.1 413 "


def test_a_large_chunked_message_is_refused_while_it_arrives(studio: Studio) -> None:
    reply = chunked(studio, MESSAGE, "application/json", 80, 65_536)
    assert status_of(reply) == 413


def test_a_large_chunked_upload_is_refused_and_removed(
    studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plaintree.app.studio.server.uploads.UPLOAD_BYTES", 1_000_000)
    line = "POST /api/upload?name=a.csv"
    reply = chunked(studio, line, "application/octet-stream", 40, 65_536)
    assert status_of(reply) == 413
    assert studio.upload("a.csv", iter([b"x" * 999_999])).status_code == 200
    assert studio.upload("a.csv", iter([b"x" * 999_999, b"yy"])).status_code == 413


# -------------------------------------------------------------------- garbage and slowness


def test_a_flood_of_headers_is_refused(studio: Studio) -> None:
    flood = "".join(f"x-{i}: {'a' * 100}\r\n" for i in range(5_000))
    request = studio.request(MESSAGE, b"{}").replace(b"\r\n\r\n", f"\r\n{flood}\r\n".encode(), 1)
    assert status_of(studio.raw(request)) == 400
    assert status_of(studio.raw(b"GET /" + b"a" * 100_000)) == 400


@pytest.mark.parametrize(
    "garbage",
    [
        b"\x00\x01\x02\r\n\r\n",
        b"GET\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",  # the beginning of TLS
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"POST /api/hello HTTP/1.1\r\nhost: x\r\ntransfer-encoding: gzip\r\n\r\n",
    ],
)
def test_garbage_does_no_harm(studio: Studio, garbage: bytes) -> None:
    assert status_of(studio.raw(garbage, timeout=0.3)) in (0, 400, 421, 501)
    assert studio.status(MESSAGE, b"{}") == 200


def test_garbage_behind_a_request_does_not_become_another_one(studio: Studio) -> None:
    good = studio.request(MESSAGE, b"{}", connection="")
    reply = studio.raw(good + b"GARBAGE\r\n\r\n" + good)
    assert reply.count(b"HTTP/1.1 200") == 1


def test_requests_behind_each_other_are_each_checked(studio: Studio) -> None:
    good = studio.request(MESSAGE, b"{}", connection="")
    bad = studio.request(MESSAGE, b"{}", connection="", x_plaintree_token="wrong")
    reply = studio.raw(good + bad + good)
    assert reply.count(b"HTTP/1.1 200") == 1
    assert reply.count(b"HTTP/1.1 401") == 1


def test_a_body_with_two_lengths_is_refused(studio: Studio) -> None:
    """Otherwise a second request could be hidden in the body of the first."""
    request = studio.request(MESSAGE, b"0\r\n\r\n", transfer_encoding="chunked")
    assert status_of(studio.raw(request)) in (400, 411, 415)


def test_a_websocket_is_refused(studio: Studio) -> None:
    asked = {"upgrade": "websocket", "connection": "Upgrade", "sec_websocket_version": "13"}
    key = "dGhlIHNhbXBsZSBub25jZQ=="
    assert studio.status("GET /api/hello", sec_websocket_key=key, **asked) == 405


def test_a_request_that_does_not_arrive_is_given_up(
    studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "HEADER_SECONDS", 0.3)
    with socket.create_connection(("127.0.0.1", studio.port), 5) as connection:
        began = time.monotonic()
        for byte in b"GET / HTT":
            time.sleep(0.05)
            try:
                connection.sendall(bytes([byte]))
            except OSError:
                break
        assert closed(connection)
        assert time.monotonic() - began < 3


def test_a_body_that_does_not_arrive_is_given_up(
    studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plaintree.app.studio.server.door.REQUEST_SECONDS", 0.2)
    with socket.create_connection(("127.0.0.1", studio.port), 5) as connection:
        connection.sendall(studio.request(MESSAGE, b"{", content_length="100"))
        assert status_of(connection.recv(65_536)) == 408


def closed(connection: socket.socket) -> bool:
    """Whether the other side has closed a connection without a word."""
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


def test_the_server_listens_on_this_machine_only(studio: Studio) -> None:
    assert server.HOST == "127.0.0.1"
    with socket.socket() as other:  # any other address of the machine: nobody listens
        assert other.connect_ex(("127.0.0.2", studio.port)) != 0


@pytest.mark.parametrize("port", [-1, 65_536, 10**30])
def test_a_port_that_is_none_is_an_error(port: int) -> None:
    with pytest.raises(server.ParameterError, match="the port cannot be used"):
        server.listening(port)


def test_short_replies_do_not_wait_for_acknowledgements() -> None:
    """asyncio turns off Nagle's algorithm for sockets that name TCP as their protocol."""
    with server.listening(0) as found:
        assert found.proto == socket.IPPROTO_TCP


def test_a_port_that_is_taken_is_an_error(studio: Studio) -> None:
    with pytest.raises(server.ParameterError, match=f"Got port={studio.port}"):
        server.listening(studio.port)

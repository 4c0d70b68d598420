"""The client that sent a message: its protocol version, and whether it is an MCP client or a script.

The body decides before the headers do: `_meta` with a protocol version makes a request stateless,
and `initialize` without one belongs to a version with sessions. A script is a caller that shows no sign of MCP at all; it
gets plain HTTP statuses, where a client would take them for a broken server.
"""

import base64
import re
from typing import Any, Final, cast

import msgspec

from gateway.domain.elicitation import Kind
from gateway.mcp import extensions, versions, views
from gateway.mcp.capabilities import declared, recalled
from gateway.mcp.jsonrpc import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    INVALID_REQUEST,
    UNSUPPORTED_VERSION,
    Message,
    ProtocolError,
)
from gateway.mcp.session import Session, Sessions
from gateway.mcp.transport.http import Request

META_VERSION: Final = "io.modelcontextprotocol/protocolVersion"
META_CAPABILITIES: Final = "io.modelcontextprotocol/clientCapabilities"
META_CLIENT: Final = "io.modelcontextprotocol/clientInfo"

_ROUTING: Final = frozenset({b"mcp-protocol-version", b"mcp-method", b"mcp-name"})
_NAMED: Final = {
    "tools/call": "name",
    "prompts/get": "name",
    "resources/read": "uri",
    "tasks/get": "taskId",
    "tasks/update": "taskId",
    "tasks/cancel": "taskId",
}
"""The parameter that the header Mcp-Name repeats, by method."""

_VISIBLE: Final = re.compile(r"[\t -~]*")


class ClientInfo(msgspec.Struct, frozen=True):
    """The client that sent a message.

    Attributes:
        revision: Protocol version of the message.
        is_client: An MCP client, not a bare script.
        shows_mcp: It shows itself as an MCP client: by a session, the version header or `_meta`. To
            accept a stream is no such sign, as scripts do so too.
        name: Name that the client gives itself, else its User-Agent, else "".
        shows_views: Its tools are to point at their views: it has declared MCP Apps, or its
            capabilities are not known.
        input_kinds: The kinds of requests for input that it has declared to support.
        session_id: Id of its session, in the versions with sessions.
        supports_tasks: It takes a task as a result.
    """

    revision: str
    is_client: bool
    name: str
    shows_mcp: bool = False
    shows_views: bool = True
    input_kinds: frozenset[Kind] = frozenset()
    session_id: str | None = None
    supports_tasks: bool = False

    @property
    def is_stateless(self) -> bool:
        return self.revision == versions.STATELESS


def client_info(message: Message, request: Request, sessions: Sessions) -> ClientInfo:
    """Return the client that sent `message`.

    Raises:
        ProtocolError: Headers and body contradict each other, name a revision that is not spoken,
            or a session that is not known.
    """
    version = request.header(b"mcp-protocol-version")
    meta = message.meta
    if META_VERSION in meta:
        _check_stateless(message, request)
        return ClientInfo(
            versions.STATELESS,
            is_client=True,
            name=_name(meta.get(META_CLIENT), request),
            shows_mcp=True,
            shows_views=views.is_declared(meta[META_CAPABILITIES]),
            input_kinds=declared(meta[META_CAPABILITIES]),
            supports_tasks=extensions.settings(meta[META_CAPABILITIES], extensions.TASKS)
            is not None,
        )
    if message.method == "initialize":
        name = _name(message.params.get("clientInfo"), request)
        return ClientInfo(versions.SESSION_BASED[0], is_client=True, name=name, shows_mcp=True)
    if version == versions.STATELESS:
        if message.id is not None:
            raise _missing_meta()
        name = _name(None, request)
        return ClientInfo(versions.STATELESS, is_client=True, name=name, shows_mcp=True)
    return _session_client(version, request, sessions)


def check_version(version: str | None) -> None:
    """Refuse a version header that names no supported version."""
    if version is not None and version not in versions.SUPPORTED:
        raise unsupported(version)


def unsupported(requested: object) -> ProtocolError:
    return ProtocolError(
        UNSUPPORTED_VERSION,
        f"Protocol version {str(requested)[:40]} is not supported. "
        f"Supported: {', '.join(versions.SUPPORTED)}.",
        status=400,
        data={"supported": versions.SUPPORTED, "requested": requested},
    )


def _session_client(version: str | None, request: Request, sessions: Sessions) -> ClientInfo:
    check_version(version)
    session = _session(request, sessions)
    accept = request.header(b"accept") or ""
    agreed = session.revision if session else versions.BATCHING
    shows_mcp = version is not None or session is not None
    return ClientInfo(
        revision=version or agreed,
        is_client=shows_mcp or "text/event-stream" in accept,
        shows_mcp=shows_mcp,
        name=session.client_name if session and session.client_name else _name(None, request),
        shows_views=session is None or views.DECLARED in session.capabilities,
        input_kinds=recalled(session.capabilities, version or agreed) if session else frozenset(),
        session_id=request.header(b"mcp-session-id") if session else None,
    )


def _session(request: Request, sessions: Sessions) -> Session | None:
    session_id = request.header(b"mcp-session-id")
    if session_id is None:
        return None
    session = sessions.read(session_id)
    if session is None:
        raise ProtocolError(
            INVALID_REQUEST, "This session is not known. Send `initialize` again.", status=404
        )
    return session


def _check_stateless(message: Message, request: Request) -> None:
    meta = message.meta
    version = meta[META_VERSION]
    if not isinstance(meta.get(META_CAPABILITIES), dict):
        raise _missing_meta()
    repeated = _ROUTING & request.repeated
    if repeated:
        names = ", ".join(sorted(name.decode() for name in repeated))
        raise mismatch(f"The header {names} came more than once.")
    header = request.header(b"mcp-protocol-version")
    if header != version:
        raise mismatch(
            f"The header MCP-Protocol-Version must be the same as `_meta` has: {str(version)[:40]}."
        )
    if version != versions.STATELESS:
        raise unsupported(version)
    if message.id is None:
        return
    if request.header(b"mcp-method") != message.method:
        raise mismatch(f"The header Mcp-Method must be {message.method[:80]}.")
    key = _NAMED.get(message.method)
    if key is not None and plain(request.header(b"mcp-name")) != message.params.get(key):
        raise mismatch(f"The header Mcp-Name must be the same as `params.{key}`.")


def plain(value: str | None) -> str | None:
    """Return a header's value out of its `=?base64?…?=` wrapping, if it has one; None if it is malformed."""
    if value is None or not _VISIBLE.fullmatch(value):
        return None
    if not (value.startswith("=?base64?") and value.endswith("?=")):
        return value
    try:
        return base64.b64decode(value[9:-2], validate=True).decode()
    except ValueError:  # no base64, not even ASCII, or no UTF-8 inside
        return None


def _name(info: Any, request: Request) -> str:
    if isinstance(info, dict):
        name = cast("dict[str, object]", info).get("name")
        if isinstance(name, str) and name:
            return name[:200]
    return request.header(b"user-agent") or ""


def _missing_meta() -> ProtocolError:
    return ProtocolError(
        INVALID_PARAMS,
        f"Requests of {versions.STATELESS} need `{META_VERSION}` and the object "
        f"`{META_CAPABILITIES}` in `params._meta`.",
        status=400,
    )


def mismatch(text: str) -> ProtocolError:
    return ProtocolError(HEADER_MISMATCH, text, status=400)

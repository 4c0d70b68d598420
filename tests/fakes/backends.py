"""The services behind the gateway as in-process gRPC servers with the real wire between."""

import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import grpc.aio
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from catalog_service.rpc.batch import BatchServicer
from gateway.quota.models import UsageEntry, UsageRequest
from protos.alerts.v1 import alerts_pb2, alerts_pb2_grpc
from protos.auth.v1 import auth_pb2, auth_pb2_grpc
from protos.catalog.v1 import batch_pb2_grpc, catalog_pb2, catalog_pb2_grpc
from protos.imports.v1 import imports_pb2, imports_pb2_grpc
from servicekit.errors import NotFound
from servicekit.grpc.codec import decode, encode
from servicekit.grpc.metadata import CATALOG_VERSION
from servicekit.grpc.server import serve_grpc
from servicekit.settings import GrpcServerSettings
from shapes.auth.auth import LeaseReport
from shapes.catalog import categories, sponsors, youtubers
from shapes.catalog.shared import YoutuberCard
from shapes.catalog.youtubers import YoutuberPage
from tests.fakes.coverage import COVERAGE
from tests.fakes.gateway_ports import FakeAccess
from tests.fakes.messages import filled
from tests.fakes.peers import GRPC_TOKEN

_CATALOG = catalog_pb2.DESCRIPTOR.services_by_name["Catalog"]
_ALERTS = alerts_pb2.DESCRIPTOR.services_by_name["Alerts"]
_IMPORTS = imports_pb2.DESCRIPTOR.services_by_name["Imports"]
_BULK_IMPORTS = imports_pb2.DESCRIPTOR.services_by_name["BulkImports"]
_FOLLOWS = imports_pb2.DESCRIPTOR.services_by_name["Follows"]
_RESULTS: dict[str, Any] = {**vars(categories), **vars(sponsors), **vars(youtubers)}
_MAX_ALERTS = 100
_AUTH = auth_pb2.DESCRIPTOR.services_by_name["Access"]


@dataclass
class Backends:
    """The services behind the gateway: targets, received requests and prepared responses.

    Attributes:
        access: The state of the auth service.
        import_steps: The states of an import that is watched.
        imports: Imports by account and id; where there are some, there are no others.
        catalog_error: Raised by every request, if set.
        refused_channels: Raised when the import of such a channel is to be started.
        youtubers: Found by every search of creators, if set.
        youtuber_note: The note of every search of creators, if set.
        requests: The requests of catalog and import worker, with the name of their method.
        before_response: Awaited before every response of the catalog.
        version: The version of the catalogue that responses are of.
        changes: How often the version has changed.
    """

    access: FakeAccess = field(default_factory=FakeAccess)
    catalog_error: Exception | None = None
    refused_channels: dict[str, Exception] = field(default_factory=dict[str, Exception])
    youtubers: tuple[YoutuberCard, ...] | None = None
    youtuber_note: str | None = None
    before_response: Callable[[], Awaitable[None]] | None = None
    version: str = "1"
    changes: int = 0
    requests: list[tuple[str, Message]] = field(default_factory=list[tuple[str, Message]])
    catalog_target: str = ""
    auth_target: str = ""
    imports_target: str = ""
    import_steps: list[imports_pb2.ImportStatus] = field(
        default_factory=list[imports_pb2.ImportStatus]
    )
    imports: dict[tuple[str, str], imports_pb2.ImportStatus] = field(
        default_factory=dict[tuple[str, str], imports_pb2.ImportStatus]
    )

    def import_of(self, request: Any) -> imports_pb2.ImportStatus:
        """Return the import that a request names, or any import if it names a channel.

        Raises:
            NotFound: The account has no such import.
        """
        named = getattr(request, "import_id", None)
        for (account_id, import_id), found in self.imports.items():
            if account_id == request.account_id and named in (None, import_id):
                return found
        raise NotFound("You have no such import.", "IMPORT_NOT_FOUND")


@asynccontextmanager
async def running_backends() -> AsyncGenerator[Backends]:
    """Run the catalog, the auth service and the import worker until the end of the block."""
    backends = Backends()
    settings = GrpcServerSettings(grpc_port=0, grpc_token=GRPC_TOKEN, shutdown_grace_seconds=0)
    async with AsyncExitStack() as stack:
        catalog = serve_grpc(settings, lambda server: _register_catalog(server, backends))
        auth = running_auth(backends.access)
        backends.catalog_target = f"127.0.0.1:{await stack.enter_async_context(catalog)}"
        backends.auth_target = await stack.enter_async_context(auth)
        imports = serve_grpc(settings, lambda server: _register_imports(server, backends))
        backends.imports_target = f"127.0.0.1:{await stack.enter_async_context(imports)}"
        yield backends


@asynccontextmanager
async def running_catalog(
    backends: Backends, host: str, port: int, **more: Any
) -> AsyncGenerator[int]:
    """Run a further catalog; yield its port."""
    settings = GrpcServerSettings(
        grpc_host=host, grpc_port=port, grpc_token=GRPC_TOKEN, shutdown_grace_seconds=5, **more
    )
    async with serve_grpc(settings, lambda server: _register_catalog(server, backends)) as bound:
        yield bound


@asynccontextmanager
async def running_auth(access: FakeAccess) -> AsyncGenerator[str]:
    """Run the auth service alone until the end of the block; yield its address."""
    settings = GrpcServerSettings(grpc_port=0, grpc_token=GRPC_TOKEN, shutdown_grace_seconds=0)
    async with serve_grpc(settings, lambda server: _register_auth(server, access)) as port:
        yield f"127.0.0.1:{port}"


def _register_catalog(server: grpc.aio.Server, backends: Backends) -> str:
    servicer: Any = SimpleNamespace()
    for method in _CATALOG.methods:
        setattr(servicer, method.name, _responding(backends, method.name, method.output_type))

    async def query(name: str, request: Message) -> Any:
        reply: Message = await getattr(servicer, name)(request, None)
        return decode(reply, _RESULTS[reply.DESCRIPTOR.name])

    catalog_pb2_grpc.add_CatalogServicer_to_server(servicer, server)
    batch_pb2_grpc.add_BatchCatalogServicer_to_server(BatchServicer(query, backends), server)
    return _CATALOG.full_name


def _responding(
    backends: Backends, name: str, reply_type: Any
) -> Callable[[Message, Any], Awaitable[Message]]:
    async def respond(request: Message, context: Any) -> Message:
        backends.requests.append((name, request))
        if context is not None:
            context.set_trailing_metadata(((CATALOG_VERSION, backends.version),))
        if backends.before_response is not None:
            await backends.before_response()
        if backends.catalog_error is not None:
            raise backends.catalog_error
        channel = getattr(request, "channel", None)
        if channel in backends.refused_channels:
            raise backends.refused_channels[channel]
        prepared = backends.youtubers is not None or backends.youtuber_note is not None
        if name == "SearchYoutubers" and prepared:
            page = YoutuberPage(backends.youtubers or (), None, COVERAGE, backends.youtuber_note)
            return encode(page, catalog_pb2.YoutuberPage)
        return filled(GetMessageClass(reply_type)())

    return respond


def _streaming(respond: Callable[[Message, Any], Awaitable[Message]]) -> Any:
    """A stream of one response."""

    async def stream(request: Message, context: Any) -> AsyncGenerator[Message]:
        yield await respond(request, context)

    return stream


def _register_imports(server: grpc.aio.Server, backends: Backends) -> str:
    servicer: Any = SimpleNamespace()
    for method in _IMPORTS.methods:
        setattr(servicer, method.name, _responding(backends, method.name, method.output_type))

    for name in ("StartImport", "GetImport", "CancelImport"):
        setattr(servicer, name, _lookup(backends, name, getattr(servicer, name)))

    async def watch(request: Any, _context: Any) -> AsyncGenerator[imports_pb2.ImportStatus]:
        if backends.imports:
            backends.import_of(request)
        for step in backends.import_steps:
            yield step
            if backends.before_response is not None:
                await backends.before_response()

    servicer.WatchImport = watch
    bulk_servicer: Any = SimpleNamespace()
    for method in _BULK_IMPORTS.methods:
        respond = _responding(backends, method.name, method.output_type)
        setattr(
            bulk_servicer, method.name, _streaming(respond) if method.server_streaming else respond
        )
    follows_servicer: Any = SimpleNamespace()
    for method in _FOLLOWS.methods:
        respond = _responding(backends, method.name, method.output_type)
        setattr(follows_servicer, method.name, respond)
    imports_pb2_grpc.add_BulkImportsServicer_to_server(bulk_servicer, server)
    imports_pb2_grpc.add_FollowsServicer_to_server(follows_servicer, server)
    imports_pb2_grpc.add_ImportsServicer_to_server(servicer, server)
    return _IMPORTS.full_name


def _lookup(
    backends: Backends, name: str, otherwise: Callable[[Any, Any], Awaitable[Message]]
) -> Callable[[Any, Any], Awaitable[Message]]:
    async def respond(request: Any, context: Any) -> Message:
        anything = await otherwise(request, context)
        if not backends.imports:
            return anything
        found = backends.import_of(request)
        if name == "CancelImport":
            found.state = "cancelled"
        return found

    return respond


def _register_alerts(server: grpc.aio.Server, access: FakeAccess) -> None:
    servicer: Any = SimpleNamespace()
    own: dict[str, Callable[[], Message]] = {
        "ListWatches": lambda: alerts_pb2.WatchList(
            watches=[
                alerts_pb2.Watch(watch_id=watch_id, created_at="2026-11-01T10:00:00Z")
                for watch_id in access.watch_ids
            ]
        ),
        "ListAlertIds": lambda: alerts_pb2.AlertIdList(
            ids=[
                alerts_pb2.AlertId(message_id=message_id, watch_id=watch_id)
                for message_id, watch_id in reversed(access.alerts[-_MAX_ALERTS:])
            ]
        ),
    }
    for method in _ALERTS.methods:

        async def respond(
            _request: Message,
            _context: Any,
            name: str = method.name,
            reply_type: Any = method.output_type,
        ) -> Message:
            if access.watch_ids and name in own:
                return own[name]()
            return filled(GetMessageClass(reply_type)())

        setattr(servicer, method.name, respond)
    alerts_pb2_grpc.add_AlertsServicer_to_server(servicer, server)


def _register_auth(server: grpc.aio.Server, access: FakeAccess) -> str:
    _register_alerts(server, access)

    async def resolve_key(request: Any, _context: Any) -> auth_pb2.Credential:
        return encode(await access.resolve_key(request.key_sha256), auth_pb2.Credential)

    async def resolve_grant(request: Any, _context: Any) -> auth_pb2.Credential:
        return encode(await access.resolve_grant(request.grant_id), auth_pb2.Credential)

    async def get_usage(request: Any, _context: Any) -> auth_pb2.Usage:
        await access.count_begins("GetUsage")
        return auth_pb2.Usage(requests=await access.used_in(request.account_id, request.month))

    async def record_usage(request: Any, _context: Any) -> auth_pb2.RecordUsageReply:
        await access.count_begins("RecordUsage")
        generation = f"{request.epoch}." if request.HasField("epoch") else None
        await access.record_usage(
            [decode(entry, UsageEntry) for entry in request.entries], generation
        )
        return auth_pb2.RecordUsageReply(recorded=len(request.entries))

    async def record_calls(_request: Any, _context: Any) -> auth_pb2.RecordCallsReply:
        return auth_pb2.RecordCallsReply(recorded=True)

    async def admit(request: Any, _context: Any) -> auth_pb2.AdmitReply:
        await access.count_begins("Admit")
        decided = [
            await access.admit(
                UsageRequest(
                    item.entry_id, item.account_id, item.credential_id, item.tool, item.cost
                ),
                item.limit,
            )
            for item in request.requests
        ]
        return auth_pb2.AdmitReply(
            at=decided[0].at.isoformat(),
            month_end=decided[0].month_end.isoformat(),
            decisions=[auth_pb2.Decision(admitted=d.admitted, used=d.used) for d in decided],
        )

    async def renew_lease(request: Any, _context: Any) -> auth_pb2.Authority:
        await access.count_begins("RenewLease")
        return encode(await access.renew(decode(request, LeaseReport)), auth_pb2.Authority)

    async def require_consent(request: Any, _context: Any) -> auth_pb2.RequireConsentReply:
        await access.require_consent(request.grant_id, request.scopes)
        return auth_pb2.RequireConsentReply()

    async def get_issuer(_request: Any, _context: Any) -> auth_pb2.Issuer:
        metadata = json.dumps(await access.issuer_metadata())
        keys = json.dumps(access.jwks or {"keys": []})
        return auth_pb2.Issuer(metadata_json=metadata, jwks_json=keys)

    # Tests call only these; a call of another method fails.
    servicer: Any = SimpleNamespace(**{method.name: None for method in _AUTH.methods})
    servicer.ResolveKey = resolve_key
    servicer.ResolveGrant = resolve_grant
    servicer.RequireConsent = require_consent
    servicer.GetUsage = get_usage
    servicer.RecordUsage = record_usage
    servicer.RecordCalls = record_calls
    servicer.Admit = admit
    servicer.RenewLease = renew_lease
    servicer.GetIssuer = get_issuer
    auth_pb2_grpc.add_AccessServicer_to_server(servicer, server)
    return _AUTH.full_name

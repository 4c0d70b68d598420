"""Stand-ins at the gateway's own ports."""

import hashlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar, cast

from google.protobuf.message_factory import GetMessageClass

from gateway.authentication.principal import Entitlements, Principal
from gateway.domain.ports import AccountMethod, AlertMethod, CatalogQuery, ImportMethod
from gateway.mcp.progress import CallProgress
from gateway.quota.counters import LEDGER, LedgerDecision, epoch_of
from gateway.quota.models import Decision, QuotaState, Reservation, Seed, UsageEntry, UsageRequest
from protos.alerts.v1 import alerts_pb2
from protos.catalog.v1 import catalog_pb2
from protos.imports.v1 import imports_pb2
from servicekit.errors import Conflict, ServiceError, Unauthenticated
from servicekit.grpc.codec import decode
from shapes.auth.auth import Authority, LeaseReport
from shapes.catalog.shared import Coverage, YoutuberCard
from shapes.catalog.youtubers import YoutuberPage
from shapes.imports import BulkImportStatus, ImportStatus
from tests.fakes.coverage import COVERAGE
from tests.fakes.leases import FakeLeases
from tests.fakes.messages import filled

R = TypeVar("R")

KEY = "mcp_" + "k" * 36
RESET = datetime(2026, 12, 1, tzinfo=UTC)
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
_ALERTS = alerts_pb2.DESCRIPTOR.services_by_name["Alerts"]
_IMPORTS = {
    method.name: method
    for name in ("Imports", "BulkImports", "Follows")
    for method in imports_pb2.DESCRIPTOR.services_by_name[name].methods
}
_CATALOG = catalog_pb2.DESCRIPTOR.services_by_name["Catalog"]


def entitlements(**changes: Any) -> Entitlements:
    facts: dict[str, Any] = {
        "account_id": "account-1",
        "plan": "creator",
        "plan_name": "Creator",
        "monthly_requests": 1000,
        "burst_requests": 100_000,
        "burst_refill_per_second": 1000.0,
        "features": ("api_keys", "channel_import", "alerts"),
        "disabled": False,
        "concurrent_imports": 2,
        "followed_channels": 200,
    }
    return Entitlements(**(facts | changes))


def principal(**changes: Any) -> Principal:
    """A caller; `entitlements` changes may be given beside the principal's own fields."""
    own = {"credential_id", "scopes", "expires_at"}
    facts: dict[str, Any] = {
        "credential_id": "key-1",
        "scopes": ("catalog:read", "channels:import"),
        "expires_at": None,
    }
    facts |= {name: value for name, value in changes.items() if name in own}
    rest = {name: value for name, value in changes.items() if name not in own}
    return Principal(entitlements=entitlements(**rest), **facts)


def youtuber_card(name: str, **changes: Any) -> YoutuberCard:
    """A creator's card; channel id and handle are made of the name."""
    compact = "".join(name.split())
    facts: dict[str, Any] = dict.fromkeys(YoutuberCard.__slots__) | {
        "id": f"y_{compact}",
        "channel_id": f"UC{compact:x<22.22}",
        "handle": f"@{compact}",
        "name": name,
        "subscribers": 1_000,
        "sponsored_videos": 1,
        "sponsors": 1,
        "coverage": Coverage(1, None, None, None, None, None),
    }
    return YoutuberCard(**(facts | changes))


@dataclass
class FakeFirstResults:
    """Remembers for ever."""

    values: dict[str, bytes] = field(default_factory=dict[str, bytes])

    async def claim(self, name: str, owner: bytes, seconds: float) -> bytes | None:
        del seconds
        found = self.values.get(name)
        self.values.setdefault(name, owner)
        return found

    async def extend_claim(self, name: str, owner: bytes, seconds: float) -> None:
        """It stays anyway."""

    async def put(self, name: str, value: bytes, seconds: float) -> None:
        del seconds
        self.values[name] = value

    async def remove(self, name: str, owner: bytes) -> None:
        if self.values.get(name) == owner:
            del self.values[name]


@dataclass
class FakeCatalog:
    """Returns a filled result for every request, or raises `error`.

    Attributes:
        error: Raised by every request, if set.
        youtubers: Found by every search of creators, if set.
        requests: Every request with its arguments.
    """

    error: Exception | None = None
    youtubers: tuple[YoutuberCard, ...] | None = None
    requests: list[tuple[str, Mapping[str, object]]] = field(default_factory=list[Any])

    async def query(
        self, name: CatalogQuery, arguments: Mapping[str, object], result_type: type[R]
    ) -> R:
        return self._respond(name, arguments, result_type)

    async def call_for(
        self,
        account_id: str,
        name: AccountMethod,
        arguments: Mapping[str, object],
        result_type: type[R],
    ) -> R:
        return self._respond(name, {**arguments, "account_id": account_id}, result_type)

    def _respond(self, rpc: str, arguments: Mapping[str, object], result_type: type[R]) -> R:
        self.requests.append((rpc, arguments))
        if self.error is not None:
            raise self.error
        if rpc == "SearchYoutubers" and self.youtubers is not None:
            return cast("R", YoutuberPage(self.youtubers, None, COVERAGE, None))
        reply = filled(GetMessageClass(_CATALOG.methods_by_name[rpc].output_type)())
        return decode(reply, result_type)


SILENT = CallProgress(None, None)
"""The progress of a call whose caller requested none."""


@dataclass
class FakeImports:
    """Knows one import; each request moves it on by a step of `steps`.

    Attributes:
        steps: The states of the import.
        bulk_steps: The states of a bulk import.
        error: Raised by every request, if set.
        refused: Raised when such a channel is to be imported or unfollowed.
        requests: Every request with its arguments.
    """

    steps: list[ImportStatus] = field(default_factory=list[ImportStatus])
    bulk_steps: list[BulkImportStatus] = field(default_factory=list[BulkImportStatus])
    error: ServiceError | None = None
    refused: dict[str, ServiceError] = field(default_factory=dict[str, ServiceError])
    requests: list[tuple[str, Mapping[str, object]]] = field(default_factory=list[Any])

    async def call(
        self, name: ImportMethod, arguments: Mapping[str, object], result_type: type[R]
    ) -> R:
        self.requests.append((name, arguments))
        if self.error is not None:
            raise self.error
        is_refusable = name in ("StartImport", "UnfollowChannel")
        if is_refusable and arguments["channel"] in self.refused:
            raise self.refused[str(arguments["channel"])]
        if result_type is ImportStatus and self.steps:
            return cast("R", self.steps[0])
        reply = GetMessageClass(_IMPORTS[name].output_type)()
        return decode(filled(reply), result_type)

    async def watch(self, account_id: str, import_id: str) -> AsyncGenerator[ImportStatus]:
        self.requests.append(("watch", {"account_id": account_id, "import_id": import_id}))
        for step in self.steps:
            yield step

    async def watch_bulk(
        self, account_id: str, bulk_import_id: str
    ) -> AsyncGenerator[BulkImportStatus]:
        arguments = {"account_id": account_id, "bulk_import_id": bulk_import_id}
        self.requests.append(("watch_bulk", arguments))
        for step in self.bulk_steps:
            yield step


@dataclass
class FakeAlerts:
    """Responds to every method; `requests` has each with its arguments."""

    requests: list[tuple[str, Mapping[str, object]]] = field(default_factory=list[Any])

    async def call(
        self, name: AlertMethod, arguments: Mapping[str, object], result_type: type[R]
    ) -> R:
        self.requests.append((name, arguments))
        reply = GetMessageClass(_ALERTS.methods_by_name[name].output_type)()
        return decode(filled(reply), result_type)


def import_status(**changes: Any) -> ImportStatus:
    facts: dict[str, Any] = {
        "import_id": "imp_1",
        "channel_id": "UC" + "x" * 22,
        "channel_title": "Example",
        "state": "running",
        "message": "Reading videos.",
        "source": "youtube-api",
        "videos_seen": 0,
        "videos_total": 100,
        "sponsorships": 0,
        "brands": (),
        "created_at": NOW,
        "started_at": None,
        "finished_at": None,
        "retry_at": None,
        "joined": False,
    }
    return ImportStatus(**(facts | changes))


@dataclass
class FakeAccess:
    """Knows the keys that it is given; stores the ledger in a dictionary.

    `watch_ids` and `alerts` are every account's: watches, and ids of messages with their watch, the newest last.
    """

    watch_ids: list[str] = field(default_factory=list[str])
    alerts: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    holders: dict[bytes, Principal] = field(default_factory=dict[bytes, Principal])
    refusal: Unauthenticated = field(
        default_factory=lambda: Unauthenticated("No such key.", "KEY_UNKNOWN")
    )
    error: ServiceError | None = None
    used: int = 0
    resolved: int = 0
    key_requests: int = 0
    jwks: Any = None
    usage_requests: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    step_ups: list[tuple[str, tuple[str, ...]]] = field(
        default_factory=list[tuple[str, tuple[str, ...]]]
    )
    ledger: dict[str, UsageEntry] = field(default_factory=dict[str, UsageEntry])
    leases: FakeLeases = field(default_factory=FakeLeases)
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    before_counting: Callable[[str], Awaitable[None]] | None = None
    """Awaited on the wire before each RPC of the ledger, with its name."""

    async def count_begins(self, rpc: str) -> None:
        if self.before_counting is not None:
            await self.before_counting(rpc)

    def give(self, key: str, holder: Principal) -> None:
        self.holders[hashlib.sha256(key.encode()).digest()] = holder

    async def resolve_key(self, key_sha256: bytes) -> Principal:
        self.resolved += 1
        if self.error is not None:
            raise self.error
        if key_sha256 not in self.holders:
            raise self.refusal
        return self.holders[key_sha256]

    async def resolve_grant(self, grant_id: str) -> Principal:
        return await self.resolve_key(hashlib.sha256(grant_id.encode()).digest())

    async def require_consent(self, credential_id: str, needed: Sequence[str]) -> None:
        self.step_ups.append((credential_id, tuple(needed)))
        if self.error is not None:
            raise self.error

    async def signing_keys(self) -> Any:
        self.key_requests += 1
        return self.jwks

    async def issuer_metadata(self) -> Any:
        return {"issuer": "https://issuer.example"}

    async def used_in(self, account_id: str, month: str) -> int:
        self.usage_requests.append((account_id, month))
        if self.error is not None:
            raise self.error
        return self._used(account_id, month)

    async def record_usage(
        self, entries: Sequence[UsageEntry], generation: str | None = None
    ) -> None:
        if self.error is not None:
            raise self.error
        new = [entry for entry in entries if entry.entry_id not in self.ledger]
        self.ledger |= {entry.entry_id: entry for entry in new}
        state = self.leases.current
        is_beside = generation is not None and epoch_of(generation) != state.epoch
        if new and is_beside and state.counted_by != LEDGER:
            self._bypass()

    async def admit(self, usage: UsageRequest, limit: int) -> LedgerDecision:
        if self.error is not None:
            raise self.error
        if self.leases.current.counted_by != LEDGER:
            raise Conflict("The ledger does not count now.")
        used = self._used(usage.account_id, f"{self.now:%Y-%m}")
        known = usage.entry_id in self.ledger or not usage.cost
        fits = known or used + usage.cost <= limit
        if fits and not known:
            used += usage.cost
            self.ledger[usage.entry_id] = UsageEntry(
                usage.entry_id,
                usage.account_id,
                usage.credential_id,
                usage.tool,
                self.now,
                usage.cost,
            )
        month_end = (self.now.replace(day=1) + timedelta(days=32)).replace(day=1).date()
        return LedgerDecision(fits, used, self.now, month_end)

    async def renew(self, report: LeaseReport) -> Authority:
        if self.error is not None:
            raise self.error
        return await self.leases.renew(report)

    @property
    def epoch(self) -> str:
        return self.leases.current.epoch

    @property
    def bypassed(self) -> bool:
        return self.leases.current.bypassed

    def _bypass(self) -> None:
        self.leases.current = replace(self.leases.current, bypassed=True)

    @property
    def now(self) -> datetime:
        return self.clock()

    def _used(self, account_id: str, month: str) -> int:
        mine = (item for item in self.ledger.values() if item.account_id == account_id)
        return self.used + sum(item.cost for item in mine if f"{item.admitted_at:%Y-%m}" == month)


@dataclass
class FakeProofMemory:
    """Remembers for ever; away while `error` is set."""

    used: set[bytes] = field(default_factory=set[bytes])
    error: ServiceError | None = None
    calls: int = 0

    async def add(self, use_id: bytes, seconds: float) -> bool:
        self.calls += 1
        if self.error is not None:
            raise self.error
        is_first = use_id not in self.used
        self.used.add(use_id)
        return is_first and seconds > 0


@dataclass
class FakeQuotaStore:
    """Returns the decisions that it holds, then admits everything."""

    decisions: list[Decision] = field(default_factory=list[Decision])
    error: ServiceError | None = None
    reserved: list[tuple[UsageRequest, Seed | None]] = field(default_factory=list[Any])
    refunded: list[Reservation] = field(default_factory=list[Reservation])

    async def reserve(
        self, usage: UsageRequest, entitlements: Entitlements, seed: Seed | None = None
    ) -> Decision:
        del entitlements
        self.reserved.append((usage, seed))
        if self.error is not None:
            raise self.error
        return self.decisions.pop(0) if self.decisions else decision("admitted")

    async def refund(self, admission: Reservation) -> None:
        self.refunded.append(admission)


def decision(outcome: str, *, remaining: int = 999, wait_seconds: float = 0.0) -> Decision:
    state = None if outcome == "unseeded" else QuotaState(1000, remaining, RESET, NOW)
    return Decision(cast("Any", outcome), "2026-11", NOW, state, wait_seconds)

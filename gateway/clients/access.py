"""The auth service as `CredentialResolver`, `AuthorizationServer`, `ConsentReporter` and `UsageLedger`."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any, Final

import grpc.aio
import msgspec

from gateway.authentication.principal import Principal
from gateway.quota.counters import LedgerDecision, epoch_of
from gateway.quota.models import UsageEntry, UsageRequest
from protos.auth.v1 import auth_pb2, auth_pb2_grpc
from servicekit.concurrency.batching import RequestBatcher
from servicekit.grpc.client import call
from servicekit.grpc.codec import decode, encode
from shapes.auth.auth import Authority, CallSum, LeaseReport

_SERVICE: Final = auth_pb2.DESCRIPTOR.services_by_name["Access"]
IDEMPOTENT: Final = tuple((_SERVICE.full_name, method.name) for method in _SERVICE.methods)
"""All methods: queries, and a ledger that ignores entries that it has."""

_MAX_BATCH: Final = 256
"""Calls that the ledger admits in one transaction."""


class GrpcAccess:
    """Resolve credentials, and record and read usage, by RPCs of the auth service.

    Calls of one account are counted one batch after the other, as each transaction would wait for the
    account's lock of the one before.

    Args:
        channel: To the auth service.
        timeout: Seconds to resolve a credential.
        counting_timeout: Seconds for an RPC of the ledger, which a busy machine may need.
    """

    def __init__(
        self, channel: grpc.aio.Channel, *, timeout: float, counting_timeout: float
    ) -> None:
        self._stub = auth_pb2_grpc.AccessStub(channel)
        self._timeout = timeout
        self._counting_timeout = counting_timeout
        self._admissions = RequestBatcher[auth_pb2.AdmissionRequest, LedgerDecision](
            self._apply, max_size=_MAX_BATCH, key=lambda request: request.account_id
        )

    async def resolve_key(self, key_sha256: bytes) -> Principal:
        request = auth_pb2.ResolveKeyRequest(key_sha256=key_sha256)
        reply = await call(self._stub.ResolveKey, request, timeout=self._timeout)
        return decode(reply, Principal)

    async def resolve_grant(self, grant_id: str) -> Principal:
        request = auth_pb2.ResolveGrantRequest(grant_id=grant_id)
        reply = await call(self._stub.ResolveGrant, request, timeout=self._timeout)
        return decode(reply, Principal)

    async def require_consent(self, credential_id: str, needed: Sequence[str]) -> None:
        request = auth_pb2.RequireConsentRequest(grant_id=credential_id, scopes=needed)
        await call(self._stub.RequireConsent, request, timeout=self._timeout)

    async def signing_keys(self) -> Any:
        return msgspec.json.decode((await self._issuer()).jwks_json)

    async def issuer_metadata(self) -> Any:
        return msgspec.json.decode((await self._issuer()).metadata_json)

    async def _issuer(self) -> auth_pb2.Issuer:
        request = auth_pb2.GetIssuerRequest()
        return await call(self._stub.GetIssuer, request, timeout=self._timeout)

    async def used_in(self, account_id: str, month: str) -> int:
        request = auth_pb2.UsageRequest(account_id=account_id, month=month)
        reply = await call(self._stub.GetUsage, request, timeout=self._counting_timeout)
        return reply.requests

    async def record_usage(
        self, entries: Sequence[UsageEntry], generation: str | None = None
    ) -> None:
        messages = [encode(entry, auth_pb2.UsageEntry) for entry in entries]
        epoch = None if generation is None else epoch_of(generation)
        request = auth_pb2.RecordUsageRequest(entries=messages, epoch=epoch)
        await call(self._stub.RecordUsage, request, timeout=self._counting_timeout)

    async def record_calls(self, batch_id: str, sums: Sequence[CallSum]) -> None:
        messages = [encode(item, auth_pb2.CallSum) for item in sums]
        request = auth_pb2.RecordCallsRequest(batch_id=batch_id, sums=messages)
        await call(self._stub.RecordCalls, request, timeout=self._counting_timeout)

    async def admit(self, usage: UsageRequest, limit: int) -> LedgerDecision:
        return await self._admissions.submit(
            auth_pb2.AdmissionRequest(
                entry_id=usage.entry_id,
                account_id=usage.account_id,
                credential_id=usage.credential_id,
                tool=usage.tool,
                cost=usage.cost,
                limit=limit,
            )
        )

    async def _apply(
        self, requests: Sequence[auth_pb2.AdmissionRequest]
    ) -> Sequence[LedgerDecision]:
        request = auth_pb2.AdmitRequest(requests=requests)
        reply = await call(self._stub.Admit, request, timeout=self._counting_timeout)
        at = datetime.fromisoformat(reply.at)
        month_end = date.fromisoformat(reply.month_end)
        return [
            LedgerDecision(decision.admitted, decision.used, at, month_end)
            for decision in reply.decisions
        ]

    async def renew(self, report: LeaseReport) -> Authority:
        request = encode(report, auth_pb2.LeaseReport)
        reply = await call(self._stub.RenewLease, request, timeout=self._counting_timeout)
        return decode(reply, Authority)

"""The servicer that gateways call."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from auth_service.domain.calls import CallBatch
from auth_service.domain.ledger_admission import AdmissionRequest
from auth_service.domain.usage import UsageEntry
from protos.auth.v1 import auth_pb2 as pb
from protos.auth.v1 import auth_pb2_grpc as pb_grpc
from servicekit.errors import InvalidInput
from servicekit.grpc import codec as wire
from shapes.auth.auth import LeaseReport

if TYPE_CHECKING:
    from auth_service.domain.access import Access, Credential
    from auth_service.domain.accounts import Entitlements
    from auth_service.domain.counting_authority import CountingAuthority
    from auth_service.domain.ledger_admission import LedgerAdmission


IssuerDocuments = Callable[[], tuple[dict[str, Any], dict[str, Any]]]
"""The authorization server's metadata (RFC 8414) and JWK set, as of now."""


UsageReported = Callable[["Sequence[UsageEntry]", int, str], None]
"""Called with entries that a gateway reported. If it counted them before, in an epoch, also with the
number of those that the ledger lacked, and the epoch.
"""


class AccessServicer(pb_grpc.AccessServicer):
    """Decode, call, encode."""

    def __init__(
        self,
        access: Access,
        counting: LedgerAdmission,
        authority: CountingAuthority,
        issuer: IssuerDocuments,
        reported: UsageReported,
    ) -> None:
        self._access = access
        self._counting = counting
        self._authority = authority
        self._issuer = issuer
        self._reported = reported

    async def ResolveKey(self, request: pb.ResolveKeyRequest, context: Any) -> pb.Credential:  # noqa: ARG002, N802
        return _credential(await self._access.resolve_key(request.key_sha256))

    async def ResolveGrant(self, request: pb.ResolveGrantRequest, context: Any) -> pb.Credential:  # noqa: ARG002, N802
        return _credential(await self._access.resolve_grant(request.grant_id))

    async def RequireConsent(  # noqa: N802
        self,
        request: pb.RequireConsentRequest,
        context: Any,  # noqa: ARG002
    ) -> pb.RequireConsentReply:
        await self._access.require_consent(request.grant_id, request.scopes)
        return pb.RequireConsentReply()

    async def GetIssuer(self, request: pb.GetIssuerRequest, context: Any) -> pb.Issuer:  # noqa: ARG002, N802
        metadata, jwks = self._issuer()
        return pb.Issuer(metadata_json=json.dumps(metadata), jwks_json=json.dumps(jwks))

    async def RecordUsage(  # noqa: N802
        self,
        request: pb.RecordUsageRequest,
        context: Any,  # noqa: ARG002
    ) -> pb.RecordUsageReply:
        entries = [_entry(entry) for entry in request.entries]
        if request.HasField("epoch"):
            recorded = await self._counting.record(entries, request.epoch)
            self._reported(entries, recorded if request.epoch else 0, request.epoch)
        else:
            recorded = await self._access.record_usage(entries)
            self._reported(entries, 0, "")
        return pb.RecordUsageReply(recorded=recorded, duplicates=len(entries) - recorded)

    async def RecordCalls(  # noqa: N802
        self,
        request: pb.RecordCallsRequest,
        context: Any,  # noqa: ARG002
    ) -> pb.RecordCallsReply:
        batch = wire.decode(request, CallBatch)
        return pb.RecordCallsReply(recorded=await self._access.record_calls(batch))

    async def Admit(self, request: pb.AdmitRequest, context: Any) -> pb.AdmitReply:  # noqa: ARG002, N802
        requests = [wire.decode(item, AdmissionRequest) for item in request.requests]
        return wire.encode(await self._counting.admit(requests), pb.AdmitReply)

    async def RenewLease(self, request: pb.LeaseReport, context: Any) -> pb.Authority:  # noqa: ARG002, N802
        report = wire.decode(request, LeaseReport)
        return wire.encode(await self._authority.renew(report), pb.Authority)

    async def GetUsage(self, request: pb.UsageRequest, context: Any) -> pb.Usage:  # noqa: ARG002, N802
        return wire.encode(await self._access.usage(request.account_id, request.month), pb.Usage)


def _credential(credential: Credential) -> pb.Credential:
    return pb.Credential(
        credential_id=credential.credential_id,
        scopes=credential.scopes,
        entitlements=_entitlements(credential.entitlements),
        expires_at=credential.expires_at,
    )


def _entitlements(entitlements: Entitlements) -> pb.Entitlements:
    plan = entitlements.plan
    return pb.Entitlements(
        account_id=entitlements.account_id,
        plan=plan.plan_id,
        plan_name=plan.name,
        monthly_requests=plan.monthly_requests,
        burst_requests=plan.burst_requests,
        burst_refill_per_second=plan.burst_refill_per_second,
        features=plan.features,
        disabled=entitlements.disabled,
        concurrent_imports=plan.concurrent_imports,
        concurrent_streams=plan.concurrent_streams,
        own_monthly_requests=entitlements.own_monthly_requests,
        followed_channels=plan.followed_channels,
    )


def _entry(entry: pb.UsageEntry) -> UsageEntry:
    try:
        admitted_at = datetime.fromisoformat(entry.admitted_at).astimezone(UTC)
    except ValueError:
        raise InvalidInput(
            f"admitted_at {entry.admitted_at!r} is not an RFC 3339 instant.",
            details={"field": "entries.admitted_at"},
        ) from None
    return UsageEntry(
        entry.entry_id, entry.account_id, entry.credential_id, entry.tool, admitted_at, entry.cost
    )

"""The gRPC servicer of the operators' command. Every call requires the operators' token."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Protocol

from auth_service.domain.oauth.machines import Machine, NewMachine
from auth_service.domain.operations import NewKey
from protos.auth.v1 import auth_pb2 as pb
from protos.auth.v1 import auth_pb2_grpc as pb_grpc
from servicekit import timestamps
from servicekit.errors import InvalidInput
from servicekit.grpc import codec as wire
from servicekit.grpc.operators import OperatorCheck, actor_of, stated_reason

if TYPE_CHECKING:
    from auth_service.domain.api_keys import ApiKey
    from auth_service.domain.oauth.signing import RotatedKey
    from auth_service.domain.operations import AccountReport, Operations
    from auth_service.domain.reconciliation import Comparison

_MAX_PAGE: Final = 100
_MAX_DIFFERENCES: Final = 1_000

Compare = Callable[[], Awaitable["Comparison"]]
"""Compares the usage ledger with its daily sums and the counters."""


class Issuing(Protocol):
    """The operators' use cases on the authorization server."""

    async def rotate_key(self, actor: str, reason: str) -> RotatedKey: ...

    async def add_machine(self, machine: NewMachine, actor: str, reason: str) -> Machine: ...

    async def machines(self, account_id: str) -> Sequence[Machine]: ...

    async def remove_machine(self, client_id: str, actor: str, reason: str) -> Machine: ...


class OperationsServicer(pb_grpc.OperationsServicer):
    """Check the token, decode the request, call the use case, encode the response."""

    def __init__(
        self, operations: Operations, issuing: Issuing, compare: Compare, token: str
    ) -> None:
        self._operations = operations
        self._issuing = issuing
        self._compare = compare
        self._operators = OperatorCheck(token)

    async def CreateAccount(self, request: pb.CreateAccountRequest, context: Any) -> pb.Account:  # noqa: N802
        actor, operations = self._act(context)
        password = request.password if request.HasField("password") else None
        return account_message(
            await operations.create_account(request.email, password, request.plan, actor)
        )

    async def GetAccount(self, request: pb.AccountByEmailRequest, context: Any) -> pb.Account:  # noqa: N802
        self._operators.authorize(context)
        return account_message(await self._operations.account(request.email))

    async def ListAccounts(self, request: pb.ListAccountsRequest, context: Any) -> pb.AccountPage:  # noqa: N802
        self._operators.authorize(context)
        limit = min(request.limit or _MAX_PAGE, _MAX_PAGE)
        reports = await self._operations.accounts(request.cursor, limit)
        full = len(reports) == limit
        return pb.AccountPage(
            accounts=[account_message(report) for report in reports],
            next_cursor=reports[-1].account.email if full else None,
        )

    async def SetPlan(self, request: pb.SetPlanRequest, context: Any) -> pb.Account:  # noqa: N802
        actor, operations = self._act(context)
        return account_message(await operations.set_plan(request.email, request.plan, actor))

    async def SetDisabled(self, request: pb.SetDisabledRequest, context: Any) -> pb.Account:  # noqa: N802
        actor, operations = self._act(context)
        return account_message(
            await operations.set_disabled(request.email, actor, disabled=request.disabled)
        )

    async def CreateKey(self, request: pb.CreateKeyRequest, context: Any) -> pb.CreatedKey:  # noqa: N802
        actor, operations = self._act(context)
        days = request.expires_in_days if request.HasField("expires_in_days") else None
        new_key = NewKey(request.name, tuple(request.scopes), days)
        secret, key = await operations.create_key(request.email, new_key, actor)
        return pb.CreatedKey(secret=secret, key=_key(key))

    async def ListKeys(self, request: pb.AccountByEmailRequest, context: Any) -> pb.KeyList:  # noqa: N802
        self._operators.authorize(context)
        keys = await self._operations.keys(request.email)
        return pb.KeyList(keys=[_key(key) for key in keys])

    async def RevokeKey(self, request: pb.RevokeKeyRequest, context: Any) -> pb.ApiKey:  # noqa: N802
        actor, operations = self._act(context)
        return _key(await operations.revoke_key(request.key_id, actor))

    async def SetOperator(self, request: pb.SetOperatorRequest, context: Any) -> pb.Account:  # noqa: N802
        actor, operations = self._act(context)
        return account_message(
            await operations.set_operator(request.email, actor, operator=request.operator)
        )

    async def CreateMachine(self, request: pb.CreateMachineRequest, context: Any) -> pb.Machine:  # noqa: N802
        actor, operations = self._act(context)
        report = await operations.account(request.email)
        machine = NewMachine(report.account.account_id, request.name, request.jwks_json)
        return _machine(await self._issuing.add_machine(machine, actor, stated_reason(context)))

    async def ListMachines(  # noqa: N802
        self, request: pb.AccountByEmailRequest, context: Any
    ) -> pb.MachineList:
        _, operations = self._act(context)
        report = await operations.account(request.email)
        found = await self._issuing.machines(report.account.account_id)
        return pb.MachineList(machines=[_machine(machine) for machine in found])

    async def RemoveMachine(  # noqa: N802
        self, request: pb.RemoveMachineRequest, context: Any
    ) -> pb.Machine:
        actor, _ = self._act(context)
        return _machine(
            await self._issuing.remove_machine(request.client_id, actor, stated_reason(context))
        )

    async def RotateSigningKey(  # noqa: N802
        self,
        request: pb.RotateSigningKeyRequest,  # noqa: ARG002
        context: Any,
    ) -> pb.SigningKey:
        actor, _ = self._act(context)
        rotated = await self._issuing.rotate_key(actor, stated_reason(context))
        active_from = timestamps.to_text(rotated.active_from)
        return pb.SigningKey(kid=rotated.kid, active_from=active_from)

    async def CompareUsage(  # noqa: N802
        self,
        request: pb.CompareUsageRequest,  # noqa: ARG002
        context: Any,
    ) -> pb.UsageComparison:
        self._operators.authorize(context)
        found = await self._compare()
        return pb.UsageComparison(
            at=timestamps.to_text(found.at),
            found=len(found.differences),
            differences=[
                pb.UsageDifference(
                    kind=difference.kind,
                    account_id=difference.account_id,
                    period=difference.period,
                    ledger=difference.ledger,
                    other=difference.other,
                )
                for difference in found.differences[:_MAX_DIFFERENCES]
            ],
            counters_skipped=found.counters_skipped,
        )

    async def ListAuditLog(self, request: pb.AuditLogRequest, context: Any) -> pb.AuditLog:  # noqa: N802
        self._operators.authorize(context)
        if not 1 <= request.limit <= _MAX_PAGE:
            raise InvalidInput(f"limit is 1 to {_MAX_PAGE}.", details={"field": "limit"})
        before = request.before if request.HasField("before") else None
        since = _since(request.since) if request.HasField("since") else None
        entries = await self._operations.audit_log(
            request.email or None, request.limit, before, since
        )
        return pb.AuditLog(
            events=[
                pb.AuditEvent(
                    id=entry.id,
                    at=timestamps.to_text(entry.event.at),
                    event=entry.event.event,
                    account_id=entry.event.account_id,
                    actor=entry.event.actor,
                    detail=entry.event.detail,
                    reason=entry.event.reason,
                )
                for entry in entries
            ]
        )

    def _act(self, context: Any) -> tuple[str, Operations]:
        """Return who acts, and the use cases for their reason."""
        actor = actor_of(self._operators.authorize(context))
        return actor, self._operations.because(stated_reason(context))


def _since(text: str) -> datetime:
    try:
        since = datetime.fromisoformat(text)
    except ValueError:
        since = None
    if since is None or since.tzinfo is None:
        raise InvalidInput(
            f"since {text!r} is not an RFC 3339 instant.", details={"field": "since"}
        )
    return since


def account_message(report: AccountReport) -> pb.Account:
    """Return an account as operators see it."""
    account, limits = report.account, report.limits
    return pb.Account(
        account_id=account.account_id,
        email=account.email,
        plan=account.plan_id,
        disabled=account.disabled_at is not None,
        created_at=timestamps.to_text(account.created_at),
        requests_this_month=report.requests_this_month,
        monthly_requests=report.plan.monthly_requests,
        limits=None if limits is None else wire.encode(limits, pb.AccountLimits),
        is_operator=account.is_operator,
    )


def _machine(machine: Machine) -> pb.Machine:
    return pb.Machine(
        client_id=machine.client_id,
        account_id=machine.account_id,
        name=machine.name,
        created_at=timestamps.to_text(machine.created_at),
        last_used_at=timestamps.to_optional_text(machine.last_used_at),
    )


def _key(key: ApiKey) -> pb.ApiKey:
    return pb.ApiKey(
        key_id=key.key_id,
        name=key.name,
        masked=key.masked,
        scopes=key.scopes,
        created_at=timestamps.to_text(key.created_at),
        expires_at=timestamps.to_optional_text(key.expires_at),
        last_used_at=timestamps.to_optional_text(key.last_used_at),
        revoked_at=timestamps.to_optional_text(key.revoked_at),
    )

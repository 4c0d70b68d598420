"""The gRPC servicer of operators' calls on one account. Every call requires the operators' token."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auth_service.domain.account_access import AccountGrant
from auth_service.domain.account_limits import AccountLimits
from auth_service.rpc.operations import account_message
from protos.auth.v1 import auth_pb2 as pb
from protos.auth.v1 import auth_pb2_grpc as pb_grpc
from servicekit import timestamps
from servicekit.errors import InvalidInput
from servicekit.grpc import codec as wire
from servicekit.grpc.operators import OperatorCheck, actor_of, stated_reason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from auth_service.domain.account_operations import AccountOperations
    from auth_service.domain.site.sessions import WebSession


class AccountOperationsServicer(pb_grpc.AccountOperationsServicer):
    """Check the token, decode the request, call the use case, encode the response."""

    def __init__(self, accounts: AccountOperations, token: str) -> None:
        self._accounts = accounts
        self._operators = OperatorCheck(token)

    async def DeleteAccount(  # noqa: N802
        self, request: pb.AccountByEmailRequest, context: Any
    ) -> pb.DeletedAccount:
        actor, accounts = self._act(context)
        account, ended = await accounts.delete(request.email, actor)
        return pb.DeletedAccount(
            account_id=account.account_id,
            email=account.email,
            keys=len(ended.key_ids),
            connections=len(ended.grant_ids) + len(ended.member_grants),
        )

    async def SendPasswordReset(  # noqa: N802
        self, request: pb.AccountByEmailRequest, context: Any
    ) -> pb.Account:
        actor, accounts = self._act(context)
        return account_message(await accounts.send_password_reset(request.email, actor))

    async def ListSessions(  # noqa: N802
        self, request: pb.AccountByEmailRequest, context: Any
    ) -> pb.SessionList:
        _, accounts = self._act(context)
        return _sessions(await accounts.sessions(request.email))

    async def EndSessions(self, request: pb.EndSessionsRequest, context: Any) -> pb.SessionList:  # noqa: N802
        actor, accounts = self._act(context)
        session_id = request.session_id if request.HasField("session_id") else None
        return _sessions(await accounts.end_sessions(request.email, session_id, actor))

    async def ListGrants(self, request: pb.AccountByEmailRequest, context: Any) -> pb.GrantList:  # noqa: N802
        _, accounts = self._act(context)
        return pb.GrantList(grants=[_grant(g) for g in await accounts.grants(request.email)])

    async def RevokeGrant(self, request: pb.RevokeGrantRequest, context: Any) -> pb.Grant:  # noqa: N802
        actor, accounts = self._act(context)
        return _grant(await accounts.revoke_grant(request.grant_id, actor))

    async def SetLimits(self, request: pb.SetLimitsRequest, context: Any) -> pb.Account:  # noqa: N802
        actor, accounts = self._act(context)
        limits = _limits(request.limits)
        return account_message(await accounts.set_limits(request.email, limits, actor))

    async def ClearLimits(self, request: pb.AccountByEmailRequest, context: Any) -> pb.Account:  # noqa: N802
        actor, accounts = self._act(context)
        return account_message(await accounts.clear_limits(request.email, actor))

    async def GetAccountUsage(  # noqa: N802
        self, request: pb.AccountUsageRequest, context: Any
    ) -> pb.AccountUsage:
        _, accounts = self._act(context)
        usage = await accounts.usage(request.email, request.month)
        return pb.AccountUsage(
            account_id=usage.account_id,
            month=request.month,
            requests=usage.requests,
            monthly_requests=usage.monthly_requests,
            by_tool=[
                pb.ToolUsage(tool=tool, requests=requests)
                for tool, requests in usage.by_tool.items()
            ],
            by_key=[wire.encode(item, pb.CredentialUsage) for item in usage.by_key],
        )

    def _act(self, context: Any) -> tuple[str, AccountOperations]:
        """Return who acts, and the use cases for their reason."""
        actor = actor_of(self._operators.authorize(context))
        return actor, self._accounts.because(stated_reason(context))


def _sessions(sessions: Sequence[WebSession]) -> pb.SessionList:
    return pb.SessionList(
        sessions=[
            pb.Session(
                session_id=session.session_id,
                user_agent=session.user_agent,
                created_at=timestamps.to_text(session.created_at),
                last_seen_at=timestamps.to_text(session.last_seen_at),
                expires_at=timestamps.to_text(session.expires_at),
            )
            for session in sessions
        ]
    )


def _grant(grant: AccountGrant) -> pb.Grant:
    return wire.encode(grant, pb.Grant)


def _limits(message: pb.AccountLimits) -> AccountLimits:
    try:
        limits = wire.decode(message, AccountLimits)
    except ValueError:
        limits = None
    if limits is None or (limits.expires_at is not None and limits.expires_at.tzinfo is None):
        raise InvalidInput(
            f"expires_at {message.expires_at!r} is not an RFC 3339 instant.",
            details={"field": "limits.expires_at"},
        )
    return limits

"""Operators' calls about one account."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from devstack.clients.operator_calls import OperatorCalls
from protos.auth.v1 import auth_pb2 as pb
from protos.auth.v1 import auth_pb2_grpc as pb_grpc
from servicekit.grpc import codec as wire
from shapes.auth.auth import Account, AccountLimits, AccountUsage, DeletedAccount, Grant, Session

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class AccountOperationsClient(OperatorCalls):
    """Each method is one call."""

    def delete(self, email: str) -> DeletedAccount:
        return wire.decode(self._send_for("DeleteAccount", email), DeletedAccount)

    def send_password_reset(self, email: str) -> Account:
        return wire.decode(self._send_for("SendPasswordReset", email), Account)

    def sessions(self, email: str) -> Sequence[Session]:
        listed: pb.SessionList = self._send_for("ListSessions", email)
        return [wire.decode(session, Session) for session in listed.sessions]

    def end_sessions(self, email: str, session_id: str | None) -> Sequence[Session]:
        request = pb.EndSessionsRequest(email=email, session_id=session_id)
        ended: pb.SessionList = self._call("EndSessions", request)
        return [wire.decode(session, Session) for session in ended.sessions]

    def grants(self, email: str) -> Sequence[Grant]:
        listed: pb.GrantList = self._send_for("ListGrants", email)
        return [wire.decode(grant, Grant) for grant in listed.grants]

    def revoke_grant(self, grant_id: str) -> Grant:
        return wire.decode(
            self._call("RevokeGrant", pb.RevokeGrantRequest(grant_id=grant_id)), Grant
        )

    def set_limits(self, email: str, limits: AccountLimits) -> Account:
        message = wire.encode(limits, pb.AccountLimits)
        request = pb.SetLimitsRequest(email=email, limits=message)
        return wire.decode(self._call("SetLimits", request), Account)

    def clear_limits(self, email: str) -> Account:
        return wire.decode(self._send_for("ClearLimits", email), Account)

    def usage(self, email: str, month: str) -> AccountUsage:
        request = pb.AccountUsageRequest(email=email, month=month)
        return wire.decode(self._call("GetAccountUsage", request), AccountUsage)

    def _send_for(self, method: str, email: str) -> Any:
        return self._call(method, pb.AccountByEmailRequest(email=email))

    def _call(self, method: str, request: object) -> Any:
        return self.call(pb_grpc.AccountOperationsStub, method, request)

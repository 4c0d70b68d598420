"""Operators' calls to the auth service."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from devstack.clients.operator_calls import OperatorCalls
from protos.auth.v1 import auth_pb2 as pb
from protos.auth.v1 import auth_pb2_grpc as pb_grpc
from servicekit.grpc import codec as wire
from shapes.auth.auth import Account, ApiKey, AuditEvent, Machine, UsageComparison

if TYPE_CHECKING:
    from collections.abc import Sequence

_SECONDS = 10.0
_PAGE = 100
_COMPARING_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class OperationsClient(OperatorCalls):
    """Each method is one call."""

    def create_account(self, email: str, plan: str, password: str | None) -> Account:
        request = pb.CreateAccountRequest(email=email, plan=plan, password=password)
        return self._account("CreateAccount", request)

    def account(self, email: str) -> Account:
        return self._account("GetAccount", pb.AccountByEmailRequest(email=email))

    def accounts(self) -> Sequence[Account]:
        found: list[Account] = []
        cursor: str | None = None
        while True:
            page: pb.AccountPage = self._call("ListAccounts", pb.ListAccountsRequest(cursor=cursor))
            found += [wire.decode(account, Account) for account in page.accounts]
            if not page.next_cursor:
                return found
            cursor = page.next_cursor

    def set_plan(self, email: str, plan: str) -> Account:
        return self._account("SetPlan", pb.SetPlanRequest(email=email, plan=plan))

    def set_disabled(self, email: str, *, disabled: bool) -> Account:
        return self._account("SetDisabled", pb.SetDisabledRequest(email=email, disabled=disabled))

    def set_operator(self, email: str, *, operator: bool) -> Account:
        return self._account("SetOperator", pb.SetOperatorRequest(email=email, operator=operator))

    def create_machine(self, email: str, name: str, jwks: str) -> Machine:
        request = pb.CreateMachineRequest(email=email, name=name, jwks_json=jwks)
        return wire.decode(self._call("CreateMachine", request), Machine)

    def machines(self, email: str) -> Sequence[Machine]:
        listed: pb.MachineList = self._call("ListMachines", pb.AccountByEmailRequest(email=email))
        return [wire.decode(machine, Machine) for machine in listed.machines]

    def remove_machine(self, client_id: str) -> Machine:
        request = pb.RemoveMachineRequest(client_id=client_id)
        return wire.decode(self._call("RemoveMachine", request), Machine)

    def rotate_signing_key(self) -> tuple[str, str]:
        """Rotate the signing key; return the next one's id and the moment from which it signs."""
        rotated: pb.SigningKey = self._call("RotateSigningKey", pb.RotateSigningKeyRequest())
        return rotated.kid, rotated.active_from

    def create_key(self, email: str, name: str, days: int | None) -> tuple[str, ApiKey]:
        request = pb.CreateKeyRequest(email=email, name=name, expires_in_days=days)
        created: pb.CreatedKey = self._call("CreateKey", request)
        return created.secret, wire.decode(created.key, ApiKey)

    def keys(self, email: str) -> Sequence[ApiKey]:
        listed: pb.KeyList = self._call("ListKeys", pb.AccountByEmailRequest(email=email))
        return [wire.decode(key, ApiKey) for key in listed.keys]

    def revoke_key(self, key_id: str) -> ApiKey:
        return wire.decode(self._call("RevokeKey", pb.RevokeKeyRequest(key_id=key_id)), ApiKey)

    def compare_usage(self) -> UsageComparison:
        response = self._call("CompareUsage", pb.CompareUsageRequest(), _COMPARING_SECONDS)
        return wire.decode(response, UsageComparison)

    def audit_log(
        self, email: str | None, limit: int, before: int | None = None, since: str | None = None
    ) -> Sequence[AuditEvent]:
        """Return the newest events of one account or of all: older than event `before`, not before `since`."""
        found: list[AuditEvent] = []
        while len(found) < limit:
            size = min(_PAGE, limit - len(found))
            request = pb.AuditLogRequest(email=email, limit=size, before=before, since=since)
            page: pb.AuditLog = self._call("ListAuditLog", request)
            found += [wire.decode(event, AuditEvent) for event in page.events]
            if len(page.events) < size:
                break
            before = found[-1].id
        return found

    def _account(self, method: str, request: object) -> Account:
        return wire.decode(self._call(method, request), Account)

    def _call(self, method: str, request: object, seconds: float = _SECONDS) -> Any:
        return self.call(pb_grpc.OperationsStub, method, request, seconds)

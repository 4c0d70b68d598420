"""Operators' use cases on the authorization server: key rotation and machine clients."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from joserfc.errors import JoseError
from joserfc.jwk import KeySet, RSAKey

from auth_service.domain.oauth import secrets
from auth_service.domain.oauth.machines import Machine, MachineNotFound, NewMachine
from auth_service.domain.oauth.model import Client
from auth_service.domain.oauth.ports import OAuthTransactions
from auth_service.domain.oauth.registration import ClientMetadata, display_name
from auth_service.domain.oauth.signing import RotatedKey
from auth_service.domain.ports import AuditEvent, Clock
from auth_service.oauth.clients import ASSERTION
from servicekit.errors import InvalidInput

_MIN_RSA_BITS: Final = 2_048


class Rotation(Protocol):
    """Rotate the signing key for an actor and a reason and return the next one; see `KeyRing`. Blocking."""

    def __call__(self, actor: str, reason: str) -> RotatedKey: ...


@dataclass(frozen=True, slots=True)
class IssuingOperations:
    """What operators do with the authorization server: machine clients and signing keys."""

    transactions: OAuthTransactions
    rotation: Rotation
    clock: Clock

    async def rotate_key(self, actor: str, reason: str) -> RotatedKey:
        """Rotate the signing key; return the next one, with the time from which it signs."""
        return await asyncio.to_thread(self.rotation, actor, reason)

    async def machines(self, account_id: str) -> Sequence[Machine]:
        """Return the machines that act for an account, oldest first."""
        return await asyncio.to_thread(self._machines, account_id)

    async def remove_machine(self, client_id: str, actor: str, reason: str) -> Machine:
        """Remove a machine with its tokens; return what it was.

        Raises:
            MachineNotFound: There is no such machine.
        """
        return await asyncio.to_thread(self._remove, client_id, actor, reason)

    async def add_machine(self, machine: NewMachine, actor: str, reason: str) -> Machine:
        """Add a client that signs its assertions with one of the machine's keys.

        Raises:
            InvalidInput: The keys are not a JWK set, or one of them is private.
        """
        client = Client(
            client_id=secrets.new_id("machine"),
            source="operator",
            metadata=ClientMetadata(
                client_name=display_name(machine.name) if machine.name else "Machine",
                redirect_uris=(),
                grant_types=("client_credentials",),
                token_endpoint_auth_method=ASSERTION,
                scope="",
                application_type=None,
                client_uri=None,
            ),
            jwks=_public_keys(machine.jwks),
            account_id=machine.account_id,
        )
        now = self.clock()
        event = AuditEvent(
            now, "machine_added", machine.account_id, actor, client.client_id, reason
        )
        await asyncio.to_thread(self._add, client, event)
        name = client.metadata.client_name or ""
        return Machine(client.client_id, machine.account_id, name, now, None)

    def _add(self, client: Client, event: AuditEvent) -> None:
        with self.transactions() as store:
            store.add_client(client, client.client_id, event.at)
            store.record_operators_event(event)

    def _machines(self, account_id: str) -> Sequence[Machine]:
        with self.transactions() as store:
            return store.machines(account_id)

    def _remove(self, client_id: str, actor: str, reason: str) -> Machine:
        now = self.clock()
        with self.transactions() as store:
            machine = store.remove_machine(client_id, now)
            if machine is None:
                raise MachineNotFound(
                    f"There is no machine {client_id}.", details={"field": "client_id"}
                )
            store.record_operators_event(
                AuditEvent(now, "machine_removed", machine.account_id, actor, client_id, reason)
            )
        return machine


def _public_keys(text: str) -> str:
    try:
        document: Any = json.loads(text)
        keys = KeySet.import_key_set(document).keys
    except (ValueError, TypeError, KeyError, JoseError):
        keys = []
    if not keys:
        raise InvalidInput('Give a JWK set: {"keys": […]}.', details={"field": "jwks_json"})
    if any(key.is_private for key in keys):
        raise InvalidInput("Give public keys alone.", details={"field": "jwks_json"})
    if any(isinstance(key, RSAKey) and key.raw_value.key_size < _MIN_RSA_BITS for key in keys):
        raise InvalidInput(
            f"An RSA key needs at least {_MIN_RSA_BITS:,} bits (RFC 7518 section 3.3).",
            details={"field": "jwks_json"},
        )
    return text

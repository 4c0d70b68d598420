"""Machines of operators, which act for an account by client credentials."""

from dataclasses import dataclass
from datetime import datetime

from servicekit.errors import NotFound


class MachineNotFound(NotFound):
    default_reason = "MACHINE_NOT_FOUND"


@dataclass(frozen=True, slots=True)
class NewMachine:
    """A machine to add: the account that it acts for, its name, and its public keys as a JWK set."""

    account_id: str
    name: str
    jwks: str


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine; `last_used_at` is when it last got a token, None before the first."""

    client_id: str
    account_id: str
    name: str
    created_at: datetime
    last_used_at: datetime | None

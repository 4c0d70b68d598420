"""Machines of operators, which act for an account by client credentials."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NewMachine:
    """A machine to add: the account that it acts for, its name, and its public keys as a JWK set."""

    account_id: str
    name: str
    jwks: str

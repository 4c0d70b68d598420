"""Accounts: who they are and how they stand."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from auth_service.domain.plans import Plan
from servicekit.errors import Conflict, InvalidInput, NotFound

_EMAIL: Final = re.compile(r"[^@\s]{1,64}@[^@\s.]+(\.[^@\s.]+)+")
_MAX_EMAIL: Final = 254


class AccountNotFound(NotFound):
    default_reason = "ACCOUNT_NOT_FOUND"


class EmailInUse(Conflict):
    default_reason = "EMAIL_IN_USE"


@dataclass(frozen=True, slots=True)
class Account:
    """An account. `plan_id` names a `Plan`; `disabled_at` is when an operator closed it."""

    account_id: str
    email: str
    plan_id: str
    created_at: datetime
    disabled_at: datetime | None = None
    email_confirmed_at: datetime | None = None
    password_hash: str | None = None
    is_operator: bool = False


@dataclass(frozen=True, slots=True)
class Standing:
    """What the gateway has to know of an account: its plan in full and whether it is disabled."""

    account_id: str
    plan: Plan
    disabled: bool


def normalised_email(email: str) -> str:
    """`email` as it is stored and compared.

    Raises:
        InvalidInput: It is no address.
    """
    folded = email.strip().casefold()
    is_short = len(folded) <= _MAX_EMAIL and folded.isprintable()
    if not is_short or not _EMAIL.fullmatch(folded):
        raise InvalidInput(f"{email!r} is not an e-mail address.", details={"field": "email"})
    return folded

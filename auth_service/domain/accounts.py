"""Accounts: who they are and how they stand."""

from dataclasses import dataclass
from datetime import datetime

from auth_service.domain.plans import Plan
from servicekit.errors import Conflict, NotFound


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
class Entitlements:
    """What the gateway has to know of an account: its plan in full and whether it is disabled."""

    account_id: str
    plan: Plan
    disabled: bool

"""Accounts and their entitlements."""

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
    """An account. `plan_id` names a `Plan`; `disabled_at` is when an operator disabled it."""

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
    """The rights of an account that the gateway enforces: its plan and whether it is disabled."""

    account_id: str
    plan: Plan
    disabled: bool

"""Accounts and their entitlements."""

from dataclasses import dataclass
from datetime import datetime

from auth_service.domain.account_limits import AccountLimits
from auth_service.domain.plans import Plan
from servicekit.errors import Conflict, NotFound


class AccountNotFound(NotFound):
    default_reason = "ACCOUNT_NOT_FOUND"


class EmailInUse(Conflict):
    default_reason = "EMAIL_IN_USE"


@dataclass(frozen=True, slots=True)
class Account:
    """An account. `plan_id` names a `Plan`; `disabled_at` is when an operator disabled it.

    With `plan_by_operator`, an operator gave it the plan, and no subscription changes it. `limits` are
    its own, which may have expired.
    """

    account_id: str
    email: str
    plan_id: str
    created_at: datetime
    disabled_at: datetime | None = None
    email_confirmed_at: datetime | None = None
    password_hash: str | None = None
    is_operator: bool = False
    plan_by_operator: bool = False
    limits: AccountLimits | None = None


@dataclass(frozen=True, slots=True)
class Entitlements:
    """The rights of an account that the gateway enforces: its plan and whether it is disabled.

    With `own_monthly_requests` the plan's requests a month are replaced by the account's own.
    """

    account_id: str
    plan: Plan
    disabled: bool
    own_monthly_requests: bool = False

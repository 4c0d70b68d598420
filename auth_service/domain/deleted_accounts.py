"""Carry the month's usage of a deleted account over to a new account of the same address.

Otherwise deleting an account and signing up again would reset the monthly quota. A keyed hash of
the address is stored with the old account's id until the month ends; without the key, the address
cannot be recovered from it.
"""

import hmac
from dataclasses import dataclass
from datetime import UTC, datetime, time
from typing import Final

from auth_service.domain import usage as ledger
from auth_service.domain.accounts import Account
from auth_service.domain.ports import Store
from auth_service.domain.usage import UsageEntry

EARLIER_ACCOUNT: Final = "earlier account"
"""Replaces tool and credential in the ledger for requests of an earlier account."""


@dataclass(frozen=True, slots=True)
class DeletedAccounts:
    """Store deleted accounts and charge their usage to new accounts of their addresses."""

    secret: str

    async def remember(self, store: Store, account: Account, now: datetime) -> None:
        """Store the account's usage reference until the month ends; call it before deleting the account."""
        _, following = ledger.month_bounds(ledger.month_of(now))
        until = datetime.combine(following, time(), UTC)
        await store.add_deleted_account(self._digest(account.email), account.account_id, until)

    async def carry_over(self, store: Store, account: Account, now: datetime) -> None:
        """Charge a new account with this month's requests of a deleted account of its address."""
        earlier = await store.deleted_account_id(self._digest(account.email), now)
        if earlier is None:
            return
        first, following = ledger.month_bounds(ledger.month_of(now))
        used = (await store.ledger.usage(earlier, first, following)).requests
        entries = [
            UsageEntry(
                f"{account.account_id}:earlier:{n}",
                account.account_id,
                EARLIER_ACCOUNT,
                EARLIER_ACCOUNT,
                now,
                1,
            )
            for n in range(used)
        ]
        for start in range(0, used, ledger.MAX_ENTRIES):
            await store.ledger.record(entries[start : start + ledger.MAX_ENTRIES])

    def _digest(self, email: str) -> bytes:
        # The prefix keeps these digests apart from others under the same secret. It stays as it is:
        # with another one, stored digests would no longer be found, and quotas would begin anew.
        return hmac.digest(self.secret.encode(), f"departed:{email}".encode(), "sha256")

"""Credentials that the auth service has resolved: kept briefly, dropped at once when told to."""

import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from gateway.domain.principal import Principal
from gateway.domain.single_flight import SingleFlight
from servicekit.errors import Unauthenticated


@dataclass(frozen=True, slots=True)
class CachePolicy:
    """How long a resolved credential is believed.

    Attributes:
        ttl_seconds: For one that holds. Bounds how long a revocation whose push was lost can go
            unseen.
        refusal_ttl_seconds: For one that does not.
        size: Credentials kept at most; the longest unused goes first.
    """

    ttl_seconds: float
    refusal_ttl_seconds: float
    size: int


@dataclass(frozen=True, slots=True)
class StandingChange:
    """A push that what is known of an account or of one of its credentials no longer holds.

    Attributes:
        account_id: The account.
        credential_id: The key or grant concerned; all of the account's if None.
    """

    account_id: str
    credential_id: str | None = None

    def concerns(self, outcome: Principal | Unauthenticated) -> bool:
        """Whether a cached outcome must go; refusals always, as they do not say whose they are."""
        if isinstance(outcome, Unauthenticated):
            return True
        if outcome.standing.account_id != self.account_id:
            return False
        return self.credential_id is None or self.credential_id == outcome.credential_id


@dataclass(frozen=True, slots=True)
class _Known:
    outcome: Principal | Unauthenticated
    until: float


class Credentials:
    """Outcomes of `resolve` by handle; one question at a time about each handle."""

    def __init__(
        self,
        policy: CachePolicy,
        *,
        monotonic: Callable[[], float] = time.monotonic,
        on_lookup: Callable[[str], None] = lambda _result: None,
    ) -> None:
        self._policy = policy
        self._monotonic = monotonic
        self._on_lookup = on_lookup
        self._known: OrderedDict[bytes, _Known] = OrderedDict()
        self._flights = SingleFlight[bytes, Principal]()
        self._changes = 0

    async def get(self, handle: bytes, resolve: Callable[[], Awaitable[Principal]]) -> Principal:
        """The principal behind `handle`, asked of `resolve` when it is not kept.

        Raises:
            Unauthenticated: The credential does not hold, and its account is disabled included.
        """
        outcome = self._recall(handle)
        if outcome is None:
            self._on_lookup("miss")
            outcome = await self._flights.do(handle, lambda: self._resolve(handle, resolve))
        else:
            self._on_lookup("hit")
        if isinstance(outcome, Unauthenticated):
            raise outcome.with_traceback(None)
        if outcome.standing.disabled:
            raise Unauthenticated(
                "This account is disabled. Write to support to have it looked at.",
                "ACCOUNT_DISABLED",
            )
        return outcome

    def forget(self, change: StandingChange) -> None:
        """Drops what `change` concerns."""
        self._changes += 1
        gone = [key for key, known in self._known.items() if change.concerns(known.outcome)]
        for key in gone:
            del self._known[key]

    def forget_all(self) -> None:
        """Drops everything, because pushes may have been missed."""
        self._changes += 1
        self._known.clear()

    def _recall(self, handle: bytes) -> Principal | Unauthenticated | None:
        known = self._known.get(handle)
        if known is None:
            return None
        if known.until <= self._monotonic():
            del self._known[handle]
            return None
        self._known.move_to_end(handle)
        return known.outcome

    async def _resolve(
        self, handle: bytes, resolve: Callable[[], Awaitable[Principal]]
    ) -> Principal:
        changes = self._changes
        try:
            principal = await resolve()
        except Unauthenticated as refusal:
            self._keep(handle, refusal, self._policy.refusal_ttl_seconds, changes)
            raise
        self._keep(handle, principal, self._policy.ttl_seconds, changes)
        return principal

    def _keep(
        self, handle: bytes, outcome: Principal | Unauthenticated, ttl: float, changes: int
    ) -> None:
        # An answer that was under way while a change arrived may be older than the change.
        if changes != self._changes:
            return
        self._known[handle] = _Known(outcome, self._monotonic() + ttl)
        if len(self._known) > self._policy.size:
            self._known.popitem(last=False)

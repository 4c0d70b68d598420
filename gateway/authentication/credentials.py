"""Credentials that the auth service resolves: cached briefly, dropped at once when a push says so.

Personal API keys are such credentials; access tokens are verified here, and only their grant is one.

While the auth service does not answer, one that was good when it was last resolved goes on for a longer
time, at reduced limits. That holds only as long as pushes arrive: they are the one way left in which a
revocation can be learned of.
"""

import hashlib
import re
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

from gateway.authentication.ports import CredentialResolver
from gateway.authentication.principal import EntitlementsChange, Principal
from servicekit.concurrency.single_flight import SingleFlight
from servicekit.errors import Unauthenticated, Unavailable

Resolve = Callable[[], Awaitable[Principal]]

_KEY: Final = re.compile(r"mcp_[A-Za-z0-9_-]{16,128}")


@dataclass(frozen=True, slots=True)
class CachePolicy:
    """The times for which a resolved credential is used without resolving it again.

    Attributes:
        ttl_seconds: For one that holds. Bounds how long a revocation whose push was lost can go
            unseen while the auth service answers.
        refusal_ttl_seconds: For one that does not.
        size: Credentials kept at most; the longest unused goes first.
        stale_seconds: For one that holds, counted from when it was resolved, while the auth service
            does not answer and pushes arrive.
        stale_share: The part of the plan's burst limits that a stale credential has.
        silent_ttl_seconds: The longest time for one that holds while pushes do not arrive.
        retry_seconds: Between two attempts to reach an auth service that does not answer, on behalf
            of callers who go on without it.
    """

    ttl_seconds: float
    refusal_ttl_seconds: float
    size: int
    stale_seconds: float = 0.0
    stale_share: float = 1.0
    retry_seconds: float = 1.0
    silent_ttl_seconds: float = float("inf")


@dataclass(slots=True)
class _Known:
    """A cached outcome: fresh until one time, and servable while the auth service is away until another."""

    outcome: Principal | Unauthenticated
    fresh_until: float
    stale_until: float
    reduced: Principal | None = None

    def at_reduced_limits(self, share: float) -> Principal | Unauthenticated:
        """Return the outcome with a share of its burst limits; the same object each time."""
        if isinstance(self.outcome, Unauthenticated):
            return self.outcome
        if self.reduced is None:
            entitlements = self.outcome.entitlements
            limits = replace(
                entitlements,
                burst_requests=max(1, int(entitlements.burst_requests * share)),
                burst_refill_per_second=entitlements.burst_refill_per_second * share,
            )
            self.reduced = replace(self.outcome, entitlements=limits)
        return self.reduced


class Credentials:
    """Cache of the outcomes of `resolve` by handle; it makes one call at a time for each handle.

    Args:
        policy: Times and sizes.
        monotonic: The clock.
        on_hit: Called when a lookup finds a fresh outcome.
        on_miss: Called when a lookup has to resolve the credential.
        on_stale: Called when a lookup uses a stale outcome, as the auth service does not respond.
    """

    def __init__(
        self,
        policy: CachePolicy,
        *,
        monotonic: Callable[[], float] = time.monotonic,
        on_hit: Callable[[], object] = lambda: None,
        on_miss: Callable[[], object] = lambda: None,
        on_stale: Callable[[], object] = lambda: None,
    ) -> None:
        self._policy = policy
        self._monotonic = monotonic
        self._on_hit, self._on_miss, self._on_stale = on_hit, on_miss, on_stale
        self._known: OrderedDict[bytes, _Known] = OrderedDict()
        self._flights = SingleFlight[bytes, Principal]()
        self._changes = 0
        self._pushes_arrive = False
        self._is_away = False
        self._retry_at = 0.0
        self._newest_stale_until = float("-inf")

    @property
    def serves_stale(self) -> bool:
        """Return whether known callers are served although the auth service is away."""
        return (
            self._pushes_arrive
            and bool(self._known)
            and self._monotonic() < self._newest_stale_until
        )

    async def get(self, handle: bytes, resolve: Resolve) -> Principal:
        """Return the principal of `handle`, from the cache or from `resolve`.

        Raises:
            Unauthenticated: The credential does not hold, and its account is disabled included.
            Unavailable: It is not known, and the auth service does not answer.
        """
        now = self._monotonic()
        known = self._recall(handle, now)
        outcome: Principal | Unauthenticated
        if known is None:
            self._on_miss()
            outcome = await self._flights.do(handle, lambda: self._resolve(handle, resolve))
        elif now < known.fresh_until:
            self._on_hit()
            outcome = known.outcome
        else:
            outcome = await self._refreshed(handle, known, resolve)
        if isinstance(outcome, Unauthenticated):
            raise outcome.with_traceback(None)
        if outcome.entitlements.disabled:
            raise Unauthenticated(
                "This account is disabled. Write to support to have it looked at.",
                "ACCOUNT_DISABLED",
            )
        return outcome

    def forget(self, change: EntitlementsChange) -> None:
        """Drop what `change` concerns."""
        self._changes += 1
        gone = [key for key, known in self._known.items() if change.concerns(known.outcome)]
        for key in gone:
            del self._known[key]

    def forget_all(self) -> None:
        """Drop everything, because pushes may have been missed; those from now on arrive."""
        self._changes += 1
        self._pushes_arrive = True
        self._known.clear()

    def lose_pushes(self) -> None:
        """Serve nothing stale until `forget_all`, and all for a short time alone, because pushes do not arrive."""
        self._pushes_arrive = False
        fresh_until = self._monotonic() + self._policy.silent_ttl_seconds
        for known in self._known.values():
            known.fresh_until = min(known.fresh_until, fresh_until)

    def _recall(self, handle: bytes, now: float) -> _Known | None:
        known = self._known.get(handle)
        if known is None:
            return None
        if known.fresh_until <= now and (known.stale_until <= now or not self._pushes_arrive):
            del self._known[handle]
            return None
        self._known.move_to_end(handle)
        return known

    async def _refreshed(
        self, handle: bytes, known: _Known, resolve: Resolve
    ) -> Principal | Unauthenticated:
        """Resolve anew; return the stale principal if the auth service does not respond.

        Once it is known to be away nobody waits for it: it is tried again beside the calls.
        """
        if not self._is_away:
            self._on_miss()
            try:
                return await self._flights.do(handle, lambda: self._resolve(handle, resolve))
            except Unavailable:
                # A push may have ended it meanwhile, or its time may be up.
                still_known = self._recall(handle, self._monotonic())
                if still_known is None:
                    raise
                known = still_known
        elif self._monotonic() >= self._retry_at:
            self._retry_at = self._monotonic() + self._policy.retry_seconds
            self._flights.begin(handle, lambda: self._resolve(handle, resolve))
        self._on_stale()
        return known.at_reduced_limits(self._policy.stale_share)

    async def _resolve(self, handle: bytes, resolve: Resolve) -> Principal:
        changes = self._changes
        policy = self._policy
        try:
            principal = await resolve()
        except Unauthenticated as refusal:
            self._is_away = False
            self._store(handle, refusal, policy.refusal_ttl_seconds, 0.0, changes)
            raise
        except Unavailable:
            self._is_away = True
            self._retry_at = self._monotonic() + policy.retry_seconds
            raise
        self._is_away = False
        self._store(handle, principal, policy.ttl_seconds, policy.stale_seconds, changes)
        return principal

    def _store(
        self,
        handle: bytes,
        outcome: Principal | Unauthenticated,
        ttl: float,
        stale: float,
        changes: int,
    ) -> None:
        # Whatever was known before is older than this answer, and must not be served stale after it.
        self._known.pop(handle, None)
        # An answer that was under way while a change arrived may be older than the change.
        if changes != self._changes:
            return
        now = self._monotonic()
        if not self._pushes_arrive:
            ttl = min(ttl, self._policy.silent_ttl_seconds)
        self._known[handle] = _Known(outcome, now + ttl, now + stale)
        if stale:
            self._newest_stale_until = now + stale
        if len(self._known) > self._policy.size:
            self._known.popitem(last=False)


class ApiKeys:
    """A `TokenVerifier` of personal API keys, which the gateway knows by their hash alone."""

    def __init__(
        self,
        resolver: CredentialResolver,
        credentials: Credentials,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._resolver = resolver
        self._credentials = credentials
        self._now = now

    def recognises(self, token: str) -> bool:
        return token.startswith("mcp_")

    async def verify(self, token: str) -> Principal:
        if _KEY.fullmatch(token) is None:
            raise Unauthenticated(
                "This is not a complete API key. Copy it again, without spaces or quotes.",
                "KEY_UNKNOWN",
            )
        digest = hashlib.sha256(token.encode()).digest()
        principal = await self._credentials.get(digest, lambda: self._resolver.resolve_key(digest))
        if principal.expires_at is not None and principal.expires_at <= self._now():
            raise Unauthenticated(
                "This API key has expired. Create a new one on your account page.", "KEY_EXPIRED"
            )
        return principal

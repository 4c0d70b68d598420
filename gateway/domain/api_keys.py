"""Personal API keys: resolved by the auth service, kept briefly, dropped at once when told to."""

import hashlib
import re
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from gateway.domain.ports import Access
from gateway.domain.principal import Principal
from gateway.domain.single_flight import SingleFlight
from servicekit.errors import Unauthenticated

_FORM: Final = re.compile(r"mcp_[A-Za-z0-9_-]{16,128}")


@dataclass(frozen=True, slots=True)
class CachePolicy:
    """How long a resolved key is believed.

    Attributes:
        ttl_seconds: For a key that holds. Bounds how long a revocation whose push was lost can go
            unseen.
        refusal_ttl_seconds: For one that does not.
        size: Keys kept at most; the longest unused goes first.
    """

    ttl_seconds: float
    refusal_ttl_seconds: float
    size: int


@dataclass(frozen=True, slots=True)
class StandingChange:
    """A push that what is known of an account or of one of its keys no longer holds.

    Attributes:
        account_id: The account.
        key_id: The one credential concerned; all of the account's if None.
        key_sha256: The key's hash, if the sender has it.
    """

    account_id: str
    key_id: str | None = None
    key_sha256: bytes | None = None

    def concerns(self, digest: bytes, outcome: Principal | Unauthenticated) -> bool:
        """Whether a cached outcome must go; refusals always, as they do not say whose they are."""
        if isinstance(outcome, Unauthenticated) or digest == self.key_sha256:
            return True
        if outcome.standing.account_id != self.account_id:
            return False
        return self.key_id is None or self.key_id == outcome.credential_id


@dataclass(frozen=True, slots=True)
class _Known:
    outcome: Principal | Unauthenticated
    until: float


class ApiKeys:
    """A `TokenVerifier` of personal API keys."""

    def __init__(
        self,
        access: Access,
        policy: CachePolicy,
        *,
        monotonic: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        on_lookup: Callable[[str], None] = lambda _result: None,
    ) -> None:
        self._access = access
        self._policy = policy
        self._monotonic = monotonic
        self._now = now
        self._on_lookup = on_lookup
        self._known: OrderedDict[bytes, _Known] = OrderedDict()
        self._flights = SingleFlight[bytes, Principal]()
        self._changes = 0

    def recognises(self, token: str) -> bool:
        return token.startswith("mcp_")

    async def verify(self, token: str) -> Principal:
        if _FORM.fullmatch(token) is None:
            raise Unauthenticated(
                "This is not a complete API key. Copy it again, without spaces or quotes.",
                "KEY_UNKNOWN",
            )
        digest = hashlib.sha256(token.encode()).digest()
        outcome = self._recall(digest)
        if outcome is None:
            self._on_lookup("miss")
            outcome = await self._flights.do(digest, lambda: self._resolve(digest))
        else:
            self._on_lookup("hit")
        if isinstance(outcome, Unauthenticated):
            raise outcome.with_traceback(None)
        return self._holding(outcome)

    def forget(self, change: StandingChange) -> None:
        """Drops what `change` concerns."""
        self._changes += 1
        gone = [key for key, known in self._known.items() if change.concerns(key, known.outcome)]
        for key in gone:
            del self._known[key]

    def forget_all(self) -> None:
        """Drops everything, because pushes may have been missed."""
        self._changes += 1
        self._known.clear()

    def _recall(self, digest: bytes) -> Principal | Unauthenticated | None:
        known = self._known.get(digest)
        if known is None:
            return None
        if known.until <= self._monotonic():
            del self._known[digest]
            return None
        self._known.move_to_end(digest)
        return known.outcome

    async def _resolve(self, digest: bytes) -> Principal:
        changes = self._changes
        try:
            principal = await self._access.resolve_key(digest)
        except Unauthenticated as refusal:
            self._keep(digest, refusal, self._policy.refusal_ttl_seconds, changes)
            raise
        self._keep(digest, principal, self._policy.ttl_seconds, changes)
        return principal

    def _keep(
        self, digest: bytes, outcome: Principal | Unauthenticated, ttl: float, changes: int
    ) -> None:
        # An answer that was under way while a change arrived may be older than the change.
        if changes != self._changes:
            return
        self._known[digest] = _Known(outcome, self._monotonic() + ttl)
        if len(self._known) > self._policy.size:
            self._known.popitem(last=False)

    def _holding(self, principal: Principal) -> Principal:
        if principal.standing.disabled:
            raise Unauthenticated(
                "This account is disabled. Write to support to have it looked at.",
                "ACCOUNT_DISABLED",
            )
        if principal.expires_at is not None and principal.expires_at <= self._now():
            raise Unauthenticated(
                "This API key has expired. Create a new one on your account page.", "KEY_EXPIRED"
            )
        return principal

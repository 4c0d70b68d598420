"""Access tokens that are bound to a key: taken with a proof of it, each proof once (RFC 9449)."""

from __future__ import annotations

import time
from collections import OrderedDict
from typing import TYPE_CHECKING, Final

from gateway.authentication.principal import BoundPrincipal, Principal
from servicekit.errors import Unauthenticated, Unavailable
from servicekit.http import dpop

if TYPE_CHECKING:
    from collections.abc import Callable

    from gateway.authentication.ports import ProofStore

_MAX_REMEMBERED: Final = 100_000
"""Some 15 MB."""

_RETRY_SECONDS: Final = 1.0
"""The time for which the shared store is not called after it did not respond."""


class Proofs:
    """Checks proofs that come with bound tokens.

    Args:
        store: Shared by all gateways. While it is away each gateway stores the uses by itself.
        url: The URL that a proof has to name.
    """

    def __init__(
        self,
        store: ProofStore,
        url: str,
        now: Callable[[], float] = time.time,
        max_remembered: int = _MAX_REMEMBERED,
    ) -> None:
        self._store = store
        self._url = url
        self._now = now
        self._max_remembered = max_remembered
        self._used: OrderedDict[bytes, float] = OrderedDict()
        self._away_until = float("-inf")

    async def check(self, principal: Principal, token: str, proof: str) -> None:
        """Check the proof that the sender of `token` holds its key.

        Raises:
            Unauthenticated: The token is bound to no key or to another one, or the proof does not
                hold or was used before.
            Unavailable: It is not known now whether it was used before.
        """
        if not isinstance(principal, BoundPrincipal):
            raise Unauthenticated(
                "This credential is bound to no key. Send it as `Authorization: Bearer …`.",
                "CREDENTIAL_NOT_BOUND",
            )
        checked = dpop.check(proof, dpop.Target("POST", self._url, token), self._now())
        if checked.thumbprint != principal.thumbprint:
            raise dpop.InvalidProof("The DPoP proof is of another key than the token is bound to.")
        if not await self._is_first_use(checked):
            raise dpop.InvalidProof(
                "This DPoP proof was used before. Make a new one for each request."
            )

    async def _is_first_use(self, proof: dpop.Proof) -> bool:
        now = self._now()
        if proof.use_id in self._used:
            return False
        self._used[proof.use_id] = proof.expires_at
        is_first = await self._add_to_store(proof, now) if now >= self._away_until else None
        forgotten = self._trim(now)
        if is_first is None and forgotten:
            raise Unavailable("Too many proofs at once. Try again with a new one.", retry_after=1.0)
        return is_first is not False

    async def _add_to_store(self, proof: dpop.Proof, now: float) -> bool | None:
        """Return whether no gateway has seen the proof before; None if that is not known."""
        try:
            return await self._store.add(proof.use_id, proof.expires_at - now)
        except Unavailable:
            self._away_until = now + _RETRY_SECONDS
            return None

    def _trim(self, now: float) -> bool:
        """Drop expired proofs, and the oldest of too many; return whether one of those was dropped."""
        used = self._used
        while used and next(iter(used.values())) < now:
            used.popitem(last=False)
        if len(used) <= self._max_remembered:
            return False
        used.popitem(last=False)
        return True

"""The keys that access tokens are signed with.

They are fetched from the auth service, cached, and used for a while longer when it is away.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from servicekit.concurrency.single_flight import SingleFlight
from servicekit.errors import Unauthenticated, Unavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gateway.authentication.ports import AuthorizationServer
    from gateway.authentication.signatures import Signatures

_REFETCH_SECONDS: Final = 10.0
"""Keys are fetched at most so often, however many tokens name an unknown one."""

_TTL_SECONDS: Final = 300.0


@dataclass(slots=True)
class _Fetched:
    document: Any
    signatures: Signatures
    at: float


class SigningKeys:
    """Decodes tokens by the published keys.

    Args:
        authorization_server: Publishes the keys.
        stale_seconds: The time for which keys are used that could not be fetched again.
        changed: Called when other keys than before are published.
        now: The clock, in seconds.
    """

    def __init__(
        self,
        authorization_server: AuthorizationServer,
        stale_seconds: float,
        changed: Callable[[], None] = lambda: None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._authorization_server = authorization_server
        self._stale_seconds = stale_seconds
        self._changed = changed
        self._now = now
        self._fetched: _Fetched | None = None
        self._tried_at = float("-inf")
        self._failure: Unavailable | None = None
        self._flights = SingleFlight[None, None]()

    async def decoded(self, token: str) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """Return the header and the claims of a token.

        Raises:
            Unauthenticated: None of the keys has signed it.
            Unavailable: The keys cannot be fetched, so that the signature cannot be checked now.
        """
        fetched = await self._current()
        decoded = fetched.signatures.decoded(token)
        if decoded is None and await self._refetch():
            decoded = (await self._current()).signatures.decoded(token)
        if decoded is not None:
            return decoded
        if self._failure is not None:
            # It may be signed with a key that is newer than those that are known.
            raise Unavailable(str(self._failure), retry_after=1.0)
        raise Unauthenticated(
            "This token was not signed by this service. Connect again to get a new one.",
            "TOKEN_INVALID",
        )

    async def _current(self) -> _Fetched:
        """Return the keys, fetched again when they are old."""
        age = self._age()
        if age >= _TTL_SECONDS:
            await self._refetch(at_once=self._fetched is None)
        fetched = self._fetched
        if fetched is None or self._age() >= _TTL_SECONDS + self._stale_seconds:
            raise (self._failure or _unreadable()).with_traceback(None)
        return fetched

    def _age(self) -> float:
        return float("inf") if self._fetched is None else self._now() - self._fetched.at

    async def _refetch(self, *, at_once: bool = False) -> bool:
        """Fetch the keys, unless that was tried a moment ago; whether it did."""
        if not (at_once or self._now() - self._tried_at >= _REFETCH_SECONDS):
            return False
        await self._flights.do(None, self._fetch)
        return True

    async def _fetch(self) -> None:
        from gateway.authentication.signatures import Signatures  # noqa: PLC0415 - see there

        try:
            document = await self._authorization_server.signing_keys()
            signatures = Signatures(document)
        except ValueError:
            self._failure = _unreadable()
        except Unavailable as error:
            self._failure = error
        else:
            if self._fetched is not None and self._fetched.document != document:
                self._changed()
            self._fetched = _Fetched(document, signatures, self._now())
            self._failure = None
        finally:
            self._tried_at = self._now()


def _unreadable() -> Unavailable:
    return Unavailable(
        "The keys that tokens are signed with cannot be read now. Try again.", retry_after=1.0
    )

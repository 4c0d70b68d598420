"""Links to exports: what a link may read, encrypted by a secret of all gateways, for an hour at most."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final

import msgspec

from gateway.authentication.principal import EntitlementsChange, Principal
from gateway.domain.exports import Format
from servicekit.errors import NotFound

if TYPE_CHECKING:
    from gateway.exports.tokens import Tokens

LIFETIME_SECONDS: Final = 3_600
PATH: Final = "/mcp/exports/"
MAX_REQUEST_BYTES: Final = 3_000
"""Longer requests make links that programs on the way cut off."""


class ExportRequest(msgspec.Struct, frozen=True):
    """A list that is to be written as a file: a call of `tool`, and the most rows of it."""

    tool: str
    arguments: dict[str, object]
    format: Format
    rows: int


class Link(msgspec.Struct, frozen=True):
    """What a link holds: the request, who made it, and when, in seconds since 1970."""

    request: ExportRequest
    principal: Principal
    issued_at: float


class LinkGone(NotFound):
    """A link that does not hold, or no more."""

    default_reason = "LINK_GONE"

    def __init__(self) -> None:
        super().__init__(
            "This link has expired or was changed, or the account changed since: catalog.export makes a new one."
        )


@dataclass(slots=True)
class EndedLinks:
    """Tells which links have lost their right, by the pushes that end credentials. A `RevocationHandler`.

    A link is believed only by a gateway that has heard every push since the link was made. A change of an account
    ends all of its links.
    """

    clock: Callable[[], float] = time.time
    _complete_since: float = math.inf
    _ended: dict[str, float] = field(default_factory=dict[str, float])

    def holds(self, link: Link) -> bool:
        account_id = link.principal.entitlements.account_id
        return link.issued_at >= max(self._complete_since, self._ended.get(account_id, 0.0))

    def forget(self, change: EntitlementsChange) -> None:
        now = self.clock()
        self._ended = {
            account: at for account, at in self._ended.items() if at > now - LIFETIME_SECONDS
        }
        self._ended[change.account_id] = now

    def forget_all(self) -> None:
        self._complete_since = self.clock()
        self._ended.clear()

    def lose_pushes(self) -> None:
        self._complete_since = math.inf


class ExportLinks:
    """Makes and reads links under `base_url`.

    Attributes:
        ended: Tells which links have lost their right.
    """

    def __init__(
        self, secret: str, base_url: str, ended: EndedLinks, clock: Callable[[], float] = time.time
    ) -> None:
        self._secret = secret
        self._base_url = base_url
        self.ended = ended
        self._clock = clock

    @cached_property
    def _tokens(self) -> "Tokens":
        from gateway.exports.tokens import Tokens  # noqa: PLC0415 - see there

        return Tokens(self._secret)

    def url(self, request: ExportRequest, principal: Principal) -> str:
        """Return the address of an export; whoever has it may read the file for an hour."""
        payload = msgspec.json.encode(Link(request, principal, self._clock()))
        return f"{self._base_url}{PATH}{self._tokens.encrypt(payload)}"

    def read(self, token: str) -> Link:
        """Return what a link holds.

        Raises:
            LinkGone: It is older than an hour, was changed, or its account has changed since.
        """
        try:
            link = msgspec.json.decode(self._tokens.decrypt(token), type=Link)
        except (msgspec.DecodeError, ValueError):
            raise LinkGone from None
        age = self._clock() - link.issued_at
        if age > LIFETIME_SECONDS or not self.ended.holds(link):
            raise LinkGone
        return link

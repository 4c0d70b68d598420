"""Scores of an offer behind a link by the signs around it: a table of cases, the surest first."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from import_worker.detector.called_apps import called_app
from import_worker.detector.links import Link
from import_worker.detector.phrases.offers import (
    ACTION,
    BENEFIT,
    OWN_LINK,
    REFERRAL,
    SUBSCRIBING,
)
from import_worker.detector.reading import Reading
from import_worker.detector.resolving import Found
from import_worker.domain.records import Kind

TOP: Final = 500
"""Characters from the start in which a call to act is taken for the video's own."""

TRACKED: Final = re.compile(
    r"[?&](?:utm_|ref|aff|tap_|sub_?id|irclickid|a_?id=|coupon|promo|discount|code|via=|fbclid|clickid|partner|campaign|sscid|rfsn|sca_ref|\w{1,12}=(?:affiliate|partner)\b)"
    r"|/r/|/ref/|/refer|/invite|/aff/|/discount/|/partner|/polecam/|/empfehlung/|/parrain|/indica[cç][aã]o/|/convite|/davet/|/zapros",
    re.IGNORECASE,
)
_BESIDE: Final = 36
_OF_CALL: Final = 80
_VERB: Final = 24


class OfferSigns:
    """The signs around a link, each examined once, and only when a case needs it."""

    def __init__(
        self, reading: Reading, link: Link, found: Found, text: str, lead: Callable[[], str]
    ) -> None:
        """Hold the brand with its link, the `text` around it, and what returns the sentences beside (`lead`)."""
        self._reading = reading
        self._context = reading.context
        self._link = link
        self._found = found
        self._text = text
        self._lead = lead
        self.known = found.known

    @cached_property
    def top(self) -> bool:
        """The link opens the description, and is not in every description of the channel."""
        link, context = self._link, self._context
        return link.start < TOP and (
            context.owns_link(link) or link.domain not in context.boilerplate_domains
        )

    @cached_property
    def tied(self) -> bool:
        """The link shows whose it is: the creator's path, a tracked one, or a redirect."""
        link, context = self._link, self._context
        return (
            link.kind == "network"
            or context.is_named_in(link.path)
            or context.is_named_in(link.subdomain)
            or TRACKED.search(link.path) is not None
            or context.owns_link(link)
        )

    @cached_property
    def vouched_for(self) -> bool:
        """The brand is in the directory, or its link is the creator's."""
        return self.known or self.tied

    @cached_property
    def benefit(self) -> bool:
        return BENEFIT.search(self._text) is not None

    @cached_property
    def near(self) -> bool:
        """A benefit stands in the text, or beside it at the top."""
        return self.benefit or (self.top and BENEFIT.search(self._lead()) is not None)

    @cached_property
    def own_link(self) -> bool:
        return OWN_LINK.search(self._text) is not None

    @cached_property
    def referral(self) -> bool:
        return REFERRAL.search(self._text) is not None or (self.benefit and self.own_link)

    @cached_property
    def action(self) -> bool:
        return ACTION.search(self._text) is not None

    @cached_property
    def subscribing(self) -> bool:
        """The words before the link ask for a subscription of the channel."""
        return SUBSCRIBING.search(self._text.partition(self._link.url.lower())[0]) is not None

    @property
    def beside(self) -> bool:
        """The name stands right before the link, or is what the link's sentence calls to download."""
        gap = self._link.start - self._found.end
        return gap <= _BESIDE or (gap <= _OF_CALL and self._is_called)

    @property
    def _is_called(self) -> bool:
        called = called_app(
            self._reading.document.folded, max(self._found.start - _VERB, 0), self._link.start
        )
        return called is not None and called[0] == self._found.start

    @property
    def has_path(self) -> bool:
        return bool(self._link.path.strip("/"))

    @property
    def only_named(self) -> bool:
        """Neither the directory nor the link's site vouches for the name."""
        return not self.known and not self._found.linked


class OfferScore(NamedTuple):
    kind: Kind
    weight: float
    reason: str


@dataclass(frozen=True, slots=True)
class _Case:
    holds: Callable[[OfferSigns], bool]
    score: OfferScore


_CALL: Final = "call to act on the creator's link"
_OFFER: Final = "offer with the creator's link"

_CASES_OF_A_NAME: Final[tuple[_Case, ...]] = (
    _Case(
        lambda s: s.top and s.near and (s.tied or s.own_link),
        OfferScore("paid_sponsorship", 0.72, _CALL),
    ),
    _Case(
        lambda s: s.top and s.benefit and s.beside,
        OfferScore("paid_sponsorship", 0.62, _CALL),
    ),
)

_CASES: Final[tuple[_Case, ...]] = (
    _Case(
        lambda s: s.benefit and s.tied and s.known and s.top,
        OfferScore("paid_sponsorship", 0.9, _OFFER),
    ),
    _Case(
        lambda s: s.benefit and s.tied and s.known,
        OfferScore("affiliate", 0.9, _OFFER),
    ),
    _Case(
        lambda s: s.benefit and s.vouched_for and s.top,
        OfferScore("paid_sponsorship", 0.8, _OFFER),
    ),
    _Case(
        lambda s: s.benefit and s.vouched_for,
        OfferScore("affiliate", 0.8, _OFFER),
    ),
    _Case(
        lambda s: s.referral and s.vouched_for,
        OfferScore("affiliate", 0.8, "referral link"),
    ),
    _Case(
        lambda s: s.top and s.action and s.tied and (s.known or s.near),
        OfferScore("paid_sponsorship", 0.75, _CALL),
    ),
    _Case(
        lambda s: s.top and s.action and s.known and s.own_link,
        OfferScore("paid_sponsorship", 0.72, _CALL),
    ),
    _Case(
        lambda s: s.top and s.near and s.tied,
        OfferScore("paid_sponsorship", 0.65, "offer beside the creator's link"),
    ),
    _Case(
        lambda s: s.top and s.benefit and s.action and s.has_path,
        OfferScore("paid_sponsorship", 0.6, "offer at the top"),
    ),
)


def score_offer(signs: OfferSigns) -> OfferScore | None:
    """Return the score of the first case that holds, None when no offer is behind the link."""
    if not (signs.vouched_for or signs.top):
        return None
    if not (signs.near or signs.referral or signs.top):
        return None
    if not signs.known and signs.subscribing:
        return None
    cases = _CASES_OF_A_NAME if signs.only_named else _CASES
    return next((case.score for case in cases if case.holds(signs)), None)

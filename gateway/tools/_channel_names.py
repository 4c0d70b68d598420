"""Resolution of a creator's name to a YouTube channel, by the catalog's creators.

A name is what is left when an id, a @handle and a URL are ruled out. It is taken as it stands only
where one creator has exactly this name; whoever else it may mean is asked back, or told.
"""

import re
from collections.abc import Sequence
from typing import Final

from gateway.domain.elicitation import choice, form
from gateway.domain.errors import Declined
from gateway.tools._params import ToolContext
from servicekit.errors import InvalidInput, NotFound, ServiceError
from shapes.catalog.shared import YoutuberCard
from shapes.catalog.youtubers import YoutuberPage

_NAME: Final = re.compile(r"(?!@|UC[0-9A-Za-z_-]{22}$)(?=.*[^\W_])[^/]{2,100}")
_SCOPE: Final = "catalog:read"
_MAX_CANDIDATES: Final = 8
_FIELD: Final = "channel"
_MALFORMED: Final = "MALFORMED_CHANNEL_ID"


async def channel_of(
    name: str, refusal: ServiceError, context: ToolContext, purpose: str = "imported"
) -> str:
    """Return the id or handle of the channel that `name` means, which was refused as an id or handle; it is to be `purpose`.

    Raises:
        ServiceError: `refusal`, if no creator of such a name is known.
        InvalidInput: Several may be meant, and the client takes no requests for input.
        Declined: The person did not choose.
        InputRequired: As `Elicitor.elicit` does.
    """
    known = await _known_as(name, refusal, context)
    exact = [card for card in known if _folded(card.name) == _folded(name)]
    if len(exact) == 1:
        return _reference(exact[0])
    if not context.elicitor.supports("elicitation"):
        raise _ambiguous(name, known)
    options = [(_reference(card), _title(card)) for card in known]
    input_request = form(
        f'Which channel is to be {purpose} as "{name}"?', {_FIELD: choice("Channel", options)}
    )
    reply = (await context.elicitor.elicit({_FIELD: input_request}))[_FIELD]
    if reply["action"] != "accept":
        raise Declined(
            f'No channel was chosen for "{name}", so nothing was {purpose} and nothing counted. '
            f"Known creators of such a name: {_listed(known)}."
        )
    return str(reply["content"][_FIELD])


async def known_by_handle(handle: str, context: ToolContext) -> str | None:
    """Return the channel id of the one creator of the catalog with this @handle, None if there is no such."""
    if not handle.startswith("@") or _SCOPE not in context.principal.scopes:
        return None
    cards = await _search(handle, context)
    found = [card for card in cards if (card.handle or "").lower() == handle.lower()]
    return found[0].channel_id if len(found) == 1 else None


async def _known_as(
    name: str, refusal: ServiceError, context: ToolContext
) -> Sequence[YoutuberCard]:
    not_understood = isinstance(refusal, InvalidInput) and refusal.details.get("field") == _FIELD
    not_understood = not_understood and refusal.reason != _MALFORMED
    is_name = _NAME.fullmatch(name) is not None and _SCOPE in context.principal.scopes
    if not is_name or not (not_understood or isinstance(refusal, NotFound)):
        raise refusal
    cards = await _search(name, context)
    known = [card for card in cards if card.channel_id or card.handle]
    _check_has_id(name, cards)
    if not known:
        raise refusal
    return known


async def _search(name: str, context: ToolContext) -> Sequence[YoutuberCard]:
    """Return the creators of a name; none for what the search refuses, such as hidden characters."""
    arguments = {"search": name, "sort": "relevance", "limit": _MAX_CANDIDATES}
    try:
        page = await context.catalog.query("SearchYoutubers", arguments, YoutuberPage)
    except InvalidInput:
        return ()
    return page.youtubers


def _check_has_id(name: str, found: Sequence[YoutuberCard]) -> None:
    """Raise `InvalidInput` if creators have exactly this name, and none of them a channel id or handle."""
    namesakes = [card for card in found if _folded(card.name) == _folded(name)]
    if not namesakes or any(card.channel_id or card.handle for card in namesakes):
        return
    name = namesakes[0].name
    raise InvalidInput(
        f'"{name}" is a creator whose videos are known from a file, without the id of the channel, so it cannot be looked up '
        "on YouTube by this name. Give the channel id (UC…), the @handle, or the URL of the channel or of one of its videos.",
        details={"field": _FIELD},
    )


def _ambiguous(name: str, known: Sequence[YoutuberCard]) -> InvalidInput:
    return InvalidInput(
        f'"{name}" is no channel id, @handle or URL, and as a name it may mean several creators or '
        f"one of another name: {_listed(known)}. Call again with one of these ids or handles.",
        "AMBIGUOUS",
        details={"field": _FIELD, "candidates": ", ".join(map(_reference, known))},
    )


def _reference(card: YoutuberCard) -> str:
    """Return a reference that the import worker accepts and that means no other channel."""
    return card.channel_id or card.handle or card.id


def _listed(known: Sequence[YoutuberCard]) -> str:
    return "; ".join(
        f"{card.name} ({', '.join(filter(None, (card.handle, card.channel_id)))})" for card in known
    )


def _title(card: YoutuberCard) -> str:
    facts = [card.handle, f"{card.subscribers:,} subscribers" if card.subscribers else None]
    details = ", ".join(filter(None, facts))
    return f"{card.name} ({details})" if details else card.name


def _folded(name: str) -> str:
    return " ".join(name.casefold().split())

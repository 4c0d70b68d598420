"""`channel.import` of a name: accepted where it is clear, elicited where it is not."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from gateway.domain.elicitation import NO_ELICITATION, InputRequest, Kind, Reply
from gateway.domain.errors import Declined
from gateway.domain.ports import Elicitor
from gateway.quota.models import QuotaState
from gateway.tools import Backends, ToolCatalogue, ToolContext, all_tools
from servicekit.errors import InvalidInput, NotFound, ServiceError
from shapes.catalog.shared import YoutuberCard
from tests.fakes.gateway_ports import (
    RESET,
    SILENT,
    FakeAlerts,
    FakeCatalog,
    FakeImports,
    principal,
    youtuber_card,
)

IMPORT = ToolCatalogue(all_tools()).find("channel.import")
NAME = "Linus Tech"
TIPS, QUICKIES = youtuber_card("Linus Tech Tips"), youtuber_card("Linus Tech Quickies")
NOT_UNDERSTOOD = InvalidInput("That names no channel.", details={"field": "channel"})


@dataclass
class Person:
    """Sends the prepared reply to every form."""

    reply: Reply
    seen: list[InputRequest] = field(default_factory=list[InputRequest])

    def supports(self, kind: Kind) -> bool:
        return kind == "elicitation"

    async def elicit(self, requests: Mapping[str, InputRequest]) -> Mapping[str, Reply]:
        self.seen += requests.values()
        return dict.fromkeys(requests, self.reply)


@dataclass
class ImportByName:
    """An import of a channel that YouTube does not know by these words."""

    known: tuple[YoutuberCard, ...] = (TIPS, QUICKIES)
    refusal: ServiceError = NOT_UNDERSTOOD
    elicitor: Elicitor = NO_ELICITATION
    scopes: tuple[str, ...] = ("catalog:read", "channels:import")
    search_error: ServiceError | None = None

    async def call(self, channel: str = NAME) -> list[Any]:
        """Return the requests that the services got: (method, name or channel)."""
        catalog = FakeCatalog(self.search_error, self.known)
        imports = FakeImports(refused={channel: self.refusal})
        context = ToolContext(
            principal(scopes=self.scopes),
            QuotaState(10, 9, RESET, RESET),
            Backends(catalog, imports, FakeAlerts()),
            SILENT,
            self.elicitor,
        )
        await IMPORT.run(IMPORT.params.parse({"channel": channel, "max_videos": 5}), context)
        assert imports.requests[-1][1]["max_videos"] == 5
        return [
            *((rpc, arguments["search"]) for rpc, arguments in catalog.requests),
            *((rpc, arguments["channel"]) for rpc, arguments in imports.requests),
        ]


async def test_the_one_creator_of_exactly_this_name_is_imported() -> None:
    requests = await ImportByName().call("linus  TECH tips")
    assert requests == [
        ("SearchYoutubers", "linus  TECH tips"),
        ("StartImport", "linus  TECH tips"),
        ("StartImport", TIPS.channel_id),
    ]


async def test_a_word_that_is_no_handle_is_taken_for_a_name() -> None:
    known = (youtuber_card("Veritasium", channel_id=None),)
    requests = await ImportByName(known, NotFound("No such channel.")).call("Veritasium")
    assert requests[-1] == ("StartImport", "@Veritasium")


async def test_a_channel_id_with_signs_missing_is_taken_for_no_name() -> None:
    refusal = InvalidInput("No channel id.", "MALFORMED_CHANNEL_ID", details={"field": "channel"})
    with pytest.raises(InvalidInput, match="No channel id"):
        await ImportByName((youtuber_card("UC123"),), refusal).call("UC123")


async def test_the_person_chooses_among_several_by_their_titles() -> None:
    content = {"channel": QUICKIES.channel_id}
    person = Person({"action": "accept", "content": content})
    requests = await ImportByName(elicitor=person).call()
    assert requests[-1] == ("StartImport", QUICKIES.channel_id)
    (input_request,) = person.seen
    options = input_request.params["requestedSchema"]["properties"]["channel"]["oneOf"]
    assert options == [
        {"const": card.channel_id, "title": f"{card.name} ({card.handle}, 1,000 subscribers)"}
        for card in (TIPS, QUICKIES)
    ]


async def test_two_creators_of_the_same_name_are_not_clear() -> None:
    twins = (youtuber_card(NAME), youtuber_card(NAME, channel_id="UC" + "t" * 22))
    person = Person({"action": "accept", "content": {"channel": "UC" + "t" * 22}})
    assert (await ImportByName(twins, elicitor=person).call())[-1] == (
        "StartImport",
        "UC" + "t" * 22,
    )


@pytest.mark.parametrize("action", ["decline", "cancel"])
async def test_a_person_who_does_not_choose_gets_the_candidates(action: str) -> None:
    with pytest.raises(Declined, match="nothing was imported") as said:
        await ImportByName(elicitor=Person({"action": action})).call()
    assert "Linus Tech Tips (@LinusTechTips, UC" in said.value.public_message


async def test_without_an_elicitor_the_error_lists_the_candidates() -> None:
    with pytest.raises(InvalidInput, match="Call again with one of these") as said:
        await ImportByName().call()
    assert said.value.reason == "AMBIGUOUS"
    assert said.value.details == {
        "field": "channel",
        "candidates": f"{TIPS.channel_id}, {QUICKIES.channel_id}",
    }
    for card in (TIPS, QUICKIES):
        assert f"{card.name} ({card.handle}, {card.channel_id})" in said.value.public_message


@pytest.mark.parametrize(
    "channel",
    [
        "@linustech",
        "https://example.com/linus",
        "youtube.com/@linustech",
        "UC" + "x" * 22,
        "x",
        "??",
    ],
)
async def test_text_that_is_no_name_is_refused_as_it_was(channel: str) -> None:
    refusal = NotFound("There is no such channel.")
    with pytest.raises(NotFound, match="There is no such channel"):
        await ImportByName(refusal=refusal).call(channel)


@pytest.mark.parametrize(
    "import_",
    [
        ImportByName(known=()),
        ImportByName(known=(youtuber_card("Linus", channel_id=None, handle=None),)),
        ImportByName(scopes=("channels:import",)),
        ImportByName(refusal=InvalidInput("That is too many.", details={"field": "max_videos"})),
    ],
    ids=["nobody known", "nobody with a channel", "no scope", "another argument"],
)
async def test_the_refusal_stands_where_a_name_does_not_help(import_: ImportByName) -> None:
    with pytest.raises(InvalidInput) as said:
        await import_.call()
    assert said.value is import_.refusal


async def test_a_creator_known_by_name_alone_is_said_to_be_known_without_an_id() -> None:
    import_ = ImportByName(known=(youtuber_card(NAME, channel_id=None, handle=None), TIPS))
    with pytest.raises(
        InvalidInput, match="is a creator whose videos are known from a file"
    ) as said:
        await import_.call()
    assert "Give the channel id (UC…), the @handle, or the URL" in str(said.value)
    assert said.value.details["field"] == "channel"


async def test_what_the_search_refuses_is_refused_as_a_channel() -> None:
    hidden = InvalidInput("`search` has hidden characters.", details={"field": "search"})

    with pytest.raises(InvalidInput, match="That names no channel"):
        await ImportByName(search_error=hidden).call()

"""Names of tools by connection, and arguments as frameworks send them (ADR 7)."""

import json
from collections.abc import Sequence
from typing import Any, Final

import pytest

from gateway.mcp.versions import SESSION_BASED, STATELESS
from gateway.tools import UnderscoreNaming, all_tools
from servicekit.errors import NotFound
from shapes.catalog.dataset import Dataset, DatasetColumn, DatasetExample, DatasetTable
from tests.fakes.gateway_ports import KEY, principal
from tests.fakes.listed_tools import LISTED
from tests.integration.gateway.conftest import OpenGateway, Service, request
from tests.integration.gateway.test_protocol_versions import META, initialize, names, post_stateless

DOTTED: Final = [tool.name for tool in LISTED]
EVERY: Final = [tool.name for tool in all_tools()]
UNDERSCORES: Final = [name.replace(".", "_") for name in DOTTED]


def texts(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def dotted_in(value: Any, among: Sequence[str] = DOTTED) -> list[str]:
    return [name for name in among if name in texts(value)]


@pytest.mark.parametrize("revision", SESSION_BASED)
async def test_a_session_sees_underscores_whatever_the_client_is_called(
    service: Service, revision: str
) -> None:
    for client in ("claude-ai", "mcp", "langchain", ""):
        begun = await initialize(service, revision, client)
        assert dotted_in(begun.json()) == []
        session = begun.headers["mcp-session-id"]
        by_session = await service.post(request("tools/list"), mcp_session_id=session)
        assert names(by_session) == UNDERSCORES
        assert dotted_in(by_session.json()) == []


async def test_the_version_header_alone_shows_a_client(service: Service) -> None:
    listed = await service.post(request("tools/list"), mcp_protocol_version="2025-06-18")
    assert names(listed) == UNDERSCORES


async def test_a_stateless_client_sees_underscores_everywhere(service: Service) -> None:
    assert names(await post_stateless(service, "tools/list")) == UNDERSCORES
    for method in (
        "server/discover",
        "tools/list",
        "resources/list",
        "resources/templates/list",
        "prompts/list",
    ):
        result = (await post_stateless(service, method)).json()["result"]
        assert dotted_in(result) == [], method
    templates = (await post_stateless(service, "resources/templates/list")).json()
    assert "sponsor_get" in texts(templates)


async def test_a_bare_script_sees_dots_even_if_it_accepts_a_stream(service: Service) -> None:
    for headers in (
        {},
        {"accept": "application/json, text/event-stream"},
        {"user_agent": "cursor"},
    ):
        assert names(await service.post(request("tools/list"), **headers)) == DOTTED
    templates = await service.post(request("resources/templates/list"))
    assert "sponsor.get" in templates.text


async def test_either_name_can_be_called_on_every_connection(service: Service) -> None:
    for name in ("sponsor.recentVideos", "sponsor_recentVideos"):
        arguments = {"sponsor": "nordvpn"}
        for reply in (
            await service.call(name, arguments),
            await service.call(name, arguments, mcp_protocol_version="2025-11-25"),
            await post_stateless(service, "tools/call", name=name, arguments=arguments),
        ):
            assert reply.json()["result"]["isError"] is False


@pytest.mark.parametrize("form", ["dotted", "underscore"])
async def test_a_connection_chooses_by_its_address_or_a_header(service: Service, form: str) -> None:
    wanted = DOTTED if form == "dotted" else UNDERSCORES
    for headers in ({}, {"mcp_protocol_version": "2025-11-25"}):
        by_header = await service.post(
            request("tools/list"), sponsorgraph_tool_names=form, **headers
        )
        assert names(by_header) == wanted
        by_query = await service.http.post(
            f"/mcp?names={form}",
            json=request("tools/list"),
            headers={
                "authorization": f"Bearer {KEY}",
                **{name.replace("_", "-"): value for name, value in headers.items()},
            },
        )
        assert names(by_query) == wanted


async def test_a_query_of_many_empty_fields_chooses_nothing(service: Service) -> None:
    reply = await service.http.post(
        f"/mcp?{'&' * 1_200}",
        json=request("tools/list"),
        headers={"authorization": f"Bearer {KEY}", "sponsorgraph-tool-names": "underscore"},
    )
    assert names(reply) == UNDERSCORES


async def test_an_unknown_form_is_refused_with_the_forms_that_there_are(service: Service) -> None:
    for headers, status in (({}, 400), ({"mcp_protocol_version": "2025-11-25"}, 200)):
        reply = await service.post(
            request("tools/list"), sponsorgraph_tool_names="camel", **headers
        )
        assert reply.status_code == status
        message = reply.json()["error"]["message"]
        assert message == (
            "Unknown form of tool names: camel. There are dotted, underscore and auto."
        )


async def test_an_operator_chooses_for_all_and_a_connection_for_itself(
    open_gateway: OpenGateway,
) -> None:
    async with open_gateway(tool_names="underscore") as service:
        assert names(await service.post(request("tools/list"))) == UNDERSCORES
        own = await service.post(request("tools/list"), sponsorgraph_tool_names="dotted")
        assert names(own) == DOTTED
    async with open_gateway(tool_names="dotted") as service:
        assert names(await post_stateless(service, "tools/list")) == DOTTED


async def test_errors_name_tools_as_the_connection_lists_them(service: Service) -> None:
    fake = service.backends
    client = {"mcp_protocol_version": "2025-11-25"}

    async def both(tool: str, arguments: Any) -> tuple[str, str]:
        failed = (await service.call(tool, arguments, **client)).json()
        shown = failed["result"] if "result" in failed else failed["error"]
        script = (await service.call(tool, arguments)).json()["error"]
        return texts(shown), texts(script)

    unknown, script = await both("sponsor.serch", {})
    assert "Did you mean sponsor_search" in unknown
    assert "Did you mean sponsor.search" in script
    fake.catalog_error = NotFound(
        "Not known: `youtuber.recentVideos` lists them, not x.sponsor.get.io."
    )
    missing, script = await both("video.get", {"video": "x"})
    assert missing.count("`youtuber_recentVideos` lists them, not x.sponsor.get.io.") == 2
    assert "`youtuber.recentVideos` lists them" in script


async def test_a_lacking_plan_or_scope_names_the_tool_as_it_is_listed(service: Service) -> None:
    keys = [f"mcp_{letter * 43}" for letter in "ab"]
    service.backends.access.give(keys[0], principal(features=()))
    service.backends.access.give(keys[1], principal(scopes=("catalog:read",)))
    words_for = ("does not include channel_import.", "which channel_import needs.")
    for key, words in zip(keys, words_for, strict=True):
        reply = await service.call(
            "channel.import",
            {"channel": "@x"},
            authorization=f"Bearer {key}",
            mcp_protocol_version="2025-11-25",
        )
        assert words in reply.text


async def test_advice_in_a_result_names_tools_as_the_connection_lists_them(
    service: Service,
) -> None:
    service.backends.youtuber_note = "Import it by channel.import."
    arguments = {"search": "nobody"}
    client = await service.call("youtuber.search", arguments, mcp_protocol_version="2025-11-25")
    script = await service.call("youtuber.search", arguments)
    again = await service.call("youtuber.search", arguments, mcp_protocol_version="2025-11-25")
    notes = [
        reply.json()["result"]["structuredContent"]["note"] for reply in (client, script, again)
    ]
    assert notes == [
        "Import it by channel_import.",
        "Import it by channel.import.",
        "Import it by channel_import.",
    ]


async def test_what_columns_of_tables_mean_names_tools_as_the_connection_lists_them() -> None:
    column = DatasetColumn("category", "text", "Id of the category (category.list).", None)
    table = DatasetTable("brands", "Brands, as sponsor.get has them.", (column,), (), None)
    example = DatasetExample("A text.", "SELECT 'category.list'")
    named = UnderscoreNaming(all_tools()).in_advice(Dataset((table,), (), (), (example,)))
    assert isinstance(named, Dataset)
    assert named.tables[0].meaning == "Brands, as sponsor_get has them."
    assert named.tables[0].columns[0].meaning == "Id of the category (category_list)."
    assert named.examples[0].sql == "SELECT 'category.list'"


async def test_errors_of_completions_name_tools_as_the_connection_lists_them(
    service: Service,
) -> None:
    service.backends.catalog_error = NotFound("Not known: sponsor.search finds it.")
    reference = {"type": "ref/prompt", "name": "brand_brief"}
    argument = {"name": "brand", "value": "nord"}
    message = request("completion/complete", ref=reference, argument=argument)
    client = await service.post(message, mcp_protocol_version="2025-11-25")
    script = await service.post(message)
    assert "sponsor_search finds it" in client.text
    assert "sponsor.search finds it" in script.text


async def test_texts_name_tools_that_an_operator_left_out_as_the_others(
    open_gateway: OpenGateway,
) -> None:
    async with open_gateway(sql_tools=False) as service:
        begun = await initialize(service, "2025-11-25", "claude-ai")
        assert dotted_in(begun.json(), EVERY) == []
        service.backends.catalog_error = NotFound("No table: catalog.schema has them all.")
        missing = await service.call(
            "sponsor.get", {"sponsor": "x"}, mcp_protocol_version="2025-11-25"
        )
        assert dotted_in(missing.json(), EVERY) == []


@pytest.mark.parametrize("query", ["", "?toolsets=all"])
async def test_no_text_of_a_client_has_dots_in_names_of_tools(service: Service, query: str) -> None:
    for method in ("initialize", "tools/list", "prompts/list", "resources/templates/list"):
        params = {"protocolVersion": "2025-11-25"} if method == "initialize" else {}
        reply = await service.http.post(
            f"/mcp{query}",
            json=request(method, **params),
            headers={"authorization": f"Bearer {KEY}", "mcp-protocol-version": "2025-11-25"},
        )
        assert dotted_in(reply.json(), EVERY) == [], method


@pytest.mark.parametrize(
    ("arguments", "as_if"),
    [
        ({"limit": 3.0}, {"limit": 3}),
        ({"limit": None, "search": None, "category": None}, {}),
        ({"search": "x", "country": None}, {"search": "x"}),
    ],
)
async def test_what_can_mean_one_thing_only_is_taken(
    service: Service, arguments: dict[str, Any], as_if: dict[str, Any]
) -> None:
    for sent in (arguments, as_if):
        reply = await service.call("sponsor.search", sent)
        assert reply.status_code == 200, reply.text
    lenient, plain = [query for rpc, query in service.backends.requests if rpc == "SearchSponsors"]
    assert lenient == plain


async def test_null_within_a_list_is_no_item(service: Service) -> None:
    arguments = {"sponsor": "x", "kinds": [None, "affiliate"], "since": None}
    assert (await service.call("sponsor.stats", arguments)).status_code == 200
    empty = await service.call("sponsor.stats", {"sponsor": "x", "kinds": [None]})
    assert "`kinds` was [null]; it must be" in empty.text


async def test_a_float_that_is_no_integer_stays_wrong(service: Service) -> None:
    for value in (3.5, 1e300, "3.0", True):
        reply = await service.call("sponsor.search", {"limit": value})
        assert reply.status_code == 400, value


async def test_former_names_of_arguments_mean_the_same(service: Service) -> None:
    former = {"sponsor": "x", "from": "2026-01-01", "to": "2026-02-01"}
    listed = {"sponsor": "x", "since": "2026-01-01", "until": "2026-02-01"}
    both = {"sponsor": "x", "from": None, "since": "2026-01-01", "until": "2026-02-01"}
    for arguments in (former, listed, both):
        assert (await service.call("sponsor.stats", arguments)).status_code == 200
    first, *others = [query for rpc, query in service.backends.requests if rpc == "GetSponsorStats"]
    assert others == [first, first]


async def test_a_stateless_header_is_held_against_the_name_as_it_was_sent(service: Service) -> None:
    message = request("tools/call", name="category_list", _meta=META)
    mixed = {"mcp_protocol_version": STATELESS, "mcp_method": "tools/call"}
    assert (await service.post(message, **mixed, mcp_name="category_list")).status_code == 200
    assert (await service.post(message, **mixed, mcp_name="category.list")).status_code == 400


async def test_auto_is_the_rule_of_signs_whatever_the_operator_chose(
    open_gateway: OpenGateway,
) -> None:
    for setting in ("dotted", "underscore"):
        async with open_gateway(tool_names=setting) as service:
            client = {"mcp_protocol_version": "2025-11-25"}
            listed = request("tools/list")
            signed = await service.post(listed, sponsorgraph_tool_names="auto", **client)
            assert names(signed) == UNDERSCORES
            bare = await service.post(listed, sponsorgraph_tool_names="auto")
            assert names(bare) == DOTTED


async def test_the_callers_own_words_stay_as_they_were_sent(service: Service) -> None:
    client = {"mcp_protocol_version": "2025-11-25"}
    for words in ("sponsor.top zzqqxx", "it's sponsor.top", "x' sponsor.top \" sponsor.top"):
        service.backends.catalog_error = NotFound(
            f"The catalog knows no sponsor {words!r}, the creators' sponsor.search finds it."
        )
        missing = await service.call("sponsor.get", {"sponsor": words}, **client)
        message = missing.json()["result"]["structuredContent"]["error"]["message"]
        assert f"{words!r}, the creators' sponsor_search finds it." in message
    service.backends.catalog_error = None
    for value in (
        "sponsor.top",
        ["sponsor.top"],
        "sponsor.top " + "x" * 80,
        ['"\\ sponsor.top' * 9],
    ):
        wrong = await service.call("sponsor.search", {"limit": value}, **client)
        message = wrong.json()["result"]["structuredContent"]["error"]["message"]
        assert "sponsor.top" in message
        assert "sponsor_top" not in message

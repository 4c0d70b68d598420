"""The text of answers as Markdown and TOON."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from toon_format import loads

from gateway.mcp.client_info import ClientInfo
from gateway.mcp.connection_options import Presentation, TextChoice
from gateway.mcp.texts.formats import text_of
from gateway.mcp.versions import SUPPORTED, WITH_STRUCTURED_CONTENT

RESULT: dict[str, Any] = {
    "sponsor": {"id": "sp_1", "name": "Acme", "country": None},
    "videos": [
        {
            "title": "One | two\n# three",
            "views": 10,
            "youtuber": {"name": "Zoë"},
            "codes": ["A", "B"],
        },
        {"title": "`<b>`", "views": None, "youtuber": None, "codes": []},
    ],
    "views": {"median": 1.5, "formats": [{"format": "short", "videos": 2}]},
    "kinds": ["affiliate", "promo_code"],
    "empty": [],
    "is_known": True,
    "note": None,
}
MARKDOWN = """\
- sponsor: id sp_1, name Acme

videos (2):

|title|views|youtuber.name|codes|
|-|-|-|-|
|One \\| two # three|10|Zoë|A, B|
|\\`\\<b>\\`||||

- views: median 1.5

views.formats (1):

|format|videos|
|-|-|
|short|2|

- kinds: affiliate, promo_code
- empty: none
- is_known: true
- note: none"""


def markdown(value: object) -> str:
    return text_of(json.dumps(value).encode(), "markdown")


def test_lists_of_objects_become_tables_and_the_rest_lines() -> None:
    assert markdown(RESULT) == MARKDOWN


def test_objects_within_cells_have_their_names() -> None:
    examples = [{"id": "yt_1", "name": "A", "url": None}, {"id": "yt_2", "name": "B", "url": "u"}]
    assert "|id yt_1, name A; id yt_2, name B, url u|" in markdown(
        {"rows": [{"examples": examples}]}
    )


def test_rows_have_the_names_of_their_columns_above_them() -> None:
    columns = [{"name": "name", "type": "text"}, {"name": "name", "type": "bigint"}]
    rows = [["Good, 5", 1], ["Evil|\n- rows: 9", None]]
    assert markdown({"columns": columns, "rows": rows, "row_count": 2}) == (
        "\nrows (2):\n\n|name|name|\n|-|-|\n|Good, 5|1|\n|Evil\\| - rows: 9||\n\n- row_count: 2"
    )
    assert "|name|type|\n|-|-|\n|name|text|" in markdown({"columns": columns, "rows": []})


def test_lists_of_lists_have_a_line_for_each() -> None:
    table = "grid (2):\n\n|1|2|\n|-|-|\n|a, b|c|\n|d||\n"
    assert table in markdown({"grid": [["a, b", "c"], ["d"]]})
    assert f"x.{table}" in markdown({"x": {"grid": [["a, b", "c"], ["d"]]}})
    empty: list[list[str]] = [[], []]
    assert markdown({"grid": empty}).endswith("|1|\n|-|\n||\n||\n")


def test_json_and_toon_are_the_whole_result() -> None:
    content = json.dumps(RESULT).encode()
    assert text_of(content, "json") == content.decode()
    assert loads(text_of(content, "toon")) == RESULT


KEYS = st.sampled_from(["id", "name", "title", "videos", "coverage"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=15,
)


@given(st.dictionaries(KEYS, JSON, max_size=5))
def test_toon_reads_back_as_the_same_result(whole: dict[str, Any]) -> None:
    assert loads(text_of(json.dumps(whole).encode(), "toon")) == whole


HOSTILE = st.text(st.sampled_from("a|\\`<>[]()#*-_!\n\r\t\u2028\u0085 &:1"), max_size=20)


@given(st.lists(st.tuples(HOSTILE, HOSTILE), min_size=1, max_size=4), HOSTILE)
def test_texts_of_third_parties_stay_in_their_line_and_cell(
    cells: list[tuple[str, str]], name: str
) -> None:
    whole = {"name": name, "videos": [{"title": first, "code": last} for first, last in cells]}
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(markdown(whole))
    assert [token.type for token in tokens].count("tr_open") == len(cells) + 1
    assert [token.type for token in tokens].count("td_open") == 2 * len(cells)
    inline = [child.type for token in tokens for child in token.children or ()]
    assert not {"html_inline", "link_open", "image", "code_inline"} & {*inline}
    assert not {"html_block", "heading_open", "fence"} & {token.type for token in tokens}


@given(st.lists(st.tuples(HOSTILE, HOSTILE), min_size=1, max_size=4), HOSTILE)
def test_texts_in_rows_stay_in_their_cell(cells: list[tuple[str, str]], name: str) -> None:
    columns = [{"name": name, "type": "text"}, {"name": "b", "type": "text"}]
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(
        markdown({"columns": columns, "rows": cells})
    )
    assert [token.type for token in tokens].count("tr_open") == len(cells) + 1
    assert [token.type for token in tokens].count("td_open") == 2 * len(cells)


@pytest.mark.parametrize("revision", SUPPORTED)
def test_clients_of_revisions_without_structured_content_get_markdown(revision: str) -> None:
    presentation = Presentation(())
    client = ClientInfo(revision, is_client=True, name="", shows_mcp=True)
    expected = "markdown" if revision < WITH_STRUCTURED_CONTENT else "json"
    assert presentation.text_format(client, None) == expected
    assert presentation.text_format(client, "auto") == expected
    script = ClientInfo(revision, is_client=True, name="", shows_mcp=False)
    assert presentation.text_format(script, None) == "json"


@pytest.mark.parametrize("setting", ["json", "markdown", "toon"])
def test_a_connection_chooses_before_the_operator(setting: TextChoice) -> None:
    presentation = Presentation((), text=setting)
    script = ClientInfo("2025-03-26", is_client=False, name="")
    assert presentation.text_format(script, None) == setting
    assert presentation.text_format(script, "toon") == "toon"
    assert presentation.text_format(script, "auto") == "json"

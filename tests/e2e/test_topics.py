"""Topics of imported channels, over MCP: what creators speak about, and what their sponsors are."""

from __future__ import annotations

import tempfile
from collections.abc import Generator
from datetime import timedelta
from pathlib import Path

import pytest

from devstack.youtube import MadeChannel, MadeVideo
from tests.e2e.channel_imports import LAST_DAY, ImportStack, import_stack
from tests.e2e.prepared_home import prepare_home

pytestmark = [pytest.mark.timeout(240, func_only=True)]
_AD = "\n\nThis video is sponsored by NordVPN. Get 20% off your plan at https://nordvpn.com/kitchen with code KITCHEN20"


def _channel(name: str, language: str, texts: list[tuple[str, str]]) -> MadeChannel:
    return MadeChannel(
        channel_id=f"UC{name:x<22}",
        title=f"The {name.title()}",
        handle=f"@{name}",
        subscribers=51_000,
        videos=[
            MadeVideo(
                video_id=f"{name[:6]:y<9}{number:02}",
                title=title,
                description=description,
                published_at=LAST_DAY - timedelta(days=number),
                language=language,
            )
            for number, (title, description) in enumerate(texts)
        ],
    )


KITCHEN = _channel(
    "kitchen",
    "en",
    [
        ("Cooking for a crowd", f"Soups and stews, slowly.{_AD}"),
        ("My favourite recipes", "I cooked all of them."),
        ("A walk by the sea", "No pots today."),
    ],
)
SPARER = _channel(
    "sparer",
    "de",
    [
        ("Geldanlage für Anfänger", "Aktien und Fonds, ohne Krypto."),
        ("Mein Urlaub", "Berge und Seen."),
    ],
)


@pytest.fixture(scope="module")
def imports(tmp_path_factory: pytest.TempPathFactory) -> Generator[ImportStack]:
    with (
        tempfile.TemporaryDirectory(prefix="sponsorgraph-imports-") as folder,
        import_stack(prepare_home(tmp_path_factory, Path(folder) / "home")) as running,
    ):
        running.source.show(KITCHEN, SPARER)
        sample = running.stack.tool_result("video.search", {"about": "cooking"})
        assert sample["matches"] is None, "the bundled sample has no texts, which is no zero"
        assert "cannot be said" in sample["note"]
        begun = [running.begin(channel.channel_id) for channel in (KITCHEN, SPARER)]
        for item in begun:
            ended = running.until(item["import_id"], "done", "failed")
            assert ended["state"] == "done"
        yield running


def test_creators_who_talk_about_a_topic_are_found(imports: ImportStack) -> None:
    found = imports.stack.tool_result("youtuber.about", {"about": "cooking"})
    (kitchen,) = found["youtubers"]
    assert kitchen["youtuber"]["handle"] == "@kitchen"
    assert (kitchen["hits"], kitchen["searched_videos"]) == (2, 3)
    assert kitchen["share"] == pytest.approx(2 / 3)
    assert kitchen["newest_hit"] == str(LAST_DAY.date())
    assert [video["title"] for video in kitchen["examples"]] == [
        "Cooking for a crowd",
        "My favourite recipes",
    ]
    # Words of another language are found in its forms.
    found = imports.stack.tool_result("youtuber.about", {"about": "Anfängern -Aktie"})
    assert found["youtubers"] == []
    found = imports.stack.tool_result("youtuber.about", {"about": "Anfängern Aktie"})
    assert [item["youtuber"]["handle"] for item in found["youtubers"]] == ["@sparer"]


def test_videos_of_a_topic_that_vpns_sponsor_come_with_evidence(imports: ImportStack) -> None:
    found = imports.stack.tool_result(
        "video.search", {"about": "cooking", "sponsor_category": "vpn"}
    )
    (video,) = found["videos"]
    assert video["video"]["title"] == "Cooking for a crowd"
    (sponsorship,) = video["sponsorships"]
    assert sponsorship["sponsor"]["slug"] == "nordvpn"
    assert sponsorship["evidence"]["excerpt"]


def test_what_a_sponsor_has_written_is_no_topic_and_no_text_is_stored(
    imports: ImportStack,
) -> None:
    found = imports.stack.tool_result("video.search", {"about": "plan", "youtuber": "@kitchen"})
    assert found["videos"] == []
    columns = imports.rows(
        "catalog",
        "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public' "
        "AND column_name LIKE '%%description%%'",
    )
    assert columns == [("video_texts", "has_description")]
    (words,) = imports.rows(
        "catalog",
        "SELECT string_agg(words::text, ' ') FROM video_texts WHERE words @@ 'stew'",
    )[0]
    assert "kitchen20" not in words
    assert "nordvpn" not in words


def test_what_could_not_be_searched_is_said(imports: ImportStack) -> None:
    found = imports.stack.tool_result("youtuber.about", {"about": "cooking"})
    texts = found["texts"]
    assert texts["videos"] - texts["without_text"] == 5
    assert texts["titles_only"] == 0
    assert f"{texts['without_text']:,} could not be searched" in found["note"]
    reply = imports.stack.call_tool("video.search", {"about": "the"})
    assert "stop words" in reply.text

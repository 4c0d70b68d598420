"""Videos and creators by what titles and descriptions speak about. Every text is invented."""

from collections.abc import AsyncGenerator
from typing import Any

import pytest

from catalog_service.domain.topics.words import words_of
from servicekit.errors import InvalidInput
from tests.databases import Databases
from tests.integration.catalog_service import example
from tests.integration.catalog_service.conftest import (
    MIGRATIONS,
    Catalog,
    new_settings,
    running_catalog,
)
from tests.integration.catalog_service.example import claim, video, youtuber

# Channel, language, title and description by key.
TEXTS: dict[str, tuple[str, str, str, str | None]] = {
    "en1": ("bob", "en-US", "How I invest my first money", "Index funds, step by step."),
    "en2": ("bob", "en", "Investing for beginners", "Stocks and bonds, and no crypto."),
    "en3": ("bob", "en", "Cooking pasta at home", "A recipe with garlic."),
    "en4": ("ada", "en-GB", "Crypto investments explained", None),
    "de1": ("dan", "de", "Geldanlage für Anfänger", "Aktien und Häuser im Vergleich."),
    "de2": ("dan", "de", "Wir kochen Nudeln", "Das Rezept unserer Großmutter."),
    "fr1": ("cyd", "fr", "Les placements de mon père", "L'épargne, c'est simple."),
    "es1": ("cyd", "es", "Cómo cocinar arroz", "Las mejores recetas de mi abuela."),
    "ru1": ("eve", "ru", "Как готовить борщ", "Рецепты нашей бабушки."),
    "ja1": ("eve", "ja", "初心者のための投資入門", "株と債券を解説します。猫も出ます。"),
    "ko1": ("eve", "ko", "초보자를 위한 투자를 시작하자", "주식과 채권."),
    "zh1": ("eve", "zh-Hans", "新手投资指南", "股票和基金。"),
    "xx1": ("eve", "", "Investing without a language", None),
}
PLAIN = [
    video(
        key,
        channel,
        f"2024-02-{number + 1:02}",
        100 * number,
        title=title,
        language=language or None,
        description_text=description,
        category="howto-style" if channel == "bob" else "education",
        duration_seconds=600,
        broadcast="none",
    )
    for number, (key, (channel, language, title, description)) in enumerate(TEXTS.items())
]
SPONSORED = video(
    "sp1", "bob", "2024-03-01", 5_000,
    claim("azura-vpn", "promo_code", 0.9, "COOK"),
    title="Cooking with what is left", language="en", description_text="Soup.",
    category="howto-style",
)  # fmt: skip
FACTS = [
    *example.SPONSORS,
    *example.YOUTUBERS,
    youtuber("eve", "Eve Everywhere", subscribers=10),
    *PLAIN,
    SPONSORED,
    video("none", "dan", "2024-02-20", 1, title_hash="0" * 16),
]


@pytest.fixture(scope="module")
async def topics(databases: Databases) -> AsyncGenerator[Catalog]:
    """A service whose videos have texts; tests only read it."""
    async with running_catalog(new_settings(databases.migrated(MIGRATIONS))) as running:
        reply = await running.ingest(FACTS)
        assert not reply.rejected
        yield running


async def found(catalog: Catalog, about: str, **more: Any) -> set[str]:
    page = await catalog.call("SearchVideos", about=about, limit=50, **more)
    by_title = {title: key for key, (_, _, title, _) in TEXTS.items()}
    return {by_title.get(item.video.title, "sp1") for item in page.videos}


@pytest.mark.parametrize(
    ("about", "keys"),
    [
        ("investing", {"en1", "en2", "xx1", "en4"}),
        ("invested", {"en1", "en2", "en4"}),
        ('"index funds"', {"en1"}),
        ('"funds index"', set[str]()),
        ("investing -crypto", {"en1", "xx1"}),
        ("garlic OR bonds", {"en2", "en3"}),
        ("COOKING", {"en3", "sp1"}),
        ("Anlage OR Haus", {"de1"}),
        ("Anfängern", {"de1"}),
        ("großmutter", {"de2"}),
        ("placement", {"fr1"}),
        ("épargne", {"fr1"}),
        ("receta", {"es1"}),
        ("cocinando", {"es1"}),
        ("рецепт", {"ru1"}),
        ("БАБУШКА", {"ru1"}),
        ("投資", {"ja1"}),
        ("投資入門", {"ja1"}),
        ("入門投資", set[str]()),
        ("猫", {"ja1"}),
        ("初心者 -猫", set[str]()),
        ("투자", {"ko1"}),
        ("投资", {"zh1"}),
        ("投资 基金", {"zh1"}),
    ],
)
async def test_words_are_found_in_the_language_of_their_video(
    topics: Catalog, about: str, keys: set[str]
) -> None:
    assert await found(topics, about) == keys


async def test_a_search_says_what_it_could_not_search(topics: Catalog) -> None:
    page = await topics.call("SearchVideos", about="garlic")
    assert (page.texts.videos, page.texts.titles_only, page.texts.without_text) == (15, 2, 1)
    assert "1 could not be searched" in page.note
    assert "2 were searched by their title alone" in page.note
    assert (page.matches, page.coverage.videos) == (1, 15)


async def test_videos_of_a_topic_that_a_brand_sponsors_come_with_evidence(topics: Catalog) -> None:
    page = await topics.call("SearchVideos", about="cooking", sponsor_category="security")
    (only,) = page.videos
    assert only.video.title == "Cooking with what is left"
    assert only.in_title
    (sponsorship,) = only.sponsorships
    assert (sponsorship.sponsor.slug, sponsorship.code) == ("azura-vpn", "COOK")
    assert sponsorship.evidence.reason
    assert await found(topics, "cooking", sponsor="azuravpn.com", kinds=["promo_code"]) == {"sp1"}
    assert await found(topics, "cooking", kinds=["affiliate"]) == set()


async def test_filters_leave_videos_out(topics: Catalog) -> None:
    assert await found(topics, "cooking", format="longform") == {"en3"}
    assert await found(topics, "investing", youtuber="bob") == {"en1", "en2"}
    assert await found(topics, "investing", from_date="2024-02-02", to_date="2024-02-04") == {
        "en2",
        "en4",
    }
    assert await found(topics, "investing", content_category="howto-style") == {"en1", "en2"}


async def test_videos_of_unknown_category_are_counted_where_one_is_searched_for(
    topics: Catalog,
) -> None:
    page = await topics.call("SearchVideos", youtuber="dan", content_category="education")
    assert (page.matches, page.coverage.left_out) == (2, 1)
    assert page.coverage.videos == len([key for key in TEXTS if TEXTS[key][0] != "bob"])
    empty = await topics.call("SearchVideos", youtuber="dan", content_category="gaming")
    assert "1 video may match too: their content categories are unknown." in empty.note
    whole = await topics.call("SearchVideos", youtuber="dan")
    assert (whole.matches, whole.coverage.left_out) == (3, 0)


async def test_videos_of_brands_without_a_category_are_counted_where_one_is_searched_for(
    own_catalog: Catalog,
) -> None:
    await own_catalog.ingest(
        [
            example.sponsor("bare", "Bare", "bare.example", None),
            video("u1", "bob", "2024-03-01", 1, claim("bare", "affiliate", 0.9)),
            video("u2", "bob", "2024-03-02", 1, claim("bare", "free_product", 0.9)),
        ]
    )
    of_category = {"sponsor_category": "security", "from_date": "2024-03-01"}
    page = await own_catalog.call("SearchVideos", **of_category)
    assert (page.matches, page.coverage.left_out) == (0, 2)
    assert "2 videos may match too: their brands' categories are unknown." in page.note
    paid = await own_catalog.call("SearchVideos", kinds=["affiliate"], **of_category)
    assert paid.coverage.left_out == 1


async def test_videos_of_unknown_format_are_reported_where_a_format_is_searched_for(
    topics: Catalog,
) -> None:
    page = await topics.call("SearchVideos", sponsor="azura-vpn", format="short")
    assert (page.matches, list(page.videos)) == (0, [])
    assert "Of 1 video that matches otherwise the format is not known" in page.note
    assert "`sponsor` azura-vpn" in page.note
    page = await topics.call("SearchVideos", about="investing", format="live")
    assert "Leave a filter out for more." in page.note


async def test_words_of_a_description_alone_are_no_title(topics: Catalog) -> None:
    page = await topics.call("SearchVideos", about="garlic")
    assert [item.in_title for item in page.videos] == [False]


async def test_brands_and_creators_are_searched_without_words(topics: Catalog) -> None:
    page = await topics.call("SearchVideos", sponsor="azura-vpn")
    assert [item.video.title for item in page.videos] == ["Cooking with what is left"]
    assert not page.videos[0].HasField("in_title")
    assert not page.HasField("note")
    page = await topics.call("SearchVideos", youtuber="bob", sort="oldest")
    assert [item.video.published_at for item in page.videos] == [
        "2024-02-01",
        "2024-02-02",
        "2024-02-03",
        "2024-03-01",
    ]
    with pytest.raises(InvalidInput, match="at least one"):
        await topics.call("SearchVideos", format="longform")


@pytest.mark.parametrize("sort", ["newest", "oldest", "views"])
async def test_pages_have_each_video_once(topics: Catalog, sort: str) -> None:
    request = {"about": "investing OR cooking OR 投資", "sort": sort}
    whole = await topics.call("SearchVideos", **request, limit=50)
    titles: list[str] = []
    more: dict[str, Any] = {}
    while True:
        page = await topics.call("SearchVideos", **request, **more, limit=2)
        titles += [item.video.title for item in page.videos]
        assert page.matches == 7
        if not page.next_cursor:
            break
        more = {"cursor": page.next_cursor}
    assert titles == [item.video.title for item in whole.videos]
    assert len(titles) == 7


async def test_creators_who_speak_about_a_topic(topics: Catalog) -> None:
    page = await topics.call("ListYoutubersAbout", about="investing")
    bob, *rest = page.youtubers
    assert (bob.youtuber.name, bob.hits, bob.searched_videos, bob.share) == (
        "Bob Cooks", 2, 4, 0.5,
    )  # fmt: skip
    assert bob.newest_hit == "2024-02-02"
    assert [example.title for example in bob.examples] == [
        "Investing for beginners",
        "How I invest my first money",
    ]
    assert {item.youtuber.name for item in rest} == {"Ada Löve", "Eve Everywhere"}
    assert page.matches == 3
    assert "could not be searched" in page.note


async def test_creators_are_filtered_sorted_and_paged(topics: Catalog) -> None:
    request = {"about": "investing", "sort": "subscribers"}
    names: list[str] = []
    more: dict[str, Any] = {}
    while True:
        page = await topics.call("ListYoutubersAbout", **request, **more, limit=1)
        names += [item.youtuber.name for item in page.youtubers]
        if not page.next_cursor:
            break
        more = {"cursor": page.next_cursor}
    assert names == ["Ada Löve", "Bob Cooks", "Eve Everywhere"]
    page = await topics.call("ListYoutubersAbout", about="investing", country="US")
    assert [item.youtuber.name for item in page.youtubers] == ["Bob Cooks"]
    page = await topics.call("ListYoutubersAbout", about="investing", min_hits=2)
    assert [item.youtuber.name for item in page.youtubers] == ["Bob Cooks"]
    page = await topics.call("ListYoutubersAbout", about="investing", sponsored_by="azura-vpn")
    assert [item.youtuber.name for item in page.youtubers] == ["Bob Cooks"]
    page = await topics.call("ListYoutubersAbout", about="investing", from_date="2024-02-02")
    assert {item.youtuber.name: (item.hits, item.share) for item in page.youtubers} == {
        "Bob Cooks": (1, 1 / 3),
        "Ada Löve": (1, 1.0),
        "Eve Everywhere": (1, 1 / 5),
    }


@pytest.mark.parametrize("about", ["the", "how to", "the -cooking", '"to the"'])
async def test_stop_words_alone_are_refused(topics: Catalog, about: str) -> None:
    with pytest.raises(InvalidInput, match="stop words"):
        await topics.call("SearchVideos", about=about)


@pytest.mark.parametrize("about", ["-cooking", "cooking OR -pasta", "...", "x" * 201, "投" * 30])
async def test_searches_that_find_nothing_or_everything_are_refused(
    topics: Catalog, about: str
) -> None:
    with pytest.raises(InvalidInput, match="`about`"):
        await topics.call("ListYoutubersAbout", about=about)


async def test_languages_in_which_the_words_are_stop_words_are_named(topics: Catalog) -> None:
    page = await topics.call("SearchVideos", about="war")
    assert "Videos in German were not searched" in page.note


@pytest.mark.parametrize(
    "about",
    [
        "invest' | 'cook",
        "invest & !cook:*",
        "invest); DROP TABLE video_texts; --",
        "invest\\ <-> 'x",
        "invest <5> x !!",
        "invest:ABCD (((",
        'invest """"',
        "invest \u202e\u0000".replace("\u0000", ""),
        "%invest_",
    ],
)
async def test_hostile_words_are_words(topics: Catalog, about: str) -> None:
    await topics.call("SearchVideos", about=about)
    assert await found(topics, "investing") == {"en1", "en2", "xx1", "en4"}


async def test_another_title_or_description_replaces_the_words(own_catalog: Catalog) -> None:
    async def put(title: str | None, description: str | None, language: str = "en") -> None:
        item = video(
            "w", "ada", "2024-03-01", 1,
            title=title, description_text=description, language=language,
        )  # fmt: skip
        reply = await own_catalog.ingest([item])
        assert not reply.rejected
        again = await own_catalog.ingest([item])
        assert (again.created, again.updated, again.unchanged) == (0, 0, 1)

    async def words(about: str) -> int:
        return (await own_catalog.call("SearchVideos", about=about, youtuber="ada")).matches

    await put("Gardens", "Roses and tulips")
    assert [await words(word) for word in ("gardening", "rose", "tulip")] == [1, 1, 1]
    await put("Kitchens", None)
    assert [await words(word) for word in ("garden", "kitchen", "rose")] == [0, 1, 1]
    assert await words('"roses and tulips"') == 1
    await put("Kitchens", "Knives")
    assert [await words(word) for word in ("kitchen", "knife", "knives", "rose")] == [1, 0, 1, 0]
    await put("Kitchens", "")
    assert [await words(word) for word in ("kitchen", "knives")] == [1, 0]
    page = await own_catalog.call("SearchVideos", about="kitchen", youtuber="ada")
    # The other four have no text but one's title.
    assert (page.texts.videos, page.texts.titles_only, page.texts.without_text) == (5, 1, 3)
    await put("Die Gärten", None, "de")
    assert await words("garten") == 0, "the words of the description stay, and their language"


async def test_no_text_is_no_zero(empty_catalog: Catalog) -> None:
    hashed = video("none", "dan", "2024-02-20", 1, title_hash="0" * 16)
    reply = await empty_catalog.ingest([*example.SPONSORS, *example.YOUTUBERS, hashed])
    assert not reply.rejected
    for rpc in ("SearchVideos", "ListYoutubersAbout"):
        page = await empty_catalog.call(rpc, about="cooking")
        assert not page.HasField("matches")
        assert "cannot be said" in page.note
        assert (page.texts.videos, page.texts.without_text) == (1, 1)


def test_the_words_of_the_examples_are_those_of_their_texts() -> None:
    assert words_of("Häuser-Preise, 投資!") == ["häuser", "preise", "投", "投資", "資"]


@pytest.mark.parametrize(
    ("rpc", "conditions"),
    [
        ("SearchVideos", {"from_date": "2024-02-20", "to_date": "2024-02-20"}),
        ("SearchVideos", {"youtuber": "dan", "from_date": "2024-02-15"}),
        ("ListYoutubersAbout", {"from_date": "2024-02-20", "to_date": "2024-02-20"}),
    ],
)
async def test_where_the_conditions_leave_no_text_nothing_is_said(
    topics: Catalog, rpc: str, conditions: dict[str, str]
) -> None:
    page = await topics.call(rpc, about="cooking", **conditions)
    assert not page.HasField("matches")
    assert page.note.startswith(
        "Of the known videos that the other conditions leave, no title or description is known"
    )


@pytest.mark.parametrize(
    ("rpc", "conditions"),
    [
        # Without a video there is none that may speak about it either.
        ("SearchVideos", {"to_date": "2010-01-01"}),
        ("ListYoutubersAbout", {"to_date": "2010-01-01"}),
        ("SearchVideos", {"content_category": "howto-style", "from_date": "2024-03-01"}),
        ("ListYoutubersAbout", {"country": "US", "min_subscribers": 1_000_000_000}),
    ],
)
async def test_where_texts_were_searched_nothing_found_is_none(
    topics: Catalog, rpc: str, conditions: dict[str, Any]
) -> None:
    page = await topics.call(rpc, about="submarines", **conditions)
    assert page.matches == 0
    assert "cannot be said" not in page.note


async def test_days_after_the_last_sponsored_video_are_searched_like_others(
    own_catalog: Catalog,
) -> None:
    late = video("late", "bob", "2024-06-01", 1, title="A walk", description_text="By the lake.")
    await own_catalog.ingest([late])
    for rpc in ("SearchVideos", "ListYoutubersAbout"):
        page = await own_catalog.call(rpc, about="submarines", from_date="2024-05-15")
        assert page.matches == 0
        assert "The data end on" not in page.note
        page = await own_catalog.call(rpc, about="submarines", from_date="2024-06-02")
        assert page.note.startswith("The data end on 2024-06-01: take a period that begins before.")

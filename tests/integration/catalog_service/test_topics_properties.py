"""What a search by words finds is what a plain evaluation of the same terms finds, over random texts."""

import random
from collections.abc import AsyncGenerator, Sequence
from typing import Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalog_service.domain.topics import search_terms
from catalog_service.domain.topics.search_terms import Term
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
from tests.integration.catalog_service.example import video

WORDS: Final = (
    "investing invested Köln Häuser 投資入門 投資 猫 株 Привет ПРИВЕТ привет don't mp3 2024 c++ x_y café Ñandú 주식을 주식 "
    "a/b user@mail.example https://x.example/y 3.5 -1 1e5 हिन्दी ไทย עברית العربية ΟΔΟΣ straße STRASSE ﬁn Ⅷ ½ ゲーム ｹﾞｰﾑ "
    "or OR not & | ! <b> 'x'"
).split()
LANGUAGES: Final = ("", "", "en", "de", "ja", "ru")
_of_words = st.sampled_from(WORDS)
_terms = st.one_of(
    _of_words,
    _of_words.map("-{}".format),
    st.lists(_of_words, min_size=1, max_size=3).map(lambda words: f'"{" ".join(words)}"'),
    st.lists(_of_words, min_size=1, max_size=2).map(lambda words: f'-"{" ".join(words)}"'),
    st.just("OR"),
)
_queries = st.lists(_terms, min_size=1, max_size=5).map(" ".join)
_many = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def _texts() -> dict[str, tuple[str, str, str]]:
    """Return language, title and description by day."""
    chooser = random.Random(7)
    return {
        f"2023-{number // 28 + 1:02}-{number % 28 + 1:02}": (
            chooser.choice(LANGUAGES),
            " ".join(chooser.choices(WORDS, k=chooser.randint(1, 4))),
            " ".join(chooser.choices(WORDS, k=chooser.randint(0, 8))),
        )
        for number in range(50)
    }


TEXTS: Final = _texts()


@pytest.fixture(scope="module")
async def topics(databases: Databases) -> AsyncGenerator[Catalog]:
    videos = [
        video(
            day, "ada", day, 1, title=title, description_text=description, language=language or None
        )
        for day, (language, title, description) in TEXTS.items()
    ]
    async with running_catalog(new_settings(databases.migrated(MIGRATIONS))) as running:
        reply = await running.ingest([*example.SPONSORS, *example.YOUTUBERS, *videos])
        assert not reply.rejected
        yield running


async def found(catalog: Catalog, about: str) -> set[str]:
    page = await catalog.call("SearchVideos", about=about, limit=50)
    return {item.video.published_at for item in page.videos}


def has(words: Sequence[str], term: Term) -> bool:
    length = len(term.words)
    return any(
        tuple(words[start : start + length]) == term.words
        for start in range(len(words) - length + 1)
    )


def holds(words: Sequence[str], about: str) -> bool:
    return any(
        all(has(words, term) is not term.is_excluded for term in group)
        for group in search_terms.read(about)
    )


@_many
@given(about=_queries)
async def test_texts_without_a_language_are_found_as_a_plain_evaluation_finds_them(
    topics: Catalog, about: str
) -> None:
    try:
        search_terms.read(about)
        days = await found(topics, about)
    except InvalidInput:
        return
    expected = {
        day
        for day, (language, title, description) in TEXTS.items()
        if not language and holds(words_of(f"{title} {description}"), about)
    }
    assert {day for day in days if not TEXTS[day][0]} == expected


@_many
@given(about=_of_words, excluded=_of_words)
async def test_an_excluded_word_is_in_no_result_whatever_its_language(
    topics: Catalog, about: str, excluded: str
) -> None:
    try:
        (group,) = search_terms.read(f'"{excluded}"')
        days = await found(topics, f'"{about}" -"{excluded}"')
    except InvalidInput:
        return
    for day in days:
        _, title, description = TEXTS[day]
        assert not any(has(words_of(text), group[0]) for text in (title, description))


@_many
@given(text=st.text(st.characters(categories=["L", "N", "M", "P", "Z"]), min_size=1, max_size=30))
async def test_any_text_is_found_by_each_of_its_words(topics: Catalog, text: str) -> None:
    words = words_of(text)
    if not words or not text.strip():
        return
    await topics.ingest([video("any", "bob", "2024-01-01", 1, title=text)])
    for word in words:
        try:
            days = await found(topics, f'"{word}"')
        except InvalidInput:  # a stop word
            continue
        assert "2024-01-01" in days, word

"""Digits of other scripts are searched as 0 to 9, and words that are in no key find nothing."""

import sys
import unicodedata
from collections.abc import AsyncGenerator, Callable, Generator, Sequence

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalog_service.domain.name_keys import key_letters, plain_digits
from servicekit.errors import InvalidInput, NotFound
from tests.integration.catalog_service import example
from tests.integration.catalog_service.conftest import Catalog, new_settings, running_catalog
from tests.integration.catalog_service.example import sponsor, youtuber

MORE = [
    sponsor("cafe-3", "Cafe 3", "cafe3.com", "food"),
    sponsor("nord", "Nord", "nord.example", "food"),
    sponsor("threes", "333", "threes.example", "food"),
    sponsor("taza", "Taza ५५", "taza.example", "food"),
    sponsor("nines", "९९९९", "nines.example", "food"),
    youtuber("seven", "Kitchen 777"),
    youtuber("eight", "๘๘๘๘", handle="@rasoi๘"),
]
WITHOUT_KEY = ["ʻ", "ʻʼˈ", "ː ˋ", "௰", "৴৴৴৴৴"]
_ODD = "३٣๓➂²½௰৴ʻʼˈː々〇ーﾞｶ्́ͅाⅣ\u0345\u200d©\U0001f602 .-aAßİ가漢"


@pytest.fixture(scope="module")
async def catalog(fresh_database: Callable[[], str]) -> AsyncGenerator[Catalog]:
    async with running_catalog(new_settings(fresh_database())) as running:
        assert not (await running.ingest([*example.FACTS, *MORE])).rejected
        yield running


@pytest.fixture(scope="module")
def connection(fresh_database: Callable[[], str]) -> Generator[psycopg.Connection]:
    with psycopg.connect(new_settings(fresh_database()).database_url, autocommit=True) as connected:
        yield connected


async def sponsors(catalog: Catalog, search: str, **more: str) -> list[str]:
    response = await catalog.call("SearchSponsors", search=search, **more)
    assert not response.next_cursor
    return [card.slug for card in response.sponsors]


async def youtubers(catalog: Catalog, search: str) -> list[str]:
    response = await catalog.call("SearchYoutubers", search=search)
    assert not response.next_cursor
    return [card.name for card in response.youtubers]


async def resolved(catalog: Catalog, name: str) -> tuple[str, list[str]]:
    response = await catalog.call("Resolve", names=[name], type="any")
    (resolution,) = response.resolutions
    return resolution.status, [match.name for match in resolution.matches]


def keys(connection: psycopg.Connection, texts: Sequence[str]) -> list[str]:
    """Return the keys by which texts are searched."""
    words = [plain_digits(text) for text in texts]
    statement = "SELECT normalised(word) FROM unnest(%s::text[]) WITH ORDINALITY AS words(word, place) ORDER BY place"
    return [key for (key,) in connection.execute(statement, [words])]


@pytest.mark.parametrize(
    ("search", "slugs"),
    [
        ("३", ["threes"]),
        ("٣٣٣", ["threes"]),
        ("๓๓๓", ["threes"]),
        ("333", ["threes"]),
        ("cafe ३", ["cafe-3"]),
        ("cafe३", ["cafe-3"]),
        ("१", []),
        # Names that are stored with such digits.
        ("taza 55", ["taza"]),
        ("Taza ५५", ["taza"]),
        ("taza ٥٥", ["taza"]),
        ("9999", ["nines"]),
        ("९९९९", ["nines"]),
    ],
)
async def test_digits_of_other_scripts_find_sponsors_as_those_of_ascii_do(
    catalog: Catalog, search: str, slugs: list[str]
) -> None:
    assert await sponsors(catalog, search) == slugs
    assert await sponsors(catalog, search, category="food") == slugs
    assert await sponsors(catalog, search, category="crypto") == []


@pytest.mark.parametrize(
    ("search", "names"),
    [
        ("kitchen ๗๗๗", ["Kitchen 777"]),
        ("۷۷۷", ["Kitchen 777"]),
        ("८८८८", ["๘๘๘๘"]),
        ("8888", ["๘๘๘๘"]),
        ("@rasoi๘", ["๘๘๘๘"]),
        ("१", []),
    ],
)
async def test_and_creators(catalog: Catalog, search: str, names: list[str]) -> None:
    assert await youtubers(catalog, search) == names


async def test_a_digit_of_another_script_is_not_left_out_of_a_word(catalog: Catalog) -> None:
    assert await sponsors(catalog, "nord५") == await sponsors(catalog, "nord5")
    assert await resolved(catalog, "nord५") == await resolved(catalog, "nord5")
    assert (await resolved(catalog, "nord५"))[0] == "similar"


@pytest.mark.parametrize("search", WITHOUT_KEY)
@pytest.mark.parametrize("rpc", ["SearchSponsors", "SearchYoutubers"])
async def test_words_without_a_letter_or_digit_are_refused(
    catalog: Catalog, rpc: str, search: str
) -> None:
    with pytest.raises(InvalidInput, match="needs at least one letter or digit"):
        await catalog.call(rpc, search=search)
    with pytest.raises(InvalidInput, match="needs at least one letter or digit"):
        await catalog.call(rpc, search=search, country="DE")


@pytest.mark.parametrize("name", [*WITHOUT_KEY, "१", "१११"])
async def test_no_unrelated_name_is_suggested(catalog: Catalog, name: str) -> None:
    with pytest.raises(NotFound, match=r"Look for it with `sponsor\.search`"):
        await catalog.call("GetSponsor", sponsor=name)
    with pytest.raises(NotFound, match=r"Look for them with `youtuber\.search`"):
        await catalog.call("GetYoutuber", youtuber=name)
    assert await resolved(catalog, name) == ("unknown", [])
    change = await catalog.call(
        "CreateList", account_id="digits", name="Mine", type="sponsor", names=[name]
    )
    assert [(item.status, len(item.matches)) for item in change.unclear] == [("unknown", 0)]


@pytest.mark.parametrize(
    "name", ["333", "३३३", "٣٣٣", "cafe ٣", "taza 55", "Taza ५५", "৭৭৭ kitchen"]
)
async def test_a_name_is_the_same_with_digits_of_another_script(
    catalog: Catalog, name: str
) -> None:
    plain = plain_digits(name)
    assert await resolved(catalog, name) == await resolved(catalog, plain)


async def test_a_lookup_takes_digits_of_another_script(catalog: Catalog) -> None:
    assert await resolved(catalog, "३३३") == ("found", ["333"])
    found = await catalog.call("GetSponsor", sponsor="cafe ٣")
    assert found.sponsor.slug == "cafe-3"
    creator = await catalog.call("GetYoutuber", youtuber="kitchen ७७७")
    assert creator.youtuber.name == "Kitchen 777"


def test_every_character_that_may_be_searched_alone_is_in_a_key(
    connection: psycopg.Connection,
) -> None:
    characters = [chr(point) for point in range(1, sys.maxunicode + 1) if not _is_surrogate(point)]
    searched = list(filter(key_letters, characters))
    refused = [c for c in characters if c.isalnum() and not key_letters(c)]

    assert len(searched) > 100_000
    assert [c for c, key in zip(searched, keys(connection, searched), strict=True) if not key] == []
    # What is refused has no key either, unless it is nothing but marks, which are refused as they are.
    in_key = [c for c, key in zip(refused, keys(connection, refused), strict=True) if key]
    assert not any(map(str.isalnum, unicodedata.normalize("NFKC", "".join(in_key))))


def test_a_digit_of_another_script_has_the_key_of_its_value(connection: psycopg.Connection) -> None:
    digits = [chr(point) for point in range(128, sys.maxunicode + 1) if chr(point).isdigit()]

    assert keys(connection, digits) == [str(int(plain_digits(digit))) for digit in digits]


@settings(
    max_examples=200,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    texts=st.lists(
        st.text(
            st.one_of(
                st.sampled_from(_ODD), st.characters(exclude_categories=["Cs"], min_codepoint=1)
            ),
            max_size=6,
        ),
        min_size=1,
        max_size=40,
    )
)
def test_words_that_may_be_searched_have_a_key(
    connection: psycopg.Connection, texts: list[str]
) -> None:
    searched = list(filter(key_letters, texts))

    assert all(keys(connection, searched))


def _is_surrogate(point: int) -> bool:
    return 0xD800 <= point <= 0xDFFF

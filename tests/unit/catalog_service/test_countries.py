"""Country codes as arguments."""

import pytest

from catalog_service.domain import arguments, countries
from catalog_service.domain.errors import BadArgument
from servicekit import country_names


@pytest.mark.parametrize(("argument", "code"), [("de", "DE"), (" GB ", "GB"), ("xk", "XK")])
def test_a_country_code_is_taken_in_any_case(argument: str, code: str) -> None:
    assert arguments.country(argument) == code


@pytest.mark.parametrize(("argument", "meant"), [("UK", "GB"), ("en", "GB"), ("JA", "JP")])
def test_a_mistaken_code_is_refused_with_the_one_that_is_meant(argument: str, meant: str) -> None:
    with pytest.raises(BadArgument, match=f"did you mean {meant}"):
        arguments.country(argument)


@pytest.mark.parametrize(
    ("argument", "meant"),
    [
        ("Germany", "DE"),
        ("south korea", "KR"),
        ("USA", "US"),
        (" Brazil ", "BR"),
        ("Türkiye", "TR"),
    ],
)
def test_a_country_by_its_name_is_refused_with_its_code(argument: str, meant: str) -> None:
    with pytest.raises(BadArgument, match=f"{meant} is {argument.strip()}'s"):
        arguments.country(argument)


@pytest.mark.parametrize("argument", ["XX", "ZZ", "Germany", "D"])
def test_what_is_no_country_code_is_refused(argument: str) -> None:
    with pytest.raises(BadArgument, match="ISO 3166"):
        arguments.country(argument)


def test_every_meant_code_is_one_and_no_mistaken_one_is() -> None:
    assert set(countries.MISTAKEN.values()) <= countries.CODES
    assert not set(countries.MISTAKEN) & countries.CODES
    assert set(country_names.NAMES.values()) <= countries.CODES
    assert not {name for name in country_names.NAMES if name != name.casefold()}
    assert len(countries.CODES) == 250

"""Places of sessions in words."""

import pytest

from auth_service.domain.site.countries import place_name


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("127.0.0.1", "the computer that this site runs on"),
        ("::1", "the computer that this site runs on"),
        ("192.168.1.7", "a private network (192.168.1.7)"),
        ("8.8.8.8", "United States (8.8.8.8)"),
        ("2a00:1450::1", "Ireland (2a00:1450::1)"),
        ("193.99.144.80", "Germany (193.99.144.80)"),
        ("::ffff:193.99.144.80", "Germany (193.99.144.80)"),
        ("64:ff9b::193.99.144.80", "Germany (193.99.144.80)"),
        ("fe80::1%eth0", "a private network (fe80::1%eth0)"),
        ("224.0.0.1", "the address 224.0.0.1"),
        ("unknown", "an unknown place"),
        ("", "an unknown place"),
    ],
)
def test_a_place_is_the_country_of_the_address_or_what_it_says_of_itself(
    address: str, name: str
) -> None:
    assert place_name(address) == name

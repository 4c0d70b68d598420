"""Names of countries, and where a session comes from, in words.

The country of a session is the one that a Regional Internet Registry has assigned the network to (`iptocc`, which has
their lists in it): right for some 95 % of addresses, and nothing is sent anywhere to know it. Cities
are in no list that may be shipped.
"""

import ipaddress
from collections.abc import Mapping
from functools import cache
from importlib import resources

import iptocc

from auth_service.domain.ip_addresses import ipv4_of


def place_name(address: str) -> str:
    """Return the country of a network address with the address, or what it says of itself."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return "an unknown place"
    parsed = (ipv4_of(found) if isinstance(found, ipaddress.IPv6Address) else None) or found
    if parsed.is_loopback:
        return "the computer that this site runs on"
    if parsed.is_private:
        return f"a private network ({parsed})"
    country = country_name(iptocc.country_code(str(parsed)) or "")
    return f"{country} ({parsed})" if country else f"the address {parsed}"


def country_name(code: str) -> str | None:
    """Return the name of a country by its ISO 3166-1 code; None if there is none."""
    return _countries().get(code)


@cache
def _countries() -> Mapping[str, str]:
    """Return the names of countries by their ISO 3166-1 codes, from the table that comes with time zones."""
    table = resources.files("tzdata").joinpath("zoneinfo/iso3166.tab").read_text("utf-8")
    return dict(line.split("\t") for line in table.splitlines() if not line.startswith("#"))

"""Which proxies the site believes is a list of addresses and networks, or the service does not start."""

import pytest
from pydantic import SecretStr, ValidationError

from auth_service.settings import AuthSettings


def _settings(proxies: str) -> AuthSettings:
    secret = SecretStr("s" * 40)
    return AuthSettings(
        database_url="postgresql://x",
        token_secret=secret,
        grpc_token=secret,
        trusted_proxies=proxies,
    )


@pytest.mark.parametrize(
    "proxies",
    [
        "10.77.0.250 10.0.0.1",
        "10.0.0.0/33",
        "edge",
        "10.0.0.1/8",
        "*",
        "10.0.0.1,",
        "10.0.0.1,edge",
    ],
)
def test_what_is_neither_address_nor_network_is_refused(proxies: str) -> None:
    with pytest.raises(ValidationError, match="separated by commas"):
        _settings(proxies)


@pytest.mark.parametrize(
    ("proxies", "read"),
    [(" ", ""), ("10.77.0.250", "10.77.0.250"), ("10.0.0.0/8, fd00::/8", "10.0.0.0/8,fd00::/8")],
)
def test_addresses_and_networks_are_read(proxies: str, read: str) -> None:
    assert _settings(proxies).trusted_proxies == read

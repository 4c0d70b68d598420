"""What a URL of Sentinels says."""

from __future__ import annotations

import pytest

from servicekit.valkey_url import SentinelUrl, parse_sentinel_url


def test_a_url_of_one_server_has_no_sentinels() -> None:
    assert parse_sentinel_url("redis://:p@127.0.0.1:6379/0") is None
    assert parse_sentinel_url("unix:///run/valkey.sock") is None


def test_a_url_of_sentinels_names_them_and_the_primary() -> None:
    url = "redis+sentinel://app:p%40ss@a:1,b,c:3/counters/2?sentinel_password=s"
    sentinels = (("a", 1), ("b", 26379), ("c", 3))
    assert parse_sentinel_url(url) == SentinelUrl(
        sentinels, "counters", "app", "p@ss", "s", 2, has_tls=False
    )


def test_tls_is_of_servers_and_sentinels() -> None:
    found = parse_sentinel_url("rediss+sentinel://a/counters")
    assert found is not None
    assert found.has_tls
    assert (found.username, found.password, found.sentinel_password, found.db) == (
        None, None, None, 0,
    )  # fmt: skip


@pytest.mark.parametrize("url", ["redis+sentinel://a,b", "redis+sentinel://a/n/first"])
def test_a_url_without_a_primary_or_with_a_wrong_database_says_the_form(url: str) -> None:
    with pytest.raises(ValueError, match="redis\\+sentinel://a,b,c/NAME/0"):
        parse_sentinel_url(url)

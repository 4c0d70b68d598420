"""What URLs of Sentinels and of clusters say."""

from __future__ import annotations

import pytest

from servicekit.valkey_url import (
    ClusterUrl,
    SentinelUrl,
    is_cluster_url,
    parse_cluster_url,
    parse_sentinel_url,
)


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


def test_a_url_of_a_cluster_names_its_nodes() -> None:
    found = parse_cluster_url("redis+cluster://app:p%40ss@a:1,b,[::1]:3/")
    nodes = (("a", 1), ("b", 6379), ("::1", 3))
    assert found == ClusterUrl(nodes, "app", "p@ss", has_tls=False)
    assert parse_cluster_url("rediss+cluster://a") == ClusterUrl(
        (("a", 6379),), None, None, has_tls=True
    )


@pytest.mark.parametrize(
    "url", ["redis://a/0", "unix:///run/valkey.sock", "redis+sentinel://a/n", ""]
)
def test_another_url_names_no_cluster(url: str) -> None:
    assert parse_cluster_url(url) is None
    assert not is_cluster_url(url)


@pytest.mark.parametrize("database", ["/2", "?db=3", "/?db=3", "/0?db=3"])
def test_a_cluster_has_no_databases(database: str) -> None:
    with pytest.raises(ValueError, match="no databases"):
        parse_cluster_url(f"redis+cluster://a,b{database}")


def test_the_first_database_of_a_cluster_may_be_named() -> None:
    assert parse_cluster_url("redis+cluster://a,b/0?db=0") == parse_cluster_url(
        "redis+cluster://a,b"
    )

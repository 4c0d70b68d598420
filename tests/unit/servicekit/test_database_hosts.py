"""The URLs of databases that name several servers."""

from typing import Any

import pytest
from psycopg.conninfo import conninfo_to_dict
from sqlalchemy import make_url
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg

from servicekit.database_hosts import address_of, of_server, servers_of
from servicekit.database_url import driver_url


@pytest.mark.parametrize(
    ("url", "servers"),
    [
        ("postgresql://db", [("db", "5432")]),
        ("postgresql://a:1,b:2/catalog", [("a", "1"), ("b", "2")]),
        ("postgresql:///catalog?host=a,b&port=6", [("a", "6"), ("b", "6")]),
        ("postgresql://[::1]:1,[fd00::2]:2/catalog", [("::1", "1"), ("fd00::2", "2")]),
        ("postgresql:///catalog?host=/run/postgresql", [("/run/postgresql", "5432")]),
    ],
)
def test_the_servers_of_a_url_are_in_its_order(url: str, servers: list[tuple[str, str]]) -> None:
    assert list(servers_of(url)) == servers


@pytest.mark.parametrize(
    "server", [("db.example", "5432"), ("::1", "6432"), ("/run/postgresql", "5432")]
)
@pytest.mark.parametrize("login", [{"user": "ann"}, {"user": "a:nn", "password": "p@ss/ w+%rd"}])
def test_the_url_of_one_server_has_all_else_of_the_url(
    server: tuple[str, str], login: dict[str, str]
) -> None:
    parts = {"user": "ann", **login}
    several = (
        f"postgresql://{':'.join(map(_escaped, parts.values()))}@[::1],b/cat%20alog"
        "?target_session_attrs=any&options=-c%20jit%3Doff&sslmode=require"
    )
    host, port = server
    expected = {
        **parts,
        "host": host,
        "port": port,
        "dbname": "cat alog",
        "options": "-c jit=off",
        "sslmode": "require",
    }
    url = of_server(several, server)
    assert conninfo_to_dict(url) == expected
    dialect: Any = PGDialect_psycopg()
    _, arguments = dialect.create_connect_args(make_url(driver_url(url)))
    assert {name: str(arguments[name]) for name in expected} == expected


@pytest.mark.parametrize(
    ("server", "address"), [(("db", "5432"), "db:5432"), (("::1", "5432"), "[::1]:5432")]
)
def test_the_address_of_a_server_is_written_as_in_a_url(
    server: tuple[str, str], address: str
) -> None:
    assert address_of(server) == address


def _escaped(text: str) -> str:
    return "".join(f"%{byte:02x}" for byte in text.encode())

"""The demo account of a home is kept until the connection has it."""

from pathlib import Path

from devstack.home import Connection, Home

CONNECTION = Connection("http://mcp", "http://site", "mcp_key", "demo@example.org", "secret", {})


def test_an_account_that_was_made_is_known_until_the_connection_has_it(tmp_path: Path) -> None:
    home = Home(tmp_path)
    assert home.demo_account() == ("", "")
    home.write_demo_account("mcp_key", "secret")
    assert home.demo_account() == ("mcp_key", "secret")
    home.write_connection(CONNECTION)
    assert home.demo_account() == ("", "")
    home.write_connection(CONNECTION)


def test_only_the_owner_reads_it(tmp_path: Path) -> None:
    Home(tmp_path).write_demo_account("mcp_key", "secret")
    (file,) = tmp_path.iterdir()
    assert file.stat().st_mode & 0o077 == 0

"""The service that people at this terminal use: its address, their logins, errors in one line."""

from collections.abc import Generator
from contextlib import contextmanager

import typer

from cli.agents.errors import ConfigurationError
from cli.agents.settings import ClientFolderSettings
from cli.commands._shell import home, print_error, readable_errors
from cli.service.address import endpoint
from cli.service.errors import AddressError, TerminalError
from cli.service.http import Http
from cli.service.logins import Logins
from cli.service.session import Session
from cli.text import one_line
from devstack.settings import RemoteSettings
from servicekit.settings import read


def service_url(named: str = "") -> str:
    """Return the endpoint that is named, else that of the environment, of the one login, of the stack that runs here.

    Raises:
        AddressError: There is none, or it is none.
        SettingsError: A variable is of a wrong form.
    """
    if named or (named := read(RemoteSettings).base_url):
        return endpoint(named)
    known = logins().addresses()
    if len(known) == 1:
        return known[0]
    connection = home().connection()
    if connection is None:
        among = f" You are logged in to {', '.join(known)}." if known else ""
        raise AddressError(
            f"No service is named: give its address by --url, or by SPONSORGRAPH_BASE_URL.{among}"
        )
    return endpoint(connection.mcp_url)


def http_client() -> Http:
    """Return a client for requests to the service."""
    return Http()


def logins() -> Logins:
    """Return the logins of the person at this terminal."""
    machine = read(ClientFolderSettings).machine()
    return Logins(machine.application_data / "sponsorgraph" / "logins.json")


def session(url: str, http: Http, *, api_key: str | None = None) -> Session:
    """Return the access to a service, by the key of the environment or the login."""
    key = read(RemoteSettings).api_key.get_secret_value() if api_key is None else api_key
    return Session(http, logins(), url, key)


@contextmanager
def service_errors() -> Generator[None]:
    """End the command with the message of an expected error instead of a traceback."""
    with readable_errors():
        try:
            yield
        except (ConfigurationError, TerminalError) as error:
            print_error(one_line(str(error)))
            raise typer.Exit(1) from error

"""Common parts of the commands: the terminal, the home, and errors in one line."""

from collections.abc import Generator
from contextlib import contextmanager

import typer
from rich.console import Console

from devstack.clients.operations import OperationsClient
from devstack.home import Addresses, Home, HomeError
from devstack.settings import RemoteSettings, StackSettings
from servicekit.grpc.peer_credentials import PeerCredentials

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)

_SELF = "cli"
"""The name that the command has among the processes."""

_REFUSED = {
    "CALLER_UNKNOWN": "The service does not accept this command's token. SPONSORGRAPH_GRPC_TOKEN, or "
    "the file that SPONSORGRAPH_GRPC_TOKEN_FILE names, has to hold the services' own."
}
"""Messages for the person at the terminal, by reason, where the service's own is meant for others."""


def home() -> Home:
    """The home that SPONSORGRAPH_HOME names."""
    return Home(StackSettings().home)


def running_stack() -> tuple[Home, Addresses]:
    """The home and addresses of the stack that the command speaks to.

    Raises:
        HomeError: No stack was ever started there.
    """
    folder = home()
    addresses = folder.addresses()
    if addresses is None:
        raise HomeError(
            f"There is no stack at {folder.path}. Start one with `make run`, or name its home with "
            "SPONSORGRAPH_HOME."
        )
    return folder, addresses


def operations() -> OperationsClient:
    """Operators' calls to the auth service that the environment names, else to the stack's own.

    Raises:
        HomeError: Neither is there.
    """
    remote = RemoteSettings()
    if remote.auth_grpc:
        token = remote.operator_token.get_secret_value()
        return OperationsClient(remote.auth_grpc, token, remote.credentials())
    home, addresses = running_stack()
    keys = home.secrets()
    credentials = addresses.credentials(_SELF, keys)
    return OperationsClient(addresses.auth_grpc, keys.operator_token, credentials)


def catalog_target() -> tuple[str, PeerCredentials]:
    """The catalog service that the environment names, else the stack's own.

    Its target, and what to show there.

    Raises:
        HomeError: Neither is there.
    """
    remote = RemoteSettings()
    if remote.catalog_grpc:
        return remote.catalog_grpc, remote.credentials()
    home, addresses = running_stack()
    return addresses.catalog_grpc, addresses.credentials(_SELF, home.secrets())


@contextmanager
def readable_errors() -> Generator[None]:
    """Ends the command with the message of an expected error instead of a traceback."""
    from pydantic_settings import SettingsError  # noqa: PLC0415

    from devstack.children import ChildError  # noqa: PLC0415 - not every command needs them
    from devstack.engines import EngineError  # noqa: PLC0415
    from devstack.ports import PortError  # noqa: PLC0415
    from servicekit.errors import ServiceError  # noqa: PLC0415

    try:
        yield
    except ServiceError as error:
        err.print(f"[red]Error:[/red] {_REFUSED.get(error.reason, error.public_message)}")
    except (HomeError, PortError, EngineError, ChildError, SettingsError) as error:
        err.print(f"[red]Error:[/red] {error}", markup=True)
    except OSError as error:
        err.print(f"[red]Error:[/red] {error.strerror}: {error.filename or ''}")
    else:
        return
    raise typer.Exit(1)

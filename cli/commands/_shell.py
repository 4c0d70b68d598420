"""Common parts of the commands: the terminal, the home, and errors in one line."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

import typer
from rich.table import Column, Table
from rich.text import Text

from cli.exit_codes import INTERRUPTED, NOT_FOUND, WRONG_USAGE
from cli.text import PlainConsole, lines
from devstack.home import Addresses, Home, HomeError
from devstack.running import runs
from devstack.settings import RemoteSettings, StackSettings
from servicekit.peer_credentials import PeerCredentials
from servicekit.settings import read

# Clients are loaded by the functions that return them: most commands have use for one of them, and `up` for none.
if TYPE_CHECKING:
    from cli.clients.account_operations import AccountOperationsClient
    from cli.clients.redetections import RedetectionClient
    from devstack.clients.operations import OperationsClient
    from devstack.clients.operator_calls import Operator

out = PlainConsole()
err = PlainConsole(stderr=True)

_WIDEST = 100_000
"""Columns of a terminal in which nothing needs another line."""

_SELF = "cli"
"""The name that the command has among the processes."""

_REFUSED = {
    "CALLER_UNKNOWN": "The service does not accept this command's token. SPONSORGRAPH_GRPC_TOKEN, or "
    "the file that SPONSORGRAPH_GRPC_TOKEN_FILE names, has to hold the services' own."
}
"""Messages for the person at the terminal, by reason, where the service's own is meant for others."""


def home() -> Home:
    """The home that SPONSORGRAPH_HOME names."""
    return Home(read(StackSettings).home)


def known_stack() -> tuple[Home, Addresses]:
    """The home and addresses of the stack that runs there, or that has run there.

    Raises:
        HomeError: No stack was ever started there.
    """
    folder = home()
    addresses = folder.addresses()
    if addresses is None:
        raise nothing_runs(folder)
    return folder, addresses


def running_stack() -> tuple[Home, Addresses]:
    """The home and addresses of the stack that the command speaks to.

    Raises:
        HomeError: No stack runs there.
    """
    folder, addresses = known_stack()
    if not runs(addresses.supervisor_pid):
        raise nothing_runs(folder)
    return folder, addresses


def nothing_runs(folder: Home) -> HomeError:
    """Return the refusal of a command that needs the stack of a home."""
    return HomeError(
        f"Nothing runs at {folder.path}: start it with `make run` (or `sponsorgraph up`), or name the "
        "home of a stack that runs with SPONSORGRAPH_HOME."
    )


def id_column(heading: str) -> Column:
    """Return a column whose cells are copied, and so never take more than one line."""
    return Column(heading, no_wrap=True)


def print_table(table: Table) -> None:
    """Print a table so that nothing in it is cut.

    Cells but ids take several lines on a terminal that is too narrow for them. In a file or a pipe each row is
    one line.
    """
    for column in table.columns:
        column.overflow = "fold"
    needed = PlainConsole(width=_WIDEST).measure(table)
    width = max(out.width, needed.minimum) if out.is_terminal else needed.maximum
    PlainConsole(width=width).print(table)


def operations(reason: str = "") -> OperationsClient:
    """Operators' calls to the auth service that the environment names, else to the stack's own.

    Raises:
        HomeError: Neither is there.
    """
    from devstack.clients.operations import OperationsClient  # noqa: PLC0415

    return OperationsClient(*_auth_service(), operator(reason))


def account_operations(reason: str = "") -> AccountOperationsClient:
    """Operators' calls about one account, to the same auth service.

    Raises:
        HomeError: Neither is there.
    """
    from cli.clients.account_operations import AccountOperationsClient  # noqa: PLC0415

    return AccountOperationsClient(*_auth_service(), operator(reason))


def _auth_service() -> tuple[str, str, PeerCredentials]:
    """Return the auth service's address, the operators' token, and what to show there."""
    remote = read(RemoteSettings)
    if remote.auth_grpc:
        return remote.auth_grpc, remote.operator_token.get_secret_value(), remote.credentials()
    home, addresses = running_stack()
    keys = home.secrets()
    return addresses.auth_grpc, keys.operator_token, addresses.credentials(_SELF, keys)


def operator(reason: str) -> Operator:
    """Return who runs this command, with the reason that they give for it."""
    from devstack.clients.operator_calls import Operator, user_at_host  # noqa: PLC0415

    return Operator(read(RemoteSettings).operator_name or user_at_host(), reason)


def operations_target() -> tuple[str, str, PeerCredentials]:
    """Return the auth service that the environment names, else the stack's own, with token and credentials.

    Raises:
        HomeError: Neither is there.
    """
    client = operations()
    return client.target, client.token, client.credentials


def catalog_target() -> tuple[str, PeerCredentials]:
    """Return the catalog service that the environment names, else the stack's own, and what to show there.

    Raises:
        HomeError: Neither is there.
    """
    return _target("catalog_grpc")


def imports_target() -> tuple[str, PeerCredentials]:
    """Return the import worker that the environment names, else the stack's own, and what to show there.

    Raises:
        HomeError: Neither is there.
    """
    return _target("imports_grpc")


def _target(name: Literal["catalog_grpc", "imports_grpc"]) -> tuple[str, PeerCredentials]:
    remote = read(RemoteSettings)
    if address := getattr(remote, name):
        return address, remote.credentials()
    home, addresses = running_stack()
    return getattr(addresses, name), addresses.credentials(_SELF, home.secrets())


def redetections() -> RedetectionClient:
    """Operators' calls to the import worker that the environment names, else to the stack's own.

    Raises:
        HomeError: Neither is there.
    """
    from cli.clients.redetections import RedetectionClient  # noqa: PLC0415

    remote = read(RemoteSettings)
    if remote.imports_grpc:
        token = remote.operator_token.get_secret_value()
        return RedetectionClient(remote.imports_grpc, token, remote.credentials())
    home, addresses = running_stack()
    keys = home.secrets()
    credentials = addresses.credentials(_SELF, keys)
    return RedetectionClient(addresses.imports_grpc, keys.operator_token, credentials)


def print_error(text: str) -> None:
    """Print an error's message without breaking its lines."""
    _print_below("Error:", "red", text)


def print_warning(begin: str, text: str) -> None:
    """Print what is wrong though the command goes on: its `begin` in yellow, no line broken."""
    _print_below(begin, "yellow", text)


def _print_below(begin: str, style: str, text: str) -> None:
    err.print(Text.assemble((begin, style), " ", lines(text)), soft_wrap=True)


@contextmanager
def left_running(work: str, command: str) -> Generator[None]:
    """Say on Ctrl-C that the work goes on, and which command shows it."""
    try:
        yield
    except KeyboardInterrupt:
        # A command that is broken over two lines cannot be copied.
        text = f"{work} goes on without this command, if it has begun: see `{command}`."
        err.print(text, soft_wrap=True)
        raise typer.Exit(INTERRUPTED) from None


@contextmanager
def readable_errors() -> Generator[None]:
    """Ends the command with the message of an expected error instead of a traceback.

    It ends with `WRONG_USAGE` when a service refuses the arguments, with `NOT_FOUND` when what it is about does
    not exist, and with 1 otherwise.
    """
    from pydantic_settings import SettingsError  # noqa: PLC0415

    from devstack.children import ChildError  # noqa: PLC0415 - not every command needs them
    from devstack.engines import EngineError  # noqa: PLC0415
    from devstack.forked_processes import ForkError  # noqa: PLC0415
    from devstack.ports import PortError  # noqa: PLC0415
    from servicekit.errors import InvalidInput, NotFound, ServiceError  # noqa: PLC0415

    code = 1
    try:
        yield
    except ServiceError as error:
        print_error(_REFUSED.get(error.reason, error.public_message))
        if isinstance(error, InvalidInput | NotFound):
            code = NOT_FOUND if isinstance(error, NotFound) else WRONG_USAGE
    except (HomeError, PortError, EngineError, ChildError, ForkError, SettingsError) as error:
        print_error(str(error))
    except OSError as error:
        print_error(f"{error.strerror}: {error.filename or ''}")
    else:
        return
    raise typer.Exit(code)

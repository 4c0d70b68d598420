"""`sponsorgraph up`: the whole stack on this machine until Ctrl-C."""

import time
from contextlib import suppress

import typer
from rich.status import Status

from cli.commands._shell import err, home, out, readable_errors
from cli.exit_codes import INTERRUPTED
from devstack.home import Connection, Home
from devstack.interruption import Interruption, handle_signals
from devstack.settings import StackSettings
from devstack.stack import Stack
from servicekit.settings import read


def up() -> None:
    """Start everything on embedded Postgres and Valkey; Ctrl-C stops it, the data stay."""
    interruption = handle_signals()
    with readable_errors():
        settings = read(StackSettings)
        folder = home()
        folder.open()
        with folder.locked():
            _run(folder, settings, interruption)


def _run(folder: Home, settings: StackSettings, interruption: Interruption) -> None:
    started = time.monotonic()
    with Status("Starting", console=out) as status:
        stack = Stack(folder, settings, status.update)
        try:
            connection = _started(stack, interruption)
            status.stop()
            with suppress(OSError):  # a terminal that is gone, or a file on a full disk
                _banner(folder, connection, time.monotonic() - started)
                for warning in stack.warnings:
                    _say(warning)
            stack.report = _say
            stack.keep_running(connection, interruption.stopped)
            with suppress(OSError):
                out.print("\nStopping")
        finally:
            stack.stop()


def _started(stack: Stack, interruption: Interruption) -> Connection:
    try:
        with interruption.ending_start():
            return stack.start()
    except (KeyboardInterrupt, Exception):
        # Whatever failed after the signal did so because of it.
        if not interruption.stopped.is_set():
            raise
    err.print("Interrupted during the start; all that was started ends now.")
    stack.stop(gracefully=False)
    raise typer.Exit(INTERRUPTED)


def _say(text: str) -> None:
    out.print(text, style="yellow")


def _banner(folder: Home, connection: Connection, seconds: float) -> None:
    call = (
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sponsor.search",'
        '"arguments":{"search":"nordvpm","limit":3}}}'
    )
    out.print(f"Sponsorgraph is ready after {seconds:.1f} s\n", style="bold")
    for label, text in (
        ("MCP URL", connection.mcp_url),
        ("API key", connection.api_key),
        ("Log in", f"{connection.site_url}/login"),
        ("  as", connection.email),
        ("  with", _how_to_log_in(connection, folder)),
        ("Mails", f"are files in {folder.mails}"),
        ("Files", f"{folder.connection_file} has all of this; logs are in {folder.logs}"),
    ):
        # Addresses, keys and passwords are there to be copied: no line is broken.
        out.print(f"{label:<10}{text}", soft_wrap=True)
    out.print("\nTry it:\n")
    out.print(
        f"curl -s {connection.mcp_url} -H 'Authorization: Bearer {connection.api_key}' "
        f"-H 'Content-Type: application/json' -d '{call}'",
        soft_wrap=True,
    )
    out.print("\nCtrl-C stops all of it.")


def _how_to_log_in(connection: Connection, folder: Home) -> str:
    if connection.password:
        return f"password {connection.password}"
    # The account was made by a start that was cut short before its password was written down.
    return f"a new password, by the link that {connection.site_url}/forgot mails to {folder.mails}"

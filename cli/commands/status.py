"""`sponsorgraph status`: what of the stack runs."""

import json
import time
from collections.abc import Container, Iterator, Mapping
from contextlib import suppress
from typing import Annotated, Any

import psutil
import typer
from rich.table import Table
from rich.text import Text

from cli import remote
from cli.commands._shell import out, print_table, readable_errors, running_stack

_RUNS_NOT = "not running"
_WORKS_NOT = {
    _RUNS_NOT,
    psutil.STATUS_STOPPED,
    psutil.STATUS_TRACING_STOP,
    psutil.STATUS_ZOMBIE,
    psutil.STATUS_DEAD,
}


def status(
    *,
    watch: Annotated[
        float | None,
        typer.Option(min=1, metavar="SECONDS", help="Show it again and again, until Ctrl-C."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON, with --watch a line each time.")
    ] = False,
) -> None:
    """Show each process of the stack, its memory and its age; of services elsewhere, whether they work.

    Memory is that of a process with those that it started and that have no line of their own.

    The command ends with 1 if one of them does not run or work.
    """
    with readable_errors():
        while True:
            all_work = _show(as_json=as_json, on_one_line=watch is not None)
            if watch is None:
                break
            time.sleep(watch)
    if not all_work:
        raise typer.Exit(1)


def _show(*, as_json: bool, on_one_line: bool) -> bool:
    """Print the state of now; return whether all works."""
    is_remote = remote.is_named()
    found = current_state()
    if as_json:
        typer.echo(json.dumps(found, indent=None if on_one_line else 2))
    elif is_remote:
        _print_services(found["services"])
    else:
        _print_processes(found)
    if is_remote:
        return all(part["works"] for part in found["services"])
    return all(process["state"] not in _WORKS_NOT for process in found["processes"])


def current_state() -> Mapping[str, Any]:
    """Return the state of the services that the environment names, else of the stack's processes.

    Raises:
        HomeError: Neither is there.
    """
    return _services() if remote.is_named() else _processes()


def _services() -> Mapping[str, Any]:
    parts = remote.services()
    return {"services": [{"name": p.name, "works": p.works, "detail": p.detail} for p in parts]}


def _print_services(services: list[Mapping[str, Any]]) -> None:
    table = Table("service", "state", "")
    for part in services:
        state = "works" if part["works"] else Text("does not work", "red")
        table.add_row(part["name"], state, part["detail"])
    print_table(table)


def _processes() -> Mapping[str, Any]:
    folder, addresses = running_stack()
    connection = folder.connection()
    pids = {"supervisor": addresses.supervisor_pid, **(connection.pids if connection else {})}
    listed = frozenset(pids.values())
    return {
        "processes": [
            {"name": name, "pid": pid, **_facts(pid, listed)} for name, pid in pids.items()
        ],
        "mcp_url": connection.mcp_url if connection else None,
    }


def _print_processes(found: Mapping[str, Any]) -> None:
    table = Table("process", "pid", "state", "memory", "running for")
    for process in found["processes"]:
        name, pid, state = process["name"], str(process["pid"]), process["state"]
        if state == _RUNS_NOT:
            table.add_row(name, pid, Text(state, "red"), "", "")
        else:
            memory = f"{process['memory_bytes'] / 1e6:.0f} MB"
            table.add_row(name, pid, state, memory, f"{process['seconds']:.0f} s")
    print_table(table)
    if found["mcp_url"]:
        out.print(f"MCP URL {found['mcp_url']}", soft_wrap=True)


def _memory(process: psutil.Process) -> int:
    """Return its proportional set size, as the services share memory; all that is resident where it is not known."""
    try:
        return process.memory_full_info().pss
    except (psutil.AccessDenied, AttributeError):
        return process.memory_info().rss


def _tree(process: psutil.Process, listed: Container[int]) -> Iterator[psutil.Process]:
    """Yield a process and those that it started, without those that are listed by themselves and what these started."""
    yield process
    with suppress(psutil.Error):  # where others' processes are hidden, it counts alone
        for child in process.children():
            if child.pid not in listed:
                yield from _tree(child, listed)


def _tree_memory(process: psutil.Process, listed: Container[int]) -> int:
    total = 0
    for part in _tree(process, listed):
        with suppress(psutil.Error):
            total += _memory(part)
    return total


def _facts(pid: int, listed: Container[int]) -> Mapping[str, Any]:
    try:
        process = psutil.Process(pid)
        with process.oneshot():
            return {
                "state": process.status(),
                "memory_bytes": _tree_memory(process, listed),
                "seconds": round(time.time() - process.create_time(), 1),
            }
    except psutil.Error:
        return {"state": _RUNS_NOT, "memory_bytes": None, "seconds": None}

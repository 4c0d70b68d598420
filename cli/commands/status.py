"""`sponsorgraph status`: what of the stack runs."""

import time

import psutil
from rich.table import Table

from cli.commands._shell import out, readable_errors, running_stack


def status() -> None:
    """Show each process of the stack, its memory and its age."""
    with readable_errors():
        folder, addresses = running_stack()
        connection = folder.connection()
        table = Table("process", "pid", "state", "memory", "running for")
        pids = dict(connection.pids) if connection else {}
        for name, pid in {"supervisor": addresses.supervisor_pid, **pids}.items():
            table.add_row(name, str(pid), *_facts(pid))
        out.print(table)
        if connection:
            out.print(f"MCP URL {connection.mcp_url}")


def _facts(pid: int) -> tuple[str, str, str]:
    try:
        process = psutil.Process(pid)
        with process.oneshot():
            age = time.time() - process.create_time()
            memory = process.memory_info().rss / 1e6
            return process.status(), f"{memory:.0f} MB", f"{age:.0f} s"
    except psutil.Error:
        return "[red]not running[/red]", "", ""

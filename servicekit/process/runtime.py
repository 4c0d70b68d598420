"""Run a service's main coroutine until SIGTERM or SIGINT, on uvloop."""

import asyncio
import contextlib
import gc
import resource
import signal
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Final, TypeVar

import uvloop
from prometheus_client import start_http_server
from pydantic_settings import SettingsError

from servicekit.observability import logs, telemetry
from servicekit.process import shutdown
from servicekit.process.event_loop import EventLoop
from servicekit.process.start import StartError, prepared
from servicekit.settings import ServiceSettings, exit_with
from servicekit.unknown_settings import unknown_settings

R = TypeVar("R")

log = logs.get(__name__)

_YOUNG_OBJECTS: Final = 10_000
"""New objects before the youngest are looked through: those of some ten calls at a time."""

_TURN_SECONDS: Final = 0.0001
"""Longest that a thread of Python goes on while another one waits."""


def run(service: str, settings: ServiceSettings, main: Coroutine[Any, Any, R]) -> R:
    """Configure logs, metrics and traces and run `main` to its end; return what it gives.

    Settings that turn out to be unusable end the process with their sentence, and so does the want of
    what it cannot start without.
    """
    logs.configure(service, settings)
    for sentence in unknown_settings(type(settings)):
        log.warning("setting_unknown", detail=sentence)
    _allow_descriptors()
    if settings.metrics_port is not None:
        _serve_metrics(settings.metrics_host, settings.metrics_port)
    try:
        with telemetry.traced(service, settings):
            return uvloop.run(main, loop_factory=EventLoop)
    except SettingsError as error:  # such as certificates that cannot be read
        exit_with(error)
    except StartError as error:
        log.error("start_failed", error=str(error))  # noqa: TRY400 - its message says it all
        sys.exit(1)


def _allow_descriptors() -> None:
    """Let the process open as many files and connections as it may.

    Shells give 1,024, which is kept for programs that use select(2).
    """
    _, hard_limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    # macOS names no limit and refuses to be told none.
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard_limit, hard_limit))


def _serve_metrics(host: str, port: int) -> None:
    try:
        start_http_server(port, host)
    except OSError as error:  # no reason not to serve
        log.warning("metrics_not_served", host=host, port=port, error=str(error))


async def serve_until_stopped(
    opening: Callable[[], AbstractAsyncContextManager[object]],
    drain_seconds: float = 0.0,
    preparation: Callable[[], Awaitable[None]] | None = None,
) -> None:
    """Open the service after its preparation, wait for a signal to stop, send callers elsewhere, and close it."""
    with shutdown.of_this_process() as graceful_shutdown:
        async with stop_signal() as stopped:
            if preparation is not None and not await prepared(preparation(), stopped):
                return
            async with opening():
                _tune_interpreter()
                log.info("service_ready")
                await stopped.wait()
                log.info("service_stopping")
                await graceful_shutdown.drain(drain_seconds)


def _tune_interpreter() -> None:
    """Prepare the interpreter for short calls.

    Objects that exist by now are exempt from garbage collection, which stopped every call under way
    for a tenth of a second. And gRPC's own thread, which delivers the responses, waits for the
    interpreter's lock no longer than `_TURN_SECONDS`, where Python's default is five milliseconds.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_YOUNG_OBJECTS, 20, 50)
    sys.setswitchinterval(_TURN_SECONDS)


@asynccontextmanager
async def stop_signal() -> AsyncGenerator[asyncio.Event]:
    """Yield an event that SIGTERM or SIGINT sets."""
    loop = asyncio.get_running_loop()
    stopped = asyncio.Event()
    signals = (signal.SIGTERM, signal.SIGINT)
    for number in signals:
        loop.add_signal_handler(number, stopped.set)
    try:
        yield stopped
    finally:
        for number in signals:
            loop.remove_signal_handler(number)

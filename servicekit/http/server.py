"""uvicorn inside a running loop: opened and closed like the rest, signals left to the process."""

import asyncio
import contextlib
import functools
import socket
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager
from typing import Any, Final, cast

import uvicorn

from servicekit.http.protocol import BoundedHttp
from servicekit.http.refusal_log import RefusalLog
from servicekit.observability import logs
from servicekit.process import shutdown
from servicekit.process.addresses import family_of

KEEP_ALIVE_SECONDS: Final = 150
"""The time for which an idle connection stays open: longer than with clients and proxies (Caddy two
minutes), so that they end it. Whoever ends it may have a request of the other on its way."""

log = logs.get(__name__)


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        """The process has its own way to be told to stop."""
        yield

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop listening, and serve what has connected until then.

        Closing a listener resets the connections that the kernel has taken and nobody has accepted yet.
        """
        listeners = [listener.dup() for listener in sockets or ()]
        for server in self.servers:
            server.close()
        loop = asyncio.get_running_loop()
        for listener in listeners:
            for connection in accept_pending(listener):
                await loop.connect_accepted_socket(self._new_protocol, connection)
        await super().shutdown(sockets)

    def _new_protocol(self) -> asyncio.Protocol:
        make = cast("Callable[..., asyncio.Protocol]", self.config.http_protocol_class)
        state = self.lifespan.state
        return make(config=self.config, server_state=self.server_state, app_state=state)


def accept_pending(listener: socket.socket) -> list[socket.socket]:
    """Accept the connections that wait at the listener, and close it."""
    accepted: list[socket.socket] = []
    # BlockingIOError says that there are no more, another that no descriptors are left.
    with listener, contextlib.suppress(OSError):
        listener.setblocking(False)
        while True:
            accepted.append(listener.accept()[0])
    return accepted


@asynccontextmanager
async def serve_http(  # noqa: PLR0913 - each is a fact of the server, by name
    app: Any,
    host: str,
    port: int,
    grace_seconds: int,
    *,
    request_timeout_seconds: float = 20.0,
    write_timeout_seconds: float = 60.0,
    trusted_proxies: str = "",
    shares_port: bool = False,
) -> AsyncGenerator[int]:
    """Serve the ASGI application until the block ends; yield the port.

    A request has to arrive within `request_timeout_seconds`, or its connection ends. So does that of a client
    that reads nothing of its response for `write_timeout_seconds`.
    `trusted_proxies` are the addresses and networks, comma-separated, that are believed when they tell
    a caller's address in X-Forwarded-For; nobody is while it is empty. `shares_port` lets other
    processes that say so, too, listen beside this one.

    Raises:
        OSError: The address is taken or may not be bound.
    """
    # Not with the module: a process that services are forked from loads that, and has no metrics.
    from servicekit.http.metrics import UNREAD_RESPONSES, count_refusal  # noqa: PLC0415

    listener = socket.create_server(
        (host, port), family=family_of(host), backlog=2048, reuse_port=shares_port
    )
    graceful_shutdown = shutdown.current()
    graceful_shutdown.on_begin()
    config = uvicorn.Config(
        app,
        # A class of protocols in effect, which is all that uvicorn asks of it.
        http=cast(
            "Any",
            functools.partial(
                BoundedHttp,
                request_timeout_seconds,
                write_timeout_seconds,
                graceful_shutdown,
                UNREAD_RESPONSES.inc,
                RefusalLog(count_refusal).add,
            ),
        ),
        interface="asgi3",
        ws="none",
        lifespan="off",
        access_log=False,
        log_config=None,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        proxy_headers=bool(trusted_proxies),
        forwarded_allow_ips=trusted_proxies,  # else uvicorn trusts all of this machine
        timeout_graceful_shutdown=grace_seconds,
    )
    server = _Server(config)
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    while not server.started:  # uvicorn tells nobody
        if serving.done():
            listener.close()
            await serving
            raise OSError("The HTTP server ended before it had started.")
        await asyncio.sleep(0.001)
    bound_port: int = listener.getsockname()[1]
    log.info("http_listening", host=host, port=bound_port)
    try:
        yield bound_port
    finally:
        server.should_exit = True
        await serving

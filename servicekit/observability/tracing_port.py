"""The port of traces, which `servicekit.observability.tracing` implements while they are on."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Final, Literal, Protocol

Kind = Literal["server", "consumer", "client"]
"""The kind of a span: a request to serve, a job to run, or a call to another system."""


UNTRACED_METHODS: Final = ("Execute",)
"""Names of the gRPC methods that are called over streams. Their messages are traced, the streams are not."""


class Tracing(Protocol):
    """Makes spans."""

    def span(self, name: str, kind: Kind, traceparent: str | None) -> AbstractContextManager[Any]:
        """Return a span in the caller's trace if it names one, else below the current span."""
        ...

    def trace_id(self) -> str | None:
        """Return the id of the trace that the current span is in."""
        ...

    def traceparent(self) -> str | None:
        """Return the current span, for those who come after it."""
        ...

    def mark(self, span: Any, attributes: dict[str, str | int], failure: str | None) -> None:
        """Add facts to a span, the current one for None."""
        ...

    def client_interceptors(self) -> Sequence[Any]: ...

    def server_interceptors(self) -> Sequence[Any]: ...

    def end(self) -> None: ...

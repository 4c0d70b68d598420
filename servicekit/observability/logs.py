"""Structured logs on standard error: JSON for machines, colours for a person."""

import logging
import sys
from typing import Any

import structlog
from structlog.typing import EventDict, Processor

from servicekit.observability import telemetry
from servicekit.settings import ServiceSettings

_NOISY_LOGGERS = ("httpx2", "httpcore2", "httpx", "httpcore", "stripe")
"""They log every request with its URL or customer; callers log what fails themselves."""

_SECRET_KEYS = frozenset({"authorization", "password", "secret", "api_key", "token", "cookie"})


def _add_request_ids(_logger: object, _method: str, event: EventDict) -> EventDict:
    context = telemetry.current()
    if context is not None:
        event.setdefault("request_id", context.request_id)
        event.setdefault("trace_id", context.trace_id)
    return event


def _redact(_logger: object, _method: str, event: EventDict) -> EventDict:
    for key in event.keys() & _SECRET_KEYS:
        event[key] = "[redacted]"
    return event


def _on_one_line(_logger: object, _method: str, event: EventDict) -> EventDict:
    """Show control characters by their escapes, which a terminal would obey; JSON does it itself."""
    for key, value in event.items():
        if isinstance(value, str) and key != "exception" and not value.isprintable():
            event[key] = value.encode("unicode_escape").decode()
    return event


def configure(service: str, settings: ServiceSettings) -> None:
    """Send structlog's and the standard library's records through one chain."""
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _add_request_ids,
        _redact,
    ]
    rendering: list[Processor] = (
        [structlog.processors.JSONRenderer()]
        if settings.log_format == "json"
        else [_on_one_line, structlog.dev.ConsoleRenderer()]
    )
    level = logging.getLevelNamesMapping()[settings.log_level.upper()]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info,
                *rendering,
            ],
        )
    )
    logging.basicConfig(handlers=[handler], level=level, force=True)
    for name in _NOISY_LOGGERS:
        logging.getLogger(name).setLevel(max(level, logging.WARNING))
    structlog.contextvars.bind_contextvars(service=service)


def get(name: str) -> Any:
    """Return a logger; keyword arguments of its calls become fields of the record."""
    return structlog.get_logger(name)

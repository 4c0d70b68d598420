"""Search the logs of a stack for all that was logged about one request."""

import json
from collections.abc import Generator, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, cast

Line = Mapping[str, Any]

_IDS: Final = ("request_id", "trace_id", "error_id")


def lines_of_request(folder: Path, identifier: str) -> Sequence[Line]:
    """Return the log lines about a request, the oldest first.

    Services give the request ids of their own, in one trace: what shares a trace with a line that has
    the id is about the request, too.

    Args:
        folder: The logs, a file a process.
        identifier: A request's id, the id of its trace, or that of an error.
    """
    own = list(_lines(folder, [identifier]))
    traces = {str(line["trace_id"]) for line in own if line.get("trace_id")}
    found = list(_lines(folder, sorted(traces))) if traces else []
    found += [line for line in own if not line.get("trace_id")]
    return sorted(found, key=lambda line: str(line.get("timestamp", "")))


def _lines(folder: Path, identifiers: Sequence[str]) -> Generator[Line]:
    """Yield the lines that have one of the ids, with the name of their file as `process`."""
    wanted = [identifier.encode() for identifier in identifiers]
    for log in sorted(folder.glob("*.log")):
        with log.open("rb") as file:
            for raw in file:
                if any(item in raw for item in wanted):
                    yield from _decoded(raw, identifiers, log.stem)


def _decoded(raw: bytes, identifiers: Iterable[str], process: str) -> Generator[Line]:
    try:
        value: object = json.loads(raw)
    except ValueError:  # an engine's line, which is no JSON, or one that is being written
        return
    if not isinstance(value, dict):
        return
    line = cast("dict[str, Any]", value)
    if any(str(line.get(name)) in identifiers for name in _IDS):
        yield {"process": process, **line}

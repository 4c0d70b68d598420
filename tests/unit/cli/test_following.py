"""A stream of changes goes on when the service that sends it was restarted."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

import grpc
import pytest

from cli.clients.following import changes, started
from servicekit.errors import Unavailable
from servicekit.grpc.errors import to_status


def error(code: grpc.StatusCode) -> grpc.aio.AioRpcError:
    return grpc.aio.AioRpcError(code, grpc.aio.Metadata(), grpc.aio.Metadata())


UNAVAILABLE = error(grpc.StatusCode.UNAVAILABLE)


def streams(*parts: Sequence[int | Exception]) -> Callable[[], AsyncIterator[int]]:
    left = list(parts)

    async def watch() -> AsyncIterator[int]:
        for item in left.pop(0):
            if isinstance(item, Exception):
                raise item
            yield item

    return watch


async def test_a_stream_that_breaks_off_is_opened_again() -> None:
    watch = streams([1, 2, UNAVAILABLE], [UNAVAILABLE], [2, 3])
    assert [change async for change in changes(watch, pause=0)] == [1, 2, 2, 3]


async def test_a_service_that_is_away_too_long_is_given_up() -> None:
    watch = streams([1, UNAVAILABLE], *[[UNAVAILABLE]] * 1_000)
    with pytest.raises(grpc.aio.AioRpcError):
        assert not [change async for change in changes(watch, seconds=0, pause=0)]


def calls(*outcomes: str | Exception) -> Callable[[], Awaitable[str]]:
    left = list(outcomes)

    async def start() -> str:
        outcome = left.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    return start


async def test_work_is_started_as_soon_as_its_service_is_back() -> None:
    assert await started(calls(UNAVAILABLE, UNAVAILABLE, "begun"), pause=0) == "begun"


async def test_a_start_at_a_service_that_stays_away_is_given_up() -> None:
    with pytest.raises(grpc.aio.AioRpcError, match="UNAVAILABLE"):
        await started(calls(*[UNAVAILABLE] * 1_000), seconds=0, pause=0)


async def test_what_the_service_itself_says_is_final() -> None:
    status = to_status(Unavailable("YouTube does not answer now."))
    trailing = grpc.aio.Metadata(("grpc-status-details-bin", status.SerializeToString()))
    refusal = grpc.aio.AioRpcError(
        grpc.StatusCode.UNAVAILABLE, grpc.aio.Metadata(), trailing, status.message
    )
    with pytest.raises(grpc.aio.AioRpcError, match="YouTube"):
        await started(calls(refusal, "begun"))


async def test_a_refused_start_is_final() -> None:
    with pytest.raises(grpc.aio.AioRpcError, match="NOT_FOUND"):
        await started(calls(error(grpc.StatusCode.NOT_FOUND), "begun"))


async def test_a_refusal_is_final() -> None:
    watch = streams([error(grpc.StatusCode.NOT_FOUND)], [1])
    with pytest.raises(grpc.aio.AioRpcError, match="NOT_FOUND"):
        assert not [change async for change in changes(watch)]

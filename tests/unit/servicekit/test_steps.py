"""Steps of periodic work do not depend on each other."""

import asyncio

from structlog.testing import capture_logs

from servicekit.process.steps import run_steps


async def _done(number: int) -> int:
    return number


async def _failed() -> int:
    raise ValueError("odd")


async def _hanging() -> int:
    await asyncio.sleep(3_600)
    return 1


async def test_a_step_that_fails_or_hangs_is_logged_once_under_an_id_and_the_others_go_on() -> None:
    with capture_logs() as lines:
        done = await run_steps(
            [
                ("first", _failed),
                ("second", _hanging),
                ("third", lambda: _done(2)),
                ("third", lambda: _done(3)),
            ],
            seconds=0.05,
        )
    assert (done["third"], done["first"]) == (5, 0)
    assert [(line["event"], line["step"], line["reason"]) for line in lines] == [
        ("step_failed", "first", "ValueError"),
        ("step_failed", "second", "TimeoutError"),
    ]
    assert len({line["error_id"] for line in lines}) == 2


async def test_a_cancellation_ends_all_steps() -> None:
    task = asyncio.create_task(run_steps([("first", _hanging), ("second", _hanging)]))
    await asyncio.sleep(0)
    task.cancel()
    (ended,) = await asyncio.gather(task, return_exceptions=True)
    assert isinstance(ended, asyncio.CancelledError)

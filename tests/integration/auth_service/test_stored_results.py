"""Answers that were paid for, as they are in Valkey."""

from __future__ import annotations

import zlib
from datetime import UTC, datetime

from auth_service.domain.explore.ports import StoredResult
from auth_service.storage.results import ValkeyResults
from servicekit.valkey import open_client

READ = StoredResult('{"sponsor": "n 1"}', datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC))


async def test_a_result_comes_back_with_the_second_in_which_it_was_read(fresh_valkey: str) -> None:
    async with open_client(fresh_valkey) as valkey:
        results = ValkeyResults(valkey)
        await results.put("a", READ, 60)
        assert await results.get(["a", "b"]) == [READ, None]


async def test_a_result_of_an_earlier_release_counts_as_old(fresh_valkey: str) -> None:
    async with open_client(fresh_valkey) as valkey:
        await valkey.set("sponsorgraph:answers:a", zlib.compress(READ.text.encode()))
        (found,) = await ValkeyResults(valkey).get(["a"])
    assert found == StoredResult(READ.text, datetime.fromtimestamp(0, UTC))


async def test_without_valkey_nothing_is_stored_and_nothing_fails() -> None:
    async with open_client("redis://127.0.0.1:1/0") as valkey:
        results = ValkeyResults(valkey)
        await results.put("a", READ, 60)
        assert await results.get(["a"]) == [None]

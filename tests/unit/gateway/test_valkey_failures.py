"""What cannot be done without Valkey is refused with a message that names it."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any, Final

import pytest

from devstack.ports import free_port
from gateway.quota.valkey_generation import ValkeyGenerationStore
from gateway.storage.dpop_proofs import ValkeyProofs
from gateway.storage.idempotency import ValkeyIdempotencyStore
from gateway.storage.reply_channel import ValkeyReplyChannel
from gateway.storage.valkey_client import open_valkey
from servicekit.errors import Unavailable

Request = Callable[[Any], Awaitable[object]]

REQUESTS: Final[dict[str, Request]] = {
    "The request counter": lambda valkey: ValkeyGenerationStore(valkey).read(),
    "The check of `idempotency_key`": lambda valkey: ValkeyIdempotencyStore(valkey).put(
        "call", b"result", 1
    ),
    "The check of DPoP proofs": lambda valkey: ValkeyProofs(valkey).add(b"proof", 1),
    "The channel of replies to requests for input": lambda valkey: ValkeyReplyChannel(
        valkey, valkey, 1
    ).post("a" * 64, b"reply"),
}


@pytest.fixture
async def absent_valkey() -> AsyncGenerator[Any]:
    """A client of a server that does not run."""
    client = open_valkey(f"redis://127.0.0.1:{free_port()}", timeout=5)
    yield client
    await client.aclose()


@pytest.mark.parametrize(("subject", "request_of"), REQUESTS.items(), ids=REQUESTS)
async def test_a_failure_of_valkey_names_what_cannot_be_done(
    absent_valkey: Any, subject: str, request_of: Request
) -> None:
    with pytest.raises(Unavailable) as failure:
        await request_of(absent_valkey)
    assert failure.value.public_message == (
        f"{subject} does not answer now. Try again in a few seconds."
    )
    assert failure.value.retry_after == 2.0

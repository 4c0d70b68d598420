"""A connection that ended while it waited in the pool costs no command."""

from typing import Any

from servicekit.valkey import open_client


async def test_a_command_is_sent_again_when_its_connection_has_ended(valkey_url: str) -> None:
    client: Any = open_client(valkey_url, socket_timeout=2)
    other: Any = open_client(valkey_url, socket_timeout=2)
    try:
        await client.set("key", "value")
        assert await other.client_kill_filter(_id=await client.client_id()) == 1
        assert await client.get("key") == b"value"
    finally:
        await client.aclose()
        await other.aclose()

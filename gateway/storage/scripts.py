"""Lua scripts in Valkey, gathered: those of one moment go there in one pipeline."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from redis.asyncio import Redis
from redis.exceptions import NoScriptError

from servicekit.gathering import Gatherer

_MOST: Final = 64


@dataclass(frozen=True, slots=True)
class ScriptCall:
    """One call of a script. `about` is for whoever made it."""

    script: str
    keys: tuple[str, ...]
    arguments: tuple[object, ...]
    about: Any = None


class GatheredScripts:
    """Runs scripts by their hash, and tells Valkey those that it has forgotten.

    Args:
        valkey: An open connection pool.
        scripts: All that may be run.
        unclaimed: Told of a reply whose caller was cancelled after the call had left.
    """

    def __init__(
        self,
        valkey: Redis,
        scripts: Sequence[str],
        unclaimed: Callable[[ScriptCall, Any], None],
    ) -> None:
        self._valkey: Any = valkey
        self._hashes = {script: hashlib.sha1(script.encode()).hexdigest() for script in scripts}  # noqa: S324 - Valkey's
        self._gatherer = Gatherer[ScriptCall, Any](self._send, most=_MOST, unclaimed=unclaimed)

    async def run(self, call: ScriptCall) -> Any:
        """What the script gives.

        Raises:
            RedisError, OSError: Valkey refused it or did not answer.
        """
        return await self._gatherer.ask(call)

    async def _send(self, calls: Sequence[ScriptCall]) -> Sequence[Any]:
        replies = await self._pipelined(calls)
        forgotten = [i for i, reply in enumerate(replies) if isinstance(reply, NoScriptError)]
        if forgotten:
            # A script that is not known has not run: only those calls are made again.
            for script in {calls[i].script for i in forgotten}:
                await self._valkey.script_load(script)
            again = await self._pipelined([calls[i] for i in forgotten])
            for index, reply in zip(forgotten, again, strict=True):
                replies[index] = reply
        return replies

    async def _pipelined(self, calls: Sequence[ScriptCall]) -> list[Any]:
        async with self._valkey.pipeline(transaction=False) as pipeline:
            for call in calls:
                pipeline.evalsha(
                    self._hashes[call.script], len(call.keys), *call.keys, *call.arguments
                )
            return await pipeline.execute(raise_on_error=False)

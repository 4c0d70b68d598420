"""A client of a Valkey cluster, whose failures are those of redis-py's other clients."""

import asyncio
import hashlib
import time
from collections.abc import Awaitable, Iterable, Sequence
from typing import Any, Final, TypeVar, cast

from redis._parsers import AsyncCommandsParser
from redis.asyncio.cluster import ClusterNode, ClusterPipeline, ClusterPubSub, RedisCluster
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import (
    ClusterError,
    NoScriptError,
    RedisClusterException,
    RedisError,
    ResponseError,
)
from redis.exceptions import (
    ConnectionError as ValkeyConnectionError,
)

from servicekit.valkey_url import ClusterUrl

_MAX_CONNECTIONS: Final = 1_024
"""To a node. redis-py fails a command that finds none free, and callers limit what is under way."""

_SLOTS_SECONDS: Final = 0.2
"""Shortest time between two reads of the slots, each of which takes some milliseconds of CPU."""

REDIS_PY_FAILURES: Final = (OSError, RedisClusterException, LookupError, AttributeError)
"""What redis-py raises beside a `RedisError`: also where it knows no node for a slot, or none by a name."""

_NO_NODE: Final = "The Valkey cluster names no node for the slot of a key now."

_NO_SLOTS: Final = (
    "The Valkey cluster has no slots yet: its nodes respond, and none of them has one. "
    "It is used once it is formed."
)

T = TypeVar("T")


class ClusterScript:
    """A script that is sent as a whole to a node that does not know it.

    redis-py's own loads it on all primaries, and so fails while any of them is away.
    """

    def __init__(self, client: "ClusterClient", text: str) -> None:
        self._client: Any = client
        self._text = text
        self._sha = hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()

    async def __call__(self, keys: Sequence[str], args: Iterable[Any] = ()) -> Any:
        found = (*keys, *args)
        try:
            return await self._client.evalsha(self._sha, len(keys), *found)
        except NoScriptError:
            return await self._client.eval(self._text, len(keys), *found)

    async def run_all(self, runs: Sequence[tuple[Sequence[str], Iterable[Any]]]) -> list[Any]:
        """Return the replies to several runs, each with its keys and arguments; those for a node are sent together.

        Raises:
            RedisError: The first error of any of them; others may have been executed.
        """
        if len(runs) == 1:
            return [await self(*runs[0])]
        pipeline = self._client.pipeline()
        for keys, args in runs:
            pipeline.execute_command("EVALSHA", self._sha, len(keys), *keys, *args)
        replies: list[Any] = await pipeline.execute(raise_on_error=False)
        for reply in replies:
            if isinstance(reply, Exception) and not isinstance(reply, NoScriptError):
                raise _of_client(self._client, reply)
        return [
            await self(*run) if isinstance(reply, NoScriptError) else reply
            for run, reply in zip(runs, replies, strict=True)
        ]


class _Pipeline(ClusterPipeline):
    """Commands that are sent together, and that are no transaction."""

    async def execute(
        self,
        raise_on_error: bool = True,  # noqa: FBT001, FBT002 - redis-py's signature
        allow_redirections: bool = True,  # noqa: FBT001, FBT002
    ) -> list[Any]:
        try:
            return await super().execute(raise_on_error, allow_redirections)
        except (RedisError, *REDIS_PY_FAILURES) as error:
            raise _of_client(self.cluster_client, error) from error


class _PubSub(ClusterPubSub):
    """A subscription at the node that has the channel's slot; each node has the messages of all."""

    async def execute_command(self, *args: Any, **kwargs: Any) -> Any:
        try:
            await self.cluster.initialize()
            return await super().execute_command(*args, **kwargs)
        except (RedisError, *REDIS_PY_FAILURES) as error:
            raise _of_client(self.cluster, error) from error


class _Commands(AsyncCommandsParser):
    """Where the keys of commands stand, read once: redis-py reads it with the slots, in 0.1 s of CPU."""

    async def initialize(self, node: ClusterNode | None = None) -> None:
        if not self.commands:
            await super().initialize(node)
        elif node is not None:
            self.node = node


class ClusterClient(RedisCluster):
    """redis-py raises errors that are no `RedisError`, and reads the slots anew only after some of them.

    It also forgets the nodes that it was given when a cluster names none, as one does that is not formed yet.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)  # pyright: ignore[reportUnknownMemberType] - its types are partial
        self.commands_parser = _Commands()
        self._seeds = tuple(self.startup_nodes)
        self._slots_at = self._failed_at = -_SLOTS_SECONDS
        self._failure = ""
        self._reading = asyncio.Lock()

    def node_of(self, key: str) -> str:
        """Return the name of the node that is known to have a key, "" for none."""
        found = self.nodes_manager.slots_cache.get(self.keyslot(key))
        return found[0].name if found else ""

    def find_slots_again(self) -> None:
        """Read the slots before the next command."""
        self._initialize = True

    async def initialize(
        self,
        additional_startup_nodes_info: list[tuple[str, int]] | None = None,
        last_failed_node_name: str | None = None,
    ) -> RedisCluster:
        if not self._initialize:
            return self
        now, manager = time.monotonic(), cast("Any", self.nodes_manager)
        if now - self._slots_at < _SLOTS_SECONDS and manager.default_node is not None:
            self._initialize = False
            return self
        self._slots_at = now
        async with self._reading:
            # Commands that waited for an attempt share its failure.
            if self._failure and time.monotonic() - self._failed_at < _SLOTS_SECONDS:
                raise ValkeyConnectionError(self._failure)
            await self._read_slots(additional_startup_nodes_info, last_failed_node_name)
        return self

    async def _read_slots(
        self, more_nodes: list[tuple[str, int]] | None, last_failed_node_name: str | None
    ) -> None:
        """Read the slots from the nodes that were known last, or from those of the URL.

        Raises:
            ValkeyConnectionError: None of them names any.
        """
        nodes = cast("Any", self.nodes_manager).startup_nodes
        for seed in self._seeds:
            nodes.setdefault(seed.name, seed)
        self._failure = ""
        try:
            await super().initialize(more_nodes, last_failed_node_name)
        except (RedisError, *REDIS_PY_FAILURES, TypeError, ValueError) as error:
            self._failure = describe_failure(error)
            self._failed_at = time.monotonic()
            raise ValkeyConnectionError(self._failure) from error

    async def execute_command(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return await super().execute_command(*args, **kwargs)
        except REDIS_PY_FAILURES as error:
            raise _of_client(self, error) from error

    def pipeline(self, transaction: Any = None, shard_hint: Any = None) -> ClusterPipeline:
        """Return a pipeline; what has to be one step is a script."""
        del transaction, shard_hint
        opening: Any = _Pipeline  # its protocols declare attributes that it gets from its client
        return opening(self)

    def pubsub(
        self,
        node: ClusterNode | None = None,
        host: str | None = None,
        port: int | None = None,
        **kwargs: Any,
    ) -> ClusterPubSub:
        """Return a subscription, at a node that has the slot now: no command that was refused said so."""
        self.find_slots_again()
        return _PubSub(self, node=node, host=host, port=port, **kwargs)

    def register_script(self, script: Any) -> Any:
        return ClusterScript(self, script)


def _of_client(client: RedisCluster, error: Exception) -> Exception:
    """Return the error as one that callers know; the slots are read anew, unless a node has refused the command."""
    is_refusal = isinstance(error, ResponseError) and not isinstance(error, ClusterError)
    if isinstance(client, ClusterClient) and not is_refusal:
        client.find_slots_again()
    if isinstance(error, RedisError | OSError):
        return error
    return ValkeyConnectionError(describe_failure(error))


def describe_failure(error: Exception) -> str:
    """Return a sentence for an error of redis-py."""
    if isinstance(error, IndexError):  # none of the nodes is a primary with slots
        return _NO_SLOTS
    return _NO_NODE if isinstance(error, LookupError | AttributeError) else str(error)


def open_cluster(url: ClusterUrl, *, retries: int, **options: Any) -> ClusterClient:
    """Return a client that connects when it is used.

    Args:
        url: Some of the nodes; the client finds the others, and their slots.
        retries: How often a command is sent again whose response was lost.
        options: Those of redis-py's connections.
    """
    return ClusterClient(
        startup_nodes=[ClusterNode(host, port) for host, port in url.nodes],
        # One primary that is away takes its own slots with it, not those of the others.
        require_full_coverage=False,
        # By default each fifth MOVED ends all connections, with the commands under way on them.
        reinitialize_steps=0,
        max_connections=_MAX_CONNECTIONS,
        retry=Retry(NoBackoff(), retries),
        username=url.username,
        password=url.password,
        ssl=url.has_tls,
        **options,
    )


async def all_of(commands: Iterable[Awaitable[T]]) -> list[T]:
    """Return the responses to commands that are sent at the same time.

    Raises:
        RedisError: The first error, once all of them have ended.
    """
    found = await asyncio.gather(*commands, return_exceptions=True)
    for response in found:
        if isinstance(response, BaseException):
            raise response
    return [response for response in found if not isinstance(response, BaseException)]

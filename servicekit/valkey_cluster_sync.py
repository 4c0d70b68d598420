"""A client of a Valkey cluster for code that cannot await; its failures are those of redis-py's other clients."""

from typing import Any, cast

from redis.cluster import ClusterNode, RedisCluster
from redis.exceptions import ConnectionError as ValkeyConnectionError

from servicekit.valkey_cluster_client import REDIS_PY_FAILURES, describe_failure
from servicekit.valkey_url import ClusterUrl


class SyncClusterClient(RedisCluster):
    """redis-py reads the slots anew from the nodes that it knew last, and not where those have none."""

    def __init__(self, url: ClusterUrl, **options: Any) -> None:
        self._seeds = [ClusterNode(host, port) for host, port in url.nodes]
        self._has_lost_slots = False
        try:
            super().__init__(  # pyright: ignore[reportUnknownMemberType] - its types are partial
                startup_nodes=self._seeds,
                require_full_coverage=False,
                username=url.username,
                password=url.password,
                ssl=url.has_tls,
                **options,
            )
        except REDIS_PY_FAILURES as error:
            raise ValkeyConnectionError(describe_failure(error)) from error

    def execute_command(self, *args: Any, **kwargs: Any) -> Any:
        execute = cast("Any", super()).execute_command
        try:
            if self._has_lost_slots:
                self._find_slots()
            return execute(*args, **kwargs)
        except REDIS_PY_FAILURES as error:
            self._has_lost_slots = True
            raise ValkeyConnectionError(describe_failure(error)) from error

    def _find_slots(self) -> None:
        manager: Any = self.nodes_manager
        manager.startup_nodes = {seed.name: seed for seed in self._seeds} | manager.startup_nodes
        manager.initialize()
        self._has_lost_slots = False

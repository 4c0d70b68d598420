"""Names in Valkey that services share: of the channel of revocations, and of the keys that count.

The keys have one tag on a single server, and a tag for each shard of accounts on a cluster.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final
from zlib import crc32

from redis.crc import key_slot

from servicekit.valkey_url import is_cluster_url

REVOCATION_CHANNEL: Final = "sponsorgraph:entitlements"
"""The auth service publishes on it that a credential or an account has changed; each gateway listens."""

FIRST_EPOCH: Final = "0"
"""Its counters have the names from before there were epochs."""

SHARDS: Final = 32
"""Shards of accounts on a cluster. Another number gives accounts other keys, so it never changes."""

_SLOTS: Final = 16_384


class Shard:
    """The keys that a script touches together, for some of the accounts.

    Attributes:
        tag: The beginning of their names; its braces put them into one slot of a cluster.
        usage_stream: Admitted calls on their way to the ledger.
        catalog_version: The version that the catalog service announces.
        generation: The generation of the counters in use.
        write_probe: Written each second by every gateway: a Valkey that is read from may still
            refuse to write.
    """

    def __init__(self, tag: str) -> None:
        self.tag = tag
        self.usage_stream = f"{tag}:usage"
        self.catalog_version = f"{tag}:catalog"
        self.generation = f"{tag}:generation"
        self.write_probe = f"{tag}:writable"

    def burst(self, account_id: str) -> str:
        """Return the key of an account's burst bucket."""
        return f"{self.tag}:burst:{account_id}"

    def counter(self, account_id: str, month: str, epoch: str = FIRST_EPOCH) -> str:
        """Return the key of the counter of an account's month, given as "2026-11"."""
        return f"{self.counters(epoch)}{account_id}:{month}"

    def counters(self, epoch: str = FIRST_EPOCH) -> str:
        """Return the beginning of the names of an epoch's counters."""
        return f"{self.tag}:month:" + ("" if epoch == FIRST_EPOCH else f"{epoch}:")


class KeyLayout:
    """The shards of a Valkey; an account is in one of them."""

    def __init__(self, tags: Iterable[str]) -> None:
        self.shards = tuple(Shard(tag) for tag in tags)

    @property
    def is_sharded(self) -> bool:
        """Whether this is the layout of a cluster."""
        return len(self.shards) > 1

    def shard_of(self, account_id: str) -> Shard:
        """Return the shard that has an account's keys."""
        shards = self.shards
        if len(shards) == 1:
            return shards[0]
        return shards[crc32(account_id.encode()) % len(shards)]


SINGLE: Final = KeyLayout(["sponsorgraph:{quota}"])
"""Of a server, or a primary with Sentinels: one script counts a batch of calls, whatever their accounts."""


@lru_cache(maxsize=1)
def cluster_layout() -> KeyLayout:
    """Return the layout of a cluster, in the order of slots.

    The numbers in the tags are the first that are spread evenly over the slots, so that each
    primary has its part of the accounts.
    """
    width = _SLOTS // SHARDS
    tags: dict[int, str] = {}
    number = 0
    while len(tags) < SHARDS:
        tags.setdefault(
            key_slot(f"quota-{number}".encode()) // width, f"sponsorgraph:{{quota-{number}}}"
        )
        number += 1
    return KeyLayout(tags[index] for index in range(SHARDS))


def layout_of(url: str) -> KeyLayout:
    """Return the layout of the Valkey that a URL names."""
    return cluster_layout() if is_cluster_url(url) else SINGLE

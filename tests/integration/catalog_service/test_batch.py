"""Many requests in one call, and changes that are announced."""

from typing import Any

import msgspec
import pytest
import redis.asyncio as redis
from google.rpc import status_pb2

from catalog_service.storage.version_publisher import ValkeyVersions
from protos.catalog.v1 import batch_pb2, batch_pb2_grpc
from protos.catalog.v1 import catalog_pb2 as pb
from servicekit.errors import InvalidInput, NotFound
from servicekit.grpc.codec import encode
from servicekit.grpc.errors import from_status
from servicekit.grpc.stream_client import StreamClient
from servicekit.valkey_keys import SINGLE
from shapes.catalog.sponsors import Sponsor, SponsorPage
from shapes.catalog.youtubers import Youtuber, YoutuberPage


def request(method: str, request: Any) -> batch_pb2.BatchedRequest:
    return batch_pb2.BatchedRequest(method=method, request=request.SerializeToString())


def message(response: batch_pb2.BatchedResponse, cls: type[Any], message_type: Any) -> Any:
    """Return a batched response as the message that the RPC returns by itself."""
    return encode(msgspec.json.decode(response.json, type=cls), message_type)


async def call_batch(catalog: Any, requests: list[batch_pb2.BatchedRequest]) -> Any:
    stub: Any = batch_pb2_grpc.BatchCatalogStub(catalog.channel)
    stream = StreamClient[Any, Any]("Execute", stub.Execute)
    try:
        return (await stream.call(batch_pb2.BatchRequest(requests=requests), within=30.0)).responses
    finally:
        stream.close()


async def test_each_request_has_its_own_result_or_error(catalog: Any) -> None:
    requests = [
        request("SearchSponsors", pb.SearchSponsorsRequest(search="nord", limit=3)),
        request("GetSponsor", pb.SponsorRequest(sponsor="nobody of this name")),
        batch_pb2.BatchedRequest(method="Ingest"),
        batch_pb2.BatchedRequest(method="GetSponsor", request=b"\xff\xff"),
        request("ListCategories", pb.CategoriesRequest()),
    ]
    responses = await call_batch(catalog, requests)
    kinds = [response.WhichOneof("outcome") for response in responses]
    assert kinds == ["json", "error", "error", "error", "json"]
    alone = await catalog.stub.SearchSponsors(pb.SearchSponsorsRequest(search="nord", limit=3))
    assert message(responses[0], SponsorPage, pb.SponsorPage) == alone
    errors = [from_status(status_pb2.Status.FromString(responses[i].error)) for i in (1, 2, 3)]
    assert [type(error) for error in errors] == [NotFound, InvalidInput, InvalidInput]


async def test_a_record_is_the_same_in_a_batch_and_alone(catalog: Any) -> None:
    youtuber = pb.YoutuberRequest(youtuber="ada", record=True)
    sponsor = pb.SponsorRequest(sponsor="azura-vpn", record=True)
    found, found_brand = await call_batch(
        catalog, [request("GetYoutuber", youtuber), request("GetSponsor", sponsor)]
    )
    alone = await catalog.stub.GetYoutuber(youtuber)
    assert message(found, Youtuber, pb.Youtuber) == alone
    assert alone.record.renewal.known == 3
    alone = await catalog.stub.GetSponsor(sponsor)
    assert message(found_brand, Sponsor, pb.Sponsor) == alone
    assert alone.record.renewal.known == 2


async def test_a_message_has_a_bounded_number_of_requests(catalog: Any) -> None:
    with pytest.raises(InvalidInput, match="At most 64"):
        await call_batch(catalog, [batch_pb2.BatchedRequest(method="ListCategories")] * 65)


@pytest.mark.parametrize("method", ["SearchSponsors", "SearchYoutubers"])
async def test_searches_in_one_batch_give_what_each_gives_by_itself(
    catalog: Any, method: str
) -> None:
    words = ["azura", "e", "azura vnp", "nobody of this name", "nest", "bob", "cyd pl", "dam daily"]
    name = f"{method}Request"
    requests = [getattr(pb, name)(search=word, limit=limit) for word in words for limit in (1, 3)]
    alone: list[Any] = [await getattr(catalog.stub, method)(item) for item in requests]
    assert len({item.SerializeToString() for item in alone}) > 3
    batched = [request(method, item) for item in requests]
    together = await call_batch(catalog, batched)
    pages: Any = {
        "SearchSponsors": (SponsorPage, pb.SponsorPage),
        "SearchYoutubers": (YoutuberPage, pb.YoutuberPage),
    }
    assert [message(item, *pages[method]) for item in together] == alone


async def test_what_is_announced_is_the_version_that_the_database_holds_in_the_end(
    fresh_valkey: str,
) -> None:
    """Another process may change the catalogue, and announce that, between reading and announcing."""
    held = iter(["1-a", "2-b", "2-b"])

    async def read_version() -> str:
        return next(held)

    opening: Any = redis.Redis
    versions = ValkeyVersions(fresh_valkey, read_version)
    async with opening.from_url(fresh_valkey) as client:
        await versions.announce()
        assert await client.get(SINGLE.shards[0].catalog_version) == b"2-b"
    await versions.close()


@pytest.mark.parametrize("url", ["redis://127.0.0.1:1/0"])
async def test_without_valkey_a_change_is_announced_later_and_nothing_fails(url: str) -> None:
    async def read_version() -> str:
        return "1-a"

    versions = ValkeyVersions(url, read_version)
    await versions.announce()
    await versions.close()

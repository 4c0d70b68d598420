"""Many questions in one call, and changes that are announced."""

from typing import Any

import msgspec
import pytest
import redis.asyncio as redis
from google.rpc import status_pb2

from catalog_service.domain.answers.sponsors import SponsorPage
from catalog_service.domain.answers.youtubers import YoutuberPage
from catalog_service.storage.announcing import KEY, ValkeyVersions
from protos.catalog.v1 import catalog_pb2 as pb
from protos.catalog.v1 import gathered_pb2, gathered_pb2_grpc
from servicekit.errors import InvalidInput, NotFound
from servicekit.grpc_errors import from_status
from servicekit.kept_calls import KeptCalls
from servicekit.wire import encode


def question(method: str, request: Any) -> gathered_pb2.Question:
    return gathered_pb2.Question(method=method, request=request.SerializeToString())


def message(answer: gathered_pb2.Answer, cls: type[Any], message_type: Any) -> Any:
    """What an answer says, as the message that says it to those who asked alone."""
    return encode(msgspec.json.decode(answer.json, type=cls), message_type)


async def ask_many(catalog: Any, asked: list[gathered_pb2.Question]) -> Any:
    stub: Any = gathered_pb2_grpc.GatheredCatalogStub(catalog.channel)
    kept = KeptCalls[Any, Any]("AskMany", stub.AskMany)
    try:
        return (await kept.ask(gathered_pb2.Questions(questions=asked), within=30.0)).answers
    finally:
        kept.close()


async def test_each_question_has_its_own_answer_or_error(catalog: Any) -> None:
    asked = [
        question("SearchSponsors", pb.SearchSponsorsRequest(search="nord", limit=3)),
        question("GetSponsor", pb.SponsorRequest(sponsor="nobody of this name")),
        gathered_pb2.Question(method="Ingest"),
        gathered_pb2.Question(method="GetSponsor", request=b"\xff\xff"),
        question("ListCategories", pb.CategoriesRequest()),
    ]
    answers = await ask_many(catalog, asked)
    kinds = [answer.WhichOneof("outcome") for answer in answers]
    assert kinds == ["json", "error", "error", "error", "json"]
    alone = await catalog.stub.SearchSponsors(pb.SearchSponsorsRequest(search="nord", limit=3))
    assert message(answers[0], SponsorPage, pb.SponsorPage) == alone
    errors = [from_status(status_pb2.Status.FromString(answers[i].error)) for i in (1, 2, 3)]
    assert [type(error) for error in errors] == [NotFound, InvalidInput, InvalidInput]


async def test_a_message_has_a_bounded_number_of_questions(catalog: Any) -> None:
    with pytest.raises(InvalidInput, match="At most 64"):
        await ask_many(catalog, [gathered_pb2.Question(method="ListCategories")] * 65)


@pytest.mark.parametrize("method", ["SearchSponsors", "SearchYoutubers"])
async def test_searches_asked_together_are_answered_as_if_asked_alone(
    catalog: Any, method: str
) -> None:
    words = ["azura", "e", "azura vnp", "nobody of this name", "nest", "bob", "cyd pl", "dam daily"]
    name = f"{method}Request"
    asked = [getattr(pb, name)(search=one, limit=limit) for one in words for limit in (1, 3)]
    alone: list[Any] = [await getattr(catalog.stub, method)(one) for one in asked]
    assert len({one.SerializeToString() for one in alone}) > 3
    questions = [question(method, one) for one in asked]
    together = await ask_many(catalog, questions)
    pages: Any = {
        "SearchSponsors": (SponsorPage, pb.SponsorPage),
        "SearchYoutubers": (YoutuberPage, pb.YoutuberPage),
    }
    assert [message(one, *pages[method]) for one in together] == alone


async def test_a_change_raises_the_version_for_all_gateways(fresh_valkey: str) -> None:
    opening: Any = redis.Redis
    versions = ValkeyVersions(fresh_valkey)
    async with opening.from_url(fresh_valkey) as client:
        await versions.announce()
        await versions.announce()
        assert await client.get(KEY) == b"2"
    await versions.close()


@pytest.mark.parametrize("url", ["redis://127.0.0.1:1/0"])
async def test_without_valkey_a_change_is_announced_later_and_nothing_fails(url: str) -> None:
    versions = ValkeyVersions(url)
    await versions.announce()
    await versions.close()

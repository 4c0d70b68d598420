"""Requests to YouTube and responses of its stand-in fit Google's own description."""

import json
from collections.abc import AsyncGenerator, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import redis.asyncio as redis

from devstack.ports import free_port
from devstack.youtube.api import PARTS, Api, Units
from devstack.youtube.catalogue import Catalogue
from devstack.youtube.fields import parse, paths
from devstack.youtube.server import ReceivedRequest
from import_worker.clients.youtube_api import PAGE_SIZE, YouTubeApi
from import_worker.clients.youtube_quota import Quota
from import_worker.domain.sources import Reference
from import_worker.settings import ImportSettings
from tests.fakes.youtube import MAKER, NO_ELICITATION, made_catalogue, made_video, running_youtube

DOCUMENTS = files("googleapiclient") / "discovery_cache" / "documents"
DISCOVERY: Any = json.loads((DOCUMENTS / "youtube.v3.json").read_text(encoding="utf-8"))
SCHEMAS: Any = DISCOVERY["schemas"]
RESPONSES = {
    "channels": "ChannelListResponse",
    "playlistItems": "PlaylistItemListResponse",
    "videos": "VideoListResponse",
}
TYPES: dict[str, type] = {"string": str, "boolean": bool, "integer": int, "number": float}
OPENING: Any = redis.Redis


def faults(value: Any, schema: Any, path: str) -> Iterator[str]:
    """Yield the differences between a JSON value and its schema."""
    schema = SCHEMAS[schema["$ref"]] if "$ref" in schema else schema
    if schema["type"] == "object":
        for name, inner in value.items():
            properties = schema.get("properties", {})
            below = properties.get(name) or schema.get("additionalProperties")
            if below is None:
                yield f"{path}.{name} is not in the schema"
            else:
                yield from faults(inner, below, f"{path}.{name}")
    elif schema["type"] == "array":
        for inner in value:
            yield from faults(inner, schema["items"], f"{path}[]")
    elif type(value) is not TYPES[schema["type"]]:
        yield f"{path} is a {type(value).__name__}, not a {schema['type']}"
    elif "enum" in schema and value not in schema["enum"]:
        yield f"{path} is {value!r}, which is none of {schema['enum']}"


def is_property(path: tuple[str, ...], schema: Any) -> bool:
    """Return whether a path of names leads to a property that has no further ones."""
    schema = SCHEMAS[schema["$ref"]] if "$ref" in schema else schema
    if schema["type"] == "array":
        return is_property(path, schema["items"])
    if not path:
        return schema["type"] != "object"
    below = schema.get("properties", {}).get(path[0])
    return below is not None and is_property(path[1:], below)


def rich_catalogue() -> Catalogue:
    catalogue = made_catalogue(60)
    catalogue.channels[0].videos += [
        made_video(61, placement=True),
        made_video(62, privacy="private"),
        made_video(63, privacy="deleted"),
        made_video(64, privacy="unlisted"),
    ]
    catalogue.index()
    return catalogue


REQUESTS: list[tuple[str, dict[str, str]]] = [
    ("channels", {"id": f"{MAKER},{NO_ELICITATION}"}),
    ("channels", {"forHandle": "@empty"}),
    ("channels", {"forUsername": "makerold"}),
    ("channels", {"id": NO_ELICITATION}),
    ("playlistItems", {"playlistId": "UUmakermakermakermaker00", "maxResults": "50"}),
    ("videos", {"id": "video000001,video000061,video000064,nosuchvideo"}),
]


@pytest.mark.parametrize(("resource", "query"), REQUESTS)
def test_every_response_of_the_stand_in_fits_googles_schema(
    resource: str, query: dict[str, str]
) -> None:
    catalogue = rich_catalogue()
    api = Api(catalogue, Units(10, lambda: catalogue.channels[0].videos[0].published_at))
    response = api.query(resource, {**query, "part": ",".join(sorted(PARTS[resource]))}, "key")
    assert list(faults(response, {"$ref": RESPONSES[resource]}, resource)) == []


def test_the_schema_check_sees_what_is_wrong() -> None:
    wrong = {"items": [{"statistics": {"viewCount": 3}, "made": 1}], "nextPageToken": None}
    assert list(faults(wrong, {"$ref": "VideoListResponse"}, "videos")) == [
        "videos.items[].statistics.viewCount is a int, not a string",
        "videos.items[].made is not in the schema",
        "videos.nextPageToken is a NoneType, not a string",
    ]


@pytest.fixture(scope="module")
async def received() -> AsyncGenerator[list[ReceivedRequest]]:
    """All kinds of requests that the client sends."""
    async with (
        running_youtube(made_catalogue(60)) as running,
        OPENING.from_url(f"redis://127.0.0.1:{free_port()}") as nowhere,
    ):
        source = YouTubeApi(running.http, "key", Quota(nowhere, "key", budget=100))
        for reference in (
            Reference("channel_id", MAKER),
            Reference("handle", "@makersons"),
            Reference("username", "makerold"),
            Reference("video_id", "video000001"),
        ):
            channel = await source.resolve(reference)
            page = await source.uploads(channel, None)
            await source.uploads(channel, page.following)
            await source.videos([upload.video_id for upload in page.uploads])
        yield list(running.youtube.received)


def method(path: str) -> Any:
    resource = path.rpartition("/")[2]
    return DISCOVERY["resources"][resource]["methods"]["list"]


def test_the_paths_are_googles(received: list[ReceivedRequest]) -> None:
    address = ImportSettings.model_fields["youtube_url"].default
    assert f"{address}/" == DISCOVERY["rootUrl"]
    assert {item.path for item in received} == {
        f"/{method(name)['path']}" for name in ("channels", "playlistItems", "videos")
    }


def test_every_parameter_that_is_sent_exists(received: list[ReceivedRequest]) -> None:
    sent = {(item.path, name) for item in received for name in item.params}
    unknown = {
        (path, name)
        for path, name in sent
        if name not in method(path)["parameters"] and name not in DISCOVERY["parameters"]
    }
    assert sent
    assert not unknown


def test_required_parameters_are_sent_and_pages_are_no_larger_than_allowed(
    received: list[ReceivedRequest],
) -> None:
    for item in received:
        parameters = method(item.path)["parameters"]
        required = {name for name, parameter in parameters.items() if parameter.get("required")}
        assert required <= item.params.keys()
        if "maxResults" in item.params:
            assert int(item.params["maxResults"]) == PAGE_SIZE
            assert int(parameters["maxResults"]["maximum"]) >= PAGE_SIZE


def test_every_requested_field_is_a_property_of_a_requested_part(
    received: list[ReceivedRequest],
) -> None:
    for item in received:
        schema = {"$ref": RESPONSES[item.path.rpartition("/")[2]]}
        parts = {"id", *item.params["part"].split(",")}
        for path in paths(parse(item.params["fields"])):
            assert is_property(path, schema), path
            assert path[0] != "items" or path[1] in parts, path


def test_every_requested_part_is_read(received: list[ReceivedRequest]) -> None:
    for item in received:
        read = {path[1] for path in paths(parse(item.params["fields"])) if path[0] == "items"}
        assert set(item.params["part"].split(",")) <= read


def test_the_description_is_of_a_known_revision() -> None:
    assert Path(str(DOCUMENTS)).is_dir()
    assert DISCOVERY["revision"] >= "20260101"

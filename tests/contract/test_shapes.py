"""The generated dataclasses carry what the messages carry, and say what each field is."""

import dataclasses
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import pytest
from google.protobuf.message_factory import GetMessageClass

from protos.auth.v1 import auth_pb2, diagnostics_pb2
from protos.catalog.v1 import catalog_pb2
from protos.imports.v1 import imports_pb2
from scripts import gen_shapes
from servicekit.grpc.codec import decode, encode
from shapes import imports
from shapes.auth import auth, diagnostics
from shapes.catalog import (
    categories,
    comparisons,
    corrections,
    dataset,
    events,
    ingest,
    lists,
    outlook,
    records,
    resolution,
    shared,
    sponsors,
    topics,
    videos,
    youtubers,
)
from tests.fakes.messages import filled

MODULES = (
    auth,
    categories,
    comparisons,
    corrections,
    dataset,
    diagnostics,
    events,
    resolution,
    imports,
    ingest,
    lists,
    outlook,
    records,
    shared,
    sponsors,
    topics,
    videos,
    youtubers,
)
SHAPES: dict[str, Any] = {
    name: value
    for module in MODULES
    for name, value in vars(module).items()
    if dataclasses.is_dataclass(value)
}
RESULTS = {
    method.output_type.name: method.output_type
    for file, service in (
        (catalog_pb2, "Catalog"),
        (catalog_pb2, "Corrections"),
        (imports_pb2, "Imports"),
        (imports_pb2, "BulkImports"),
        (imports_pb2, "Follows"),
        (imports_pb2, "FollowLimits"),
    )
    for method in file.DESCRIPTOR.services_by_name[service].methods
}


@pytest.mark.parametrize("name", sorted(RESULTS))
def test_a_result_survives_its_dataclass_unchanged(name: str) -> None:
    cls = GetMessageClass(RESULTS[name])
    message = filled(cls())
    assert encode(decode(message, SHAPES[name]), cls) == message


def test_a_message_comment_is_the_docstring_and_a_field_comment_the_description() -> None:
    hint: Any = get_type_hints(shared.YoutuberCard, include_extras=True)["subscribers"]
    assert shared.YoutuberCard.__doc__ == "A creator with totals."
    assert get_origin(hint) is Annotated
    assert get_args(hint)[1] == "Subscribers at the last look, if public."


def test_facts_are_built_from_what_is_known_and_results_in_full() -> None:
    assert ingest.YoutuberFact(key="k", name="Name").subscribers is None
    with pytest.raises(TypeError):
        shared.Totals(videos=1)  # pyright: ignore[reportCallIssue]


def test_a_shape_with_defaults_is_built_from_its_first_field() -> None:
    report = auth.LeaseReport("gateway-1")
    assert (report.epoch, report.has_stopped) == ("", False)
    with pytest.raises(TypeError):
        auth.LeaseReport()  # pyright: ignore[reportCallIssue]


@pytest.mark.parametrize("name", sorted(gen_shapes.CHOSEN["auth"]))
def test_of_the_auth_service_the_chosen_messages_are_shapes_and_survive_them(name: str) -> None:
    descriptor = getattr(diagnostics_pb2 if name in vars(diagnostics) else auth_pb2, name)
    message = filled(descriptor())
    assert encode(decode(message, SHAPES[name]), descriptor) == message
    assert not hasattr(auth, "Usage")


def test_the_committed_dataclasses_are_those_of_the_protos() -> None:
    for path, text in gen_shapes.render(gen_shapes.load()).items():
        assert path.read_text() == text

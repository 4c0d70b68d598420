"""Services of this version and of the last release understand each other's RPCs.

`tests/contract/released/rpcs.json` has the messages and methods of the last release; a release writes it anew by
`WRITE_RELEASED_RPCS=1`. What is in it may be added to, and neither taken away nor changed: during an upgrade an old gateway
speaks to a new catalog service, and a new one to an old. Names of fields are not sent: one that is renamed keeps its number and
its type, and is renamed in that file by hand.
"""

import copy
import json
import os
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import pytest
from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor, FileDescriptor

ROOT: Final = Path(__file__).parents[2]
RELEASED: Final = Path(__file__).parent / "released" / "rpcs.json"
Contract = dict[str, dict[str, Any]]


def files() -> Iterator[FileDescriptor]:
    for path in sorted((ROOT / "protos").glob("*/v1/*_pb2.py")):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        yield import_module(name).DESCRIPTOR


def contract() -> Contract:
    """Return messages by field number, enums by value, and methods by name, as this version has them."""
    found: Contract = {"messages": {}, "enums": {}, "methods": {}}
    for file in files():
        for message in file.message_types_by_name.values():
            _add_message(found, message)
        for enum in file.enum_types_by_name.values():
            _add_enum(found, enum)
        for service in file.services_by_name.values():
            for method in service.methods:
                found["methods"][method.full_name] = [
                    method.input_type.full_name,
                    method.output_type.full_name,
                    method.client_streaming,
                    method.server_streaming,
                ]
    return found


def _add_message(found: Contract, message: Descriptor) -> None:
    found["messages"][message.full_name] = {
        str(field.number): _field(field) for field in message.fields
    }
    for nested in message.nested_types:
        _add_message(found, nested)
    for enum in message.enum_types:
        _add_enum(found, enum)


def _add_enum(found: Contract, enum: EnumDescriptor) -> None:
    found["enums"][enum.full_name] = {str(value.number): value.name for value in enum.values}


def _field(field: FieldDescriptor) -> list[Any]:
    other = field.message_type or field.enum_type
    oneof = field.containing_oneof.name if field.containing_oneof else ""
    return [field.name, field.type, field.is_repeated, other.full_name if other else "", oneof]


def broken(released: Contract, current: Contract) -> list[str]:
    """Return what of the release is gone or is another thing now."""
    problems: list[str] = []
    for kind in ("messages", "enums"):
        for name, members in released[kind].items():
            now = current[kind].get(name, {})
            problems += [
                f"{name}, number {number}: {member} is now {now.get(number, 'gone')}"
                for number, member in members.items()
                if now.get(number) != member
            ]
    problems += [
        f"{name}: {signature} is now {current['methods'].get(name, 'gone')}"
        for name, signature in released["methods"].items()
        if current["methods"].get(name) != signature
    ]
    return problems


def released_contract() -> Contract:
    if os.environ.get("WRITE_RELEASED_RPCS"):
        RELEASED.write_text(json.dumps(contract(), indent=1, sort_keys=True) + "\n")
    return json.loads(RELEASED.read_text())


def test_nothing_of_the_last_release_is_gone_or_changed() -> None:
    assert broken(released_contract(), contract()) == []


def test_the_last_release_has_every_service() -> None:
    services = {name.rpartition(".")[0] for name in released_contract()["methods"]}
    assert len(services) >= 5
    assert len(released_contract()["messages"]) > 50


@pytest.mark.parametrize("kind", ["messages", "enums", "methods"])
def test_what_is_taken_away_is_noticed(kind: str) -> None:
    released, current = released_contract(), copy.deepcopy(released_contract())
    name = next(name for name, members in current[kind].items() if members)
    del current[kind][name]
    assert any(problem.startswith(name) for problem in broken(released, current))


def test_a_field_with_another_number_or_type_is_noticed_and_a_new_one_is_not() -> None:
    released = released_contract()
    name, fields = next(
        (name, fields) for name, fields in released["messages"].items() if "1" in fields
    )
    moved, retyped, grown = (copy.deepcopy(released) for _ in range(3))
    moved["messages"][name]["999"] = moved["messages"][name].pop("1")
    retyped["messages"][name]["1"][1] += 1
    grown["messages"][name]["999"] = fields["1"]
    assert len(broken(released, moved)) == 1
    assert len(broken(released, retyped)) == 1
    assert broken(released, grown) == []

"""Each RPC has a caller outside the tests."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from google.protobuf.descriptor import ServiceDescriptor

from protos.alerts.v1 import alerts_pb2
from protos.auth.v1 import auth_pb2, diagnostics_pb2
from protos.catalog.v1 import batch_pb2, catalog_pb2, events_pb2
from protos.imports.v1 import imports_pb2

_ROOT = Path(__file__).parents[2]
_CALLERS = ("auth_service", "gateway", "import_worker", "cli", "devstack")
_IN_BATCHES = "Catalog"
"""The gateway sends this service's queries in batches, by the names of its methods."""


def _names() -> Iterator[str]:
    """Yield attributes and texts: a client calls `stub.GetImport`, or by the method's name."""
    for folder in _CALLERS:
        for path in (_ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Attribute):
                    yield node.attr
                elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield node.value


@pytest.mark.parametrize(
    "service",
    [
        service
        for module in (
            alerts_pb2,
            auth_pb2,
            batch_pb2,
            catalog_pb2,
            diagnostics_pb2,
            events_pb2,
            imports_pb2,
        )
        for service in module.DESCRIPTOR.services_by_name.values()
        if service.name != _IN_BATCHES
    ],
    ids=lambda service: service.name,
)
def test_each_rpc_has_a_caller(service: ServiceDescriptor) -> None:
    called = set(_names())
    assert {method.name for method in service.methods} <= called

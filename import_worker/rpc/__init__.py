"""The gRPC server of imports."""

import grpc.aio

from import_worker.domain.bulk_requests import BulkImports
from import_worker.domain.import_operations import ImportOperations
from import_worker.domain.redetections import Redetections
from import_worker.domain.requests import Imports
from import_worker.rpc.bulk_imports import BulkImportsServicer
from import_worker.rpc.import_operations import ImportOperationsServicer
from import_worker.rpc.imports import ImportsServicer
from import_worker.rpc.redetections import RedetectionsServicer
from protos.imports.v1 import imports_pb2 as pb
from protos.imports.v1 import imports_pb2_grpc as pb_grpc


def add_servicers(
    server: grpc.aio.Server,
    imports: Imports,
    bulk_imports: BulkImports,
    redetections: Redetections,
    operations: ImportOperations,
    operator_token: str,
) -> str:
    """Add the servicers; return the full name of the service that health speaks of."""
    operators = RedetectionsServicer(redetections, operator_token)
    pb_grpc.add_RedetectionsServicer_to_server(operators, server)
    pb_grpc.add_ImportOperationsServicer_to_server(
        ImportOperationsServicer(operations, operator_token), server
    )
    pb_grpc.add_ImportsServicer_to_server(ImportsServicer(imports), server)
    pb_grpc.add_BulkImportsServicer_to_server(BulkImportsServicer(bulk_imports), server)
    return pb.DESCRIPTOR.services_by_name["Imports"].full_name

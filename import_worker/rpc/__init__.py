"""The gRPC server of imports."""

from dataclasses import dataclass

import grpc.aio

from import_worker.domain.bulk_requests import BulkImports
from import_worker.domain.follow_requests import FollowLimits, Follows
from import_worker.domain.import_operations import ImportOperations
from import_worker.domain.redetections import Redetections
from import_worker.domain.requests import Imports
from import_worker.rpc.bulk_imports import BulkImportsServicer
from import_worker.rpc.follows import FollowLimitsServicer, FollowsServicer
from import_worker.rpc.import_operations import ImportOperationsServicer
from import_worker.rpc.imports import ImportsServicer
from import_worker.rpc.redetections import RedetectionsServicer
from protos.imports.v1 import imports_pb2 as pb
from protos.imports.v1 import imports_pb2_grpc as pb_grpc


@dataclass(frozen=True, slots=True)
class UseCases:
    """What the RPCs call."""

    imports: Imports
    bulk_imports: BulkImports
    follows: Follows
    follow_limits: FollowLimits
    redetections: Redetections
    operations: ImportOperations


def add_servicers(server: grpc.aio.Server, use_cases: UseCases, operator_token: str) -> str:
    """Add the servicers; return the full name of the service that health speaks of."""
    operators = RedetectionsServicer(use_cases.redetections, operator_token)
    pb_grpc.add_RedetectionsServicer_to_server(operators, server)
    pb_grpc.add_ImportOperationsServicer_to_server(
        ImportOperationsServicer(use_cases.operations, operator_token), server
    )
    pb_grpc.add_ImportsServicer_to_server(ImportsServicer(use_cases.imports), server)
    pb_grpc.add_BulkImportsServicer_to_server(BulkImportsServicer(use_cases.bulk_imports), server)
    pb_grpc.add_FollowsServicer_to_server(FollowsServicer(use_cases.follows), server)
    pb_grpc.add_FollowLimitsServicer_to_server(
        FollowLimitsServicer(use_cases.follow_limits), server
    )
    return pb.DESCRIPTOR.services_by_name["Imports"].full_name

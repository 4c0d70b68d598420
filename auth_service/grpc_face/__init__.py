"""The gRPC face: what the gateway asks, and what operators do."""

import grpc.aio

from auth_service.domain.access import Access
from auth_service.domain.operations import Operations
from auth_service.grpc_face.access import AccessServicer
from auth_service.grpc_face.operations import OperationsServicer
from protos.auth.v1 import auth_pb2 as pb
from protos.auth.v1 import auth_pb2_grpc as pb_grpc


def serve_on(server: grpc.aio.Server, access: Access, operations: Operations, token: str) -> str:
    """Adds both servicers; returns the name of the service that health speaks of."""
    pb_grpc.add_AccessServicer_to_server(AccessServicer(access), server)
    pb_grpc.add_OperationsServicer_to_server(OperationsServicer(operations, token), server)
    return pb.DESCRIPTOR.services_by_name["Access"].full_name

"""The gRPC server of imports."""

import grpc.aio

from import_worker.domain.requests import Imports
from import_worker.rpc.imports import ImportsServicer
from protos.imports.v1 import imports_pb2 as pb
from protos.imports.v1 import imports_pb2_grpc as pb_grpc


def add_servicers(server: grpc.aio.Server, imports: Imports) -> str:
    """Add the servicers; return the full name of the service that health speaks of."""
    pb_grpc.add_ImportsServicer_to_server(ImportsServicer(imports), server)
    return pb.DESCRIPTOR.services_by_name["Imports"].full_name

"""The gRPC face: what the gateway asks, and what operators do."""

from dataclasses import dataclass

import grpc.aio

from auth_service.domain.access import Access
from auth_service.domain.counting_authority import CountingAuthority
from auth_service.domain.ledger_admission import LedgerAdmission
from auth_service.domain.operations import Operations
from auth_service.rpc.access import AccessServicer, IssuerDocuments
from auth_service.rpc.operations import Compare, Issuing, OperationsServicer
from protos.auth.v1 import auth_pb2 as pb
from protos.auth.v1 import auth_pb2_grpc as pb_grpc


@dataclass(frozen=True, slots=True)
class Servicers:
    """What the servicers call."""

    access: Access
    counting: LedgerAdmission
    authority: CountingAuthority
    issuer: IssuerDocuments
    operations: Operations
    issuing: Issuing
    compare: Compare
    operator_token: str


def add_servicers(server: grpc.aio.Server, using: Servicers) -> str:
    """Adds both servicers; returns the name of the service that health speaks of."""
    access = AccessServicer(using.access, using.counting, using.authority, using.issuer)
    operations = OperationsServicer(
        using.operations, using.issuing, using.compare, using.operator_token
    )
    pb_grpc.add_AccessServicer_to_server(access, server)
    pb_grpc.add_OperationsServicer_to_server(operations, server)
    return pb.DESCRIPTOR.services_by_name["Access"].full_name

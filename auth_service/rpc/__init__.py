"""The gRPC services: `Access` for the gateway, `Operations` for operators."""

from dataclasses import dataclass

import grpc.aio

from auth_service.domain.access import Access
from auth_service.domain.counting_authority import CountingAuthority
from auth_service.domain.ledger_admission import LedgerAdmission
from auth_service.domain.operations import Operations
from auth_service.rpc.access import AccessServicer, IssuerDocuments, UsageReported
from auth_service.rpc.operations import Compare, Issuing, OperationsServicer
from protos.auth.v1 import auth_pb2 as pb
from protos.auth.v1 import auth_pb2_grpc as pb_grpc


@dataclass(frozen=True, slots=True)
class Servicers:
    """The dependencies of the servicers."""

    access: Access
    ledger_admission: LedgerAdmission
    authority: CountingAuthority
    issuer: IssuerDocuments
    reported: UsageReported
    operations: Operations
    issuing: Issuing
    compare: Compare
    operator_token: str


def add_servicers(server: grpc.aio.Server, dependencies: Servicers) -> str:
    """Add both servicers; return the service name that health checks report on."""
    access = AccessServicer(
        dependencies.access,
        dependencies.ledger_admission,
        dependencies.authority,
        dependencies.issuer,
        dependencies.reported,
    )
    operations = OperationsServicer(
        dependencies.operations,
        dependencies.issuing,
        dependencies.compare,
        dependencies.operator_token,
    )
    pb_grpc.add_AccessServicer_to_server(access, server)
    pb_grpc.add_OperationsServicer_to_server(operations, server)
    return pb.DESCRIPTOR.services_by_name["Access"].full_name

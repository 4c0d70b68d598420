"""The gRPC services: `Access` and `Alerts` for the gateway, `Operations` and `Diagnostics` for operators."""

from dataclasses import dataclass

import grpc.aio

from auth_service.domain.access import Access
from auth_service.domain.account_operations import AccountOperations
from auth_service.domain.alerts.history import AlertHistory
from auth_service.domain.alerts.watches import Watches
from auth_service.domain.counting_authority import CountingAuthority
from auth_service.domain.diagnosis.model import Diagnosis
from auth_service.domain.ledger_admission import LedgerAdmission
from auth_service.domain.operations import Operations
from auth_service.rpc.access import AccessServicer, IssuerDocuments, UsageReported
from auth_service.rpc.account_operations import AccountOperationsServicer
from auth_service.rpc.alerts import AlertsServicer
from auth_service.rpc.diagnostics import DiagnosticsServicer
from auth_service.rpc.operations import Compare, Issuing, OperationsServicer
from protos.alerts.v1 import alerts_pb2_grpc
from protos.auth.v1 import auth_pb2 as pb
from protos.auth.v1 import auth_pb2_grpc as pb_grpc
from protos.auth.v1 import diagnostics_pb2_grpc


@dataclass(frozen=True, slots=True)
class Servicers:
    """The dependencies of the servicers."""

    access: Access
    ledger_admission: LedgerAdmission
    authority: CountingAuthority
    issuer: IssuerDocuments
    reported: UsageReported
    operations: Operations
    account_operations: AccountOperations
    issuing: Issuing
    compare: Compare
    diagnosis: Diagnosis
    watches: Watches
    alert_history: AlertHistory
    operator_token: str


def add_servicers(server: grpc.aio.Server, dependencies: Servicers) -> str:
    """Add the servicers; return the service name that health checks report on."""
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
    account_operations = AccountOperationsServicer(
        dependencies.account_operations, dependencies.operator_token
    )
    pb_grpc.add_AccountOperationsServicer_to_server(account_operations, server)
    diagnostics = DiagnosticsServicer(dependencies.diagnosis, dependencies.operator_token)
    diagnostics_pb2_grpc.add_DiagnosticsServicer_to_server(diagnostics, server)
    alerts = AlertsServicer(dependencies.watches, dependencies.alert_history)
    alerts_pb2_grpc.add_AlertsServicer_to_server(alerts, server)
    return pb.DESCRIPTOR.services_by_name["Access"].full_name

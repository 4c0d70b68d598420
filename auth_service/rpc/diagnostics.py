"""The servicer of checks for operators: decodes, calls, encodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from protos.auth.v1 import diagnostics_pb2 as pb
from protos.auth.v1 import diagnostics_pb2_grpc as pb_grpc
from servicekit.grpc.operators import OperatorCheck

if TYPE_CHECKING:
    from auth_service.domain.diagnosis.model import Diagnosis


class DiagnosticsServicer(pb_grpc.DiagnosticsServicer):
    """Implements `sponsorgraph.auth.v1.Diagnostics`. Every call needs the operators' token."""

    def __init__(self, diagnosis: Diagnosis, token: str) -> None:
        self._diagnosis = diagnosis
        self._operators = OperatorCheck(token)

    async def GetDiagnosis(self, request: pb.DiagnosisRequest, context: Any) -> pb.Diagnosis:  # noqa: N802
        del request
        self._operators.authorize(context)
        findings = [
            pb.DiagnosisFinding(
                subject=finding.subject,
                fine=finding.fine,
                detail=finding.detail,
                remedy="" if finding.fine else finding.remedy,
            )
            for finding in await self._diagnosis.findings()
        ]
        return pb.Diagnosis(findings=findings)

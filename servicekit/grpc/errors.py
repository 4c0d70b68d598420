"""`ServiceError` across gRPC: `google.rpc.Status` with `ErrorInfo` and `RetryInfo` in trailers.

https://google.aip.dev/193 describes the details. Only the reason, the message and plain strings
travel; class names never do: the receiver chooses the class by the status code.
"""

from typing import Any, Final, TypeVar, cast

import grpc
import grpc.aio
from google.protobuf import any_pb2, duration_pb2
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_status import rpc_status

from servicekit.errors import (
    Conflict,
    DeadlineExceeded,
    Internal,
    InvalidInput,
    NoResponse,
    NotFound,
    PermissionDenied,
    ResourceExhausted,
    ServiceError,
    Unauthenticated,
    Unavailable,
)

E = TypeVar("E", bound=ServiceError)

DOMAIN: Final = "sponsorgraph"

_CODES: Final[dict[type[ServiceError], int]] = {
    InvalidInput: code_pb2.INVALID_ARGUMENT,
    NotFound: code_pb2.NOT_FOUND,
    Conflict: code_pb2.FAILED_PRECONDITION,
    Unauthenticated: code_pb2.UNAUTHENTICATED,
    PermissionDenied: code_pb2.PERMISSION_DENIED,
    ResourceExhausted: code_pb2.RESOURCE_EXHAUSTED,
    Unavailable: code_pb2.UNAVAILABLE,
    Internal: code_pb2.INTERNAL,
}
_CLASSES: Final[dict[grpc.StatusCode, type[ServiceError]]] = {
    grpc.StatusCode.INVALID_ARGUMENT: InvalidInput,
    grpc.StatusCode.OUT_OF_RANGE: InvalidInput,
    grpc.StatusCode.NOT_FOUND: NotFound,
    grpc.StatusCode.ALREADY_EXISTS: Conflict,
    grpc.StatusCode.FAILED_PRECONDITION: Conflict,
    grpc.StatusCode.ABORTED: Conflict,
    grpc.StatusCode.UNAUTHENTICATED: Unauthenticated,
    grpc.StatusCode.PERMISSION_DENIED: PermissionDenied,
    grpc.StatusCode.RESOURCE_EXHAUSTED: ResourceExhausted,
    grpc.StatusCode.UNAVAILABLE: Unavailable,
    grpc.StatusCode.DEADLINE_EXCEEDED: Unavailable,
}
_rpc_status: Any = rpc_status  # its stubs are partial
CALLER_UNKNOWN: Final = "CALLER_UNKNOWN"
"""The reason of a refusal that concerns this process, and not whom it asks for."""
_NOT_AVAILABLE: Final = "A part of the service does not answer now. Try again in a few seconds."


def to_status(error: ServiceError) -> status_pb2.Status:
    """Return the status that carries `error`."""
    code = next(_CODES[cls] for cls in type(error).__mro__ if cls in _CODES)
    info = error_details_pb2.ErrorInfo(
        reason=error.reason, domain=DOMAIN, metadata=dict(error.details)
    )
    details = [_packed(info)]
    if error.retry_after is not None:
        delay = duration_pb2.Duration()
        delay.FromNanoseconds(round(error.retry_after * 1e9))
        details.append(_packed(error_details_pb2.RetryInfo(retry_delay=delay)))
    return status_pb2.Status(code=code, message=error.public_message, details=details)


def to_aio_status(error: ServiceError) -> grpc.Status:
    """Return the same for `grpc.aio`'s `abort_with_status`."""
    return _rpc_status.to_status(to_status(error))


def no_response(detail: str = "") -> NoResponse:
    """Return the error of a call without a response; `detail` is for logs, never for callers."""
    return _with_note(NoResponse(_NOT_AVAILABLE, retry_after=1.0), detail)


def deadline_exceeded(detail: str) -> DeadlineExceeded:
    """Return the error of a call without a response in time; `detail` is for logs, never for callers."""
    return _with_note(DeadlineExceeded(_NOT_AVAILABLE, retry_after=1.0), detail)


def from_rpc_error(error: grpc.RpcError) -> ServiceError:
    """Return the error that the other side raised, or what the failure of the call itself amounts to."""
    if not isinstance(error, grpc.aio.AioRpcError):
        return no_response()
    cls = _CLASSES.get(error.code(), Internal)
    status = cast("status_pb2.Status | None", _rpc_status.from_call(error))
    if status is None:
        detail = f"{error.code().name}: {error.details()}"
        if error.code() is grpc.StatusCode.DEADLINE_EXCEEDED:
            return deadline_exceeded(detail)
        if cls is Unavailable or cls is ResourceExhausted:
            return no_response(detail)
        return cls("The service could not handle this call.")
    return _from_status(cls, status)


def from_status(status: status_pb2.Status) -> ServiceError:
    """Return the error that `status` carries."""
    cls = next((cls for cls, code in _CODES.items() if code == status.code), Internal)
    return _from_status(cls, status)


def _from_status(cls: type[ServiceError], status: status_pb2.Status) -> ServiceError:
    info = error_details_pb2.ErrorInfo()
    retry = error_details_pb2.RetryInfo()
    retry_after: float | None = None
    for detail in status.details:
        if detail.Unpack(retry):
            retry_after = retry.retry_delay.ToNanoseconds() / 1e9
        else:
            detail.Unpack(info)
    if info.reason == CALLER_UNKNOWN:
        # Passed on as it is, it would tell the gateway's caller that their own credential is bad.
        return Unavailable(_NOT_AVAILABLE, CALLER_UNKNOWN, retry_after=1.0)
    return cls(
        status.message, info.reason or None, retry_after=retry_after, details=dict(info.metadata)
    )


def _with_note(error: E, detail: str) -> E:
    if detail:
        error.add_note(detail)
    return error


def _packed(message: error_details_pb2.ErrorInfo | error_details_pb2.RetryInfo) -> any_pb2.Any:
    packed = any_pb2.Any()
    packed.Pack(message)
    return packed

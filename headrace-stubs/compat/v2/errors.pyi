# Made by tools/make_stubs.py.

__all__ = ['ABORTED', 'ALREADY_EXISTS', 'AbortedError', 'AlreadyExistsError', 'CANCELLED', 'CancelledError', 'DATA_LOSS', 'DEADLINE_EXCEEDED', 'DataLossError', 'DeadlineExceededError', 'FAILED_PRECONDITION', 'FailedPreconditionError', 'INTERNAL', 'INVALID_ARGUMENT', 'InternalError', 'InvalidArgumentError', 'NOT_FOUND', 'NotFoundError', 'OK', 'OUT_OF_RANGE', 'OpError', 'OutOfRangeError', 'PERMISSION_DENIED', 'PermissionDeniedError', 'RESOURCE_EXHAUSTED', 'ResourceExhaustedError', 'UNAUTHENTICATED', 'UNAVAILABLE', 'UNIMPLEMENTED', 'UNKNOWN', 'UnauthenticatedError', 'UnavailableError', 'UnimplementedError', 'UnknownError']
from headrace.errors import ABORTED as ABORTED
from headrace.errors import ALREADY_EXISTS as ALREADY_EXISTS
from headrace.errors import AbortedError as AbortedError
from headrace.errors import AlreadyExistsError as AlreadyExistsError
from headrace.errors import CANCELLED as CANCELLED
from headrace.errors import CancelledError as CancelledError
from headrace.errors import DATA_LOSS as DATA_LOSS
from headrace.errors import DEADLINE_EXCEEDED as DEADLINE_EXCEEDED
from headrace.errors import DataLossError as DataLossError
from headrace.errors import DeadlineExceededError as DeadlineExceededError
from headrace.errors import FAILED_PRECONDITION as FAILED_PRECONDITION
from headrace.errors import FailedPreconditionError as FailedPreconditionError
from headrace.errors import INTERNAL as INTERNAL
from headrace.errors import INVALID_ARGUMENT as INVALID_ARGUMENT
from headrace.errors import InternalError as InternalError
from headrace.errors import InvalidArgumentError as InvalidArgumentError
from headrace.errors import NOT_FOUND as NOT_FOUND
from headrace.errors import NotFoundError as NotFoundError
from headrace.errors import OK as OK
from headrace.errors import OUT_OF_RANGE as OUT_OF_RANGE
from headrace.errors import OpError as OpError
from headrace.errors import OutOfRangeError as OutOfRangeError
from headrace.errors import PERMISSION_DENIED as PERMISSION_DENIED
from headrace.errors import PermissionDeniedError as PermissionDeniedError
from headrace.errors import RESOURCE_EXHAUSTED as RESOURCE_EXHAUSTED
from headrace.errors import ResourceExhaustedError as ResourceExhaustedError
from headrace.errors import UNAUTHENTICATED as UNAUTHENTICATED
from headrace.errors import UNAVAILABLE as UNAVAILABLE
from headrace.errors import UNIMPLEMENTED as UNIMPLEMENTED
from headrace.errors import UNKNOWN as UNKNOWN
from headrace.errors import UnauthenticatedError as UnauthenticatedError
from headrace.errors import UnavailableError as UnavailableError
from headrace.errors import UnimplementedError as UnimplementedError
from headrace.errors import UnknownError as UnknownError

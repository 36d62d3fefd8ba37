# Made by tools/make_stubs.py.
from typing import Any

__all__ = ['AssertSameStructure', 'CheckpointReader', 'DeleteProfiler', 'EventsWriter', 'Flatten', 'GpuSupportsHalfMatMulAndConv', 'IsAttrs', 'IsBuiltWithROCm', 'IsGoogleCudaEnabled', 'IsMapping', 'IsMklEnabled', 'IsNamedtuple', 'IsSequence', 'IsSequenceOrComposite', 'NewCheckpointReader', 'ProfilerFromFile', 'PyRecordReader', 'PyRecordReader_New', 'PyRecordWriter', 'PyRecordWriter_New', 'SameNamedtuples', 'TENSOR_HANDLE_KEY', 'TFE_Py_RegisterExceptionClass', 'TFE_Py_TensorShapeSlice', 'TF_ABORTED', 'TF_ALREADY_EXISTS', 'TF_ATTR_BOOL', 'TF_ATTR_FLOAT', 'TF_ATTR_FUNC', 'TF_ATTR_INT', 'TF_ATTR_PLACEHOLDER', 'TF_ATTR_SHAPE', 'TF_ATTR_STRING', 'TF_ATTR_TENSOR', 'TF_ATTR_TYPE', 'TF_CANCELLED', 'TF_DATA_LOSS', 'TF_DEADLINE_EXCEEDED', 'TF_FAILED_PRECONDITION', 'TF_GetCode', 'TF_INTERNAL', 'TF_INVALID_ARGUMENT', 'TF_Message', 'TF_NOT_FOUND', 'TF_NewStatus', 'TF_OK', 'TF_OUT_OF_RANGE', 'TF_PERMISSION_DENIED', 'TF_RESOURCE_EXHAUSTED', 'TF_SetStatus', 'TF_Status', 'TF_TryEvaluateConstant_wrapper', 'TF_UNAUTHENTICATED', 'TF_UNAVAILABLE', 'TF_UNIMPLEMENTED', 'TF_UNKNOWN', 'TF_Version', 'TF_bfloat16_type', '__compiler_version__', '__git_version__', '__version__', 'list_devices']
from headrace.core.nest import assert_same_structure as AssertSameStructure
from headrace.files.checkpoint.reader import CheckpointReader as CheckpointReader
from headrace.profiler.analyzer import DeleteProfiler as DeleteProfiler
from headrace.config.pywrap import EventsWriter as EventsWriter
from headrace.core.nest import flatten as Flatten
from headrace.testing.test_util import GpuSupportsHalfMatMulAndConv as GpuSupportsHalfMatMulAndConv
from headrace.core.nest import is_attrs as IsAttrs
from headrace.testing.test_util import IsBuiltWithROCm as IsBuiltWithROCm
from headrace.testing.test_util import IsGoogleCudaEnabled as IsGoogleCudaEnabled
from headrace.core.nest import is_mapping as IsMapping
from headrace.testing.test_util import IsMklEnabled as IsMklEnabled
from headrace.core.nest import is_namedtuple as IsNamedtuple
from headrace.core.nest import is_sequence as IsSequence
from headrace.core.nest import is_sequence_or_composite as IsSequenceOrComposite
from headrace.files.checkpoint.reader import NewCheckpointReader as NewCheckpointReader
from headrace.profiler.analyzer import ProfilerFromFile as ProfilerFromFile
from headrace.config.pywrap import PyRecordReader as PyRecordReader
from headrace.config.pywrap import PyRecordReader_New as PyRecordReader_New
from headrace.config.pywrap import PyRecordWriter as PyRecordWriter
from headrace.config.pywrap import PyRecordWriter_New as PyRecordWriter_New
from headrace.core.nest import same_namedtuples as SameNamedtuples
from headrace.config.pywrap import TENSOR_HANDLE_KEY as TENSOR_HANDLE_KEY
from headrace.config.pywrap import TFE_Py_RegisterExceptionClass as TFE_Py_RegisterExceptionClass
from headrace.config.pywrap import TFE_Py_TensorShapeSlice as TFE_Py_TensorShapeSlice
TF_ABORTED: Any
TF_ALREADY_EXISTS: Any
from headrace.config.pywrap import TF_ATTR_BOOL as TF_ATTR_BOOL
from headrace.config.pywrap import TF_ATTR_FLOAT as TF_ATTR_FLOAT
from headrace.config.pywrap import TF_ATTR_FUNC as TF_ATTR_FUNC
from headrace.config.pywrap import TF_ATTR_INT as TF_ATTR_INT
from headrace.config.pywrap import TF_ATTR_PLACEHOLDER as TF_ATTR_PLACEHOLDER
from headrace.config.pywrap import TF_ATTR_SHAPE as TF_ATTR_SHAPE
from headrace.config.pywrap import TF_ATTR_STRING as TF_ATTR_STRING
from headrace.config.pywrap import TF_ATTR_TENSOR as TF_ATTR_TENSOR
from headrace.config.pywrap import TF_ATTR_TYPE as TF_ATTR_TYPE
TF_CANCELLED: Any
TF_DATA_LOSS: Any
TF_DEADLINE_EXCEEDED: Any
TF_FAILED_PRECONDITION: Any
from headrace.config.pywrap import TF_GetCode as TF_GetCode
TF_INTERNAL: Any
TF_INVALID_ARGUMENT: Any
from headrace.config.pywrap import TF_Message as TF_Message
TF_NOT_FOUND: Any
from headrace.config.pywrap import TF_Status as TF_NewStatus
TF_OK: Any
TF_OUT_OF_RANGE: Any
TF_PERMISSION_DENIED: Any
TF_RESOURCE_EXHAUSTED: Any
from headrace.config.pywrap import TF_SetStatus as TF_SetStatus
from headrace.config.pywrap import TF_Status as TF_Status
from headrace.config.pywrap import TF_TryEvaluateConstant_wrapper as TF_TryEvaluateConstant_wrapper
TF_UNAUTHENTICATED: Any
TF_UNAVAILABLE: Any
TF_UNIMPLEMENTED: Any
TF_UNKNOWN: Any
from headrace.config.pywrap import TF_Version as TF_Version
from headrace.config.pywrap import TF_bfloat16_type as TF_bfloat16_type
from headrace.core.version import __compiler_version__ as __compiler_version__
from headrace.core.version import __git_version__ as __git_version__
from headrace.core.version import __version__ as __version__
from headrace.config.pywrap import list_devices as list_devices

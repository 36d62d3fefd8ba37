# Made by tools/make_stubs.py.

__all__ = ['DType', 'QUANTIZED_DTYPES', 'as_dtype', 'bfloat16', 'bool', 'cast', 'complex', 'complex128', 'complex64', 'double', 'float16', 'float32', 'float64', 'half', 'int16', 'int32', 'int64', 'int8', 'qint16', 'qint32', 'qint8', 'quint16', 'quint8', 'resource', 'saturate_cast', 'string', 'uint16', 'uint32', 'uint64', 'uint8', 'variant']
from headrace.dtypes import DType as DType
from headrace.dtypes import QUANTIZED_DTYPES as QUANTIZED_DTYPES
from headrace.dtypes import as_dtype as as_dtype
from headrace.dtypes import bfloat16 as bfloat16
from headrace.dtypes import bool as bool
from headrace.dtypes import cast as cast
from headrace.dtypes import complex as complex
from headrace.dtypes import complex128 as complex128
from headrace.dtypes import complex64 as complex64
from headrace.dtypes import double as double
from headrace.dtypes import float16 as float16
from headrace.dtypes import float32 as float32
from headrace.dtypes import float64 as float64
from headrace.dtypes import half as half
from headrace.dtypes import int16 as int16
from headrace.dtypes import int32 as int32
from headrace.dtypes import int64 as int64
from headrace.dtypes import int8 as int8
from headrace.dtypes import qint16 as qint16
from headrace.dtypes import qint32 as qint32
from headrace.dtypes import qint8 as qint8
from headrace.dtypes import quint16 as quint16
from headrace.dtypes import quint8 as quint8
from headrace.dtypes import resource as resource
from headrace.dtypes import saturate_cast as saturate_cast
from headrace.dtypes import string as string
from headrace.dtypes import uint16 as uint16
from headrace.dtypes import uint32 as uint32
from headrace.dtypes import uint64 as uint64
from headrace.dtypes import uint8 as uint8
from headrace.dtypes import variant as variant

"""tf.dtypes: element types and conversion between them."""

HOMES: dict[str, str] = {
    "core.dtypes": "DType QUANTIZED_DTYPES as_dtype bfloat16 bool complex128 complex64 double float16 float32 "
    "float64 half int16 int32 int64 int8 qint16 qint32 qint8 quint16 quint8 resource string uint16 uint32 uint64 "
    "uint8 variant",
    "ops.math.cast": "cast saturate_cast",
    "ops.math.complex": "complex",
    "ops.string.conversion": "as_string",
}

SPELLED: dict[str, str] = {}

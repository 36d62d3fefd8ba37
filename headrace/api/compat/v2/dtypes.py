"""tf.compat.v2.dtypes: the names that mean the same in 1.x."""

HOMES = {
    "dtypes": "DType QUANTIZED_DTYPES as_dtype bfloat16 bool cast complex complex128 complex64 double float16 "
    "float32 float64 half int16 int32 int64 int8 qint16 qint32 qint8 quint16 quint8 resource "
    "saturate_cast string uint16 uint32 uint64 uint8 variant",
}

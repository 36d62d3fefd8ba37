"""tf.pywrap_tensorflow: the part of TensorFlow's C library that programs call."""

HOMES = {
    "core.version": "__compiler_version__ __git_version__ __version__",
    "files.checkpoint.reader": "CheckpointReader NewCheckpointReader",
    "config.pywrap": "EventsWriter PyRecordReader PyRecordReader_New PyRecordWriter PyRecordWriter_New "
    "TENSOR_HANDLE_KEY TFE_Py_RegisterExceptionClass TFE_Py_TensorShapeSlice "
    "TF_ABORTED TF_ALREADY_EXISTS TF_ATTR_BOOL TF_ATTR_FLOAT TF_ATTR_FUNC TF_ATTR_INT TF_ATTR_PLACEHOLDER TF_ATTR_SHAPE "
    "TF_ATTR_STRING TF_ATTR_TENSOR TF_ATTR_TYPE TF_CANCELLED TF_DATA_LOSS TF_DEADLINE_EXCEEDED "
    "TF_FAILED_PRECONDITION TF_GetCode TF_INTERNAL TF_INVALID_ARGUMENT TF_Message TF_NOT_FOUND TF_OK TF_OUT_OF_RANGE "
    "TF_PERMISSION_DENIED TF_RESOURCE_EXHAUSTED TF_SetStatus TF_Status TF_TryEvaluateConstant_wrapper "
    "TF_UNAUTHENTICATED TF_UNAVAILABLE TF_UNIMPLEMENTED TF_UNKNOWN TF_Version TF_bfloat16_type list_devices",
    "profiler.analyzer": "DeleteProfiler ProfilerFromFile",
    "testing.test_util": "GpuSupportsHalfMatMulAndConv IsBuiltWithROCm IsGoogleCudaEnabled IsMklEnabled",
}

SPELLED = {
    "AssertSameStructure": "core.nest.assert_same_structure",
    "Flatten": "core.nest.flatten",
    "IsAttrs": "core.nest.is_attrs",
    "IsMapping": "core.nest.is_mapping",
    "IsNamedtuple": "core.nest.is_namedtuple",
    "IsSequence": "core.nest.is_sequence",
    "IsSequenceOrComposite": "core.nest.is_sequence_or_composite",
    "SameNamedtuples": "core.nest.same_namedtuples",
    "TF_NewStatus": "config.pywrap.TF_Status",
}

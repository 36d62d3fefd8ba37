"""The root: the names directly under `tf`."""

HOMES = {
    "autodiff.aggregation": "AggregationMethod",
    "autodiff.custom": "custom_gradient",
    "autodiff.gradients": "UnconnectedGradients gradients hessians",
    "core.collections": "GraphKeys",
    "core.composite": "IndexedSlices SparseTensor SparseTensorValue convert_to_tensor_or_indexed_slices "
    "convert_to_tensor_or_sparse_tensor",
    "core.convert": "convert_to_tensor register_tensor_conversion_function",
    "core.device": "DeviceSpec",
    "core.dtypes": "DType QUANTIZED_DTYPES as_dtype bfloat16 bool complex128 complex64 double float16 "
    "float32 float64 half int16 int32 int64 int8 qint16 qint32 qint8 quint16 quint8 resource string uint16 "
    "uint32 uint64 uint8 variant",
    "core.graph": "Graph add_to_collection add_to_collections colocate_with container control_dependencies device "
    "get_collection get_collection_ref get_default_graph get_default_session name_scope op_scope reset_default_graph",
    "core.operation": "Operation Tensor",
    "core.registry": "RegisterGradient",
    "core.shapes": "Dimension TensorShape dimension_at_index dimension_value",
    "ops.array.constant": "constant placeholder placeholder_with_default",
    "ops.flow.cond": "cond",
    "ops.flow.grouping": "group no_op tuple",
    "runtime.session": "InteractiveSession Session",
    "shim.version": "COMPILER_VERSION CXX11_ABI_FLAG GIT_VERSION GRAPH_DEF_VERSION "
    "GRAPH_DEF_VERSION_MIN_CONSUMER GRAPH_DEF_VERSION_MIN_PRODUCER MONOLITHIC_BUILD VERSION",
}

SPELLED: dict[str, str] = {
    "NoGradient": "core.registry.no_gradient",
    "NotDifferentiable": "core.registry.no_gradient",
    "no_gradient": "core.registry.no_gradient",
}

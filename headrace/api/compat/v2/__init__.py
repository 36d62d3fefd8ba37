"""tf.compat.v2: the names that mean the same in 1.x, and those that take other arguments there."""

HOMES = {
    "": "AggregationMethod Assert CriticalSection DType GradientTape Graph IndexedSlices IndexedSlicesSpec Module "
    "Operation OptionalSpec RaggedTensor RaggedTensorSpec RegisterGradient SparseTensor SparseTensorSpec "
    "Tensor TensorArray TensorArraySpec TensorShape TensorSpec TypeSpec UnconnectedGradients "
    "VariableAggregation VariableSynchronization abs acos acosh add add_n argsort as_dtype as_string asin "
    "asinh atan atan2 atanh bfloat16 bitcast bool broadcast_dynamic_shape broadcast_static_shape broadcast_to "
    "case cast clip_by_global_norm clip_by_norm clip_by_value complex complex128 complex64 concat "
    "control_dependencies cos cosh cumsum custom_gradient divide double dynamic_partition dynamic_stitch "
    "edit_distance einsum enable_v2_behavior ensure_shape equal executing_eagerly exp extract_volume_patches "
    "eye fill fingerprint float16 float32 float64 floor foldl foldr function get_logger get_static_value "
    "grad_pass_through greater greater_equal group guarantee_const half histogram_fixed_width "
    "histogram_fixed_width_bins identity identity_n import_graph_def init_scope int16 int32 int64 int8 "
    "is_tensor less less_equal linspace load_library load_op_library logical_and logical_not logical_or "
    "make_ndarray make_tensor_proto map_fn matmul matrix_square_root maximum meshgrid minimum multiply "
    "negative newaxis no_gradient no_op nondifferentiable_batch_function not_equal numpy_function "
    "one_hot ones parallel_stack pow print py_function qint16 qint32 qint8 quint16 quint8 range rank realdiv "
    "recompute_grad register_tensor_conversion_function repeat required_space_to_batch_paddings reshape "
    "resource reverse roll round saturate_cast scalar_mul scan scatter_nd searchsorted sequence_mask shape_n "
    "sigmoid sign sin sinh slice sort space_to_batch_nd split sqrt square stack stop_gradient strided_slice "
    "string subtract switch_case tan tanh tensor_scatter_nd_add tensor_scatter_nd_sub "
    "tensor_scatter_nd_update tensordot tile timestamp truediv truncatediv truncatemod uint16 uint32 uint64 "
    "uint8 unique unique_with_counts unravel_index unstack variable_creator_scope variant vectorized_map "
    "zeros",
}

SPELLED = {
    "name_scope": "core.framework_ops.name_scope_v2",
    "raw_ops": "api.gen_ops.raw_ops",
    "initializers": "compat.v2.keras.initializers",
    "losses": "compat.v2.keras.losses",
    "metrics": "compat.v2.keras.metrics",
    "optimizers": "compat.v2.keras.optimizers",
    "version": "version",
    "DeviceSpec": "core.device.DeviceSpecV2",
    "device": "core.defaults.device_v2",
    "Variable": "state.variable_v2.Variable",
    "argmax": "api.v2_arguments.argmax",
    "argmin": "api.v2_arguments.argmin",
    "assert_equal": "api.v2_arguments.assert_equal",
    "assert_greater": "api.v2_arguments.assert_greater",
    "assert_less": "api.v2_arguments.assert_less",
    "assert_rank": "api.v2_arguments.assert_rank",
    "batch_to_space": "api.v2_arguments.batch_to_space",
    "boolean_mask": "api.v2_arguments.boolean_mask",
    "cond": "api.v2_arguments.cond",
    "convert_to_tensor": "api.v2_arguments.convert_to_tensor",
    "gather": "api.v2_arguments.gather",
    "gather_nd": "api.v2_arguments.gather_nd",
    "ones_like": "api.v2_arguments.ones_like",
    "gradients": "api.v2_arguments.gradients",
    "hessians": "api.v2_arguments.hessians",
    "pad": "api.v2_arguments.pad",
    "shape": "api.v2_arguments.shape",
    "size": "api.v2_arguments.size",
    "space_to_batch": "api.v2_arguments.space_to_batch",
    "transpose": "api.v2_arguments.transpose",
    "constant": "functions.array.constant_v2.constant",
    "tuple": "api.v2_arguments.tuple",
    "where": "where_v2",
    "while_loop": "api.v2_arguments.while_loop",
    "zeros_like": "api.v2_arguments.zeros_like",
    "zeros_initializer": "state.initializers_v2.Zeros",
    "ones_initializer": "state.initializers_v2.Ones",
    "constant_initializer": "state.initializers_v2.Constant",
    "random_uniform_initializer": "state.initializers_v2.RandomUniform",
    "random_normal_initializer": "state.initializers_v2.RandomNormal",
    "expand_dims": "api.v2_arguments.expand_dims",
    "norm": "api.v2_arguments.norm",
    "reduce_all": "api.v2_arguments.reduce_all",
    "reduce_any": "api.v2_arguments.reduce_any",
    "reduce_logsumexp": "api.v2_arguments.reduce_logsumexp",
    "reduce_max": "api.v2_arguments.reduce_max",
    "reduce_mean": "api.v2_arguments.reduce_mean",
    "reduce_min": "api.v2_arguments.reduce_min",
    "reduce_prod": "api.v2_arguments.reduce_prod",
    "reduce_sum": "api.v2_arguments.reduce_sum",
    "reverse_sequence": "api.v2_arguments.reverse_sequence",
    "squeeze": "api.v2_arguments.squeeze",
}

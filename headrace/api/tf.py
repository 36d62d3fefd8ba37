"""The root: the names directly under `tf`."""

HOMES = {
    "autodiff.aggregation": "AggregationMethod",
    "autodiff.recomputing": "recompute_grad",
    "autodiff.gradients": "UnconnectedGradients gradients hessians",
    "autodiff.tape": "GradientTape",
    "state.polymorphic_function": "function",
    "state.wrapped_function": "wrap_function",
    "core.collections": "GraphKeys",
    "core.composite": "IndexedSlices SparseTensor SparseTensorValue convert_to_tensor_or_indexed_slices "
    "convert_to_tensor_or_sparse_tensor",
    "core.convert": "convert_to_tensor register_tensor_conversion_function",
    "core.device": "DeviceSpec",
    "core.errors": "OpError",
    "core.dtypes": "DType QUANTIZED_DTYPES as_dtype bfloat16 bool complex128 complex64 double float16 "
    "float32 float64 half int16 int32 int64 int8 qint16 qint32 qint8 quint16 quint8 resource string uint16 "
    "uint32 uint64 uint8 variant",
    "core.defaults": "add_to_collection add_to_collections colocate_with container control_dependencies device "
    "get_collection get_collection_ref get_default_graph get_default_session name_scope op_scope "
    "reset_default_graph",
    "core.graph": "Graph",
    "core.operation": "Operation Tensor",
    "core.random_seed": "get_seed set_random_seed",
    "core.registry": "RegisterGradient",
    "core.tensor_util": "is_tensor",
    "core.shapes": "Dimension TensorShape dimension_at_index dimension_value",
    "core.type_specs": "IndexedSlicesSpec SparseTensorSpec TensorSpec TypeSpec",
    "data.leaves": "OptionalSpec TensorArraySpec",
    "interop.graph_def": "import_graph_def",
    "interop.protos": "AttrValue ConfigProto Event GPUOptions GraphDef GraphOptions HistogramProto LogMessage MetaGraphDef "
    "NameAttrList NodeDef OptimizerOptions RunMetadata RunOptions SessionLog Summary SummaryMetadata TensorInfo",
    "interop.tensor_proto": "make_tensor_proto",
    "lookup.tables": "tables_initializer",
    "ops.array.constant": "constant placeholder placeholder_with_default",
    "ops.array.dynamic": "dynamic_partition dynamic_stitch",
    "ops.array.fake_quant": "fake_quant_with_min_max_args fake_quant_with_min_max_args_gradient "
    "fake_quant_with_min_max_vars fake_quant_with_min_max_vars_gradient fake_quant_with_min_max_vars_per_channel "
    "fake_quant_with_min_max_vars_per_channel_gradient",
    "ops.array.fill": "fill ones ones_like zeros zeros_like",
    "ops.array.gather": "batch_gather gather gather_nd",
    "ops.array.identity": "ensure_shape guarantee_const identity identity_n stop_gradient",
    "ops.array.join": "concat pack parallel_stack stack unpack unstack",
    "ops.array.pad": "pad",
    "ops.array.patches": "extract_image_patches extract_volume_patches",
    "ops.array.range": "lin_space linspace range",
    "ops.array.reverse": "reverse reverse_sequence roll",
    "ops.array.scatter": "scatter_nd sparse_to_dense tensor_scatter_add tensor_scatter_sub tensor_scatter_update",
    "ops.array.search": "searchsorted",
    "ops.array.shape": "broadcast_dynamic_shape broadcast_static_shape broadcast_to expand_dims rank reshape shape "
    "shape_n size squeeze",
    "ops.array.slice": "newaxis slice strided_slice",
    "ops.array.sort": "argsort sort",
    "ops.array.space": "batch_to_space batch_to_space_nd depth_to_space required_space_to_batch_paddings space_to_batch "
    "space_to_batch_nd space_to_depth",
    "ops.array.split": "split",
    "ops.array.tile": "meshgrid repeat tile",
    "ops.array.transpose": "invert_permutation matrix_transpose transpose",
    "ops.array.unique": "listdiff setdiff1d unique unique_with_counts unravel_index",
    "ops.array.where": "boolean_mask one_hot sequence_mask where where_v2",
    "ops.flow.assertion": "Assert",
    "ops.flow.case": "case",
    "ops.flow.switch_case": "switch_case",
    "ops.flow.checks": "assert_equal assert_greater assert_greater_equal assert_integer assert_less assert_less_equal "
    "assert_near assert_negative assert_non_negative assert_non_positive assert_none_equal assert_positive "
    "assert_proper_iterable assert_same_float_dtype assert_scalar assert_type is_non_decreasing is_numeric_tensor "
    "is_strictly_increasing",
    "ops.flow.cond": "cond",
    "ops.flow.custom_gradient": "custom_gradient grad_pass_through",
    "ops.flow.grouping": "group no_op tuple",
    "ops.math.add_n": "accumulate_n add_n",
    "ops.flow.numerics": "add_check_numerics_ops check_numerics verify_tensor_all_finite",
    "ops.flow.printing": "Print timestamp",
    "ops.flow.py_func": "numpy_function py_func py_function",
    "ops.flow.tensor_array": "TensorArray",
    "ops.flow.while_loop": "while_loop",
    "ops.nn.ctc_functions": "ctc_loss_v2",
    "ops.parsing.csv": "decode_csv",
    "ops.parsing.tensors": "decode_compressed decode_json_example parse_tensor serialize_tensor",
    "recurrent.functional": "foldl foldr map_fn scan vectorized_map",
    "interop.torch_func": "torch_func",
    "ops.flow.rank_checks": "assert_rank assert_rank_at_least assert_rank_in",
    "ops.math.argmax": "arg_max arg_min argmax argmin",
    "ops.math.binary": "add maximum minimum multiply pow scalar_mul squared_difference subtract",
    "ops.math.cast": "bitcast cast saturate_cast to_bfloat16 to_complex128 to_complex64 to_double to_float to_int32 "
    "to_int64",
    "ops.math.clip": "clip_by_average_norm clip_by_global_norm clip_by_norm clip_by_value global_norm",
    "ops.math.comparison": "equal greater greater_equal less less_equal not_equal",
    "ops.math.complex": "angle complex complex_abs conj imag real",
    "ops.confusion": "confusion_matrix",
    "ops.math.counting": "bincount histogram_fixed_width histogram_fixed_width_bins",
    "ops.math.cross": "cross",
    "ops.math.division": "div div_no_nan divide floor_div floordiv floormod mod realdiv truediv "
    "truncatediv truncatemod",
    "ops.math.fft": "fft fft2d fft3d ifft ifft2d ifft3d",
    "ops.math.linalg_functions": "cholesky cholesky_solve matrix_determinant matrix_inverse matrix_solve matrix_solve_ls "
    "matrix_square_root matrix_triangular_solve qr self_adjoint_eig self_adjoint_eigvals svd",
    "ops.math.logical": "logical_and logical_not logical_or logical_xor",
    "ops.math.matmul": "batch_matmul matmul sparse_matmul",
    "ops.math.matrices": "diag diag_part eye matrix_band_part matrix_diag matrix_diag_part matrix_set_diag trace",
    "ops.math.norms": "norm",
    "ops.math.products": "einsum tensordot",
    "ops.math.reduction": "count_nonzero reduce_all reduce_any reduce_logsumexp reduce_max reduce_mean reduce_min "
    "reduce_prod reduce_sum",
    "ops.math.scan": "cumprod cumsum",
    "ops.math.segments": "segment_max segment_mean segment_min segment_prod segment_sum sparse_segment_mean "
    "sparse_segment_sqrt_n sparse_segment_sum unsorted_segment_max unsorted_segment_mean "
    "unsorted_segment_min unsorted_segment_prod unsorted_segment_sqrt_n unsorted_segment_sum",
    "ops.math.select": "select",
    "ops.math.special": "betainc digamma erf erfc igamma igammac lbeta lgamma polygamma zeta",
    "ops.math.trigonometric": "acos acosh asin asinh atan atan2 atanh cos cosh sin sinh tan",
    "ops.math.unary": "abs ceil exp expm1 floor is_finite is_inf is_nan log log1p log_sigmoid negative reciprocal rint "
    "round rsqrt sigmoid sign sqrt square tanh",
    "ops.parsing.example": "parse_example parse_single_example",
    "ops.parsing.features": "FixedLenFeature FixedLenSequenceFeature SparseFeature VarLenFeature",
    "ops.parsing.sequence_example": "parse_single_sequence_example",
    "ops.quantized.arithmetic": "quantized_concat",
    "ops.quantized.conversion": "dequantize quantize quantize_v2",
    "ops.ragged.spec": "RaggedTensorSpec",
    "ops.ragged.tensor": "RaggedTensor",
    "ops.queues.accumulating": "ConditionalAccumulator ConditionalAccumulatorBase SparseConditionalAccumulator",
    "ops.queues.queues": "FIFOQueue PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue",
    "ops.random.normal": "random_normal truncated_normal",
    "ops.random.sampling": "multinomial random_gamma random_poisson",
    "ops.random.shuffle": "random_crop random_shuffle",
    "ops.random.uniform": "random_uniform",
    "ops.string.conversion": "as_string decode_base64 decode_raw encode_base64 string_to_number",
    "ops.string.fingerprints": "fingerprint",
    "ops.string.hashing": "string_to_hash_bucket string_to_hash_bucket_fast string_to_hash_bucket_strong",
    "ops.string.joining": "reduce_join string_join",
    "ops.string.regex": "regex_replace",
    "ops.string.splitting": "string_split",
    "ops.string.text": "string_strip substr",
    "platform.behavior": "control_flow_v2_enabled disable_control_flow_v2 disable_eager_execution disable_tensor_equality "
    "disable_v2_behavior disable_v2_tensorshape enable_control_flow_v2 enable_eager_execution enable_tensor_equality "
    "enable_v2_behavior enable_v2_tensorshape executing_eagerly get_logger load_file_system_library load_library "
    "load_op_library",
    "ops.state.session_tensors": "delete_session_tensor get_session_handle get_session_tensor",
    "ops.readers.files": "matching_files read_file write_file",
    "ops.readers.readers": "FixedLengthRecordReader IdentityReader LMDBReader ReaderBase TFRecordReader TextLineReader "
    "WholeFileReader",
    "ops.sparse.add": "sparse_add",
    "ops.sparse.building": "sparse_mask sparse_merge sparse_placeholder sparse_tensor_to_dense sparse_to_indicator",
    "ops.sparse.cwise": "sparse_maximum sparse_minimum sparse_softmax",
    "ops.sparse.edit_distance": "edit_distance",
    "ops.sparse.join": "sparse_concat",
    "ops.sparse.layout": "sparse_reset_shape sparse_retain sparse_transpose",
    "ops.sparse.matmul": "sparse_tensor_dense_matmul",
    "ops.sparse.reduce": "sparse_reduce_max sparse_reduce_max_sparse sparse_reduce_sum sparse_reduce_sum_sparse",
    "ops.sparse.reshape": "sparse_reorder sparse_reshape",
    "ops.sparse.rows": "sparse_fill_empty_rows",
    "ops.sparse.serialized": "deserialize_many_sparse serialize_many_sparse serialize_sparse",
    "ops.sparse.slice": "sparse_slice sparse_split",
    "summary.older": "audio_summary histogram_summary image_summary merge_all_summaries merge_summary scalar_summary",
    "train.module": "Module",
    "runtime.session": "InteractiveSession Session",
    "core.version": "COMPILER_VERSION CXX11_ABI_FLAG GIT_VERSION GRAPH_DEF_VERSION "
    "GRAPH_DEF_VERSION_MIN_CONSUMER GRAPH_DEF_VERSION_MIN_PRODUCER MONOLITHIC_BUILD VERSION",
    "state.batching": "nondifferentiable_batch_function",
    "state.collecting": "all_variables assert_variables_initialized global_variables global_variables_initializer "
    "initialize_all_variables initialize_local_variables initialize_variables local_variables "
    "local_variables_initializer model_variables moving_average_variables report_uninitialized_variables "
    "trainable_variables variables_initializer",
    "state.initializers": "constant_initializer glorot_normal_initializer glorot_uniform_initializer "
    "ones_initializer orthogonal_initializer random_normal_initializer random_uniform_initializer "
    "truncated_normal_initializer uniform_unit_scaling_initializer variance_scaling_initializer zeros_initializer",
    "state.modes": "VariableAggregation VariableSynchronization",
    "state.partitioned": "create_partitioned_variables fixed_size_partitioner min_max_variable_partitioner "
    "variable_axis_size_partitioner",
    "state.scoping": "init_scope variable_creator_scope",
    "state.critical_section": "CriticalSection",
    "state.template": "make_template",
    "state.updates": "assign assign_add assign_sub batch_scatter_update count_up_to is_variable_initialized "
    "scatter_add scatter_div scatter_max scatter_min scatter_mul scatter_nd_add scatter_nd_sub scatter_nd_update "
    "scatter_sub scatter_update",
    "state.variable_scope": "AUTO_REUSE VariableScope disable_resource_variables enable_resource_variables "
    "get_local_variable get_variable get_variable_scope no_regularizer resource_variables_enabled "
    "variable_op_scope variable_scope",
    "state.variables": "Variable VariableV1",
}

SPELLED: dict[str, str] = {
    "tensor_scatter_nd_add": "ops.array.scatter.tensor_scatter_add",
    "tensor_scatter_nd_sub": "ops.array.scatter.tensor_scatter_sub",
    "tensor_scatter_nd_update": "ops.array.scatter.tensor_scatter_update",
    "get_static_value": "core.tensor_util.constant_value",
    "initialize_all_tables": "lookup.tables.tables_initializer",
    "make_ndarray": "interop.tensor_proto.MakeNdarray",
    "NoGradient": "core.registry.no_gradient",
    "NotDifferentiable": "core.registry.no_gradient",
    "no_gradient": "core.registry.no_gradient",
    "print": "ops.flow.printing.print_",
    "reverse_v2": "ops.array.reverse.reverse",
    "inv": "ops.math.unary.inv",
    "mul": "ops.math.binary.multiply",
    "neg": "ops.math.unary.negative",
    "sub": "ops.math.binary.subtract",
    "raw_ops": "api.gen_ops.raw_ops",
}

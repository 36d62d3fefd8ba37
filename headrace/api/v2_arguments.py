"""The functions of TensorFlow 2 that are those of 1.x with other arguments: another order, other names, fewer of them.

A row has the arguments of the later function and, after a bar, what it calls where that is not the function of the same
name; arguments that are called otherwise there (`new>old`); and what is always given (`name=value`).
"""

from __future__ import annotations

import ast
import contextlib
import functools
import importlib
import inspect
from collections.abc import Callable
from typing import Any

from headrace.core.defaults import name_scope

_CHECK = "x, y, message=None, summarize=None, name=None"
_SIGN = "x, message=None, summarize=None, name=None"
_LOSS = "weights, biases, labels, inputs, num_sampled, num_classes, num_true=1, sampled_values=None"
_REDUCTION = "input_tensor, axis=None, keepdims=False, name=None"
_SEGMENTS = "data, indices, segment_ids, num_segments=None, name=None"

ROWS: dict[str, str] = {
    "argmax": "input, axis=None, output_type='int64', name=None",
    "argmin": "input, axis=None, output_type='int64', name=None",
    "assert_equal": _CHECK,
    "assert_greater": _CHECK,
    "assert_less": _CHECK,
    "assert_rank": "x, rank, message=None, name=None",
    "batch_to_space": "input, block_shape, crops, name=None | batch_to_space_nd",
    "boolean_mask": "tensor, mask, axis=None, name='boolean_mask'",
    "cond": "pred, true_fn=None, false_fn=None, name=None | strict=True",
    "convert_to_tensor": "value, dtype=None, dtype_hint=None, name=None",
    "expand_dims": "input, axis, name=None",
    "gather": "params, indices, validate_indices=None, axis=None, batch_dims=0, name=None",
    "gather_nd": "params, indices, batch_dims=0, name=None",
    "gradients": "ys, xs, grad_ys=None, name='gradients', gate_gradients=False, aggregation_method=None, "
    "stop_gradients=None, unconnected_gradients='none' | colocate_gradients_with_ops=True",
    "hessians": "ys, xs, gate_gradients=False, aggregation_method=None, name='hessians' "
    "| colocate_gradients_with_ops=True",
    "norm": "tensor, ord='euclidean', axis=None, keepdims=None, name=None",
    "ones_like": "input, dtype=None, name=None | input>tensor",
    "pad": "tensor, paddings, mode='CONSTANT', constant_values=0, name=None",
    "reduce_all": _REDUCTION,
    "reduce_any": _REDUCTION,
    "reduce_logsumexp": _REDUCTION,
    "reduce_max": _REDUCTION,
    "reduce_mean": _REDUCTION,
    "reduce_min": _REDUCTION,
    "reduce_prod": _REDUCTION,
    "reduce_sum": _REDUCTION,
    "reverse_sequence": "input, seq_lengths, seq_axis=None, batch_axis=None, name=None",
    "shape": "input, out_type='int32', name=None",
    "size": "input, out_type='int32', name=None",
    "space_to_batch": "input, block_shape, paddings, name=None | space_to_batch_nd",
    "squeeze": "input, axis=None, name=None",
    "transpose": "a, perm=None, conjugate=False, name='transpose'",
    "tuple": "tensors, control_inputs=None, name=None",
    "while_loop": "cond, body, loop_vars, shape_invariants=None, parallel_iterations=10, back_prop=True, "
    "swap_memory=False, maximum_iterations=None, name=None | return_same_structure=True",
    "zeros_like": "input, dtype=None, name=None | input>tensor",
    "debugging.assert_all_finite": "x, message, name=None",
    "debugging.assert_equal": _CHECK,
    "debugging.assert_greater": _CHECK,
    "debugging.assert_greater_equal": _CHECK,
    "debugging.assert_less": _CHECK,
    "debugging.assert_less_equal": _CHECK,
    "debugging.assert_near": "x, y, rtol=None, atol=None, message=None, summarize=None, name=None",
    "debugging.assert_negative": _SIGN,
    "debugging.assert_non_negative": _SIGN,
    "debugging.assert_non_positive": _SIGN,
    "debugging.assert_none_equal": "x, y, summarize=None, message=None, name=None",
    "debugging.assert_positive": _SIGN,
    "debugging.assert_rank": "x, rank, message=None, name=None",
    "debugging.assert_rank_at_least": "x, rank, message=None, name=None",
    "debugging.assert_rank_in": "x, ranks, message=None, name=None",
    "debugging.assert_scalar": "tensor, message=None, name=None",
    "image.crop_and_resize": "image, boxes, box_indices, crop_size, method='bilinear', extrapolation_value=0, name=None",
    "image.draw_bounding_boxes": "images, boxes, colors, name=None",
    "io.decode_csv": "records, record_defaults, field_delim=',', use_quote_delim=True, na_value='', select_cols=None, "
    "name=None",
    "io.decode_raw": "input_bytes, out_type, little_endian=True, fixed_length=None, name=None",
    "io.parse_example": "serialized, features, example_names=None, name=None",
    "io.parse_single_example": "serialized, features, example_names=None, name=None",
    "io.serialize_many_sparse": "sp_input, out_type='string', name=None",
    "io.serialize_sparse": "sp_input, out_type='string', name=None",
    "linalg.l2_normalize": "x, axis=None, epsilon=1e-12, name=None",
    "linalg.norm": "tensor, ord='euclidean', axis=None, keepdims=None, name=None",
    "math.argmax": "input, axis=None, output_type='int64', name=None",
    "math.argmin": "input, axis=None, output_type='int64', name=None",
    "math.bincount": "arr, weights=None, minlength=None, maxlength=None, dtype='int32', name=None",
    "math.confusion_matrix": "labels, predictions, num_classes=None, weights=None, dtype='int32', name=None",
    "math.count_nonzero": "input, axis=None, keepdims=None, dtype='int64', name=None",
    "math.in_top_k": "targets, predictions, k, name=None",
    "math.l2_normalize": "x, axis=None, epsilon=1e-12, name=None",
    "math.log_softmax": "logits, axis=None, name=None",
    "math.reduce_all": _REDUCTION,
    "math.reduce_any": _REDUCTION,
    "math.reduce_logsumexp": _REDUCTION,
    "math.reduce_max": _REDUCTION,
    "math.reduce_mean": _REDUCTION,
    "math.reduce_min": _REDUCTION,
    "math.reduce_prod": _REDUCTION,
    "math.reduce_sum": _REDUCTION,
    "math.softmax": "logits, axis=None, name=None",
    "nn.avg_pool2d": "input, ksize, strides, padding, data_format='NHWC', name='AvgPool2D' | input>value",
    "nn.batch_norm_with_global_normalization": "input, mean, variance, beta, gamma, variance_epsilon, "
    "scale_after_normalization, name=None",
    "nn.conv1d": "input, filters, stride, padding, data_format='NWC', dilations=None, name=None",
    "nn.conv2d": "input, filters, strides, padding, data_format='NHWC', dilations=None, name=None",
    "nn.conv2d_transpose": "input, filters, output_shape, strides, padding='SAME', data_format='NHWC', dilations=None, "
    "name=None",
    "nn.conv3d": "input, filters, strides, padding, data_format='NDHWC', dilations=None, name=None",
    "nn.conv3d_transpose": "input, filters, output_shape, strides, padding='SAME', data_format='NDHWC', dilations=None, "
    "name=None",
    "nn.convolution": "input, filters, strides=None, padding='VALID', data_format=None, dilations=None, name=None "
    "| filters>filter | dilations>dilation_rate",
    "nn.crelu": "features, axis=-1, name=None",
    "nn.ctc_beam_search_decoder": "inputs, sequence_length, beam_width=100, top_paths=1 | merge_repeated=False",
    "nn.depth_to_space": "input, block_size, data_format='NHWC', name=None",
    "nn.depthwise_conv2d": "input, filter, strides, padding, data_format=None, dilations=None, name=None",
    "nn.dropout": "x, rate, noise_shape=None, seed=None, name=None",
    "nn.embedding_lookup": "params, ids, max_norm=None, name=None | partition_strategy='div'",
    "nn.embedding_lookup_sparse": "params, sp_ids, sp_weights, combiner=None, max_norm=None, name=None "
    "| partition_strategy='div'",
    "nn.in_top_k": "targets, predictions, k, name=None",
    "nn.l2_normalize": "x, axis=None, epsilon=1e-12, name=None",
    "nn.log_softmax": "logits, axis=None, name=None",
    "nn.moments": "x, axes, shift=None, keepdims=False, name=None",
    "nn.nce_loss": f"{_LOSS}, remove_accidental_hits=False, name='nce_loss' | partition_strategy='div'",
    "nn.pool": "input, window_shape, pooling_type, strides=None, padding='VALID', data_format=None, dilations=None, "
    "name=None",
    "nn.safe_embedding_lookup_sparse": "embedding_weights, sparse_ids, sparse_weights=None, combiner='mean', "
    "default_id=None, max_norm=None, name=None | partition_strategy='div'",
    "nn.sampled_softmax_loss": f"{_LOSS}, remove_accidental_hits=True, seed=None, name='sampled_softmax_loss' "
    "| partition_strategy='div'",
    "nn.separable_conv2d": "input, depthwise_filter, pointwise_filter, strides, padding, data_format=None, "
    "dilations=None, name=None",
    "nn.sigmoid_cross_entropy_with_logits": "labels=None, logits=None, name=None",
    "nn.softmax": "logits, axis=None, name=None",
    "nn.softmax_cross_entropy_with_logits": "labels, logits, axis=-1, name=None | softmax_cross_entropy_with_logits_v2",
    "nn.space_to_batch": "input, block_shape, paddings, name=None | space_to_batch_nd",
    "nn.space_to_depth": "input, block_size, data_format='NHWC', name=None",
    "nn.sparse_softmax_cross_entropy_with_logits": "labels, logits, name=None",
    "nn.sufficient_statistics": "x, axes, shift=None, keepdims=False, name=None",
    "nn.weighted_cross_entropy_with_logits": "labels, logits, pos_weight, name=None",
    "nn.weighted_moments": "x, axes, frequency_weights, keepdims=False, name=None",
    "random.poisson": "shape, lam, dtype='float32', seed=None, name=None",
    "random.set_seed": "seed | set_random_seed",
    "sparse.add": "a, b, threshold=0",
    "sparse.concat": "axis, sp_inputs, expand_nonconcat_dims=False, name=None",
    "sparse.segment_mean": _SEGMENTS,
    "sparse.segment_sqrt_n": _SEGMENTS,
    "sparse.segment_sum": _SEGMENTS,
    "sparse.split": "sp_input=None, num_split=None, axis=None, name=None",
    "strings.length": "input, unit='BYTE', name=None",
    "strings.reduce_join": "inputs, axis=None, keepdims=False, separator='', name=None",
    "strings.split": "input, sep=None, maxsplit=-1, name=None | result_type='RaggedTensor'",
    "strings.substr": "input, pos, len, unit='BYTE', name=None",
    "strings.to_hash_bucket": "input, num_buckets, name=None",
    "strings.to_number": "input, out_type='float32', name=None",
    "autograph.to_code": "entity, recursive=True, experimental_optional_features=None",
    "autograph.to_graph": "entity, recursive=True, experimental_optional_features=None",
    "test.assert_equal_graph_def": "expected, actual",
}


def _public(path: str) -> Any:
    return functools.reduce(getattr, path.split("."), importlib.import_module(__package__.rpartition(".")[0]))


def _signature(text: str) -> inspect.Signature:
    function = ast.parse(f"def f({text}): ...").body[0]
    assert isinstance(function, ast.FunctionDef)
    arguments = function.args
    values = [ast.literal_eval(value) for value in arguments.defaults]
    defaults = [inspect.Parameter.empty] * (len(arguments.args) - len(values)) + values
    return inspect.Signature(
        [
            inspect.Parameter(argument.arg, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default)
            for argument, default in zip(arguments.args, defaults, strict=True)
        ]
    )


def v2_function(path: str) -> Callable[..., Any]:
    """The function at a path of TensorFlow 2's namespace.

    Raises:
        KeyError: for a function that has no row.

    Example:
        >>> v2_function("nn.dropout")(x, 0.5)  # the rate, where 1.x has the probability to keep
    """
    text, *rest = (part.strip() for part in ROWS[path].split("|"))
    signature = _signature(text)
    folder, _, called = path.rpartition(".")
    renamed: dict[str, str] = {}
    fixed: dict[str, Any] = {}
    for part in rest:
        if ">" in part:
            new, old = part.split(">")
            renamed[new] = old
        elif "=" in part:
            name, value = part.split("=")
            fixed[name] = ast.literal_eval(value)
        else:
            called = part
    if path == "random.set_seed" or called.endswith("_nd"):
        folder = ""  # where 1.x has them
    target = _public(f"{folder}.{called}" if folder else called)

    # Where 1.x takes no name there is a scope of that name.
    parameters = inspect.signature(target).parameters
    scoped = "name" in signature.parameters and "name" not in parameters
    required = {name for name, parameter in parameters.items() if parameter.default is inspect.Parameter.empty}

    def function(*args: Any, **keywords: Any) -> Any:
        given = signature.bind(*args, **keywords)
        given.apply_defaults()
        called_by = {renamed.get(name, name): value for name, value in given.arguments.items()}
        # None is left out: 1.x may have another default for it.
        present = {name: value for name, value in called_by.items() if value is not None or name in required}
        scope = present.pop("name", None) if scoped else None
        with name_scope(scope) if scope else contextlib.nullcontext():
            return target(**present, **fixed)

    function.__name__ = function.__qualname__ = path.rpartition(".")[2]
    function.__doc__ = target.__doc__
    function.__signature__ = signature  # type: ignore[attr-defined]  # functions take any attribute
    return function


def __getattr__(name: str) -> Callable[..., Any]:
    # Tables name a function by its path with two underscores for each dot.
    path = name.replace("__", ".")
    if path not in ROWS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return v2_function(path)

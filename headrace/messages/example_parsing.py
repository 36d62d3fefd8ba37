"""How a graph parses Examples, written down for programs that parse them without it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.operation import Operation
from headrace.messages import protos
from headrace.messages.tensor_proto import make_tensor_proto

if TYPE_CHECKING:
    from headrace.core.typing import SessionLike


def extract_example_parser_configuration(parse_example_op: Operation, sess: SessionLike) -> Any:
    """The features that a ParseExample operation looks for, with the tensors they end up in.

    Args:
        parse_example_op: an operation of type ParseExample.
        sess: a session, which computes the keys and the defaults.

    Returns:
        an `ExampleParserConfiguration`.

    Raises:
        ValueError: if the operation's attributes do not fit one another.

    Example:
        >>> records = tf.placeholder(tf.string, [None])
        >>> features = tf.parse_example(records, {"age": tf.FixedLenFeature([], tf.int64, default_value=0)})
        >>> configuration = extract_example_parser_configuration(features["age"].op, sess)
        >>> tf.as_dtype(configuration.feature_map["age"].fixed_len_feature.dtype)
        tf.int64
    """
    sparse, dense = parse_example_op.get_attr("Nsparse"), parse_example_op.get_attr("Ndense")
    sparse_types = parse_example_op.get_attr("sparse_types")
    dense_types = parse_example_op.get_attr("Tdense")
    dense_shapes = parse_example_op.get_attr("dense_shapes")
    for name, values, attr, count in (
        ("sparse_types", sparse_types, "Nsparse", sparse),
        ("dense_types", dense_types, "Ndense", dense),
        ("dense_shapes", dense_shapes, "Ndense", dense),
    ):
        if len(values) != count:
            raise ValueError(f"len({name}) attribute does not match {attr} attribute ({len(values)} vs {count})")
    # The first two inputs are the serialized examples and their names.
    fetch_list = list(parse_example_op.inputs)[2:]
    if len(fetch_list) != sparse + 2 * dense:
        raise ValueError(
            f"len(fetch_list) does not match total features + num_dense ({len(fetch_list)} vs {sparse + 2 * dense})"
        )
    fetched = sess.run(fetch_list)
    sparse_keys, dense_keys, defaults = fetched[:sparse], fetched[sparse : sparse + dense], fetched[sparse + dense :]
    indices, values, shapes, parsed = (
        [tensor.name for tensor in parse_example_op.outputs[first : first + count]]
        for first, count in ((0, sparse), (sparse, sparse), (2 * sparse, sparse), (3 * sparse, dense))
    )
    config = protos.ExampleParserConfiguration()
    for key, dtype, shape, default, output in zip(dense_keys, dense_types, dense_shapes, defaults, parsed, strict=True):
        fixed = config.feature_map[key].fixed_len_feature
        fixed.default_value.CopyFrom(make_tensor_proto(default))
        fixed.shape.CopyFrom(shape if isinstance(shape, protos.TensorShapeProto) else shape.as_proto())
        fixed.dtype = dtype.as_datatype_enum
        fixed.values_output_tensor_name = output
    for i, (key, dtype) in enumerate(zip(sparse_keys, sparse_types, strict=True)):
        varying = config.feature_map[key].var_len_feature
        varying.dtype = dtype.as_datatype_enum
        varying.indices_output_tensor_name = indices[i]
        varying.values_output_tensor_name = values[i]
        varying.shapes_output_tensor_name = shapes[i]
    return config

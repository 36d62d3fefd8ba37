"""What array ops refuse: when, as which class and in which words."""

import re

import numpy as np
import tensorflow as tf

# The cases use these by name.
from tensorflow.python.framework import tensor_shape  # noqa: F401
from tensorflow.python.ops import (  # noqa: F401
    array_ops,
    gen_array_ops,
)

results = {}
fed = {}


def counted(*sizes):
    """Floats from -1 on in steps of a seventh."""
    return (np.arange(int(np.prod(sizes)), dtype=np.float32) / 7 - 1).reshape(sizes)


def whole(*sizes):
    return np.arange(int(np.prod(sizes)), dtype=np.int32).reshape(sizes)


def late(value, shape=None):
    """A tensor of which nothing is known before the graph runs."""
    tensor = tf.placeholder(np.asarray(value).dtype, shape)
    fed[tensor] = value
    return tensor


def sized(*sizes, **keywords):
    return tf.placeholder(keywords.get("dtype", tf.float32), list(sizes))


def unknown(dtype=tf.float32):
    return tf.placeholder(dtype)


def phrase(error):
    """The message without the operation it is about."""
    text = str(getattr(error, "message", error)).split(" for '")[0].split(" (op ")[0]
    told = re.sub(r"\s+", " ", text.split("; close: ")[0])
    return re.split(r" \[\[node | \[<string>| \[\[\{\{node", told)[0].replace(", ", ",")[:60].rstrip(". ")


def fetched(value):
    if isinstance(value, (list, tuple)):
        return [part for item in value for part in fetched(item)]
    return [value] if isinstance(value, (tf.Tensor, tf.Operation, tf.SparseTensor)) else []


NAMES = dict(globals(), C=tf.constant)
CASES = """
array_ops.batch_to_space(C(counted(4, 1, 1, 1)), [[0, 0], [0, 0]], 0)
array_ops.batch_to_space(C(counted(4, 1, 1)), [[0, 0], [0, 0]], 2)
array_ops.batch_to_space(C(counted(4, 1, 1, 1)), [0, 0], 2)
array_ops.batch_to_space(C(counted(3, 1, 1, 1)), [[0, 0], [0, 0]], 2)
array_ops.batch_to_space(C(counted(4, 1, 1, 1)), [[-1, 0], [0, 0]], 2)
array_ops.batch_to_space_nd(C(counted(4, 1)), [2, 2], [[0, 0], [0, 0]])
array_ops.batch_to_space_nd(C(counted(4, 1, 1, 1)), [0, 2], [[0, 0], [0, 0]])
array_ops.batch_to_space_nd(C(counted(4, 1, 1, 1)), [2, 2], [[0, 0, 0], [0, 0, 0]])
array_ops.batch_to_space_nd(C(counted(4, 1, 1, 1)), [2, 2], [[0, 3], [0, 0]])
array_ops.batch_to_space_nd(C(counted(5, 1, 1, 1)), [2, 2], [[0, 0], [0, 0]])
array_ops.space_to_batch(C(counted(1, 2, 2, 1)), [[0, 0], [0, 0]], 0)
array_ops.space_to_batch(C(counted(1, 2, 2, 1)), [[0, 0], [0, 0]], 3)
array_ops.space_to_batch(C(counted(1, 2, 2)), [[0, 0], [0, 0]], 2)
array_ops.space_to_batch(C(counted(1, 2, 2, 1)), [0, 0], 2)
array_ops.space_to_batch(C(counted(1, 3, 2, 1)), [[0, 0], [0, 0]], 2)
array_ops.space_to_batch_nd(C(counted(1, 2, 2, 1)), [2, 2], [[0, 1], [0, 0]])
array_ops.space_to_batch_nd(C(counted(1, 2, 2, 1)), [0, 2], [[0, 0], [0, 0]])
array_ops.space_to_batch_nd(C(counted(1, 2, 2, 1)), [2, 2], [[0, -1], [0, 0]])
array_ops.space_to_depth(C(counted(1, 2, 2, 1)), 0)
array_ops.space_to_depth(C(counted(1, 2, 2, 1)), 1)
array_ops.space_to_depth(C(counted(1, 2, 2, 1)), 4)
array_ops.space_to_depth(C(counted(2, 2, 1)), 2)
array_ops.space_to_depth(C(counted(1, 3, 3, 1)), 2)
array_ops.depth_to_space(C(counted(1, 1, 1, 4)), 0)
array_ops.depth_to_space(C(counted(1, 1, 1, 4)), 1)
array_ops.depth_to_space(C(counted(1, 1, 1, 4)), 4)
array_ops.depth_to_space(C(counted(1, 1, 4)), 2)
array_ops.depth_to_space(C(counted(1, 1, 1, 9)), 2)
array_ops.broadcast_to(C([1, 2, 3]), [2, 2])
array_ops.broadcast_to(C(counted(2, 3)), [3])
array_ops.broadcast_static_shape(tensor_shape.TensorShape([2, 3]), tensor_shape.TensorShape([3, 3]))
array_ops.broadcast_dynamic_shape([2, 3], [3, 3])
gen_array_ops.broadcast_gradient_args(C([2, 3]), C([4, 3]))
array_ops.concat([C(counted(2, 3)), C(counted(2, 4))], 0)
array_ops.concat([C(counted(2, 3)), C(counted(2, 4))], 2)
array_ops.concat([C(counted(2, 3)), C(counted(2, 4))], -3)
array_ops.concat([C(counted(2, 3)), C(counted(2))], 1)
array_ops.concat([C(1), C(2)], 0)
array_ops.concat([], 0)
array_ops.concat([C(counted(2, 3))], [0, 1])
array_ops.concat([C(1.), C([2])], 0)
array_ops.concat([late(counted(2, 3)), late(counted(2, 4))], 0)
array_ops.concat([late(counted(2, 3)), late(counted(2))], 0)
array_ops.concat([late(counted(2, 3)), late(counted(2, 3))], late(5))
gen_array_ops.concat_v2([C(counted(2, 3))], 0)
gen_array_ops.concat_offset(0, [C([2, 3]), C([4, 4])])
gen_array_ops.concat_offset(2, [C([2, 3]), C([4, 3])])
gen_array_ops.concat_offset(0, [C([2, 3]), C([4])])
array_ops.stack([C(counted(2, 3)), C(counted(2, 4))])
array_ops.stack([C(counted(2, 3)), C(counted(2, 3))], axis=3)
array_ops.stack([C(counted(2, 3)), C(counted(2, 3))], axis=-4)
array_ops.stack([late(counted(2, 3)), late(counted(2, 4))])
array_ops.stack([late(counted(2, 3)), late(counted(2, 3))], axis=3)
array_ops.unstack(C(counted(2, 3)), axis=2)
array_ops.unstack(C(counted(2, 3)), axis=-3)
array_ops.unstack(C(counted(2, 3)), num=3)
array_ops.unstack(sized(None, 3))
array_ops.unstack(unknown(), axis=0)
array_ops.unstack(unknown())
array_ops.unstack(C(1.))
gen_array_ops.unpack(late(counted(2, 3)), num=3)
array_ops.parallel_stack([C([1]), C([2, 3])])
array_ops.parallel_stack([sized(None), sized(None)])
array_ops.split(C(counted(4, 6)), [1, 2, 4], 1)
array_ops.split(C(counted(4, 6)), [1, -1, -1], 1)
array_ops.split(C(counted(4, 6)), 4, 1)
array_ops.split(C(counted(4, 6)), 0, 1)
array_ops.split(C(counted(4, 6)), 3, 2)
array_ops.split(C(counted(4, 6)), 3, -3)
array_ops.split(C(counted(4)), late([2, 2]))
array_ops.split(C(counted(4)), late([2, 2], [2]), num=3)
array_ops.split(late(counted(4, 6)), 5, late(0))
array_ops.split(late(counted(4, 6)), 2, late(2))
array_ops.split(late(counted(4, 6)), [1, 2], 0)
array_ops.split(C(counted(4)), 2.0)
array_ops.pad(C(counted(2, 2)), [[1, 2]])
array_ops.pad(C(counted(2, 2)), [[1, 2], [2, 1], [0, 0]])
array_ops.pad(C(counted(2, 2)), [-1, 0])
array_ops.pad(C(counted(2, 2)), [[-1, 0], [0, 0]])
array_ops.pad(C(counted(2, 2)), [[1, 0], [0, 0]], mode='WEIRD')
array_ops.pad(C(counted(2, 2)), [[2, 0], [0, 0]], mode='REFLECT')
array_ops.pad(C(counted(2, 2)), [[3, 0], [0, 0]], mode='SYMMETRIC')
array_ops.pad(C(counted(0, 2)), [[1, 0], [0, 0]], mode='REFLECT')
array_ops.pad(C(counted(2, 2)), [[1, 0], [0, 0]], constant_values='x')
array_ops.pad(late(counted(2, 2)), late(np.array([[1, 0]], np.int32)))
array_ops.transpose(C(counted(2, 3)), [0, 1, 2])
array_ops.transpose(C(counted(2, 3)), [0, 0])
array_ops.transpose(C(counted(2, 3)), [0, 2])
array_ops.transpose(C(counted(2, 3)), [[0, 1], [2, 3]])
array_ops.transpose(C(counted(2, 3)), late([0, 0]))
array_ops.matrix_transpose(C(counted(3)))
gen_array_ops.invert_permutation(C([3, 4, 0, 2, 2]))
gen_array_ops.invert_permutation(C([3, 4, 0, 2, -1]))
gen_array_ops.invert_permutation(C([5, 4, 0, 2, 1]))
array_ops.invert_permutation(C([[5, 4]]))
array_ops.invert_permutation(C([0.]))
array_ops.reverse(C(counted(2, 3)), [0, -2])
array_ops.reverse_v2(C(counted(2, 3)), [[0]])
array_ops.reverse_v2(C(counted(2, 3)), 0)
array_ops.reverse_v2(late(counted(2, 3)), late([1, -1]))
gen_array_ops.reverse(C(counted(2, 3)), [True])
array_ops.reverse_sequence(C(counted(2, 3, 2)), [1, 4], seq_axis=1, batch_axis=0)
array_ops.reverse_sequence(C(counted(2, 3, 2)), [1, -1], seq_axis=1, batch_axis=0)
array_ops.reverse_sequence(C(counted(2, 3, 2)), [1, 2, 2], seq_axis=1, batch_axis=0)
array_ops.reverse_sequence(C(counted(2, 3, 2)), [[1, 2]], seq_axis=1, batch_axis=0)
array_ops.reverse_sequence(C(counted(2, 3, 2)), [1, 2], seq_axis=0, batch_axis=0)
array_ops.reverse_sequence(C(counted(2, 3, 2)), [1, 2], seq_axis=0, batch_axis=3)
array_ops.reverse_sequence(C(counted(2, 3, 2)), [1, 2], seq_axis=3, batch_axis=0)
array_ops.reverse_sequence(C(counted(2, 3, 2)), C([1., 2]), seq_dim=1)
array_ops.reverse_sequence(sized(32, 2, 3), seq_lengths=sized(32, dtype=tf.int64), batch_axis=0, seq_axis=3)
array_ops.reverse_sequence(sized(32, 2, 3), seq_lengths=sized(32, dtype=tf.int64), batch_axis=3, seq_axis=1)
array_ops.reverse_sequence(sized(32, 2, 3), seq_lengths=sized(33, dtype=tf.int64), batch_axis=0, seq_axis=1)
array_ops.expand_dims(C(counted(2, 3)), 3)
array_ops.expand_dims(C(counted(2, 3)), -4)
array_ops.expand_dims(C(counted(2, 3)), [1, 2])
array_ops.expand_dims(C(counted(2, 3)), late(5))
array_ops.expand_dims(C(counted(2, 3)), axis=1, dim=1)
array_ops.expand_dims(C(counted(2, 3)))
array_ops.squeeze(C(counted(1, 3)), [1])
array_ops.squeeze(C(counted(1, 3)), [2])
array_ops.squeeze(C(counted(1, 3)), [-3])
array_ops.squeeze(late(counted(2, 3)), [0])
array_ops.squeeze(C(counted(1, 1, 3)), axis=0, squeeze_dims=[0])
array_ops.tile(C(counted(2, 3)), [1])
array_ops.tile(C(counted(2, 3)), [1, 2, 3])
array_ops.tile(C(counted(2, 3)), [[2, 3], [3, 4]])
array_ops.tile(C(counted(2, 3)), [-1, 2])
array_ops.tile(C(counted(2, 3)), late(np.array([1], np.int32)))
array_ops.fill([-1, 3], 1)
array_ops.fill([[2, 3]], 1)
array_ops.fill([2, 3], [1, 2])
array_ops.fill(late([2, -3]), 1.)
array_ops.ones_like(C(['a']))
array_ops.ones([2, 3], dtype=tf.string)
array_ops.zeros([[2]])
array_ops.one_hot([0, 1, -1, 3], -1)
array_ops.one_hot([[0, 1]], 3, axis=-2)
array_ops.one_hot([0, 1], 3, on_value=1, off_value=0.)
array_ops.one_hot([0, 1], 3, on_value=5., dtype=tf.int32)
array_ops.one_hot([0, 1], 3, on_value=C(1), off_value=C(0.))
array_ops.one_hot([0, 1], 3, on_value=C(1.), dtype=tf.int32)
array_ops.one_hot([0.5], 3)
array_ops.shape_n([C(counted(2, 3)), C(1)])
array_ops.reshape(C(counted(2, 3)), [4])
array_ops.reshape(C(counted(2, 3)), [-1, 4])
array_ops.reshape(C(counted(2, 3)), [-2, 3])
array_ops.reshape(C(counted(2, 3)), [[2, 3]])
array_ops.reshape(late(counted(2, 3)), late([4]))
array_ops.reshape(late(counted(2, 3)), [-1, 4])
array_ops.reshape(late(counted(2, 3)), late([-1, -1]))
array_ops.reshape(late(counted(2, 3)), late([-2, -3]))
array_ops.reshape(C(counted(2, 3)), [3, 2.0])
array_ops.reshape(sized(None, 37), [37, None])
array_ops.reshape(sized(None, 2), [3])
array_ops.reshape(sized(5, None), [2, 3])
array_ops.reshape(sized(None, 0), [3])
array_ops.reshape(sized(None, 0), [0, 4])
array_ops.reshape(sized(None, None, 3), [4])
array_ops.reshape(sized(None, 3), [2, 6])
array_ops.ensure_shape(sized(None, 3), [2, 4])
array_ops.placeholder_with_default(C(counted(2, 3)), [None, 4])
array_ops.sequence_mask(C([1, 3, 2]), C([2, 3]))
array_ops.boolean_mask(C(counted(2, 3)), [True, False, True])
array_ops.boolean_mask(C(counted(2, 3)), True)
array_ops.boolean_mask(C(counted(2, 3)), [[True, False, True]])
array_ops.boolean_mask(C(counted(2, 3)), [True, False, True], axis=2)
array_ops.boolean_mask(C(counted(2, 3)), unknown(tf.bool))
array_ops.boolean_mask(C(counted(2, 3)), late(np.array([True, False, True]), [None]))
array_ops.where([True, False], C([1, 2]))
array_ops.where([[True, False]], C(counted(1, 2)), C(counted(2, 2)))
array_ops.where([True, False, True], C(counted(2, 2)), C(counted(2, 2))+1)
array_ops.where([[True], [False]], C(counted(2, 2)), C(counted(2, 2))+1)
array_ops.where(C(['', 'a']))
array_ops.where_v2([True, False], C([1, 2, 3]), 3)
array_ops.where_v2([True, False], C([1, 2]))
array_ops.meshgrid([1, 2], indexing='xx')
array_ops.meshgrid([1, 2], foo=1)
array_ops.meshgrid([], [1])
array_ops.meshgrid()
array_ops.unique(C([[1, 1]]))
array_ops.setdiff1d([1, 2, 3], [1., 5])
array_ops.setdiff1d([[1, 2, 3]], [1, 5])
array_ops.listdiff([1, 2, 3], [[1]])
array_ops.edit_distance(tf.SparseTensor([[0]], [1], [2]), tf.SparseTensor([[0]], [1], [3]))
array_ops.edit_distance(C(1), tf.SparseTensor([[0]], [1], [3]))
array_ops.edit_distance(tf.SparseTensor([[0, 0]], [1], [2, 1]), tf.SparseTensor([[0]], [1], [3]))
array_ops.unravel_index(C([5]), C(7))
array_ops.unravel_index(C([[5]]), C([7, 6]))
array_ops.searchsorted(C([1, 3, 5]), C([0, 3, 9]), side='foo')
gen_array_ops.lower_bound(C([1, 3, 5]), C([[0, 3, 9]]))
array_ops.quantize_and_dequantize(C(counted(3)), -1., 1., num_bits=0)
array_ops.quantize_and_dequantize(C(counted(3)), [-1.], 1., range_given=True)
array_ops.quantize_and_dequantize(C(counted(3)), 2., 1., range_given=True)
gen_array_ops.quantize_and_dequantize_v3(C(counted(3)), -1., 1., 64)
array_ops.matrix_diag(C(1.))
array_ops.matrix_diag_part(C(counted(3)))
array_ops.matrix_set_diag(C(counted(2, 3)), C(counted(3)))
array_ops.matrix_set_diag(C(counted(3)), C(counted(3)))
array_ops.matrix_band_part(C(counted(3, 3)), 4, 1)
array_ops.matrix_band_part(C(counted(3, 3)), 1, 4)
array_ops.diag(C(1.))
array_ops.diag_part(C(counted(2, 3)))
array_ops.diag_part(C(counted(2, 2, 2)))
array_ops.gather(C([1., 2]), [0, 2])
array_ops.gather(C(counted(2, 3)), [0, 1], axis=2)
array_ops.gather(C(counted(2, 3)), [0, 5], axis=1)
array_ops.gather(C(counted(2, 3)), [0, -1], axis=1)
array_ops.gather(C(counted(2, 3)), [0, 1], axis=-3)
array_ops.gather(C(1.), [0, 1])
array_ops.gather(C(counted(2, 3)), [[0, 1], [1, 2]], batch_dims=2)
array_ops.gather(C(counted(2, 3)), [[0, 1], [1, 2]], axis=0, batch_dims=1)
array_ops.gather(C(counted(2, 3)), C([True]))
array_ops.gather(C(counted(2, 3)), C([1.]))
array_ops.gather(C(counted(0, 2)), [0])
array_ops.gather(C(counted(2, 3)), [0, 1], axis=late(2))
array_ops.gather_nd(C(counted(2, 3)), [[0, 5]])
array_ops.gather_nd(C(counted(2, 3)), [[0, 1, 2]])
array_ops.gather_nd(C(counted(2, 3)), [[-1, 0]])
array_ops.gather_nd(C(counted(2, 3)), 0)
array_ops.gather_nd(C(counted(0, 3)), [[0]])
array_ops.gather_nd(C(counted(2, 3, 2)), [[[0]], [[1]]], batch_dims=2)
array_ops.gather_nd(C(counted(2, 3, 2)), [[[0]]], batch_dims=1)
array_ops.gather_nd(late(counted(2, 3)), late(np.array([[0, 1, 2]], np.int32)))
array_ops.batch_gather(C(counted(2, 3)), [[0], [2], [1]])
array_ops.batch_gather(C(counted(2, 3)), 0)
array_ops.scatter_nd([[0], [2]], [1., 2], [2])
array_ops.scatter_nd([[0], [2]], [1., 2, 3], [4])
array_ops.scatter_nd([[0, 1, 2]], [1.], [4])
array_ops.scatter_nd([[0]], [1.], [0])
array_ops.scatter_nd(0, 1., [4])
array_ops.scatter_nd(C([[0], [1]]), C(counted(2, 3)), C([2, 4]))
array_ops.tensor_scatter_update(C([1, 1, 1]), [[0], [4]], [2, 3])
array_ops.tensor_scatter_update(C([1, 1, 1]), [[0], [1]], [2, 3, 4])
array_ops.tensor_scatter_update(C([1, 1, 1]), [[0, 1]], [2])
array_ops.extract_image_patches(C(counted(1, 4, 4, 1)), [1, 2, 2], [1, 1, 1, 1], [1, 1, 1, 1], 'VALID')
array_ops.extract_image_patches(C(counted(4, 4, 1)), [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], 'VALID')
array_ops.bitcast(C([1., 2., 3.]), tf.float64)
array_ops.bitcast(C(1), tf.string)
array_ops.bitcast(C(1, tf.int32), tf.int64)
array_ops.check_numerics(C([np.nan]), 'msg')
array_ops.check_numerics(C([np.inf, np.nan]), 'msg')
array_ops.fake_quant_with_min_max_args(C(counted(3)), min=1, max=0)
array_ops.fake_quant_with_min_max_args(C(counted(3)), num_bits=1)
array_ops.fake_quant_with_min_max_vars_per_channel(C(counted(3)), min=[0., 0], max=[1., 1])
array_ops.required_space_to_batch_paddings([5, 11], [3])
array_ops.strided_slice(C(counted(4, 4)), [0, 0], [2, 2], [1, 0])
array_ops.strided_slice(C(counted(4, 4)), [0, 0], [2, 2], [1])
array_ops.strided_slice(C(counted(4, 4)), [0, 0], [2])
array_ops.strided_slice(C(counted(4, 4)), [0, 0, 0], [2, 2, 2])
array_ops.strided_slice(C(counted(4, 4)), [0, 0], [2, 2], ellipsis_mask=3)
array_ops.strided_slice(C(counted(4, 4)), [5], [6], shrink_axis_mask=1)
array_ops.slice(C(counted(4, 4)), [0, 0], [5, 1])
array_ops.slice(C(counted(4, 4)), [0], [1, 1])
array_ops.slice(C(counted(4, 4)), [-1, 0], [1, 1])
array_ops.slice(C(counted(4, 4)), [0, 0], [1, -2])
array_ops.slice(C(counted(4, 4)), C([1, 1], tf.int32), C([-1, 2], tf.int64))
array_ops.slice(late(counted(4, 4)), late([0, 0]), late([5, 1]))
C(counted(4, 4))[5]
C(counted(4, 4))[-5]
C(counted(4, 4))[0, 1, 2]
C(counted(4, 4))[..., ...]
C(counted(4, 4))[::0]
C(counted(4, 4))[1.5]
C(counted(4, 4))['a']
C(counted(4, 4))[C([0, 1])]
C(counted(4, 4))[C(1.)]
C(counted(4, 4))[1:2, C(1, tf.int16)]
late(counted(4, 4))[7]
late(counted(4, 4))[0, 1, 2]
C(1.)[0]
C('abc')[0]
v=tf.Variable([1, 2, 3]) ;; v[0:2].assign([7])
v=tf.Variable([1, 2, 3]) ;; v[0:2].assign([[7, 8]])
v=tf.Variable([1, 2, 3]) ;; v[0].assign([7, 8, 9])
v=tf.Variable([1, 2, 3]) ;; v[5].assign(7)
v=tf.Variable(8) ;; v[0].assign(9)
v=tf.Variable([1, 2]) ;; v[0].assign('a')
v=tf.Variable([1, 2]) ;; v[0].assign(1.5)
C([1, 2, 3])[0].assign(5)
"""

for case in CASES.strip().splitlines():
    fed.clear()
    with tf.Graph().as_default(), tf.Session() as session:
        when, names = "building", dict(NAMES)
        try:
            *before, expression = case.split(" ;; ")
            for statement in before:
                exec(statement, names)
            value = eval(expression, names)
            when = "running"
            session.run([tf.global_variables_initializer(), tf.tables_initializer()])
            session.run(fetched(value), dict(fed))
            results[case] = "taken"
        except Exception as error:
            results[case] = [when, type(error).__name__, phrase(error)]

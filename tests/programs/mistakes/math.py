"""What math ops refuse: when, as which class and in which words."""

import re

import numpy as np
import tensorflow as tf

# The cases use these by name.
from tensorflow.python.ops import (  # noqa: F401
    bitwise_ops,
    check_ops,
    clip_ops,
    confusion_matrix,
    data_flow_ops,
    gen_math_ops,
    histogram_ops,
    manip_ops,
    math_ops,
    nn_ops,
    sort_ops,
    special_math_ops,
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
math_ops.matmul(C(counted(2, 3)), C(counted(2, 3)))
math_ops.matmul(C(counted(2, 3)), C(counted(3)))
math_ops.matmul(C(counted(2, 3)), C(counted(3, 2)), transpose_a=True, adjoint_a=True)
math_ops.matmul(C(counted(2, 3)), C(counted(3, 2)), transpose_b=True, adjoint_b=True)
math_ops.matmul(C(counted(2, 2, 3)), C(counted(2, 2, 3)))
math_ops.matmul(C(counted(2, 2, 3)), C(counted(3, 3, 2)))
math_ops.matmul(late(counted(2)), late(counted(2, 3)))
math_ops.matmul(C(counted(2, 3)), C(whole(3, 2)))
math_ops.matmul(C([[True]]), C([[True]]))
math_ops.sparse_matmul(C(counted(2, 3)), C(counted(2, 2)))
gen_math_ops.batch_mat_mul(C(counted(2, 2, 3)), C(counted(2, 2, 2)))
gen_math_ops.batch_mat_mul(C(counted(3)), C(counted(2, 2, 2)))
gen_math_ops.batch_mat_mul_v2(C(counted(2, 2, 3)), C(counted(3, 3, 2)))
gen_math_ops.mat_mul(C(counted(2, 3)), C(counted(3)))
math_ops.matvec(C(counted(2, 3)), C(counted(2)))
math_ops.tensordot(C(counted(2, 3)), C(counted(3, 2)), [[1], [1]])
math_ops.tensordot(C(counted(2, 3)), C(counted(3, 2)), [[1], [0, 1]])
math_ops.tensordot(C(counted(2, 3)), C(counted(3, 2)), [1])
math_ops.tensordot(C(counted(2, 3)), C(counted(3, 2)), -1)
math_ops.tensordot(C(counted(2, 3)), C(counted(3, 2)), 3)
math_ops.tensordot(C(counted(2, 3)), C(counted(3, 2)), [[1, 1], [0, 0]])
math_ops.tensordot(sized(None, 3), sized(3, None), C(1))
math_ops.tensordot(late(counted(2, 3)), late(counted(3, 2)), late(np.array([[1], [1]])))
special_math_ops.einsum('ij, jk->ik', C(counted(2, 3)), C(counted(2, 2)))
special_math_ops.einsum('ij->ijk', C(counted(2, 3)))
special_math_ops.einsum('ii->i', C(counted(2, 2)))
special_math_ops.einsum('ijk->i', C(counted(2, 2)))
special_math_ops.einsum('ij, jk->ik', C(counted(2, 3)))
special_math_ops.einsum('ij, jk->ik->kj', C(counted(2, 3)), C(counted(3, 2)))
special_math_ops.einsum('ij, jk->ikk', C(counted(2, 3)), C(counted(3, 2)))
special_math_ops.einsum('ij, ij->ij', C(counted(2, 3)), C(counted(2, 3)), foo=1)
special_math_ops.einsum('1j, jk->1k', C(counted(2, 3)), C(counted(3, 2)))
special_math_ops.lbeta(C(1.))
math_ops.argmax(C(counted(2, 3)), axis=2)
math_ops.argmax(C(counted(2, 3)), axis=-3)
math_ops.argmax(C(counted(2, 0)), axis=1)
math_ops.argmax(C(1.), axis=0)
math_ops.argmax(C(counted(2, 3)), axis=0, dimension=0)
math_ops.argmax(C(counted(2, 3)), [0])
math_ops.argmin(C([True, False]), 0)
math_ops.argmax(late(counted(2, 3)), late(7))
math_ops.reduce_sum(C(counted(2, 3)), axis=2)
math_ops.reduce_sum(C(counted(2, 3)), axis=-3)
math_ops.reduce_sum(C(counted(2, 3)), axis=[[0], [1]])
math_ops.reduce_sum(C(counted(2, 3)), axis=[[0, 1]])
math_ops.reduce_sum(C(counted(2, 3)), axis=0.5)
math_ops.reduce_sum(C(counted(2, 3)), axis=late(5))
math_ops.reduce_sum(C(['a']))
math_ops.reduce_sum(C([True]))
math_ops.reduce_all(C([1, 0]))
math_ops.add(C(counted(2, 3)), C(counted(2, 2)))
math_ops.add(C(counted(2, 3)), C(counted(2)))
math_ops.add(late(counted(2, 3)), late(counted(2, 2)))
math_ops.add(C([1]), C([1.]))
math_ops.subtract(C([True]), C([True]))
C([True])+C([True])
C(1.)+'a'
C(1)+1.5
C(1.)+None
C([7, -7])//0
C([7, -7])%0
math_ops.div_no_nan(C([1, 2]), C([0, 1]))
math_ops.truediv(C([7]), C([2.]))
math_ops.truediv(C([True]), C([True]))
math_ops.mod(C([7], tf.uint8), C([4], tf.uint8))
math_ops.pow(C([2, 3]), C([-1, 2]))
math_ops.equal(C(counted(2, 3)), C(counted(2, 2)))
math_ops.equal(late(counted(2, 3)), late(counted(2, 2)))
math_ops.less(C(True), C(False))
math_ops.less(C('a'), C('b'))
math_ops.less(C(1+1j), C(1))
math_ops.logical_and(C(1), C(True))
math_ops.logical_not(C(1))
math_ops.approximate_equal(C([1., 2.]), C([1.]))
math_ops.abs(C([True]))
math_ops.square(C(['a']))
math_ops.sqrt(C([4]))
math_ops.exp(C([1]))
math_ops.sigmoid(C([1, 2]))
math_ops.betainc(C([1., 2.]), C([1.]), C([0.5, 2.]))
math_ops.betainc(C([1., 2.]), C([1., 3., 4.]), C([0.5, 2.]))
math_ops.is_nan(C([1]))
math_ops.complex(C([1.]), C([2.], tf.float64))
math_ops.complex(C([1]), C([2]))
math_ops.conj(C(['a']))
math_ops.cast(C(['1']), tf.int32)
math_ops.cast(C([1]), tf.string)
math_ops.range(0, 5, 0)
math_ops.range(5, 0)
math_ops.range(0, 5, -1)
math_ops.range(late(5), late(0))
math_ops.linspace(0., 1., 0)
math_ops.linspace(0., 1., -1)
math_ops.linspace(0, 1, 3)
math_ops.add_n([])
math_ops.add_n([C(counted(2)), C(counted(3))])
math_ops.add_n([C(counted(2)), C([1])])
math_ops.add_n([C('a'), C('b')])
math_ops.add_n([late(counted(2)), late(counted(3))])
math_ops.accumulate_n([C(counted(2)), C(counted(3))])
math_ops.accumulate_n([])
math_ops.accumulate_n([C(1.), C(1)])
math_ops.accumulate_n([C(counted(2)), C(counted(2))], shape=[3])
math_ops.accumulate_n([C(counted(2)), C(counted(2))], tensor_dtype=tf.int32)
math_ops.cumsum(C(counted(2, 3)), axis=2)
math_ops.cumsum(C(counted(2, 3)), axis=[0])
math_ops.cumsum(C(1.))
math_ops.cumsum(late(counted(2, 3)), late(3))
math_ops.cumsum(C([True]))
math_ops.bincount(C([1, 1, -2]))
math_ops.bincount(C([1, 1, 2]), weights=C([1., 2.]))
math_ops.bincount(C([1.]))
gen_math_ops.bincount(C([1, -1]), 3, [])
gen_math_ops.bincount(C([1]), -3, [])
histogram_ops.histogram_fixed_width(C([-1., 0]), [5., 0.], nbins=5)
histogram_ops.histogram_fixed_width(C([-1., 0]), [0., 5.], nbins=0)
histogram_ops.histogram_fixed_width(C([-1., 0]), [5.], nbins=2)
histogram_ops.histogram_fixed_width_bins(C([-1, 0]), [0, 5], nbins=5)
confusion_matrix.confusion_matrix([1, 2, 4], [2, 2])
confusion_matrix.confusion_matrix([1, 2, 4], [2, 2, 4], num_classes=3)
confusion_matrix.confusion_matrix([1, -2, 4], [2, 2, 4])
confusion_matrix.confusion_matrix([1, 2], [2, -2])
confusion_matrix.confusion_matrix([1, 2], [0, 1], num_classes=2)
confusion_matrix.confusion_matrix([1, 2], [0, 1], weights=[1., 2., 3.])
math_ops.segment_sum(C(counted(3, 2)), C([0, 2, 1]))
math_ops.segment_sum(C(counted(3, 2)), C([0, 1]))
math_ops.segment_sum(C(counted(3, 2)), C([-1, 0, 1]))
math_ops.segment_sum(C(counted(3, 2)), C([[0, 1, 1]]))
math_ops.segment_sum(C(1.), C([0]))
math_ops.segment_sum(late(counted(3, 2)), late([0, 1]))
math_ops.unsorted_segment_sum(C(counted(3, 2)), C([0, 2, 0]), 2)
math_ops.unsorted_segment_sum(C(counted(3, 2)), C([0, 1, 0]), -1)
math_ops.unsorted_segment_sum(C(counted(3, 2)), C([0, 1]), 2)
math_ops.unsorted_segment_sum(late(counted(3, 2)), late([0, 5, 0]), late(2))
math_ops.sparse_segment_sum(C(counted(3, 2)), C([0, 3]), C([0, 0]))
math_ops.sparse_segment_sum(C(counted(3, 2)), C([0, 1]), C([1, 0]))
math_ops.sparse_segment_sum(C(counted(3, 2)), C([0, 1]), C([0]))
math_ops.sparse_segment_sum(C(counted(3, 2)), C([0, 1]), C([0, 2]), num_segments=2)
math_ops.sparse_segment_sqrt_n(C(counted(3, 2)), C([0, -1]), C([0, 3]))
math_ops.sparse_segment_sum(C(counted(3, 2)), C([[0, 1]]), C([0, 0]))
gen_math_ops.sparse_segment_mean_grad(C(counted(2, 2)), C([0, 1]), C([0, 5]), 3)
gen_math_ops.sparse_segment_mean_grad(C(counted(2, 2)), C([0, 7]), C([0, 1]), 3)
gen_math_ops.sparse_segment_mean_grad(C(counted(2, 2)), C([0, 1]), C([-1, 1]), 3)
gen_math_ops.sparse_segment_mean_grad(C(counted(2, 2)), C([0, 1]), C([0]), 3)
math_ops.cross(C(counted(2)), C(counted(2)))
math_ops.cross(C(counted(3)), C(counted(2, 3)))
math_ops.cross(C(1.), C(1.))
math_ops.trace(C(counted(3)))
math_ops.scalar_mul(C([1., 2.]), C(counted(2)))
math_ops._bucketize(C([0., 15, 10]), [3, 0, 8])
math_ops.tanh(C(['a']))
math_ops.nextafter(C([1.], tf.float16), C([2.], tf.float16))
bitwise_ops.bitwise_and(C([1.]), C([3.]))
manip_ops.roll(C(counted(2, 3)), [1, 1], [0])
manip_ops.roll(C(counted(2, 3)), [1, 1], [0, 2])
manip_ops.roll(C(counted(2, 3)), [1, 1], [0, -3])
manip_ops.roll(C(1.), 1, 0)
manip_ops.roll(C(counted(2, 3)), [[1]], [0])
manip_ops.roll(C(counted(2, 3)), [1], [[0]])
manip_ops.roll(late(counted(2, 3)), late([1, 1]), late([0]))
manip_ops.roll(late(counted(2, 3)), late([1, 1]), late([0, -5]))
manip_ops.roll(late(np.float32(1)), late([1, 1]), late([0, -5]))
manip_ops.roll(late(counted(2, 3)), late([[1, 1]]), late([0, 1]))
manip_ops.roll(late(counted(2, 3)), late([1, 1]), late([[0, 1]]))
nn_ops.top_k(C(counted(2, 3)), 4)
nn_ops.top_k(C(counted(2, 3)), -1)
nn_ops.top_k(C(1.), 1)
nn_ops.top_k(C(counted(2, 3)), [1])
nn_ops.top_k(late(counted(2, 3)), late(4))
nn_ops.top_k(late(counted(2, 3)), late(-4))
nn_ops.top_k(late(np.float32(1)), late(-4))
nn_ops.in_top_k(C(counted(2, 3)), [0, 1, 2], 2)
nn_ops.in_top_k(C(counted(3)), [0], 2)
nn_ops.in_top_k(late(counted(2, 3)), late(np.array([0, 1, 1])), 2)
nn_ops.nth_element(C(counted(5)), 5)
nn_ops.nth_element(C(1.), 0)
nn_ops.nth_element(C(counted(5)), [1])
nn_ops.nth_element(late(counted(5)), late(7))
clip_ops.clip_by_value(C(counted(2, 3)), C(counted(2)), 1.)
clip_ops.clip_by_value(C([1, 2]), 1.5, 2.)
clip_ops.clip_by_value(C([1, 2]), 1, C(2, tf.int64))
clip_ops.clip_by_norm(C(counted(2, 3)), 1., axes=5)
clip_ops.clip_by_global_norm(C(1.), 2.)
check_ops.assert_equal(C([1]), C([2]))
check_ops.assert_equal(C([1]), C([2]), message='foo', data=['d'])
check_ops.assert_equal(late([1]), late([2]), message='foo')
check_ops.assert_less(late([1.]), late([1.]))
check_ops.assert_positive(late([0]))
check_ops.assert_negative(C([1]))
check_ops.assert_non_negative(C([-1]))
check_ops.assert_non_positive(C([1]))
check_ops.assert_none_equal(C([1]), C([1]))
check_ops.assert_less_equal(C([2]), C([1]))
check_ops.assert_greater(C([1]), C([1]))
check_ops.assert_greater_equal(C([1]), C([2]))
check_ops.assert_near(C([1.]), C([1.1]))
check_ops.assert_equal(C([1]), C([1, 2, 3]))
check_ops.assert_rank(C([1]), 2)
check_ops.assert_rank(C([1]), 2, message='mm')
check_ops.assert_rank(late([1]), 2)
check_ops.assert_rank(C([1]), C([1, 2]))
check_ops.assert_rank_at_least(C([1]), 2)
check_ops.assert_rank_at_least(late([1]), 2)
check_ops.assert_rank_in(C([1]), (0, 2))
check_ops.assert_rank_in(late([1]), (0, 2))
check_ops.assert_rank_in(C([1]), (C([1, 2]), 2))
check_ops.assert_integer(C([1.]))
check_ops.assert_type(C([1.]), tf.int32)
check_ops.assert_scalar(C([1.]))
check_ops.assert_same_float_dtype([C(1.), C(1., tf.float64)])
check_ops.assert_same_float_dtype([C(1)])
check_ops.assert_same_float_dtype([C(1.)], tf.int32)
check_ops.assert_proper_iterable('abc')
check_ops.assert_proper_iterable(3)
check_ops.assert_shapes({C(counted(2, 3)):('N', 'Q'), C(counted(3)):('N', )})
check_ops.assert_shapes([(C(counted(2, 3)), (2, 4))])
data_flow_ops.dynamic_stitch([C([0, 4, 7]), C([1, 6, 2, 3])], [C([0, 40, 70]), C([10, 60, 20])])
data_flow_ops.dynamic_stitch([C([0, 4, 7])], [C([[0, 40, 70]])])
data_flow_ops.dynamic_stitch([C([0]), C([1])], [C([[0]]), C([1])])
data_flow_ops.dynamic_stitch([C([0]), C([1])], [C([0]), C([1.])])
data_flow_ops.dynamic_stitch([late([0, 4, 7])], [late([0, 40])])
data_flow_ops.dynamic_partition(C([1, 2, 3]), C([0, 2, 0]), 2)
data_flow_ops.dynamic_partition(C([1, 2, 3]), C([0, -1, 0]), 2)
data_flow_ops.dynamic_partition(C([1, 2, 3]), C([[0, 1, 0]]), 2)
data_flow_ops.dynamic_partition(C([1, 2, 3]), C([0, 1]), 2)
data_flow_ops.dynamic_partition(C([1, 2, 3]), C([0, 1, 0]), 0)
data_flow_ops.dynamic_partition(C([1, 2, 3]), C([0, 1, 0]), -1)
sort_ops.sort(C([3, 1, 2]), direction='foo')
sort_ops.argsort(C([3, 1]), axis=2)
sort_ops.sort(C(1.))
sort_ops.sort(C([3, 1], tf.uint8), axis=[0])
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

"""What libraries built on TensorFlow 1 take from below its public names."""

import collections
import pickle

import numpy as np
import tensorflow as tf
import tensorflow.compat.v2 as tf2
from tensorflow.python import pywrap_tensorflow
from tensorflow.python.framework import type_spec
from tensorflow.python.ops import control_flow_ops, nn_ops, rnn
from tensorflow.python.ops.linalg import linear_operator_addition
from tensorflow.python.ops.metrics_impl import _streaming_confusion_matrix
from tensorflow.python.util import tf_inspect

results = {}


def signature(function):
    spec = tf_inspect.getfullargspec(function)
    return [list(spec.args), spec.varargs, spec.varkw, len(spec.defaults or ()), sorted(spec.annotations)]


# Signatures, through what the library itself wraps functions in and through nothing else.
for name in [
    "cast",
    "concat",
    "equal",
    "matmul",
    "maximum",
    "ones",
    "pad",
    "range",
    "rank",
    "reduce_sum",
    "reshape",
    "size",
    "stack",
    "where",
    "zeros_like",
]:
    results["signature of " + name] = signature(getattr(tf, name))
for name in ["expand_dims", "norm", "reduce_all", "reduce_logsumexp", "reduce_sum", "reverse_sequence", "squeeze"]:
    results["later signature of " + name] = signature(getattr(tf2, name))
for name in ["l2_normalize", "log_softmax", "reduce_max", "softmax"]:
    results["later signature of math." + name] = signature(getattr(tf2.math, name))
results["signature of a decoder"] = signature(tf2.nn.ctc_beam_search_decoder)
results["positional"] = list(tf_inspect.getargspec(tf.reduce_mean).args)

# Functions as part of what is saved.
functions = [
    tf.exp,
    tf.tanh,
    tf.sigmoid,
    tf.nn.relu,
    tf.nn.elu,
    tf.reduce_sum,
    tf.math.log,
    tf.matmul,
    tf.identity,
    tf.where,
]
results["saved functions"] = [pickle.loads(pickle.dumps(f)) is f for f in functions]

# Modules as attributes of modules that import them.
results["imported"] = [
    callable(rnn.rnn_cell_impl.BasicLSTMCell),
    callable(nn_ops.array_ops.reshape),
    callable(control_flow_ops.math_ops.add),
]

# Sums of operators.
identity = tf.linalg.LinearOperatorScaledIdentity(2, 3.0, is_positive_definite=True)
unit = tf.linalg.LinearOperatorIdentity(2)
diagonal = tf.linalg.LinearOperatorDiag([1.0, 2.0], name="D")
triangle = tf.linalg.LinearOperatorLowerTriangular([[1.0, 0.0], [4.0, 2.0]], name="T")
full = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]], name="M")
add = linear_operator_addition.add_operators
sums = {
    "identities": [identity, unit],
    "diagonals": [diagonal, identity, unit],
    "triangles": [unit, triangle, diagonal],
    "any": [full, diagonal, triangle, identity],
    "one": [full],
}
for key in sorted(sums):
    made = add(sums[key])
    results["sum of " + key] = [[type(m).__name__, m.name, bool(m.is_positive_definite)] for m in made]
    results["matrix of " + key] = tf.Session().run([m.to_dense() for m in made])
tiers = [[linear_operator_addition._AddAndReturnDiag()]]
results["few tiers"] = [m.name for m in add([full, diagonal, triangle, unit], addition_tiers=tiers, operator_name="S")]
for key, bad in (("none", []), ("tensor", [tf.eye(2)]), ("sizes", [diagonal, tf.linalg.LinearOperatorIdentity(3)])):
    try:
        add(bad)
    except (TypeError, ValueError) as error:
        results["refused " + key] = type(error).__name__


class FromTheRight(tf.linalg.LinearOperatorFullMatrix):
    def from_the_right(self, x):
        with self._name_scope("from_the_right"):
            x = tf.convert_to_tensor(x, name="x")
            self._check_input_dtype(x)
            return tf.matmul(x, self._matrix)


own = FromTheRight([[1.0, 2.0], [3.0, 4.0]])
results["operator of the program's own"] = tf.Session().run(
    [own.from_the_right([[1.0, 1.0]]), own.matmul([[1.0], [1.0]])]
)
try:
    own.from_the_right(tf.constant([[1, 1]]))
except TypeError as error:
    results["another type"] = "dtype" in str(error)

# Descriptions of values that make batches.
described = [tf.TensorSpec([2]), tf.SparseTensorSpec([2, 3]), tf.RaggedTensorSpec([2, None])]
results["batchable"] = [isinstance(spec, type_spec.BatchableTypeSpec) for spec in described]
results["batches"] = [spec._batch(5)._shape.as_list() for spec in described]
results["rows"] = [spec._unbatch()._shape.as_list() for spec in described]

# Values known while the graph is built.
with tf.Graph().as_default() as graph:
    known = tf.less(tf.constant(1), tf.constant(2))
    unknown = tf.placeholder(tf.bool, [])
    evaluate = pywrap_tensorflow.TF_TryEvaluateConstant_wrapper
    results["evaluated"] = [bool(evaluate(graph._c_graph, known._as_tf_output()))]
    results["not evaluated"] = evaluate(graph._c_graph, unknown._as_tf_output()) is None

    # Sizes from outside a loop are seen through the edge of one loop.
    rows, columns = tf.constant(4), tf.constant(1) * 3

    def shapes():
        whole = tf.reshape(tf.placeholder(tf.float32), [rows, columns])
        return [t.shape.as_list() for t in (whole, tf.fill([rows, columns], 0.0), tf.random_uniform([rows, 2]))]

    def body(i):
        results["shapes in a loop"] = shapes()
        return i + 1

    def nested(i):
        def inner(j):
            results["shapes in a loop of a loop"] = shapes()
            return j + 1

        return tf.while_loop(lambda j: j < 2, inner, [i])

    tf.while_loop(lambda i: i < 2, body, [0])
    tf.while_loop(lambda i: i < 2, nested, [0])

# Choices with a cond of the caller's own.
with tf.Graph().as_default():
    asked = []

    def choose(predicate, true_fn, false_fn, strict):
        asked.append([predicate if isinstance(predicate, bool) else predicate.op.type, strict])
        return true_fn() if predicate is True else tf.cond(predicate, true_fn, false_fn)

    x = tf.placeholder_with_default(3.0, [])
    chosen = control_flow_ops._case_helper(
        choose,
        [(x > 4.0, lambda: x), (True, lambda: -x)],
        lambda: x * 2.0,
        False,
        "pick",
        allow_python_preds=True,
        strict=True,
    )
    with tf.Session() as session:
        results["chosen"] = [session.run(chosen), session.run(chosen, {x: 5.0})]
    results["asked"] = asked

# A function with its own derivative whose result is a structure.
Pair = collections.namedtuple("Pair", "plus minus")
with tf.Graph().as_default():

    @tf.custom_gradient
    def both(a, b):
        def grad(d_plus, d_minus, d_more):
            return d_plus * 10.0 + d_more, d_minus * 100.0

        return {"pair": Pair(a + b, a - b), "more": [a * b]}, grad

    a, b = tf.constant([1.0, 2.0]), tf.constant([3.0, 5.0])
    made = both(a, b)
    results["structure"] = [type(made["pair"]).__name__, sorted(made)]
    total = tf.reduce_sum(made["pair"].plus * 2.0 + made["pair"].minus) + tf.reduce_sum(made["more"][0])
    with tf.Session() as session:
        results["own derivative"] = session.run([total] + tf.gradients(total, [a, b]))

# Jacobians of a tape that is used once.
with tf.Graph().as_default():
    for method in ("jacobian", "batch_jacobian"):
        point = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
        with tf.GradientTape() as tape:
            tape.watch(point)
            value = tf.stack([tf.reduce_prod(point, 1), point[:, 0] ** 2.0], 1)
        made = getattr(tape, method)(value, point)
        try:
            tape.gradient(value, point)
        except RuntimeError as error:
            results["second use after " + method] = type(error).__name__
        with tf.Session() as session:
            results[method] = session.run(made)


class Holder(tf.Module):
    _TF_MODULE_IGNORED_PROPERTIES = frozenset(("hidden",)).union(tf.Module._TF_MODULE_IGNORED_PROPERTIES)


with tf.Graph().as_default():
    holder = Holder()
    holder.seen = tf.Variable(1.0, name="seen", use_resource=True)
    holder.hidden = tf.Variable(1.0, name="hidden", use_resource=True)
    holder.later = [tf.Variable(2.0, name="later", use_resource=True)]
    results["members"] = [v.name for v in holder.variables]
    leaves = holder._flatten(predicate=lambda leaf: isinstance(leaf, tf.Variable), with_path=True)
    results["paths"] = [list(path) for path, _ in leaves]

# Metrics of other packages are made of this one.
with tf.Graph().as_default(), tf.Session() as session:
    labels, predictions, weights = (tf.placeholder(kind, [None, 2]) for kind in (tf.int32, tf.int64, tf.float32))
    matrix, update = _streaming_confusion_matrix(labels, predictions, 3, weights)
    session.run(tf.local_variables_initializer())
    for given in ([[0, 1], [2, 2]], [[1, 1], [0, 2]]):
        session.run(update, {labels: given, predictions: [[0, 1], [1, 2]], weights: [[1.0, 0.5], [2.0, 1.0]]})
    results["confusion"] = session.run(matrix)
    results["confusion names"] = [matrix.name, update.name, matrix.dtype.base_dtype.name]

results = {
    key: np.asarray(value).tolist() if isinstance(value, (np.ndarray, np.generic)) else value
    for key, value in results.items()
}

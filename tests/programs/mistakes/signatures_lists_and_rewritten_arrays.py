"""Signatures, conditions and TensorArrays of functions; types, names, places and updates of what runs eagerly."""

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()
results = {}
C, V, F = tf.constant, tf.Variable, tf.function
Spec = tf.TensorSpec
PAIR = Spec([2], tf.float32)
sparse = tf.SparseTensor([[0]], [1.0], [1])
ragged = tf.ragged.constant([[1], [2, 3]])


def array(size=2):
    return tf.TensorArray(tf.int32, size)


def traced(function):
    return F(function, autograph=False)()


def updated(value, update):
    variable = V(value)
    update(variable)
    return variable.numpy()


def in_scope(scope, make=lambda: C(1.0) + 1):
    with scope:
        return make()


CASES = {
    # ---- arrays in functions ----
    "written twice": lambda: traced(lambda: array().write(0, 1).write(0, 2).stack()),
    "written twice in a loop": lambda: traced(
        lambda: tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a.write(0, i)), [C(0), array()])[1].stack()
    ),
    "counted in a loop": lambda: traced(
        lambda: tf.while_loop(
            lambda i, a: i < 3, lambda i, a: (i + 1, a.write(0, a.read(0) + i)), [C(0), array().unstack([1, 1])]
        )[1].stack()
    ),
    "fewer rows": lambda: traced(lambda: array(5).unstack([1, 2, 3]).stack()),
    "more rows": lambda: traced(lambda: array(1).unstack([1, 2, 3]).stack()),
    "size of more rows": lambda: traced(lambda: array(1).unstack([1, 2, 3]).size()),
    "rows twice": lambda: traced(lambda: array().unstack([1, 2]).unstack([3, 4]).stack()),
    "rows and one more": lambda: traced(lambda: array().unstack([1, 2]).write(1, 5).stack()),
    "scattered to one place": lambda: traced(lambda: array().scatter([0, 0], [1, 2]).stack()),
    "scattered behind the end": lambda: traced(lambda: array().scatter([0, 1, 2], [1, 2, 3]).stack()),
    "scattered with a gap": lambda: traced(lambda: array().scatter([0, 5], [1, 2]).stack()),
    "scattered to fewer": lambda: traced(lambda: array().scatter([0], [1, 2]).stack()),
    "split into fewer": lambda: traced(lambda: array(3).split([1, 2], [1, 1]).size()),
    "split into more": lambda: traced(lambda: array(1).split([1, 2], [1, 1]).concat()),
    "rows of a size that is told late": lambda: F(lambda n: array(n).unstack([1, 2, 3]).stack())(C(1)),
    "written twice in a map": lambda: next(
        iter(tf.data.Dataset.range(1).map(lambda x: array().write(0, 3).write(0, 5).stack()))
    ),
    "written twice in a graph function": lambda: tf.contrib.eager.defun(
        lambda: array().write(0, 1).write(0, 2).stack()
    )(),
    # ---- signatures ----
    "only by name": lambda: F(lambda x, *, k=3: x, input_signature=[PAIR]) and "made",
    "a list for a dict": lambda: F(lambda x: 1, input_signature=[{"a": PAIR}])([C([1.0, 2.0])]),
    "a tensor for a dict": lambda: F(lambda x: 1, input_signature=[{"a": PAIR}])(C([1.0, 2.0])),
    "other keys": lambda: F(lambda x: 1, input_signature=[{"a": PAIR}])({"b": C([1.0, 2.0])}),
    "a tuple for a list": lambda: F(lambda x: 1, input_signature=[[PAIR]])((C([1.0, 2.0]),)),
    "a tensor for a list": lambda: F(lambda x: 1, input_signature=[[PAIR]])(C([1.0, 2.0])),
    "nothing for a list": lambda: F(lambda x: 1, input_signature=[[PAIR]])(None),
    "a longer list": lambda: F(lambda x: 1, input_signature=[[PAIR]])([C([1.0, 2.0])] * 2),
    # ---- variables and conditions of functions ----
    "variable of an argument": lambda: tf.contrib.eager.defun(lambda x: V(x))(C(1.0)),
    "variable of a constant": lambda: tf.contrib.eager.defun(lambda: V(C(1.0)))(),
    "wrapped variable of an argument": lambda: tf.wrap_function(lambda x: V(x), [Spec([], tf.float32)])(C(1.0)),
    "wrapped variable of a number": lambda: tf.wrap_function(lambda: V(1.0), [])(),
    "branch by a vector": lambda: F(lambda x: tf.cond(x > [1, 2], lambda: 1, lambda: 2))(C(1)),
    "branch by one element": lambda: F(lambda x: tf.cond([x > 1], lambda: 1, lambda: 2))(C(1)),
    "loop by a vector": lambda: F(lambda x: tf.while_loop(lambda i: i < [3, 4], lambda i: i + 1, [x]))(C(1)),
    # ---- types eagerly ----
    "gather by numbers": lambda: tf.gather(V([1.0]), [0.0]),
    "gather constants by numbers": lambda: tf.gather([1.0], [0.5]),
    "scatter by numbers": lambda: tf.scatter_add(V([1.0]), [0.0], [1.0]),
    "scatter texts": lambda: tf.scatter_add(V(["a"]), [0], ["b"]),
    "scatter slices of texts": lambda: tf.scatter_nd_add(V(["a"]), [[0]], ["b"]),
    "add texts": lambda: V("a").assign_add("b"),
    "add truths": lambda: V([True]).assign_add([True]),
    "subtract truths": lambda: V([True]).assign_sub([True]),
    "descent of integers": lambda: tf.raw_ops.ResourceApplyGradientDescent(var=V([1]).handle, alpha=1, delta=[1]),
    "descent of texts": lambda: tf.raw_ops.ResourceApplyGradientDescent(var=V(["a"]).handle, alpha="a", delta=["a"]),
    "count a number": lambda: tf.count_up_to(V(1.0), 3),
    "count a vector": lambda: V([1]).count_up_to(5),
    "list of two types": lambda: tf.convert_to_tensor([C(1), C(2.5)]),
    "list of two types and a number": lambda: tf.convert_to_tensor([C(1), C(2.5), 3]),
    "list of a variable": lambda: tf.convert_to_tensor([C(1.0), V(2)]),
    "nested lists of two types": lambda: tf.convert_to_tensor([[C(1.0)], [C(2)]]),
    "sum of a list of two types": lambda: tf.reduce_sum([C(1), C(2.5)]),
    "sparse": lambda: tf.convert_to_tensor(sparse),
    "ragged": lambda: tf.convert_to_tensor(ragged),
    "sum of sparse": lambda: tf.reduce_sum(sparse),
    "sum with sparse": lambda: C(1.0) + sparse,
    "stack of sparse": lambda: tf.stack([sparse]),
    "concat of sparse": lambda: tf.concat([sparse], 0),
    "list of ragged": lambda: tf.cast([ragged], tf.float32),
    "unknown size": lambda: C(1, shape=[None, 2]),
    "unknown rank": lambda: C(1, shape=tf.TensorShape(None)),
    # ---- updates eagerly ----
    "one number for a slice": lambda: updated([1.0, 2.0], lambda v: v[0:2].assign(3.0)),
    "one row for a slice": lambda: updated([1.0, 2.0], lambda v: v[0:2].assign([3.0])),
    "one number for one": lambda: updated([1.0, 2.0], lambda v: v[0].assign(3.0)),
    "flat indices": lambda: updated([1.0, 2.0], lambda v: v.scatter_nd_add([0], [1.0])),
    "flat indices of rows": lambda: updated([[1.0, 2.0]], lambda v: v.scatter_nd_update([0], [[5.0, 6.0]])),
    "flat indices and a number": lambda: updated([1.0, 2.0], lambda v: v.scatter_nd_add([0], 1.0)),
    "flat indices and a row": lambda: updated([[1.0, 2.0]], lambda v: v.scatter_nd_update([0], [5.0, 6.0])),
    # ---- names, places, graphs eagerly ----
    "name with a space": lambda: in_scope(tf.name_scope("a b")),
    "variable's name with a space": lambda: in_scope(tf.variable_scope("a b"), lambda: tf.get_variable("x", [])),
    "place that is a number": lambda: in_scope(tf.device(3)),
    "place that is a list": lambda: in_scope(tf.device([])),
    "after a number": lambda: in_scope(tf.control_dependencies(3)),
    "after nothing": lambda: in_scope(tf.control_dependencies(None)),
    "export": lambda: tf.train.export_meta_graph(),
    "import": lambda: tf.train.import_meta_graph("x"),
    "spec and text": lambda: np.array(PAIR.is_compatible_with("a")),
    "spec and array": lambda: np.array(PAIR.is_compatible_with(np.ones(2, np.float32))),
    "spec and tensor": lambda: np.array(PAIR.is_compatible_with(C([1.0, 2.0]))),
    "spec of a list": lambda: Spec.from_tensor([1.0]),
    "spec of a tensor": lambda: str(Spec.from_tensor(C(1.0))),
}


def asserted(x):
    assert x > 5, "too small"
    return x


def chosen(x, one, two):
    if x > 0:
        y = one
    else:
        y = two
    return y


def over_rows():
    total = 0
    for row in tf.ragged.constant([[1], [2, 3]]):
        total = total + tf.reduce_sum(row)
    return total


FEATURE = tf.autograph.experimental.Feature
CASES["assert"] = lambda: F(asserted)(C(1.0))
CASES["assert of a number"] = lambda: F(asserted)(1.0)
for _name in ("ALL", "ASSERT_STATEMENTS", "LISTS"):
    CASES["assert with " + _name] = lambda n=_name: F(asserted, experimental_autograph_options=getattr(FEATURE, n))(
        C(1.0)
    )
CASES["other objects"] = lambda: F(lambda x: chosen(x, object(), object()))(C(1))
CASES["other types"] = lambda: F(lambda x: chosen(x, tf.float32, tf.int32))(C(1))
CASES["other lengths"] = lambda: F(lambda x: chosen(x, [1], [1, 2]))(C(1))
CASES["ragged rows"] = lambda: F(over_rows)()


def outcome(make):
    """The class of the error, or what is made."""
    try:
        made = make()
    except Exception as error:
        return type(error).__name__
    made = made.numpy() if hasattr(made, "numpy") else made
    return made if isinstance(made, (np.ndarray, np.number, str)) else "made"


for name in sorted(CASES):
    results[name] = outcome(CASES[name])

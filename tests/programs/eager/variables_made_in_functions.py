"""Variables that a function makes in its first call, concrete functions called by name, and what they refuse."""

import tensorflow as tf

tf.enable_eager_execution()
results = {}


class Lazy(tf.Module):
    def __init__(self, make):
        super(Lazy, self).__init__()
        self.make = make
        self.state = None
        self.traced = 0

    @tf.function
    def __call__(self, x):
        self.traced += 1
        if self.state is None:
            self.state = self.make(x)
        self.state.assign_add(x)
        return self.state * x


def of_zeros(x):
    return tf.Variable(tf.zeros([2]))


def of_a_list(x):
    return tf.Variable([1.0, 2.0])


def of_a_function(x):
    return tf.Variable(lambda: tf.ones([2]))


def of_parts(x):
    return tf.Variable([tf.constant(1.0), 2.0])


def of_the_argument(x):
    return tf.Variable(x * 2.0)


one = tf.constant([1.0, 1.0])
for make in (of_zeros, of_a_list, of_a_function, of_parts, of_the_argument):
    lazy = Lazy(make)
    calls = [lazy(one).numpy().tolist() for _ in range(3)]
    results[make.__name__] = [calls, lazy.state.numpy().tolist(), len(lazy.trainable_variables)]
    if make is not of_the_argument:
        results[make.__name__] += [lazy.traced]
        later = Lazy(make)
        begin = later.__call__.get_initialization_function(one)
        begin()
        results[make.__name__] += [later.state.numpy().tolist(), later(one).numpy().tolist()]

kept = Lazy(of_zeros)
kept(one)
try:
    kept.__call__.get_initialization_function(one)
except RuntimeError as error:
    results["begun twice"] = "after the function has been used" in str(error)


@tf.function
def makes_each_time(x):
    return tf.Variable(1.0) + x


try:
    makes_each_time(one)
except ValueError as error:
    results["made each time"] = "on non-first call" in str(error)

with tf.Graph().as_default(), tf.Session() as session:
    lazy = Lazy(of_zeros)
    y = lazy(tf.constant([1.0, 1.0]))
    session.run(tf.global_variables_initializer())
    results["in a graph"] = [session.run(y).tolist() for _ in range(2)]

spec = tf.TensorSpec([], tf.float32)


@tf.function
def scaled(x, y=2.0):
    return x * y


@tf.function
def of_structures(a, b):
    return a["k"] + b[0] * b[1]


@tf.function(input_signature=[spec, spec])
def difference(a, b):
    return a - b


def told(function, *args, **kwargs):
    try:
        return float(function(*args, **kwargs).numpy())
    except (TypeError, ValueError, tf.errors.InvalidArgumentError) as error:
        return type(error).__name__


c = tf.constant
concrete = {
    "scaled": scaled.get_concrete_function(spec),
    "named": scaled.get_concrete_function(tf.TensorSpec([], tf.float32, name="given")),
    "structures": of_structures.get_concrete_function({"k": spec}, [spec, spec]),
    "difference": difference.get_concrete_function(),
}
for name, function in sorted(concrete.items()):
    args, kwargs = function.structured_input_signature
    results[name] = [str(args), str(kwargs), len(function.inputs)]
results["calls"] = [
    told(concrete["scaled"], c(3.0)),
    told(concrete["scaled"], x=c(3.0)),
    told(concrete["scaled"], 3.0),
    told(concrete["scaled"], c(3)),
    told(concrete["scaled"], c(3.0), 2.0),
    told(concrete["named"], given=c(3.0)),
    told(concrete["named"], x=c(3.0)),
    told(concrete["structures"], c(1.0), c(2.0), c(3.0)),
    told(concrete["structures"], a=c(1.0), b=c(2.0), b_1=c(3.0)),
    told(concrete["structures"], {"k": c(1.0)}, [c(2.0), c(3.0)]),
    told(concrete["difference"], a=c(5.0), b=c(2.0)),
    told(concrete["difference"], c(5.0), b=c(2.0)),
    told(concrete["difference"], c(5.0), a=c(2.0)),
    told(concrete["difference"], c(5.0)),
    told(concrete["difference"], c(5.0), c(1.0), c(1.0)),
]
results["signatures refused"] = [
    told(difference, c(1)),
    told(difference, c([1.0]), 2.0),
    told(difference, c(1.0)),
    told(difference.get_concrete_function, spec),
    told(difference.get_concrete_function, tf.TensorSpec([3], tf.float32), spec),
]

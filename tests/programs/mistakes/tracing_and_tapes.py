"""Classes of what fails while functions are traced, of tapes that have no recording, and of what eager operations refuse."""

import os
import tempfile

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()
results = {}
C = tf.constant


class Own(Exception):
    pass


class OwnValueError(ValueError):
    pass


def traced(make, **settings):
    return lambda: tf.function(make, **settings)()


def raising(error):
    def function():
        raise error

    return function


class Layer(tf.keras.layers.Layer):
    def call(self, inputs):
        return [1][2]


def layer(kind, inputs):
    with tf.Graph().as_default():
        return kind()(tf.placeholder(tf.float32, inputs))


class OldLayer(tf.layers.Layer):
    def call(self, inputs):
        if tf.reduce_sum(inputs) > 0:
            doubled = inputs * 2
        else:
            doubled = inputs
        return doubled


def old_layer():
    with tf.Graph().as_default(), tf.Session() as sess:
        return sess.run(OldLayer()(C([1.0, 2.0])))


def taped(function):
    with tf.GradientTape() as tape:
        variable = tf.Variable(1.0)
        result = variable * 2.0
    return function(tape, result, variable)


def used_up(function):
    def after(tape, result, variable):
        tape.gradient(result, variable)
        return function(tape, variable)

    return lambda: taped(after)


def in_graph(function):
    def inside():
        with tf.Graph().as_default():
            return function(C(1.0))

    return inside


def run(make):
    with tf.Graph().as_default(), tf.Session() as sess:
        return sess.run(make())


def closed(kind, use):
    def after():
        with tf.Graph().as_default():
            sess = kind()
            sess.close()
            return use(sess)

    return after


def step(step_context):
    return 1


def meta_graph():
    path = os.path.join(tempfile.mkdtemp(), "damaged.meta")
    with open(path, "wb") as file:
        file.write(b"\xff" * 50)
    with tf.Graph().as_default():
        tf.train.import_meta_graph(path)


def loaded():
    module, folder = tf.Module(), tempfile.mkdtemp()
    module.v = tf.Variable(3.0)
    tf.saved_model.save(module, folder)
    return float(tf.keras.models.load_model(folder).v.numpy())


def text_matrix(texts, mode):
    tokenizer = tf.keras.preprocessing.text.Tokenizer(num_words=3)
    tokenizer.fit_on_texts(["a"])
    return tokenizer.texts_to_matrix(texts, mode=mode)


def weights_of_no_file():
    class Model(tf.keras.Model):
        def call(self, inputs):
            return inputs

    Model().load_weights("nowhere.h5")


def pair(*types):
    return lambda: [int(value) for value in tf.py_function(lambda x: [x, x + 1, x + 2], [C(1)], types)]


dataset = tf.data.Dataset.range(3)
CASES = {
    "traced: division": traced(lambda: 1 / 0),
    "traced: index": traced(lambda: [1][2]),
    "traced: key": traced(lambda: {}["a"]),
    "traced: value": traced(lambda: int("a")),
    "traced: text": traced(lambda: b"\xff".decode()),
    "traced: file": traced(lambda: os.listdir("nowhere")),
    "traced: own": traced(raising(Own("a"))),
    "traced: own of a class of values": traced(raising(OwnValueError("a"))),
    "traced: op": traced(raising(tf.errors.NotFoundError(None, None, "a"))),
    "traced as it is": traced(lambda: [1][2], autograph=False),
    "traced by defun": lambda: tf.contrib.eager.defun(lambda: [1][2])(),
    "wrapped": lambda: tf.compat.v1.wrap_function(lambda: [1][2], []),
    "mapped: index": lambda: dataset.map(lambda x: [1][2]),
    "filtered: index": lambda: dataset.filter(lambda x: [1][2]),
    "mapped: key": lambda: tf.data.Dataset.from_tensors({"a": 1}).map(lambda x: x["b"]),
    "layer": lambda: layer(Layer, [2, 3]),
    "layer eagerly": lambda: Layer()(np.ones([2, 3], np.float32)),
    "layer of a function": lambda: layer(lambda: tf.keras.layers.Lambda(lambda x: [1][2]), [2, 3]),
    "old layer": old_layer,
    "converted without source": lambda: tf.autograph.to_graph(eval("lambda: 1")),
    "watch before": lambda: tf.GradientTape().watch(C(1.0)),
    "watched before": lambda: tf.GradientTape().watched_variables(),
    "watch after": used_up(lambda tape, variable: tape.watch(variable)),
    "watched after": used_up(lambda tape, variable: tape.watched_variables()),
    "gradient of text": lambda: taped(lambda tape, result, variable: tape.gradient(result, "a")),
    "gradient of none": lambda: taped(lambda tape, result, variable: tape.gradient(result, None)),
    "gradient of an array": lambda: taped(lambda tape, result, variable: tape.gradient(result, np.ones(2))),
    "gradients of none": in_graph(lambda x: tf.gradients(None, x)),
    "gradients by none": in_graph(lambda x: tf.gradients(x, [None])),
    "gradients stopped at text": in_graph(lambda x: tf.gradients(x, x, stop_gradients="a")),
    "hessians of none": in_graph(lambda x: tf.hessians(None, x)),
    "checked without gradient": in_graph(lambda x: tf.test.compute_gradient_error(x, [], C(1.0), [])),
    "case of a vector": lambda: run(lambda: tf.switch_case(C([0]), [lambda: C(1)])),
    "case of a vector eagerly": lambda: tf.switch_case(C([0]), [lambda: C(1), lambda: C(2)]),
    "case": lambda: int(run(lambda: tf.switch_case(C(0), [lambda: C(1)]))),
    "more results than one": pair(tf.int32),
    "more results than two": pair(tf.int32, tf.int32),
    "less results": lambda: tf.py_function(lambda x: [x], [C(1)], [tf.int32] * 2),
    "options": in_graph(lambda x: tf.Session().run(x, options="a")),
    "metadata": in_graph(lambda x: tf.Session().run(x, run_metadata="a")),
    "closed: run": closed(tf.train.MonitoredSession, lambda sess: sess.run(C(1))),
    "closed: step": closed(tf.train.MonitoredSession, lambda sess: sess.run_step_fn(step)),
    "closed: close": closed(tf.train.SingularMonitoredSession, lambda sess: sess.close()),
    "zeros of mixed sizes": lambda: tf.zeros([2, "a"]),
    "mixed": lambda: C([2, "a"], tf.int32),
    "texts as numbers": lambda: C(["a", "b"], tf.int32),
    "text as a number": lambda: C("a", tf.int32),
    "uniform": lambda: tf.random.uniform("a"),
    "normal": lambda: tf.random.normal("a"),
    "truncated": lambda: tf.truncated_normal("a"),
    "multinomial": lambda: tf.multinomial("a", 1),
    "fill": lambda: tf.fill("a", 1),
    "format a number": lambda: tf.strings.format("{}", 1),
    "damaged meta": meta_graph,
    "no model": loaded,
    "matrix of texts": lambda: text_matrix(["a"], "other"),
    "matrix of no words": lambda: text_matrix(["b"], "other"),
    "weights of no file": weights_of_no_file,
}
for name in ("pow", "multiply", "add", "maximum", "equal", "less", "atan2", "floordiv", "squared_difference"):
    CASES["text and number: " + name] = lambda name=name: getattr(tf, name)("a", 2)
CASES["texts: pow"] = lambda: tf.pow("a", "b")
CASES["texts: matmul"] = lambda: tf.matmul([["a"]], [["b"]])


def outcome(make):
    """The class of the error, or what is made."""
    try:
        made = make()
    except Exception as error:
        return type(error).__name__
    return made if made is None or isinstance(made, (bool, int, float, list)) else np.asarray(made)


for name in sorted(CASES):
    results[name] = outcome(CASES[name])

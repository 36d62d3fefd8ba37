"""Savers of eager variables, decays without a step, rows of Jacobians, sizes of pictures and lists that are tensors."""

import os
import tempfile

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()
results = {}
C = tf.constant
folder = tempfile.mkdtemp()
box = [[0.0, 0.0, 1.0, 1.0]]
NO_PIXELS = np.ones((0, 2, 3), np.uint8)


def variable(value=1.0):
    return tf.contrib.eager.Variable(value, name="a")


def saved(saver):
    return os.path.basename(saver.save(os.path.join(folder, "model")))


def exported_by_a_number():
    tf.saved_model.simple_save(5, os.path.join(folder, "s"), {"a": C(1.0)}, {"b": C(1.0)})


def twice():
    one = variable()
    return saved(tf.contrib.eager.Saver([one, one]))


def jacobian(**arguments):
    with tf.GradientTape(persistent=True) as tape:
        x = C([[1.0, 2.0]])
        tape.watch(x)
        y = x * x
    return tape.jacobian(y, x, **arguments)


def batch_jacobian(**arguments):
    with tf.GradientTape(persistent=True) as tape:
        x = C([[1.0, 2.0]])
        tape.watch(x)
        y = x * x
    return tape.batch_jacobian(y, x, **arguments)


def in_session(make):
    with tf.Graph().as_default(), tf.Session() as sess:
        return sess.run(make())


CASES = {
    "saver of a number": lambda: type(tf.contrib.eager.Saver(5)).__name__,
    "number saved": lambda: saved(tf.contrib.eager.Saver(5)),
    "numbers saved": lambda: saved(tf.contrib.eager.Saver([5])),
    "number saved by name": lambda: saved(tf.contrib.eager.Saver({"a": 5})),
    "tensor saved by name": lambda: saved(tf.contrib.eager.Saver({"a": C(1.0)})),
    "nothing saved": lambda: saved(tf.contrib.eager.Saver([])),
    "number restored": lambda: tf.contrib.eager.Saver(5).restore(os.path.join(folder, "nowhere")),
    "saver of equal names": lambda: type(tf.train.Saver([variable(), variable()])).__name__,
    "equal names saved": lambda: saved(tf.contrib.eager.Saver([variable(), variable()])),
    "one variable twice": twice,
    "dots of nowhere": lambda: tf.contrib.checkpoint.dot_graph_from_checkpoint(os.path.join(folder, "nowhere")),
    "signature of numbers": lambda: tf.saved_model.build_signature_def(5),
    "exported by a number": lambda: in_session(exported_by_a_number),
    "decay without a step": lambda: callable(tf.train.exponential_decay(0.1, None, 10, 0.5)),
    "decay without a step, called": lambda: tf.train.exponential_decay(0.1, None, 10, 0.5)(),
    "cosine decay without a step": lambda: callable(tf.train.cosine_decay(0.1, None, 10)),
    "pieces without a step": lambda: tf.train.piecewise_constant(None, [1], [0.1, 0.2]),
    "pieces of another type": lambda: tf.train.piecewise_constant(5, [1.5], [0.1, 0.2]),
    "pieces": lambda: tf.train.piecewise_constant(5, [1], [0.1, 0.2])(),
    "rows at once of text": lambda: jacobian(parallel_iterations="a"),
    "no rows at once in a loop": lambda: jacobian(parallel_iterations=0, experimental_use_pfor=False),
    "rows at once of text in a loop": lambda: jacobian(parallel_iterations="a", experimental_use_pfor=False),
    "a fraction of rows at once": lambda: batch_jacobian(parallel_iterations=1.5),
    "less than no rows at once": lambda: tf.function(lambda: jacobian(parallel_iterations=-1), autograph=False)(),
    "two rows at once": lambda: jacobian(parallel_iterations=2),
    "texts joined": lambda: tf.strings.join(C(["a", "b"])),
    "texts and none joined": lambda: tf.strings.join(["a", None]),
    "product of pairs": lambda: tf.linalg.cross(np.ones(2, np.float32), np.ones(2, np.float32)),
    "glimpse of no rows": lambda: tf.image.extract_glimpse(np.ones((1, 4, 4, 3), np.float32), [0, 2], [[0.0, 0.0]]),
    "boxes without a limit": lambda: tf.image.non_max_suppression(box + [[2.0, 2.0, 3.0, 3.0]], [1.0, 0.5], -1),
    "JPEG of no pixels": lambda: tf.image.encode_jpeg(NO_PIXELS),
    "PNG of no pixels": lambda: tf.image.encode_png(NO_PIXELS),
    "window of three": lambda: in_session(lambda: tf.image.decode_and_crop_jpeg("a", [0, 0, 1])),
    "negative shape": lambda: in_session(lambda: tf.sparse_to_dense([0], [-2], 1.0)),
    "JSON of a list": lambda: tf.io.decode_json_example("[]"),
    "JSON with a space": lambda: tf.io.decode_json_example(' {"features": {}}'),
    "row before the first": lambda: tf.ragged.constant([[1], [2]])[-5],
    "row behind the last": lambda: tf.ragged.constant([[1], [2]])[5],
    "class of text": lambda: in_session(
        lambda: tf.metrics.precision_at_k(np.int64([[1]]), np.ones((1, 3), np.float32), 1, class_id="a")
    ),
    "shared axes of text": lambda: type(tf.keras.layers.PReLU(shared_axes="a")).__name__,
    "layer of nothing": lambda: tf.keras.layers.Lambda(lambda x: None)(C([[1.0]])) is None,
}


def outcome(make):
    """The class of the error, or what is made."""
    try:
        made = make()
    except Exception as error:
        return type(error).__name__
    return made if made is None or isinstance(made, (bool, str, list)) else np.asarray(made)


for name in sorted(CASES):
    results[name] = outcome(CASES[name])

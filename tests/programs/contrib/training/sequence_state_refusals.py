"""What a saver of sequences' states refuses, when it is made and in a step, and the operations it is made of."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib.training.python.training import sequence_queueing_state_saver as savers

results = {}


def saver(**given):
    arguments = {
        "batch_size": 1,
        "num_unroll": 3,
        "input_length": tf.placeholder(tf.int32, name="given_length"),
        "input_key": tf.placeholder(tf.string, name="given_key"),
        "input_sequences": {
            "frames": tf.placeholder(tf.float32, [None, 2], name="frames"),
            "marks": tf.placeholder(tf.float32, [None], name="marks"),
        },
        "input_context": {"label": tf.constant([7, 8])},
        "initial_states": {"memory": tf.zeros([4])},
        "capacity": 5,
    }
    arguments.update(given)
    return tf.contrib.training.SequenceQueueingStateSaver(**arguments)


def feeds(frames, marks, length):
    return {
        "given_length:0": length,
        "given_key:0": "it",
        "frames:0": np.ones([frames, 2]),
        "marks:0": np.ones([marks]),
    }


def told(function, start):
    try:
        function()
    except (KeyError, TypeError, ValueError, tf.errors.OpError) as e:
        text = str(e)
        line = text[text.find(start) :].splitlines()[0] if start in text else text
        return [type(e).__name__, line[: len(start) + 60].split("]")[0]]
    return "none"


def run(given, **arguments):
    with tf.Graph().as_default(), tf.Session() as sess:
        made = {key: value() if callable(value) else value for key, value in arguments.items()}
        sess.run(saver(**made).prefetch_op, given)


results["steps"] = [
    told(lambda: run(feeds(4, 4, 2)), "should be a multiple of"),
    told(lambda: run(feeds(0, 0, 0)), "should be a multiple of"),
    told(lambda: run(feeds(3, 6, 2)), "Dimension 0 of tensor labeled"),
    told(lambda: run(feeds(3, 3, 4)), "Input length should be <= than length"),
    told(lambda: run(feeds(3, 3, [3])), "Rank of tensor given_length:0 should be"),
    told(lambda: run(feeds(3, 3, 3), batch_size=lambda: tf.constant(9)), "capacity needs to be >= batch_size"),
    told(lambda: run(feeds(6, 6, 5)), ""),
]
known = np.ones([4, 2], np.float32)
results["made"] = [
    told(lambda: run({}, batch_size=9), "capacity 5 needs to be >= batch_size 9"),
    told(lambda: run({}, input_length=[3]), "Rank check failed for"),
    told(lambda: run({}, input_key=3), "key dtype must be string"),
    told(lambda: run({}, input_length=1.5), "length dtype must be int32"),
    told(lambda: run({}, initial_states=lambda: {"a": tf.placeholder(tf.float32, [None])}), "Shape for state a"),
    told(lambda: run({}, input_sequences=lambda: {"a": tf.placeholder(tf.float32)}), "Shape for sequence a"),
    told(lambda: run({}, initial_states={"a:b": known}), "name may not")[0],
    told(lambda: run({}, input_sequences={})[0], "at least one")[0],
    told(lambda: run({}, input_sequences={"a": known}), "Cannot reshape")[0],
]

with tf.Graph().as_default(), tf.Session() as sess:
    made = saver()
    batch = made.next_batch
    state = tf.placeholder(tf.float32, name="state")
    save = batch.save_state("memory", state)
    again = batch.save_state("memory", batch.state("memory") + 1.0, name="more")
    results["refused"] = [
        told(lambda: batch.save_state("other", state), "state was not declared"),
        told(lambda: batch.save_state("memory", np.ones([1, 1, 1])), "Rank check failed for"),
    ]
    sess.run(made.prefetch_op, feeds(6, 6, 5))
    values = [
        batch.key,
        batch.next_key,
        batch.length,
        batch.sequences["frames"],
        batch.context["label"],
        batch.state("memory"),
    ]
    results["first"] = sess.run([values, again])[0]
    results["wrong"] = told(lambda: sess.run(save, {state: np.ones([1, 2])}), "Shape of tensor")[0]
    results["ops"] = [op.name + " " + op.type for op in tf.get_default_graph().get_operations()]

with tf.Graph().as_default(), tf.Session() as sess:
    length, filled = savers._padding({"b": tf.constant([1, 2]), "a": tf.constant(["x", "y"]), "c": np.ones([2, 1])}, 3)
    results["filled"] = sess.run([length, filled])
    _, wrong = savers._padding({"a": tf.constant([1, 2, 3]), "b": tf.constant([1, 2])}, 2)
    results["lengths"] = told(lambda: sess.run(wrong["a"]), "All sequence lengths must match, but received lengths")[0]
    results["padding"] = [
        told(lambda: savers._padding({}, 1.5), "Unsupported num_unroll")[0],
        told(lambda: savers._padding([], 1), "Unsupported sequences")[0],
        told(lambda: savers._padding({1: [2]}, 1), "Unsupported sequences key")[0],
        savers._padding({}, 3),
    ]

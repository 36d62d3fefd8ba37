"""tf.keras.backend.rnn: every combination of its arguments: values, shapes, gradients, and operations of the loops."""

import numpy as np
import tensorflow as tf

K = tf.keras.backend
results = {}
rng = np.random.RandomState(0)
data = rng.randn(3, 4, 2).astype("float32")
mask = np.array([[1, 1, 1, 1], [1, 0, 1, 0], [0, 0, 0, 0]], bool)
kernel, again = rng.randn(2, 5).astype("float32"), (rng.randn(5, 5) * 0.3).astype("float32")
offset = rng.randn(3, 5).astype("float32")


def step(x, states):
    new = tf.tanh(tf.matmul(x, tf.constant(kernel)) + tf.matmul(states[0], tf.constant(again)))
    if len(states) > 1:
        new = new + states[-1]
    return new * 2.0, [new]


for backwards in (False, True):
    for masked in (False, True):
        for unroll in (False, True):
            for zeros in (False, True):
                for time_major in (False, True):
                    for constants in (None, [offset]):
                        key = " ".join(
                            name
                            for name, is_on in (
                                ("go_backwards", backwards),
                                ("mask", masked),
                                ("unroll", unroll),
                                ("zero_output_for_mask", zeros),
                                ("time_major", time_major),
                                ("constants", constants),
                            )
                            if is_on
                        )
                        graph = tf.Graph()
                        with graph.as_default(), tf.Session() as sess:
                            batch = data.transpose(1, 0, 2) if time_major else data
                            x = tf.placeholder(tf.float32, batch.shape)
                            last, out, states = K.rnn(
                                step,
                                x,
                                [tf.zeros([3, 5])],
                                go_backwards=backwards,
                                mask=tf.constant(mask.T if time_major else mask) if masked else None,
                                unroll=unroll,
                                zero_output_for_mask=zeros,
                                time_major=time_major,
                                constants=constants and [tf.constant(c) for c in constants],
                            )
                            found = {"ops": len(graph.get_operations())}
                            if not unroll:
                                found["names"] = [op.name for op in graph.get_operations()]
                            fetched = [last, out, states[0], tf.gradients(out, x)[0]]
                            found["values"] = sess.run(fetched, {x: batch})
                            found["shapes"] = [t.shape.as_list() for t in fetched[:3]]
                            results[key or "plain"] = found


def pair(x, states):
    return {"sum": x["a"] + states[0], "b": x["b"]}, [x["a"] + states[0], states[1] * 2.0]


with tf.Graph().as_default(), tf.Session() as sess:
    inputs = {"a": tf.constant(data), "b": tf.constant(data[:, :, :1])}
    last, out, states = K.rnn(pair, inputs, [tf.zeros([3, 2]), tf.ones([3, 1])])
    results["structures"] = [sess.run(last), sess.run(out), sess.run(list(states))]
    x = tf.placeholder(tf.float32, [None, None, 2])
    last, out, states = K.rnn(lambda x, s: (x + s[0], [x + s[0]]), x, [tf.zeros_like(x[:, 0])], input_length=3)
    results["limited"] = sess.run([last, out, states[0]], {x: data})
    results["unknown sizes"] = [out.shape.as_list(), last.shape.as_list()]

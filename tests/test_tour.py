"""The house in one walk: a model is declared, planned, run, differentiated, trained, saved; then ops run eagerly."""

import numpy as np

import headrace as tf
from headrace.core.eager import eager_mode


def test_tour(plain_calls, tmp_path):
    # A graph comes first, and computes nothing: each call adds an operation, of a type that TensorFlow has too, whose
    # shape is known as far as it can be.
    points = tf.placeholder(tf.float32, [None, 2], "points")
    weights = tf.get_variable("weights", initializer=tf.constant([[1.0], [-1.0]]))
    scores = tf.nn.relu(points @ weights + (tf.constant(2.0) - 1.0), name="scores")
    assert (scores.op.type, scores.shape.as_list()) == ("Relu", [None, 1])

    # A gradient is more graph: the gradients that ops declare, from the loss backwards. A step of training is an op.
    loss = tf.reduce_mean(tf.square(scores - 4.0))
    (slope,) = tf.gradients(loss, weights)
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)

    with tf.Session() as session:
        # What is fetched and what is fed select a plan. This one has no 2 - 1, which is 1, and nothing of the loss.
        plan = session.plan_for(scores, [points])
        assert [node.type for node in plan.lines.values()] == ["_ReadRef", "MatMul", "AddV2", "Relu"]
        # It is the source of one Python function, a call a line: no interpreter stands between. Nobody else needs the
        # product, so the sum is computed in its memory.
        assert plan.source.startswith("def step(f0):")
        assert [line.split("# ")[1] for line in plan.source.splitlines() if "#" in line] == [
            "weights/read", "matmul", "add (in place)", "scores (in place)",
        ]  # fmt: skip

        # Values of variables belong to the session, and are there once their initializers have run.
        session.run(tf.global_variables_initializer())
        fed = {points: [[3.0, 1.0], [0.0, 5.0]]}
        np.testing.assert_array_equal(session.run(scores, fed), [[3.0], [0.0]])
        # The derivative of mean((relu(x w + 1) - 4)²): the first point is 1 too low, the second is below 0 and has none.
        np.testing.assert_allclose(session.run(slope, fed), [[-3.0], [-1.0]])
        session.run(train, fed)
        np.testing.assert_allclose(session.run(weights), [[1.3], [-0.9]])
        path = tf.train.Saver().save(session, str(tmp_path / "model"))

    # A checkpoint is TensorFlow's own file: its variables have names, and no graph is needed to read them.
    np.testing.assert_allclose(tf.train.load_variable(path, "weights"), [[1.3], [-0.9]])

    # Eagerly the same ops run as they are applied, each by a small plan of its own that is kept for the next time. A
    # tape notes them, and goes back along the same declared gradients.
    with eager_mode(), tf.GradientTape() as tape:
        x = tf.constant(3.0)
        tape.watch(x)
        y = x * x
        assert y.numpy() == 9.0
    with eager_mode():
        assert tape.gradient(y, x).numpy() == 6.0

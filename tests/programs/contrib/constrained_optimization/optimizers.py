"""tf.contrib.constrained_optimization: steps of the three optimizers, their state, their names; the best of candidates."""

import numpy as np
import tensorflow as tf

tco = tf.contrib.constrained_optimization
results = {}

points = np.array([[0.5, 1.0], [-1.0, 0.25], [1.5, -0.5], [-0.5, -2.0], [2.0, 1.0]], np.float32)
labels = np.array([1, 0, 1, 0, 0], np.float32)


class Recall(tco.ConstrainedMinimizationProblem):
    """Cross entropy, with a bound on how many are found and one on the weights."""

    def __init__(self, w, b, proxies, preparing=None, dtype=tf.float32):
        self._scores = tf.tensordot(tf.constant(points), w, 1) + b
        self._w, self._proxies, self._preparing, self._dtype = w, proxies, preparing, dtype

    @property
    def objective(self):
        return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=self._scores))

    @property
    def constraints(self):
        missed = tf.reduce_mean(tf.cast(self._scores * (2 * labels - 1) < 0.0, tf.float32))
        return tf.cast(tf.stack([missed - 0.1, tf.reduce_sum(tf.square(self._w)) - 0.3]), self._dtype)

    @property
    def proxy_constraints(self):
        if not self._proxies:
            return None
        hinge = tf.reduce_mean(tf.maximum(0.0, 1.0 - self._scores * (2 * labels - 1)))
        return tf.cast(tf.stack([hinge - 0.1, tf.reduce_sum(tf.square(self._w)) - 0.3]), self._dtype)

    @property
    def pre_train_ops(self):
        return self._preparing


def sgd(rate):
    return tf.train.GradientDescentOptimizer(rate)


MAKERS = {
    "external": lambda: tco.AdditiveExternalRegretOptimizer(sgd(0.5)),
    "external bounded": lambda: tco.AdditiveExternalRegretOptimizer(sgd(0.5), sgd(2.0), maximum_multiplier_radius=0.4),
    "external adagrad": lambda: tco.AdditiveExternalRegretOptimizer(sgd(0.3), tf.train.AdagradOptimizer(1.0)),
    "additive": lambda: tco.AdditiveSwapRegretOptimizer(sgd(0.5)),
    "additive two": lambda: tco.AdditiveSwapRegretOptimizer(sgd(0.5), tf.train.MomentumOptimizer(0.5, 0.9)),
    "multiplicative": lambda: tco.MultiplicativeSwapRegretOptimizer(sgd(0.5)),
    "multiplicative two": lambda: tco.MultiplicativeSwapRegretOptimizer(
        sgd(0.5), sgd(3.0), minimum_multiplier_radius=0.01, initial_multiplier_radius=0.2
    ),
}

for name in sorted(MAKERS):
    for proxies in (False, True):
        with tf.Graph().as_default() as graph:
            w = tf.get_variable("w", initializer=tf.constant([0.1, -0.2]))
            b = tf.get_variable("b", initializer=0.0)
            step = tf.train.get_or_create_global_step()
            counter = tf.get_variable("counter", initializer=0.0, trainable=False)
            preparing = [tf.assign_add(counter, 1.0)] if proxies else None
            problem = Recall(w, b, proxies, preparing)
            optimizer = MAKERS[name]()
            steps = 2 if name.startswith("additive") else None
            train_op = optimizer.minimize(problem, unconstrained_steps=steps, global_step=step)
            entry = {"constraints": problem.num_constraints, "train op": train_op.name}
            with tf.Session() as sess:
                sess.run(tf.global_variables_initializer())
                for _ in range(8):
                    sess.run(train_op)
                names = sorted(v.name for v in tf.global_variables())
                entry["variables"] = names
                entry["trainable"] = [v.name for v in tf.trainable_variables()]
                # With one optimizer for both players TensorFlow does not say which reads before the other writes.
                if optimizer.constraint_optimizer is not None:
                    entry["values"] = [sess.run(v) for v in sorted(tf.global_variables(), key=lambda v: v.name)]
            results["%s %s" % (name, proxies)] = entry

# Without a global step the operation is the projection; a name is its name.
with tf.Graph().as_default():
    w = tf.get_variable("w", initializer=tf.constant([0.1, -0.2]))
    problem = Recall(w, 0.0, True)
    named = tco.MultiplicativeSwapRegretOptimizer(sgd(0.1)).minimize_constrained(problem, name="go")
    free = tco.AdditiveExternalRegretOptimizer(sgd(0.1)).minimize_unconstrained(problem, name="free")
    results["named"] = [named.name, free.name, [op.name for op in tf.get_collection(tf.GraphKeys.TRAIN_OP)]]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        results["projected"] = sess.run(named)

objectives = np.array([0.3, 0.1, 0.5, 0.7, 0.2])
constraints = np.array([[-0.1, 0.3, -0.2, -0.5, 0.1], [0.2, 0.1, -0.1, -0.2, 0.0]])
results["distribution"] = np.round(tco.find_best_candidate_distribution(objectives, constraints), 4)
results["infeasible"] = np.round(
    tco.find_best_candidate_distribution(objectives, np.abs(constraints) + 0.1, epsilon=1e-4), 2
)
results["index"] = int(tco.find_best_candidate_index(objectives, constraints))
results["index of violated"] = int(tco.find_best_candidate_index(objectives, np.abs(constraints)))
results["index ranked"] = int(tco.find_best_candidate_index(objectives, constraints, rank_objectives=True))
results["index tied"] = int(tco.find_best_candidate_index(np.array([1.0, 1.0, 2.0]), np.array([[-1.0, 0.0, 0.0]])))


def failure(function):
    try:
        function()
    except Exception as error:
        return type(error).__name__
    return None


def with_problem(**keywords):
    with tf.Graph().as_default():
        w = tf.get_variable("w", initializer=tf.constant([0.1, -0.2]))
        optimizer = tco.AdditiveExternalRegretOptimizer(sgd(0.1))
        return optimizer.minimize(Recall(w, 0.0, True, dtype=keywords.pop("dtype", tf.float32)), **keywords)


class Unshaped(tco.ConstrainedMinimizationProblem):
    objective = None

    @property
    def constraints(self):
        return tf.placeholder(tf.float32, [None])


class Uneven(Unshaped):
    constraints = tf.zeros([2])
    proxy_constraints = tf.zeros([3])


results["failures"] = {
    "radius": failure(lambda: tco.AdditiveExternalRegretOptimizer(sgd(0.1), maximum_multiplier_radius=-1.0)),
    "least": failure(lambda: tco.MultiplicativeSwapRegretOptimizer(sgd(0.1), minimum_multiplier_radius=1.0)),
    "initial": failure(
        lambda: tco.MultiplicativeSwapRegretOptimizer(
            sgd(0.1), minimum_multiplier_radius=0.1, initial_multiplier_radius=0.05
        )
    ),
    "no step": failure(lambda: with_problem(unconstrained_steps=3)),
    "dtypes": failure(lambda: with_problem(dtype=tf.float64)),
    "abstract problem": failure(tco.ConstrainedMinimizationProblem),
    "abstract optimizer": failure(lambda: tco.ConstrainedOptimizer(sgd(0.1))),
    "epsilon": failure(lambda: tco.find_best_candidate_distribution(objectives, constraints, epsilon=-1.0)),
    "shapes": failure(lambda: tco.find_best_candidate_index(objectives[1:], constraints)),
    "unknown": failure(lambda: Unshaped().num_constraints),
    "uneven": failure(lambda: Uneven().num_constraints),
}

"""Heads of models for regression: predictions, losses, steps, metrics and operations of each mode."""

import numpy as np
import tensorflow as tf

learn = tf.contrib.learn
results = {}
random = np.random.RandomState(3)
X = random.normal(size=[6, 2]).astype(np.float32)
Y = random.normal(size=[6, 1]).astype(np.float32)
W = np.array([1.0, 2.0, 0.5, 1.0, 0.0, 3.0], np.float32)


def normal(logits):
    return tf.distributions.Normal(logits[..., :1], tf.nn.softplus(logits[..., 1:]))


def vector_normal(logits):
    scale = tf.nn.softplus(logits[..., 1:])
    return tf.contrib.distributions.MultivariateNormalDiag(logits[..., :1], scale)


distribution_head = tf.contrib.distributions.estimator_head_distribution_regression
HEADS = {
    "squares": lambda: learn.regression_head(),
    "counts": lambda: learn.poisson_regression_head(head_name="counts"),
    "weighted": lambda: learn.regression_head(weight_column_name="w", head_name="h"),
    "biased": lambda: learn.regression_head(enable_centered_bias=True),
    "linked": lambda: learn.regression_head(label_name="y", link_fn=tf.sigmoid),
    "normal": lambda: distribution_head(normal, logits_dimension=2),
    "vectors": lambda: distribution_head(vector_normal, logits_dimension=2, head_name="v"),
    "normal, biased": lambda: distribution_head(normal, 1, 2, enable_centered_bias=True, head_name="top"),
}


def listing():
    return [[op.name, op.type] for op in tf.get_default_graph().get_operations()]


def run(name, mode, batch):
    tf.reset_default_graph()
    tf.set_random_seed(1)
    x, y = tf.placeholder(tf.float32, [batch, 2]), tf.placeholder(tf.float32, [batch, 1])
    w = tf.placeholder(tf.float32, [batch])
    head = HEADS[name]()
    labels = {"y": tf.abs(y)} if name == "linked" else tf.abs(y)

    def step(loss):
        return tf.train.GradientDescentOptimizer(0.1).minimize(loss)

    ops = head.create_model_fn_ops({"w": w}, mode, labels=labels, train_op_fn=step, logits_input=x)
    made = {"fields": ops._fields, "operations": listing() if batch else len(listing()), "mode": ops.mode}
    made["outputs"] = sorted((str(key), value[0], sorted(value[1])) for key, value in ops.output_alternatives.items())
    made["predictions"] = sorted(ops.predictions)
    made["metrics"] = sorted(ops.eval_metric_ops)
    made["summaries"] = [s.op.name for s in tf.get_collection(tf.GraphKeys.SUMMARIES)]
    made["variables"] = [v.op.name for v in tf.trainable_variables()]
    feed = {x: X, y: Y, w: W}
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        for variable in tf.trainable_variables():
            start = np.linspace(-0.5, 0.5, int(np.prod(variable.shape.as_list())))
            variable.load(start.reshape(variable.shape.as_list()), sess)
        made["scores"] = sess.run(ops.predictions["scores"], feed)
        if mode != "infer":
            updates = [update for _, (_, update) in sorted(ops.eval_metric_ops.items())]
            made["loss"] = sess.run([ops.loss] + updates, feed)
        if mode == "train":
            sess.run(ops.train_op, feed)
            # Two optimizers change a centered bias, in any order.
            made["after"] = sess.run(tf.trainable_variables()) if "biased" not in name else []
    return made


for name in HEADS:
    for mode in ("train", "eval", "infer"):
        results[name + ", " + mode] = run(name, mode, 6)
    results[name + ", any batch"] = run(name, "train", None)


def refused(function):
    tf.reset_default_graph()
    try:
        function()
    except (TypeError, ValueError) as error:
        return type(error).__name__
    return "accepted"


def made(head, mode="train", **arguments):
    logits = tf.ones([6, head.logits_dimension])
    given = dict(labels=tf.ones([6, 1]), train_op_fn=learn.no_op_train_fn, logits=logits)
    given.update(arguments)
    return head.create_model_fn_ops({}, mode, **given)


results["refused"] = [
    refused(lambda: distribution_head("normal")),
    refused(lambda: learn.regression_head(label_dimension=0)),
    refused(lambda: made(learn.regression_head(), "guess")),
    refused(lambda: made(learn.regression_head(), logits_input=tf.ones([6, 3]))),
    refused(lambda: made(learn.regression_head(), logits=None)),
    refused(lambda: made(learn.regression_head(), logits=tf.ones([6, 2]))),
    refused(lambda: made(learn.regression_head(), train_op_fn=None)),
    refused(lambda: made(learn.regression_head(), labels=tf.SparseTensor([[0, 0]], [1.0], [6, 1]))),
    refused(lambda: made(learn.regression_head(weight_column_name="w"))),
    refused(lambda: made(learn.regression_head())),
    refused(lambda: learn.ModelFnOps("train")),
    refused(lambda: learn.ModelFnOps("eval", loss=tf.constant(1.0))),
    refused(lambda: learn.ModelFnOps("infer", predictions=tf.constant(1.0), eval_metric_ops=[1])),
    refused(lambda: learn.ModelFnOps("infer", predictions=tf.constant(1.0), training_hooks=[1])),
    refused(lambda: learn.ModelFnOps("eval", predictions=tf.constant(1.0), loss=tf.constant([1.0, 2.0]))),
]

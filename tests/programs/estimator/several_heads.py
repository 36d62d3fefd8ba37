"""Heads of several labels: `multi_label_head` and `multi_head` of 1.x, in each mode."""

import tensorflow as tf

tf.logging.set_verbosity(tf.logging.ERROR)
results = {}
C = tf.contrib.estimator

LOGITS = [[1.0, -1.0, 0.5], [0.2, 0.3, -0.4]]
LABELS = [[1, 0, 1], [0, 0, 1]]


def told(name, make, features, logits, labels):
    for mode in ("train", "eval", "infer"):
        with tf.Graph().as_default():
            tf.train.create_global_step()
            more = {"train_op_fn": lambda loss: tf.no_op()}
            given = None if mode == "infer" else labels()
            spec = make().create_estimator_spec(features(), mode, logits(), labels=given, **more)
            with tf.Session() as sess:
                sess.run([tf.global_variables_initializer(), tf.local_variables_initializer(), tf.tables_initializer()])
                said = {"predictions": {str(key): value for key, value in sess.run(spec.predictions).items()}}
                if spec.loss is not None:
                    said["loss"] = sess.run(spec.loss)
                if mode == "train":
                    said["summaries"] = [each.name for each in tf.get_collection(tf.GraphKeys.SUMMARIES)]
                if mode == "eval":
                    sess.run([update for _, update in spec.eval_metric_ops.values()])
                    said["metrics"] = sess.run({key: value for key, (value, _) in spec.eval_metric_ops.items()})
                if mode == "infer":
                    said["outputs"] = sorted((str(k), type(v).__name__) for k, v in spec.export_outputs.items())
        results[name + " " + mode] = said


def features():
    return {"x": tf.constant(LOGITS), "w": tf.constant([[1.0], [2.0]])}


told("labels", lambda: C.multi_label_head(3), features, lambda: tf.constant(LOGITS), lambda: tf.constant(LABELS))
told(
    "weights and thresholds",
    lambda: C.multi_label_head(3, weight_column="w", thresholds=[0.3, 0.7], name="h"),
    features,
    lambda: tf.constant(LOGITS),
    lambda: tf.constant(LABELS),
)
told(
    "words",
    lambda: C.multi_label_head(
        3,
        label_vocabulary=["a", "b", "c"],
        classes_for_class_based_metrics=["b", "c"],
        loss_reduction=tf.losses.Reduction.SUM,
    ),
    features,
    lambda: tf.constant(LOGITS),
    lambda: tf.SparseTensor([[0, 0], [0, 1], [1, 0]], ["a", "c", "c"], [2, 2]),
)
told(
    "two heads",
    lambda: C.multi_head([C.multi_label_head(2, name="a"), C.multi_label_head(3, name="b")], head_weights=[1.0, 2.0]),
    features,
    lambda: tf.concat([tf.constant([[1.0, -1.0], [0.2, 0.3]]), tf.constant(LOGITS)], 1),
    lambda: {"a": tf.constant([[1, 0], [0, 1]]), "b": tf.constant(LABELS)},
)

mistakes = {}
for what, make in {
    "one class": lambda: C.multi_label_head(1),
    "a threshold": lambda: C.multi_label_head(3, thresholds=[0.0]),
    "a vocabulary": lambda: C.multi_label_head(3, label_vocabulary=["a"]),
    "no heads": lambda: C.multi_head([]),
    "no name": lambda: C.multi_head([C.multi_label_head(2)]),
    "weights": lambda: C.multi_head([C.multi_label_head(2, name="a")], head_weights=[1.0, 2.0]),
    "logits": lambda: C.multi_head([C.multi_label_head(2, name="a")]).create_loss({}, "train", tf.zeros([1, 3]), {}),
}.items():
    try:
        make()
        mistakes[what] = "none"
    except Exception as error:
        mistakes[what] = type(error).__name__
results["mistakes"] = mistakes

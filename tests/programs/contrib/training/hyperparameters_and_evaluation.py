"""Hyperparameters, and evaluating checkpoints."""

import os
import shutil
import tempfile

import tensorflow as tf

results = {}
T = tf.contrib.training
h = T.HParams(rate=0.1, layers=[3, 4], name="net", on=True, count=5, nothing=None)
results["values"] = [
    h.rate,
    h.layers,
    h.name,
    h.on,
    h.count,
    "rate" in h,
    "other" in h,
    h.get("other", 7),
    h.get("rate"),
]
h.parse("rate=1e-3,layers=[7, 8 9],name=a b,on=false,count=12")
results["parsed"] = [h.values(), str(h), repr(h), h.to_json(sort_keys=True), h.to_json(indent=1, sort_keys=True)]
h.parse_json('{"rate": 2, "layers": [1]}')
h.set_hparam("count", 3)
h.add_hparam("extra", "x")
h.del_hparam("name")
h.override_from_dict({"extra": "y"})
h.set_model_structure([1])
results["set"] = [h.values(), h.get_model_structure(), type(h.rate).__name__]
h.del_hparam("nothing")
again = T.HParams(hparam_def=h.to_proto())
results["proto"] = [sorted(again.values()), again.layers, again.extra, again.on, again.count]
results["read"] = T.parse_values("a=1,b=[2,3],c[1]=5,c[0]=6,d=True", {"a": int, "b": float, "c": int, "d": bool})
results["ignored"] = T.parse_values("a=1,z=3", {"a": int}, ignore_unknown=True)
errors = []
for call in (
    lambda: h.parse("rate=a"),
    lambda: h.parse("count=1.5"),
    lambda: h.parse("unknown=1"),
    lambda: h.parse("rate"),
    lambda: h.parse("rate=1,rate=2"),
    lambda: h.parse("layers=3"),
    lambda: h.parse("rate=[1,2]"),
    lambda: h.parse("on=maybe"),
    lambda: h.set_hparam("count", 1.5),
    lambda: h.set_hparam("count", True),
    lambda: h.set_hparam("extra", 1),
    lambda: h.set_hparam("missing", 1),
    lambda: h.add_hparam("rate", 1),
    lambda: h.add_hparam("values", 1),
    lambda: T.HParams(a=[]),
    lambda: h.get("rate", "text"),
    lambda: h.get("layers", 1),
    lambda: T.parse_values("a[0]=[1]", {"a": int}),
    lambda: T.parse_values("a[0]=1,a[0]=2", {"a": int}),
    lambda: T.parse_values("a=1,a[0]=2", {"a": int}),
):
    try:
        call()
        errors.append("none")
    except (ValueError, KeyError) as error:
        errors.append("%s: %s" % (type(error).__name__, error))
results["errors"] = [text.replace("<type", "<class") for text in errors]

folder = tempfile.mkdtemp()
with tf.Graph().as_default():
    x = tf.constant([[1.0], [2.0], [3.0]])
    w = tf.get_variable("w", [1, 1], initializer=tf.zeros_initializer())
    loss = tf.losses.mean_squared_error(2.0 * x, tf.matmul(x, w))
    train_op = T.create_train_op(loss, tf.train.GradientDescentOptimizer(0.1))
    hooks = [tf.train.StopAtStepHook(last_step=5)]
    results["trained"] = T.train(train_op, folder, hooks=hooks, save_summaries_steps=None)
    results["train op"] = [train_op.name, [t.name for t in tf.get_collection("train_op")]]
with tf.Graph().as_default():
    w = tf.get_variable("w", [1, 1])
    step = tf.train.get_or_create_global_step()
    mean, update = tf.metrics.mean(w)
    final = {"mean": mean, "step": step}
    path = tf.train.latest_checkpoint(folder)
    results["evaluated"] = T.evaluate_once(path, eval_ops=update, final_ops=final, hooks=[T.StopAfterNEvalsHook(3)])
    results["eval step"] = [v.name for v in tf.local_variables()] + [v.name for v in tf.get_collection("eval_step")]
with tf.Graph().as_default():
    w = tf.get_variable("w", [1, 1])
    step = tf.train.get_or_create_global_step()
    mean, update = tf.metrics.mean(w)
    results["repeatedly"] = T.evaluate_repeatedly(
        folder,
        eval_ops=[update],
        final_ops=[mean, step],
        hooks=[T.StopAfterNEvalsHook(2), T.SummaryAtEndHook(os.path.join(folder, "eval"))],
        max_number_of_evaluations=1,
        timeout=1,
    )
try:
    T.train(None, None)
except ValueError as error:
    results["no folder"] = str(error)
shutil.rmtree(folder)

"""What a RunConfig reads from TF_CONFIG for each task of clusters, and input functions that want a context."""

import json
import os

import numpy as np
import tensorflow as tf

results = {}
clusters = [
    {"chief": ["c:1"]},
    {"master": ["m:1"]},
    {"chief": ["c:1"], "worker": ["w:1", "w:2"]},
    {"chief": ["c:1"], "evaluator": ["e:1"]},
    {"chief": ["c:1"], "evaluator": ["e:1"], "worker": ["w:1"], "ps": ["p:1", "p:2"]},
    {"master": ["m:1"], "evaluator": ["e:1"], "worker": ["w:1"]},
    {"chief": ["c:1"], "master": ["m:1"]},
    {"worker": ["w:1"]},
    {},
]
tasks = [("chief", 0), ("master", 0), ("worker", 1), ("ps", 1), ("evaluator", 0), ("evaluator", 1), ("other", 0)]
masters = [{}, {"eval_session_master": "evaluates"}, {"session_master": "trains"}]


def told(call):
    try:
        return call()
    except (ValueError, TypeError) as error:
        return type(error).__name__


def place():
    config = tf.estimator.RunConfig()
    return [
        config.task_type,
        config.task_id,
        config.is_chief,
        config.num_ps_replicas,
        config.num_worker_replicas,
        config.master,
        config.evaluation_master,
        config.global_id_in_cluster,
        sorted(config.cluster_spec.as_dict()),
    ]


for cluster in clusters:
    for kind, index in tasks:
        for master in masters:
            os.environ["TF_CONFIG"] = json.dumps(dict(master, cluster=cluster, task={"type": kind, "index": index}))
            key = "%s %s %d %s" % (" ".join(sorted(cluster)), kind, index, " ".join(master))
            results[key] = told(place)
del os.environ["TF_CONFIG"]

values = np.ones([4, 1], np.float32)


def model_fn(features, labels, mode):
    step = tf.train.get_global_step()
    return tf.estimator.EstimatorSpec(mode, loss=tf.reduce_sum(features["x"]), train_op=tf.assign_add(step, 1))


def with_context(input_context):
    return {"x": tf.constant(values)}, None


def with_own_context(input_context="none"):
    results["own context"] = input_context
    return {"x": tf.constant(values)}, None


def trained(input_fn):
    estimator = tf.estimator.Estimator(model_fn)
    estimator.train(input_fn, steps=1)
    return int(estimator.get_variable_value("global_step"))


results["context"] = told(lambda: trained(with_context))
results["steps with an own context"] = told(lambda: trained(with_own_context))

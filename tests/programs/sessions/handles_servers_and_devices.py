"""Values kept in the session between runs, servers of one process, devices of replicas, batched functions."""

import numpy as np
import tensorflow as tf

results = {}


def error_of(function):
    try:
        function()
    except Exception as error:
        return type(error).__name__
    return "none"


with tf.Graph().as_default(), tf.Session() as sess:
    a = tf.constant([1.0, 2.0], name="a")
    kept = tf.get_session_handle(a * 3.0, name="keep")
    results["op"] = [kept.op.name, kept.op.type, kept.dtype.name, kept.shape.as_list()]
    handle = sess.run(kept)
    results["handle"] = handle.handle
    results["value"] = handle.eval()
    holder, tensor = tf.get_session_tensor(handle.handle, tf.float32)
    results["reader"] = [holder.dtype.name, tensor.op.type, tensor.dtype.name, tensor.device]
    results["read"] = sess.run(tensor * 10.0, {holder: handle.handle})
    x = tf.placeholder(tf.float32)
    results["fed"] = sess.run([x + 1.0], {x: handle})
    results["wrong type"] = error_of(lambda: sess.run(tensor, {holder: handle}))
    structure = sess.run({"h": kept, "a": a})
    results["in a structure"] = structure["h"].eval()
    second = sess.run(kept)
    results["numbered"] = second.handle.split(";")[0]
    deleted_holder, deleter = tf.delete_session_tensor(handle.handle)
    results["deleter"] = [deleted_holder.dtype.name, deleter.type]
    sess.run(deleter, {deleted_holder: handle.handle})
    results["gone"] = error_of(lambda: sess.run(tensor, {holder: handle.handle}))
    results["gone twice"] = error_of(lambda: sess.run(deleter, {deleted_holder: handle.handle}))
    second.delete()
    results["deleted"] = [error_of(second.eval), error_of(second.delete)]
    text = sess.run(tf.get_session_handle(tf.constant(["a", "b"])))
    results["text"] = text.eval()
    results["other type"] = error_of(lambda: sess.run(tensor, {holder: text.handle}))
    results["no tensor"] = error_of(lambda: tf.get_session_handle(3.0))

with tf.Graph().as_default():
    server = tf.train.Server.create_local_server()
    results["server"] = [str(server.server_def), server.target.split("://")[0]]
    v = tf.Variable(1.0, name="v")
    with tf.Session(server.target) as sess:
        results["device"] = [d.name for d in sess.list_devices()][:1]
        sess.run(v.initializer)
        sess.run(v.assign_add(1.0))
    with tf.Session(server.target) as sess:
        results["shared"] = sess.run(v)
    tf.Session.reset(server.target)
    with tf.Session(server.target) as sess:
        results["reset"] = error_of(lambda: sess.run(v))

cluster = tf.train.ClusterSpec({"ps": ["a:1", "b:2"], "worker": {0: "c:3", 2: "d:4"}})
results["cluster"] = [
    str(cluster), cluster.as_dict(), cluster.num_tasks("worker"), cluster.task_indices("worker"),
    cluster.job_tasks("worker"), cluster.task_address("ps", 1), bool(tf.train.ClusterSpec({})),
    cluster == tf.train.ClusterSpec(cluster.as_cluster_def()), str(cluster.as_cluster_def()),
]  # fmt: skip
results["cluster errors"] = [
    error_of(lambda: tf.train.ClusterSpec(3)), error_of(lambda: tf.train.ClusterSpec({"a": 3})),
    error_of(lambda: cluster.num_tasks("no")), error_of(lambda: cluster.task_address("ps", 7)),
    error_of(lambda: tf.train.Server({"worker": ["a:1", "b:1"]})), error_of(lambda: tf.train.Server(3)),
    error_of(lambda: tf.train.Server({"worker": ["a:1"], "ps": ["b:1"]})),
]  # fmt: skip


def devices(**options):
    with tf.Graph().as_default() as graph:
        with tf.device(tf.train.replica_device_setter(**options)):
            tf.Variable(1.0, name="u")
            w = tf.get_variable("w", [2])
            tf.get_variable("r", [2], use_resource=True)
            with tf.device("/gpu:0"):
                tf.add(w, 1.0, name="sum")
            with tf.device("/job:other"):
                tf.Variable(2.0, name="elsewhere")
        names = ["u", "w", "r", "sum", "elsewhere", "w/Assign"]
        return [graph.get_operation_by_name(name).device for name in names]


results["devices"] = [
    devices(), devices(ps_tasks=2), devices(cluster=cluster), devices(cluster={"worker": ["c:3"]}),
    devices(ps_tasks=3, worker_device="/job:worker/task:1", ps_device="/job:ps/cpu:0"),
    devices(ps_tasks=2, merge_devices=False), devices(ps_tasks=2, ps_ops=["Add"]),
    devices(ps_tasks=5, ps_strategy=lambda op: len(op.name)),
]  # fmt: skip
results["setter errors"] = [
    error_of(lambda: tf.train.replica_device_setter(cluster=3)),
    error_of(lambda: tf.train.replica_device_setter(ps_tasks=1, ps_strategy=3)),
]

with tf.Graph().as_default():

    @tf.nondifferentiable_batch_function(1, 8, 1000, allowed_batch_sizes=[4, 8])
    def layer(rows):
        return rows * 2.0, tf.fill([tf.shape(rows)[0]], tf.shape(rows)[0])

    rows = tf.placeholder(tf.float32, [None, 2])
    made = layer(rows)
    results["batched"] = [[t.op.name, t.op.type, t.dtype.name] for t in made]
    with tf.Session() as sess:
        results["batched values"] = sess.run(made, {rows: np.ones([3, 2])})
        results["too many"] = error_of(lambda: sess.run(made, {rows: np.ones([9, 2])}))
    results["fact"] = tf.Session().run(tf.user_ops.my_fact())

"""Values and variables of two replicas, rightly and wrongly used: what is refused, how it is named, where it is."""

import json
import os

import tensorflow as tf

D, R = tf.distribute, tf.distribute.ReduceOp
VA, VS = tf.VariableAggregation, tf.VariableSynchronization
results = {}


def kind_of(name, act):
    """Keeps what an act gives, or the class of what it raises."""
    with tf.Graph().as_default():
        try:
            found = act()
        except Exception as error:
            found = type(error).__name__
    results[name] = found


def two(*args):
    return D.MirroredStrategy(["/cpu:0", "/cpu:1"], *args)


def replica():
    return D.get_replica_context().replica_id_in_sync_group


def in_replicas(act):
    return lambda: type(two().experimental_run_v2(act)).__name__


def second():
    return bool(tf.get_default_graph().get_name_scope())


def shown(value):
    if hasattr(value, "values") and hasattr(value, "devices"):
        return [type(value).__name__] + [part.name for part in value.values]
    return getattr(value, "name", value)


# What replicas give has one form.
kind_of("lists", in_replicas(lambda: [1.0] if second() else [1.0, 2.0]))
kind_of("tuples", in_replicas(lambda: (1.0,) if second() else (1.0, 2.0)))
kind_of("keys", in_replicas(lambda: {"a": 1} if second() else {"b": 1}))
kind_of("kinds", in_replicas(lambda: {"a": 1} if second() else [1]))
kind_of("merged", in_replicas(lambda: D.get_replica_context().merge_call(lambda s, *a: 1, (1,) * (1 + second()))))


# Reductions.
def averaged(size):
    def act():
        strategy = two()
        given = strategy.experimental_run_v2(lambda: tf.ones([size]) * tf.to_float(replica()))
        return tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})).run(strategy.reduce("mean", given, axis=0))

    return act


kind_of("mean of few", averaged(3))
kind_of("mean of many", averaged(300))
kind_of("mean, axis of text", lambda: two().reduce("mean", two().experimental_run_v2(lambda: tf.ones([3])), axis="x"))


def reduced_variable(how):
    strategy = two()
    with strategy.scope():
        return shown(strategy.reduce(how, tf.Variable(1.0)))


kind_of("sum of a variable", lambda: reduced_variable("sum"))
kind_of("mean of a variable", lambda: reduced_variable("mean"))


def all_reduced(how, value):
    def act():
        found = two().experimental_run_v2(lambda: D.get_replica_context().all_reduce(how, value()))
        return [part.op.type for part in found.values]

    return act


kind_of("summed by kind", all_reduced(R.SUM, lambda: tf.to_float(replica())))
kind_of("summed by name", all_reduced("sum", lambda: tf.to_float(replica())))
kind_of("summed number by name", all_reduced("sum", lambda: 1.0))
kind_of("summed by aggregation", all_reduced(VA.SUM, lambda: tf.constant(1.0)))
kind_of("default, by name", lambda: D.get_replica_context().all_reduce("mean", [tf.constant(1.0)])[0].op.type)
operations = D.ReductionToOneDevice()
kind_of("one value", lambda: operations.reduce(R.SUM, tf.constant(1.0), "/cpu:0").name)
kind_of("no values", lambda: operations.batch_reduce(R.SUM, []))
kind_of("copied", lambda: operations.broadcast(tf.constant(1.0), "/cpu:1").name)
kind_of("another algorithm", lambda: type(tf.contrib.distribute.AllReduceCrossDeviceOps("ring")).__name__)
kind_of("to a tensor", lambda: two().extended.broadcast_to(tf.constant(2.0), tf.constant(1.0)))
kind_of("operations in a list", lambda: two().group([tf.constant(1.0).op]).name)


# Variables.
def variable(act, inside=True, **kwargs):
    def made():
        strategy = two()
        with strategy.scope():
            v = tf.Variable([1.0, 2.0], **kwargs)
            if inside:
                return shown(act(v, strategy))
        return shown(act(v, strategy))

    return made


slices = tf.IndexedSlices([1.0], [0])
on_read = {"synchronization": VS.ON_READ, "aggregation": VA.SUM}
for name in ["scatter_add", "scatter_update", "scatter_nd_add", "count_up_to", "set_shape", "batch_scatter_update"]:
    rest = ([[0]], [1.0]) if "nd" in name else (slices,)
    kind_of(name, variable(lambda v, s: getattr(v, name)(*rest)))
kind_of("constraint", variable(lambda v, s: v.constraint))
kind_of("numpy", variable(lambda v, s: v.numpy(), inside=False))
kind_of("shares of a list", variable(lambda v, s: v.assign([4.0, 6.0]), **on_read))
kind_of("shares of nothing", variable(lambda v, s: v.assign(), **on_read))
kind_of("not kept in step", variable(lambda v, s: v, synchronization=VS.NONE))
kind_of("not kept in step, by name", variable(lambda v, s: v, synchronization=VS.NONE, name="v"))
kind_of("updated, no variable", lambda: two().extended.update(tf.constant(1.0), lambda a: a))


def read_elsewhere(v, strategy):
    with two().scope():
        return v.read_value()


def beside(v, strategy):
    with tf.colocate_with(v):
        return tf.constant(1.0).device


def after(v, strategy):
    with tf.control_dependencies([v]):
        return [op.name for op in tf.constant(1.0).op.control_inputs]


def slots(v, strategy):
    optimizer = tf.train.AdamOptimizer(0.1)
    strategy.experimental_run_v2(lambda: optimizer.minimize(tf.reduce_sum(v * v), var_list=[v]))
    within = strategy.experimental_run_v2(lambda: optimizer.get_slot(v, "m"))
    return [shown(optimizer.get_slot(v, "m")), shown(within), optimizer.get_slot_names()]


kind_of("read in another scope", variable(read_elsewhere, inside=False))
kind_of("beside, in the scope", variable(beside))
kind_of("beside, outside", variable(beside, inside=False))
kind_of("after, in the scope", variable(after))
kind_of("after, outside", variable(after, inside=False))
kind_of("slots, outside", variable(slots, inside=False))
kind_of("slots, in the scope", variable(slots))
kind_of("looked up", variable(lambda v, s: tf.nn.embedding_lookup(v, [1])))
regular = tf.contrib.layers.l2_regularizer(0.1)
kind_of("regularized", variable(lambda v, s: tf.get_variable("w", [2], regularizer=regular)))


def trained(make, given):
    def act():
        strategy = two()

        def step():
            v = tf.get_variable("v", [], initializer=tf.ones_initializer())
            return make().apply_gradients([(given(v), v)] if given else [])

        return type(strategy.experimental_run_v2(step)).__name__

    return act


kind_of("no gradients", trained(lambda: tf.train.GradientDescentOptimizer(0.1), None))
kind_of("gradients of None", trained(lambda: tf.train.GradientDescentOptimizer(0.1), lambda v: None))
kind_of("ftrl", trained(lambda: tf.train.FtrlOptimizer(0.1), tf.identity))
kind_of("momentum", trained(lambda: tf.train.MomentumOptimizer(0.1, 0.9), tf.identity))


# Devices, clusters and settings.
def devices(*names):
    return lambda: list(D.MirroredStrategy(list(names)).extended.worker_devices)


kind_of("two tasks", devices("/job:worker/task:0/cpu:0", "/job:worker/task:1/cpu:0"))
kind_of("a task and none", devices("/job:worker/task:0/cpu:0", "/cpu:0"))
kind_of("none and a task", devices("/cpu:0", "/job:worker/task:0/cpu:0"))
kind_of("one task", devices("/job:worker/task:0/cpu:0"))
kind_of("this process", devices("/job:localhost/cpu:0"))
for workers in (1, 2):
    cluster = {"worker": ["localhost:%d" % (1 + i) for i in range(workers)], "ps": ["localhost:9"]}
    os.environ["TF_CONFIG"] = json.dumps({"cluster": cluster, "task": {"type": "worker", "index": 0}})
    kind_of("told of %d workers" % workers, lambda: list(D.MirroredStrategy().extended.worker_devices))
    servers = D.experimental.ParameterServerStrategy
    kind_of("servers, %d workers" % workers, lambda: list(servers().extended.worker_devices))
    contrib = tf.contrib.distribute.ParameterServerStrategy
    kind_of("contrib's servers, %d workers" % workers, lambda: list(contrib().extended.worker_devices))
    later = tf.compat.v2.distribute.experimental.ParameterServerStrategy
    kind_of("later servers, %d workers" % workers, lambda: list(later().extended.worker_devices))
del os.environ["TF_CONFIG"]
kind_of("later servers, no cluster", lambda: later())


def configured(**kwargs):
    def act():
        strategy = two()
        strategy.configure(**kwargs)
        return list(strategy.extended.worker_devices)

    return act


kind_of("a cluster of one", configured(cluster_spec={"worker": ["localhost:1"]}))
kind_of("a cluster of two", configured(cluster_spec={"worker": ["localhost:1", "localhost:2"]}))
kind_of("settings of text", configured(session_config="x"))
settings = tf.ConfigProto()
two().configure(session_config=settings)
results["isolated"] = settings.isolate_session_state
resolver = D.cluster_resolver.SimpleClusterResolver
spec = tf.train.ClusterSpec({"worker": ["a:1", "b:1"], "ps": ["c:1"], "other": ["d:1"]})
for task in (("worker", 1), ("worker", 5), ("other", 0), ("ps", 0)):
    where = resolver(spec, task_type=task[0], task_id=task[1])
    kind_of("task %s %d" % task, lambda: list(servers(where).extended.worker_devices))
one = D.OneDeviceStrategy("/cpu:1")
with one.scope():
    results["one device"] = [tf.Variable(1.0).device, tf.constant(1.0).device]


# Datasets whose elements have unknown ranks.
def distributed(strategy):
    return lambda: type(strategy.make_dataset_iterator(tf.data.Dataset.from_generator(lambda: [1], tf.int64))).__name__


kind_of("rows of unknown rank, two", distributed(two()))
kind_of("rows of unknown rank, one", distributed(one))
made_of_functions = [two().experimental_distribute_datasets_from_function(lambda context: None)]
results["methods"] = [hasattr(made, "make_initializable_iterator") for made in made_of_functions]

"""Replicas in a graph: what they are told, variables and their updates, reductions, iterators, metrics, loops of steps."""

import tensorflow as tf

tf.logging.set_verbosity(tf.logging.ERROR)
results = {}
sess = tf.Session(config=tf.ConfigProto(device_count={"CPU": 2}))
strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
AGGREGATIONS = ("SUM", "MEAN", "ONLY_FIRST_REPLICA")


def number():
    return tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32)


def fails(do):
    try:
        do()
    except (ValueError, RuntimeError, TypeError) as error:
        return type(error).__name__
    return "nothing"


results["devices"] = list(strategy.extended.worker_devices)
results["outside"] = [tf.distribute.has_strategy(), tf.distribute.in_cross_replica_context()]
with strategy.scope():
    results["inside"] = [tf.distribute.has_strategy(), tf.distribute.in_cross_replica_context()]
    mirrored = {
        kind: tf.Variable(1.0, name=kind, aggregation=getattr(tf.VariableAggregation, kind)) for kind in AGGREGATIONS
    }
    plain = tf.Variable([1.0, 2.0], name="plain")
    read = {
        kind: tf.Variable(
            2.0,
            name=f"read_{kind}",
            synchronization=tf.VariableSynchronization.ON_READ,
            aggregation=getattr(tf.VariableAggregation, kind),
        )
        for kind in AGGREGATIONS
    }
    named = tf.get_variable("named", [2], initializer=tf.zeros_initializer())

results["global"] = [v.name for v in tf.global_variables()]
results["trainable"] = [v.name for v in tf.trainable_variables()]
results["parts"] = [[part.name for part in strategy.experimental_local_results(v)] for v in tf.global_variables()]
results["operations"] = [f"{op.type} {op.name} {op.device}" for op in tf.get_default_graph().get_operations()]


def update():
    return [mirrored[kind].assign_add(number() + 1.0) for kind in AGGREGATIONS]


def update_own():
    return [read[kind].assign_add(number() + 1.0) for kind in AGGREGATIONS]


sess.run(tf.global_variables_initializer())
updates = strategy.experimental_run_v2(update)
results["updates"] = [sess.run(strategy.experimental_local_results(made)) for made in updates]
results["updated"] = [sess.run([part for part in mirrored[kind].values]) for kind in AGGREGATIONS]
own = strategy.experimental_run_v2(update_own)
sess.run([strategy.group(made) for made in own])
with strategy.scope():
    for kind in AGGREGATIONS:
        results[f"read/{kind}"] = sess.run(read[kind].read_value())
        results[f"read parts/{kind}"] = sess.run(list(read[kind].values))
    sess.run(read["SUM"].assign(8.0))
    results["shares"] = sess.run(list(read["SUM"].values))
    sess.run(plain.assign([3.0, 4.0]))
    results["assigned"] = sess.run(list(plain.values))
    results["plus"] = sess.run(plain + 1.0)
    doubled = strategy.extended.update(plain, lambda part: part.assign(2.0 * part), group=True)
    results["doubled"] = sess.run(strategy.experimental_local_results(doubled))
    results["refused"] = [
        fails(lambda: read["SUM"].assign_add(1.0)),
        fails(lambda: strategy.extended.colocate_vars_with(1.0)),
    ]
results["none"] = fails(lambda: strategy.experimental_run_v2(lambda: plain.assign([1.0, 1.0])))
results["colocate outside"] = fails(lambda: strategy.extended.colocate_vars_with(plain))


def merge():
    def total(strategy, value, factor):
        return strategy.reduce(tf.distribute.ReduceOp.SUM, value) * factor

    context = tf.distribute.get_replica_context()
    sums = context.all_reduce(tf.distribute.ReduceOp.SUM, {"a": number() + 1.0, "b": [number() * 10.0]})
    return (
        context.merge_call(total, args=(number() + 1.0,), kwargs={"factor": 10.0}),
        sums,
        context.num_replicas_in_sync,
    )


merged, sums, count = strategy.experimental_run_v2(merge)
results["merged"] = [sess.run(merged), count, sess.run(sums["a"].values), sess.run(sums["b"][0].values)]
values = strategy.experimental_run_v2(lambda: tf.stack([number(), number() + 2.0]))
for axis, kind in ((None, "SUM"), (None, "MEAN"), (0, "SUM"), (-1, "SUM")):
    results[f"reduce/{kind}/{axis}"] = sess.run(strategy.reduce(kind, values, axis=axis))
uneven = strategy.experimental_run_v2(
    lambda x: x, args=(strategy.experimental_run_v2(lambda: tf.range(number() + 1.0)),)
)
results["mean of all"] = sess.run(strategy.reduce("MEAN", uneven, axis=0))


def uneven_merge():
    context = tf.distribute.get_replica_context()
    if tf.get_static_value(context.replica_id_in_sync_group) == 0:
        context.merge_call(lambda strategy: None)


results["uneven merges"] = fails(lambda: strategy.experimental_run_v2(uneven_merge))
results["two strategies"] = fails(lambda: strategy.experimental_run_v2(lambda: strategy.reduce("SUM", 1.0)))

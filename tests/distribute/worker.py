"""A worker of a cluster as a process of its own: `python worker.py WHAT`, where TF_CONFIG says which; it prints JSON lines."""

from __future__ import annotations

import json
import os
import runpy
import sys
from pathlib import Path

import numpy as np

import headrace as tf
from headrace.shim import install_as_tensorflow

PROGRAM = Path(__file__).resolve().parent.parent / "programs" / "distribute" / "two_workers.py"


def say(**values):
    print(json.dumps(values), flush=True)


def server_of(strategy):
    """The server of this process's task, and the settings of its sessions."""
    told = json.loads(os.environ["TF_CONFIG"])
    config = strategy.update_config_proto(tf.ConfigProto())
    return tf.distribute.Server(told["cluster"], told["task"]["type"], told["task"]["index"], config=config), config


def model(name):
    """Trains as the program of two workers does."""
    install_as_tensorflow(old_names=False)
    train = runpy.run_path(str(PROGRAM))["train"]
    strategy = tf.distribute.experimental.MultiWorkerMirroredStrategy()
    server, config = server_of(strategy)
    found = train(strategy, server.target, config, name)
    say(losses=[float(loss) for loss in found["losses"]], sums=[float(abs(v).sum()) for v in found["variables"]])


def servers(kind):
    """Trains a Keras model whose variables lie on a server; the server begins to serve with its first session."""
    assert kind == "keras"
    resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    strategy = tf.distribute.experimental.ParameterServerStrategy(resolver)
    x = np.arange(24, dtype=np.float32).reshape(8, 3) / 10
    with strategy.scope():
        model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(3,), kernel_initializer="ones")])
        model.compile(tf.keras.optimizers.SGD(0.01), "mse", metrics=["mae"])
        batches = tf.data.Dataset.from_tensor_slices((x, x[:, :1])).batch(4).repeat()
        history = model.fit(batches, epochs=3, steps_per_epoch=2, verbose=0).history
        loss, _ = model.evaluate(batches, steps=2, verbose=0)
    devices = sorted({variable.device for variable in model.weights})
    weights = np.concatenate([value.ravel() for value in model.get_weights()]).tolist()
    say(losses=[float(value) for value in history["loss"]], loss=float(loss), weights=weights, devices=devices)


def steps(count):
    """Trains under the coordinator with checkpoints in CHECKPOINTS, until a number of steps in all."""

    def work(strategy):
        with tf.Graph().as_default(), strategy.scope():
            x = strategy.make_input_fn_iterator(lambda context: tf.data.Dataset.from_tensors([[1.0, 2.0]]).repeat())

            def step(row):
                weights = tf.get_variable("weights", initializer=[[1.0], [1.0]])
                loss = tf.reduce_sum(tf.square(tf.matmul(row, weights) - 4.0))
                optimizer = tf.train.GradientDescentOptimizer(0.02)
                with tf.control_dependencies([optimizer.minimize(loss, tf.train.get_or_create_global_step())]):
                    return tf.identity(loss)

            losses = strategy.extended.call_for_each_replica(step, args=(x.get_next(),))
            loss = strategy.reduce(tf.distribute.ReduceOp.MEAN, losses)
            scaffold = tf.train.Scaffold(local_init_op=tf.group(x.initialize(), tf.local_variables_initializer()))
            global_step = strategy.extended.read_var(tf.train.get_global_step())
            folder = os.environ["CHECKPOINTS"]
            with tf.train.MonitoredTrainingSession(
                checkpoint_dir=folder, scaffold=scaffold, save_checkpoint_steps=1, save_summaries_steps=None
            ) as sess:
                first, seen = None, []
                while first is None or first + len(seen) <= int(count):
                    before = int(sess.run(global_step))
                    first = before + 1 if first is None else first
                    if before >= int(count):
                        break
                    seen.append(float(sess.run(loss)))
                say(first=first, losses=seen)

    from headrace.distribute.coordinator import CoordinatorMode, run_distribute_coordinator

    run_distribute_coordinator(
        work,
        tf.distribute.experimental.MultiWorkerMirroredStrategy(),
        mode=CoordinatorMode.INDEPENDENT_WORKER,
    )


def estimator(count):
    """The model of `steps` as an estimator, by `train_and_evaluate`; says the losses of its steps."""

    class Losses(tf.train.SessionRunHook):
        def before_run(self, run_context):
            return tf.train.SessionRunArgs(tf.get_collection(tf.GraphKeys.LOSSES)[-1])

        def after_run(self, run_context, run_values):
            seen.append(float(run_values.results))

    def model_fn(features, labels, mode):
        weights = tf.get_variable("weights", initializer=[[1.0], [1.0]])
        loss = tf.losses.mean_squared_error(labels, tf.matmul(features, weights))
        optimizer = tf.train.GradientDescentOptimizer(0.02)
        return tf.estimator.EstimatorSpec(
            mode, loss=loss, train_op=optimizer.minimize(loss, tf.train.get_global_step())
        )

    def input_fn():
        return tf.data.Dataset.from_tensors(([[1.0, 2.0]], [[4.0]])).repeat()

    seen = []
    config = tf.estimator.RunConfig(
        model_dir=os.environ["CHECKPOINTS"],
        train_distribute=tf.distribute.experimental.MultiWorkerMirroredStrategy(),
    )
    tf.estimator.train_and_evaluate(
        tf.estimator.Estimator(model_fn, config=config),
        tf.estimator.TrainSpec(input_fn, max_steps=int(count), hooks=[Losses()]),
        tf.estimator.EvalSpec(input_fn, steps=1),
    )
    say(losses=seen)


def rounds(count):
    """Reduces the numbers of rounds; says what comes of each, or the error. Waits for a line before each but the first."""
    from headrace.ops.collective.collective import all_reduce

    told = json.loads(os.environ["TF_CONFIG"])
    index = told["task"]["index"]
    server = tf.distribute.Server(told["cluster"], "worker", index)
    with tf.device(f"/job:worker/task:{index}/cpu:0"):
        x = tf.placeholder(tf.float32, [2])
        total = all_reduce(x + index, 2, 1, 1, "Add", "Id")
    config = tf.ConfigProto(device_filters=[f"/job:worker/task:{index}"])
    with tf.Session(server.target, config=config) as sess:
        for number in range(int(count)):
            try:
                say(total=sess.run(total, {x: [number, 1.0]}).tolist())
            except tf.errors.OpError as error:
                say(error=type(error).__name__, message=error.message)
            if not sys.stdin.readline():
                return


def eager(count):
    """Reduces over all workers with eager execution."""
    tf.enable_eager_execution()
    strategy = tf.distribute.experimental.MultiWorkerMirroredStrategy()
    with strategy.scope():
        v = tf.Variable(float(strategy.extended._task_id), name="v")
    totals = []
    for number in range(int(count)):
        replica = strategy.experimental_run_v2(lambda own: v + own, (float(number + strategy.extended._task_id),))
        totals.append(float(strategy.reduce(tf.distribute.ReduceOp.SUM, replica, axis=None)))
    with tf.device("/cpu:0"):
        asked = tf.constant(1.0)
    functions = tf.function(lambda value: value + 1.0)(replica)
    devices = {each.device for each in (tf.constant(1.0), asked, v, v.read_value(), replica, functions)}
    listed = [device.name for device in tf.config.experimental.list_logical_devices("CPU")]
    say(totals=totals, v=float(v.numpy()), devices=sorted(devices), listed=listed)


def keras_model(strategy):
    """A Keras model under a strategy, trained on 3 batches, twice over; what became of it."""
    rng = np.random.RandomState(0)
    x = rng.randn(24, 5).astype(np.float32)
    y = x.dot(rng.randn(5, 1)).astype(np.float32)
    layers = tf.keras.layers
    with strategy.scope():
        model = tf.keras.Sequential(
            [
                layers.Dense(4, "tanh", kernel_initializer=tf.keras.initializers.glorot_uniform(1), input_shape=(5,)),
                layers.BatchNormalization(),
                layers.Dense(1, kernel_initializer="ones"),
            ]
        )
        model.compile(tf.keras.optimizers.Adam(0.05), "mse", metrics=["mae"])
    history = model.fit(tf.data.Dataset.from_tensor_slices((x, y)).batch(8), epochs=2, verbose=0).history
    weights = [float(np.abs(value).sum()) for value in model.get_weights()]
    return {"losses": [float(loss) for loss in history["loss"]], "weights": weights}


def keras(mode):
    """Trains a Keras model with others, eagerly or in a graph."""
    if mode == "eager":
        tf.enable_eager_execution()
    say(**keras_model(tf.distribute.experimental.MultiWorkerMirroredStrategy()))


def keras_restarts(folder, stops):
    """Trains for four epochs, or stops within the third one; then predicts."""
    x = np.random.RandomState(0).randn(64, 6).astype(np.float32)
    batches = tf.data.Dataset.from_tensor_slices((x, x.sum(1, keepdims=True))).batch(16)
    strategy = tf.distribute.experimental.MultiWorkerMirroredStrategy()
    with strategy.scope():
        begin = tf.keras.initializers.glorot_uniform(seed=2)
        model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(6,), kernel_initializer=begin)])
        model.compile(tf.keras.optimizers.Adam(0.05), "mse")
    begun = []

    class Stopped(tf.keras.callbacks.Callback):
        def on_epoch_begin(self, epoch, logs=None):
            begun.append(epoch)

        def on_batch_end(self, batch, logs=None):
            if stops == "stops" and begun[-1] == 2 and batch == 1:
                say(begun=begun)
                os._exit(0)

    # Folders of the workers' own hold what each of them writes.
    own = os.path.join(folder, str(strategy.extended._task_id))
    callbacks = [
        Stopped(),
        tf.keras.callbacks.ModelCheckpoint(os.path.join(folder, "model.h5")),
        tf.keras.callbacks.TensorBoard(own),
    ]
    history = model.fit(batches.repeat(), epochs=4, steps_per_epoch=2, verbose=0, callbacks=callbacks).history
    rows = [len(model.predict(batches)), len(model.predict(x, batch_size=16))]
    say(begun=begun, losses=[float(loss) for loss in history["loss"]], rows=rows, wrote=os.path.isdir(own))


def torchrun(name):
    """Trains as `torchrun` has started it: ranks instead of TF_CONFIG."""
    strategy = tf.distribute.experimental.MultiWorkerMirroredStrategy()
    server, config = server_of(strategy)
    with tf.Graph().as_default(), strategy.scope():
        context = strategy.extended._input_context()
        here = tf.constant(float(context.input_pipeline_id + 1))
        total = strategy.reduce(tf.distribute.ReduceOp.SUM, here)
        with tf.Session(server.target, config=config) as sess:
            say(name=name, workers=strategy.num_replicas_in_sync, total=float(sess.run(total)))


if __name__ == "__main__":
    kinds = {
        "model": model,
        "steps": steps,
        "estimator": estimator,
        "rounds": rounds,
        "eager": eager,
        "keras": keras,
        "keras_restarts": keras_restarts,
        "servers": servers,
        "torchrun": torchrun,
    }
    kinds[sys.argv[1]](*sys.argv[2:])

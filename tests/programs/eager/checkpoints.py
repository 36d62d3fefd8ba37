"""Checkpoints of objects in eager execution: saved and restored at once, or when what they are of is made."""

import os
import tempfile

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()
tfe = tf.contrib.eager
results = {}
folder = tempfile.mkdtemp()


def failing(call, *args, **kwargs):
    try:
        call(*args, **kwargs)
    except Exception as error:
        return type(error).__name__
    return "none"


class Model(tf.contrib.checkpoint.Checkpointable):
    def __init__(self):
        self.first = tf.layers.Dense(3, kernel_initializer=tf.ones_initializer())
        self.last = tf.layers.Dense(1, kernel_initializer=tf.ones_initializer())
        self.scale = tfe.Variable(2.0, name="scale")
        self.more = [tfe.Variable([1.0], name="more")]

    def __call__(self, x):
        return self.last(self.first(x)) * self.scale + self.more[0]


x = tf.constant([[1.0, 2.0], [3.0, -4.0]])


def step(model, optimizer):
    return optimizer.minimize(
        lambda: tf.reduce_mean(tf.square(model(x) - 1.0)), global_step=tf.train.get_or_create_global_step()
    )


model, optimizer = Model(), tf.train.AdamOptimizer(0.1)
checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer, step=tf.train.get_or_create_global_step())
for _ in range(3):
    step(model, optimizer)
path = checkpoint.save(os.path.join(folder, "ckpt"))
results["path"] = os.path.relpath(path, folder)
results["saved"] = sorted([name, list(shape)] for name, shape in tf.train.list_variables(path))
results["latest"] = os.path.relpath(tf.train.latest_checkpoint(folder), folder)
after_three = model(x).numpy()
results["after three"] = after_three
step(model, optimizer)
after_four = model(x).numpy()
status = checkpoint.restore(path)
status.assert_consumed()
results["restored"] = model(x).numpy()
results["counter"] = checkpoint.save_counter.numpy()
results["global step"] = tf.train.get_global_step().numpy()
step(model, optimizer)
results["again four"] = np.abs(model(x).numpy() - after_four).max() < 1e-6
status.run_restore_ops()
status.initialize_or_restore()

# What is not there yet.
model, optimizer = Model(), tf.train.AdamOptimizer(0.1)
checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer)
status = checkpoint.restore(path)
results["not yet"] = [failing(status.assert_consumed), failing(status.assert_existing_objects_matched)]
results["scale now"] = model.scale.numpy()
results["list now"] = model.more[0].numpy()
results["when built"] = model(x).numpy()
results["nearly"] = failing(status.assert_consumed)
step(model, optimizer)
results["slots when made"] = np.abs(model(x).numpy() - after_four).max() < 1e-6
results["slot"] = optimizer.get_slot(model.scale, "m").numpy().shape
results["step missing"] = failing(status.assert_consumed)

# Objects that come later than the restoration.
later = tf.train.Checkpoint()
later_status = later.restore(path)
later.model = Model()
results["later"] = [later.model.scale.numpy(), later.model(x).numpy()]
later.optimizer = tf.train.AdamOptimizer(0.1)
later.step = tfe.Variable(0, dtype=tf.int64)
results["later step"] = later.step.numpy()
step(later.model, later.optimizer)
results["later step two"] = np.abs(later.model(x).numpy() - after_four).max() < 1e-6
results["later consumed"] = failing(later_status.assert_consumed)

# The checkpoint object goes; what it was asked for stays.
kept = Model()
tf.train.Checkpoint(model=kept).restore(path)
results["kept"] = kept(x).numpy()

# The last restoration has the last word.
other = Model()
other.scale.assign(7.0)
other(x)
other_path = tf.train.Checkpoint(model=other).write(os.path.join(folder, "other"))
results["written"] = os.path.relpath(other_path, folder)
fresh = Model()
root = tf.train.Checkpoint(model=fresh)
root.restore(path)
root.restore(other_path)
results["last"] = [fresh.scale.numpy(), fresh(x).numpy()]

# Checks.
wrong = tf.train.Checkpoint(something=tfe.Variable(1.0))
wrong_status = wrong.restore(path)
results["wrong"] = [
    failing(wrong_status.assert_nontrivial_match),
    failing(wrong_status.assert_existing_objects_matched),
    failing(wrong_status.assert_consumed),
    failing(wrong_status.expect_partial),
]
results["none"] = [
    failing(wrong.restore(None).assert_consumed),
    failing(wrong.restore(None).initialize_or_restore),
    failing(wrong.restore(None).run_restore_ops),
]
results["missing"] = failing(wrong.restore, os.path.join(folder, "nothing"))
results["shape"] = failing(tf.train.Checkpoint(model=tf.train.Checkpoint(scale=tfe.Variable([1.0, 2.0]))).restore, path)

# A checkpoint by names.
v = tfe.Variable(3.0, name="v")
named = tfe.Saver({"v": v}).save(os.path.join(folder, "named"))
v.assign(5.0)
by_name = tf.train.Checkpoint(v=v).restore(named)
results["by name"] = [v.numpy(), failing(by_name.assert_consumed)]
by_name.initialize_or_restore()
results["by name, asked"] = v.numpy()

# Managers.
number = tfe.Variable(0.0)
managed = tf.train.Checkpoint(number=number)
manager = tf.train.CheckpointManager(managed, os.path.join(folder, "managed"), max_to_keep=2)
for i in range(4):
    number.assign(float(i))
    manager.save()
manager.save(checkpoint_number=20)
results["managed"] = [os.path.basename(p) for p in manager.checkpoints]
number.assign(-1.0)
managed.restore(manager.checkpoints[0])
results["managed value"] = number.numpy()
managed.restore(manager.latest_checkpoint)
results["managed counter"] = managed.save_counter.numpy()
again = tf.train.CheckpointManager(managed, os.path.join(folder, "managed"), max_to_keep=2)
results["managed again"] = [os.path.basename(p) for p in again.checkpoints]


# Templates and metrics.
def scaled(t):
    return t * tf.get_variable("by", [], initializer=tf.constant_initializer(3.0))


template = tf.make_template("template", scaled)
template(1.0)
template.variables[0].assign(9.0)
mean = tfe.metrics.Mean("m")
mean(4.0)
objects = tf.train.Checkpoint(template=template, mean=mean).write(os.path.join(folder, "objects"))
results["objects"] = sorted(name for name, _ in tf.train.list_variables(objects))
new_template, new_mean = tf.make_template("template", scaled), tfe.metrics.Mean("m")
tf.train.Checkpoint(template=new_template, mean=new_mean).restore(objects)
results["template later"] = new_template(2.0).numpy()
new_mean(2.0)
results["mean later"] = new_mean.result().numpy()

# A graph restores what was saved eagerly.
with tf.Graph().as_default():
    graph_model = Model()
    graph_model(x.numpy())
    graph_root = tf.train.Checkpoint(model=graph_model)
    with tf.Session() as session:
        graph_root.restore(path).initialize_or_restore(session)
        results["graph"] = session.run(graph_model(x.numpy()))
        graph_path = graph_root.save(os.path.join(folder, "graph"), session)
back = Model()
tf.train.Checkpoint(model=back).restore(graph_path)
results["back"] = back(x).numpy()

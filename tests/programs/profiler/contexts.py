"""Profiles of what sessions run inside of a `ProfileContext`: which steps are traced and written."""

import os
import tempfile

import tensorflow as tf

results = {}
builder = tf.profiler.ProfileOptionBuilder
quiet = builder(builder.time_and_memory()).with_empty_output().build()


def profiled(steps, automatic=(), calls=None, fetches=1, **settings):
    folder = tempfile.mkdtemp()
    written = []
    with tf.Graph().as_default():
        x = tf.constant(1.0) + tf.constant(2.0)
        there = [x, x * 2.0]
        try:
            with tf.contrib.tfprof.ProfileContext(folder, **settings) as context:
                for arguments in automatic:
                    context.add_auto_profiling(*arguments)
                with tf.Session() as sess:
                    for step in range(steps):
                        for name in (calls or {}).get(step, ()):
                            getattr(context, name)()
                        before = set(os.listdir(folder))
                        sess.run(there[step % fetches])
                        written += sorted(set(os.listdir(folder)) - before)
        except (ValueError, tf.errors.InternalError) as error:
            return type(error).__name__, str(error).split(";")[0].split(":")[0]
        views = []
        if context.profiler is None:
            return written, None
        for view in ("op", "scope"):
            try:
                views.append(sorted(context.get_profiles(view)))
            except ValueError as error:
                views.append(str(error))
        return written, views


results["by default"] = profiled(120)
results["two fetches, told more"] = profiled(30, fetches=2, debug=True)
results["chosen steps"] = profiled(12, trace_steps=[3], dump_steps=[3, 5])
results["off"] = profiled(120, enabled=False)
results["the next step"] = profiled(
    12, trace_steps=[], dump_steps=[], calls={4: ["trace_next_step", "dump_next_step"], 7: ["dump_next_step"]}
)
results["automatic"] = profiled(20, automatic=[("op", quiet, [2, 15]), ("scope", quiet, [4])])
results["no such view"] = profiled(4, automatic=[("nothing", quiet, [2])])
try:
    tf.contrib.tfprof.ProfileContext("")
except ValueError as error:
    results["no folder"] = str(error).strip()
try:
    with tf.contrib.tfprof.ProfileContext(tempfile.mkdtemp()), tf.contrib.tfprof.ProfileContext(tempfile.mkdtemp()):
        pass
except tf.errors.InternalError:
    results["nested"] = "refused"

# Where columns stand depends on the view.
x = tf.get_variable("x", [4, 4])
y = tf.matmul(x, x, name="product")
metadata = tf.RunMetadata()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(y, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=metadata)
columns = ["micros", "bytes", "params", "float_ops", "occurrence", "device", "op_types", "input_shapes"]
for view in ("scope", "graph", "op", "code"):
    path = os.path.join(tempfile.mkdtemp(), "report")
    options = builder(builder.time_and_memory()).select(columns).with_file_output(path).build()
    tf.profiler.profile(tf.get_default_graph(), metadata, cmd=view, options=options)
    with open(path) as file:
        results["columns, " + view] = [line for line in file.read().split("\n") if line.startswith("node name")]

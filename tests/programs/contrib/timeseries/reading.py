"""Series from arrays, CSV files and Examples, whole and in windows; what is refused."""

import os
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.contrib.timeseries.python.timeseries import input_pipeline

series = tf.contrib.timeseries
folder = tempfile.mkdtemp()
path = os.path.join(folder, "series.csv")
with open(path, "w") as file:
    file.write("time,first,note,second\n")
    for i in range(30):
        file.write("%d,%g,n%d,%g\n" % (i, i / 4.0, i, -i))
records = os.path.join(folder, "series.tfrecord")
with tf.python_io.TFRecordWriter(records) as writer:
    for i in range(30):
        example = tf.train.Example()
        example.features.feature["times"].int64_list.value.append(i)
        example.features.feature["values"].float_list.value.extend([i / 4.0, -i])
        writer.write(example.SerializeToString())
arrays = {
    "times": np.arange(30),
    "values": np.stack([np.arange(30) / 4.0, -np.arange(30.0)], 1),
    "holiday": np.arange(30) % 7 == 0,
}
spec = {"times": tf.FixedLenFeature([], tf.int64), "values": tf.FixedLenFeature([2], tf.float32)}


def readers():
    return {
        "csv": series.CSVReader(
            path,
            column_names=("times", "values", "note", "values"),
            column_dtypes=(tf.int64, tf.float32, tf.string, tf.float32),
            skip_header_lines=1,
        ),
        "arrays": series.NumpyReader(arrays),
        "batch of arrays": series.NumpyReader({key: value[None] for key, value in arrays.items()}),
        "examples": input_pipeline.TFExampleReader([records], spec),
    }


def computed(input_fn):
    with tf.Graph().as_default(), tf.Session() as session:
        features, _ = input_fn()
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        found = session.run(features)
        coordinator.request_stop()
        coordinator.join(threads, stop_grace_period_secs=60, ignore_live_threads=True)
        return found


def refused(make):
    try:
        make()
    except (ValueError, TypeError) as error:
        return [type(error).__name__, str(error)]
    return ["nothing", ""]


results = {}
for name in readers():
    results[name] = computed(lambda: series.WholeDatasetInputFn(readers()[name])())
    windows = computed(
        lambda: series.RandomWindowInputFn(readers()[name], window_size=6, batch_size=4, queue_capacity_multiplier=5)()
    )
    times = windows["times"]
    results[name + " in windows"] = {
        "shapes": {key: list(value.shape) for key, value in windows.items()},
        "types": {key: value.dtype.name for key, value in windows.items()},
        "consecutive": bool((np.diff(times, axis=1) == 1).all()),
        "fitting": bool((windows["values"][..., 1] == -times).all()),
    }
short = {"times": np.arange(4), "values": np.arange(4.0)}
state = {"times": np.array([[1, 2, 3]]), "start_tuple": (np.zeros([1, 2]),)}
results["refused"] = {
    "no values": refused(lambda: series.NumpyReader({"times": np.arange(4)})),
    "two series": refused(lambda: series.NumpyReader({"times": np.ones([2, 3]), "values": np.ones([2, 3, 1])})),
    "other lengths": refused(lambda: series.NumpyReader({"times": np.arange(4), "values": np.arange(3)})),
    "too short": refused(lambda: series.RandomWindowInputFn(series.NumpyReader(short), window_size=5, batch_size=2)),
    "no times": refused(lambda: series.CSVReader(path, column_names=("a", "values"))),
    "types": refused(lambda: series.CSVReader(path, column_dtypes=(tf.int64,))),
    "neither": refused(lambda: series.predict_continuation_input_fn(state)),
    "both": refused(lambda: series.predict_continuation_input_fn(state, steps=2, times=[4, 5])),
    "before": refused(lambda: series.predict_continuation_input_fn(state, times=[3, 4])),
}
with tf.Session() as session:
    features, _ = series.predict_continuation_input_fn(
        state, times=[[5, 9]], exogenous_features={"x": np.ones([1, 2])}
    )()
    session.run(tf.local_variables_initializer())
    results["following"] = session.run(features)

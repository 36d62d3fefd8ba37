"""What the TensorBoard callbacks write: numbers, what layers write, embeddings."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import numpy as np
import pytest

import headrace as tf
from headrace.core.eager import eager_mode
from headrace.keras.callbacks.tensorboard_v2 import TensorBoard
from headrace.messages import protos
from headrace.summary.recording import state

keras = tf.keras
X, Y = np.ones((8, 2), np.float32), np.ones((8, 1), np.float32)


class Writing(keras.layers.Layer):
    """Writes the sum of what it gets."""

    def call(self, inputs):
        tf.compat.v2.summary.scalar("total", tf.reduce_sum(inputs))
        return inputs


def written(folder) -> dict[str, list[tuple[str, int]]]:
    """The tags of the event files below a folder with their steps, by the files' own folders."""
    found: dict[str, list[tuple[str, int]]] = {}
    for path in sorted(Path(folder).rglob("*tfevents*")):
        events = list(tf.train.summary_iterator(str(path)))
        tags = [(value.tag, event.step) for event in events for value in event.summary.value]
        found.setdefault(path.parent.name, []).extend(tags)
    return found


def steps_of(tags: list[tuple[str, int]], end: str) -> list[int]:
    return [step for tag, step in tags if tag.endswith(end)]


def writing_model(run_eagerly: bool):
    model = keras.Sequential([Writing(input_shape=(2,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse", run_eagerly=run_eagerly)
    return model


@pytest.mark.parametrize("run_eagerly", [False, True], ids=["traced", "eager"])
@pytest.mark.parametrize(
    ("update_freq", "of_layers", "of_batches", "validated"),
    [("epoch", [], [], []), (1, list(range(8)), list(range(8)), [0, 1, 2, 3]), (3, [0, 3, 6], [0, 3, 4, 7], [0, 3])],
)
def test_layers_write_to_the_file_of_what_is_run(tmp_path, run_eagerly, update_freq, of_layers, of_batches, validated):
    """The steps that 1.15.5 writes for the same program."""
    with eager_mode():
        model = writing_model(run_eagerly)
        board = TensorBoard(str(tmp_path), update_freq=update_freq, write_graph=False, profile_batch=0)
        model.fit(X, Y, batch_size=2, epochs=2, verbose=0, validation_data=(X[:4], Y[:4]), callbacks=[board])
    tags = written(tmp_path)
    assert steps_of(tags["train"], "total") == of_layers
    assert steps_of(tags["train"], "batch_loss") == of_batches
    assert steps_of(tags["train"], "epoch_loss") == [0, 1]
    assert steps_of(tags["validation"], "total") == validated
    assert steps_of(tags["validation"], "epoch_loss") == [0, 1]


def test_a_run_is_one_file(tmp_path):
    """TensorBoard does not go back to an older file of a folder."""
    with eager_mode():
        board = TensorBoard(str(tmp_path), update_freq=1)
        writing_model(False).fit(X, Y, batch_size=4, epochs=2, verbose=0, callbacks=[board])
    assert len([name for name in os.listdir(tmp_path / "train") if name.endswith(".v2")]) == 1


def test_nothing_is_written_after_the_training(tmp_path):
    with eager_mode():
        model = writing_model(False)
        first, other = (
            TensorBoard(str(tmp_path / name), update_freq=1, write_graph=False, profile_batch=0) for name in "ab"
        )
        model.fit(X, Y, batch_size=4, verbose=0, callbacks=[first])
        assert (state.writer, state.step, state.recording) == (None, None, None)
        model.fit(X, Y, batch_size=4, verbose=0)
        model.fit(X, Y, batch_size=4, verbose=0, callbacks=[other])
        model.evaluate(X, Y, batch_size=4, verbose=0)
    for name in "ab":
        assert steps_of(written(tmp_path / name)["train"], "total") == [0, 1]


@pytest.mark.parametrize("cls", [keras.callbacks.TensorBoard, TensorBoard], ids=["version 1", "version 2"])
def test_in_a_graph(tmp_path, cls):
    with tf.Graph().as_default(), tf.Session().as_default():
        model = keras.Sequential([keras.layers.Dense(1, input_shape=(2,))])
        model.compile("sgd", "mse")
        board = cls(str(tmp_path), update_freq="batch")
        model.fit(X, Y, batch_size=2, verbose=0, validation_data=(X, Y), callbacks=[board])
    tags = list(itertools.chain.from_iterable(written(tmp_path).values()))
    assert steps_of(tags, "batch_loss") == [0, 1, 2, 3]
    assert "epoch_loss" in {tag for tag, _ in tags}


def test_embeddings(tmp_path):
    """The projector's settings name the checkpoint, the tensor and the file of its rows' names."""
    names = tmp_path / "names.tsv"
    names.write_text("a\nb\nc\n")
    ids = np.array([[0, 1], [1, 2], [2, 0]])
    with tf.Graph().as_default(), tf.Session().as_default():
        model = keras.Sequential(
            [keras.layers.Embedding(3, 4, input_length=2, name="words"), keras.layers.Flatten(), keras.layers.Dense(1)]
        )
        model.compile("sgd", "mse")
        board = keras.callbacks.TensorBoard(
            str(tmp_path / "logs"), embeddings_freq=1, embeddings_layer_names=["words"],
            embeddings_metadata={"words": str(names)}, embeddings_data=ids,
        )  # fmt: skip
        model.fit(ids, np.ones((3, 1)), epochs=2, verbose=0, callbacks=[board])
        rows = model.predict(ids)
    settings = (tmp_path / "logs" / "projector_config.pbtxt").read_text()
    assert str(names) in settings
    assert "words" in settings
    checkpoints = sorted(path.name for path in (tmp_path / "logs").glob("keras_embedding.ckpt*.index"))
    assert checkpoints == ["keras_embedding.ckpt-0.index", "keras_embedding.ckpt-1.index"]
    reader = tf.train.load_checkpoint(str(tmp_path / "logs" / "keras_embedding.ckpt-1"))
    shapes = reader.get_variable_to_shape_map()
    assert [3, 8] in [list(shape) for shape in shapes.values()]
    assert rows.shape == (3, 1)


def test_the_graph_is_written_for_both_kinds(tmp_path):
    with tf.Graph().as_default(), tf.Session().as_default():
        model = keras.Sequential([keras.layers.Dense(1, input_shape=(2,), name="only")])
        model.compile("sgd", "mse")
        model.fit(X, Y, verbose=0, callbacks=[TensorBoard(str(tmp_path))])
    path = next((tmp_path / "train").iterdir())
    graphs = [event.graph_def for event in tf.train.summary_iterator(str(path)) if event.graph_def]
    assert "only/MatMul" in {node.name for node in protos.GraphDef.FromString(graphs[0]).node}
    assert next(tag for tag, _ in written(tmp_path)["train"]) == "keras"


def traces_of(folder) -> list:
    """The traces that TensorBoard's profile plugin finds in a folder, beside the file of events that says there are some."""
    if (folder / "plugins").exists():
        assert len(list(folder.glob("events.out.tfevents.*.profile-empty"))) == 1
    files = (folder / "plugins" / "profile").glob("*/local.trace")
    return [protos.Trace.FromString(path.read_bytes()) for path in files]


def test_a_step_in_a_graph_is_a_profile(tmp_path):
    model = keras.Sequential([keras.layers.Dense(1, input_shape=(2,), name="only")])
    model.compile("sgd", "mse")
    board = keras.callbacks.TensorBoard(str(tmp_path), profile_batch=3, write_graph=False)
    model.fit(X, Y, batch_size=2, verbose=0, callbacks=[board])
    (trace,) = traces_of(tmp_path)
    (device,) = [each for each in trace.devices.values() if each.name.endswith("CPU:0")]
    events = {event.name: event for event in trace.trace_events if event.device_id == device.device_id}
    difference = next(event for name, event in events.items() if name.endswith("SquaredDifference"))
    assert "SquaredDifference(" in difference.args["label"]
    assert difference.duration_ps >= 10**6
    assert min(event.timestamp_ps for event in trace.trace_events) == 0
    assert {event.resource_id for event in events.values()} <= device.resources.keys()


@pytest.mark.parametrize("profile_batch", [0, 1, 99])
def test_a_batch_that_runs_eagerly_is_a_profile(tmp_path, profile_batch):
    with eager_mode():
        model = keras.Sequential([keras.layers.Dense(1, input_shape=(2,))])
        model.compile("sgd", "mse", run_eagerly=True)
        first = keras.callbacks.TensorBoard(str(tmp_path / "v1"), profile_batch=profile_batch)
        second = TensorBoard(str(tmp_path / "v2"), profile_batch=profile_batch)
        model.fit(X, Y, batch_size=4, verbose=0, callbacks=[first, second])
    assert (len(traces_of(tmp_path / "v1")), len(traces_of(tmp_path / "v2" / "train"))) == (
        (1, 1) if profile_batch == 1 else (0, 0)
    )


def test_when_operations_were_done(tmp_path):
    summary = tf.compat.v2.summary
    with eager_mode():
        summary.trace_on(profiler=True)
        product = tf.matmul(tf.ones([2, 2]), tf.ones([2, 2]))
        with pytest.raises(ValueError, match="needs profiler_outdir"):
            summary.trace_export("none", step=0)
        with summary.create_file_writer(str(tmp_path)).as_default():
            summary.trace_export("product", step=0, profiler_outdir=str(tmp_path))
        assert product.numpy().tolist() == [[2, 2], [2, 2]]
    (trace,) = traces_of(tmp_path)
    span, *calls = trace.trace_events
    assert span.name == "product"
    assert "MatMul" in [call.name for call in calls]
    assert all(0 <= call.timestamp_ps <= span.duration_ps for call in calls)

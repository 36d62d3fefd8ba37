"""TensorBoard's own back end reads what is written here, and answers what its pages ask."""

from __future__ import annotations

import io
import json
import pathlib
import urllib.parse
import wave
from typing import Any

import numpy as np
import pytest
from PIL import Image
from tensorboard.backend.event_processing import data_provider, plugin_event_multiplexer
from tensorboard.plugins import base_plugin
from tensorboard.plugins.audio import audio_plugin
from tensorboard.plugins.distribution import distributions_plugin
from tensorboard.plugins.graph import graphs_plugin
from tensorboard.plugins.histogram import histograms_plugin
from tensorboard.plugins.image import images_plugin
from tensorboard.plugins.projector import projector_plugin
from tensorboard.plugins.scalar import scalars_plugin
from tensorboard.plugins.text import text_plugin
from werkzeug.test import Client

import headrace as tf
from headrace.contrib.tensorboard import projector

PICTURES = np.random.RandomState(0).rand(4, 6, 6, 1).astype(np.float32)
STEPS = (0, 5, 10)


def write(folder: str) -> None:
    """A run with everything in it."""
    with tf.Graph().as_default() as graph, tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as session:
        with tf.name_scope("input"):
            x = tf.placeholder(tf.float32, [None, 6, 6, 1], name="x")
            factor = tf.placeholder(tf.float32, [], name="factor")
        with tf.device("/cpu:1"), tf.name_scope("layer"):
            filters = tf.Variable(tf.ones([3, 3, 1, 2]), name="filters")
            bias = tf.Variable(tf.zeros([2]), name="bias")
            y = tf.nn.relu(tf.nn.conv2d(x, filters, [1, 1, 1, 1], "SAME") + bias, name="y")
        loss = tf.reduce_mean(y) * factor
        train = tf.train.AdamOptimizer(0.01).minimize(loss)
        with tf.name_scope("summaries"):
            tf.summary.scalar("loss", factor * 2)
            tf.summary.histogram("values", tf.range(100.0) * factor)
            tf.summary.image("picture", x, 2)
            tf.summary.audio("sound", tf.zeros([1, 400, 1]) + 0.5, 8000.0, 1)
            tf.summary.text("remark", tf.constant("some **bold** words"))
            tf.summary.text("table", tf.constant([["a", "b"], ["c", "d"]]))
        merged = tf.summary.merge_all()
        session.run(tf.global_variables_initializer())
        writer = tf.summary.FileWriter(folder, graph)
        for step in STEPS:
            metadata = tf.RunMetadata()
            options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
            feeds = {x: PICTURES, factor: 1.0 + step}
            text, _ = session.run([merged, train], feeds, options=options, run_metadata=metadata)
            writer.add_summary(text, step)
            writer.add_run_metadata(metadata, f"step {step}", step)
        config = projector.ProjectorConfig()
        config.embeddings.add(tensor_name="layer/bias", tensor_path="bias.tsv")
        projector.visualize_embeddings(writer, config)
        pathlib.Path(folder, "bias.tsv").write_text("1\t2\n3\t4\n")
        writer.close()


def context(folder: Any) -> base_plugin.TBContext:
    """What TensorBoard gives its plugins, for a folder of runs."""
    multiplexer = plugin_event_multiplexer.EventMultiplexer().AddRunsFromDirectory(str(folder))
    multiplexer.Reload()
    provider = data_provider.MultiplexerDataProvider(multiplexer, str(folder))
    return base_plugin.TBContext(
        data_provider=provider, logdir=str(folder), multiplexer=multiplexer, sampling_hints={}, flags=None
    )


class Pages:
    """What the pages ask of a run."""

    def __init__(self, folder: Any) -> None:
        self._context = context(folder)

    def bytes(self, plugin: Any, route: str, **query: Any) -> bytes:
        answer = Client(plugin(self._context).get_plugin_apps()[f"/{route}"]).get(f"/{route}", query_string=query)
        assert answer.status_code == 200, answer.get_data()
        return answer.get_data()

    def json(self, plugin: Any, route: str, **query: Any) -> Any:
        return json.loads(self.bytes(plugin, route, **query))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    made = tmp_path_factory.mktemp("runs")
    write(str(made / "train"))
    return made


@pytest.fixture(scope="module")
def pages(folder: pathlib.Path) -> Pages:
    return Pages(folder)


def test_scalars(pages):
    assert list(pages.json(scalars_plugin.ScalarsPlugin, "tags")["train"]) == ["summaries/loss"]
    points = pages.json(scalars_plugin.ScalarsPlugin, "scalars", run="train", tag="summaries/loss")
    assert [point[1:] for point in points] == [[step, 2.0 + 2 * step] for step in STEPS]


def test_histograms_and_distributions(pages):
    asked = {"run": "train", "tag": "summaries/values"}
    for _, step, buckets in pages.json(histograms_plugin.HistogramsPlugin, "histograms", **asked):
        assert sum(count for _, _, count in buckets) == pytest.approx(100)
        assert buckets[-1][1] == pytest.approx(99 * (1 + step), rel=0.2)
    found = pages.json(distributions_plugin.DistributionsPlugin, "distributions", **asked)
    assert [step for _, step, _ in found] == list(STEPS)


def asked(entry: dict[str, Any]) -> dict[str, str]:
    """What an entry of a list says to ask for."""
    return dict(urllib.parse.parse_qsl(entry["query"]))


def test_images(pages):
    tags = pages.json(images_plugin.ImagesPlugin, "tags")["train"]
    assert sorted(tags) == ["summaries/picture/image/0", "summaries/picture/image/1"]
    found = pages.json(images_plugin.ImagesPlugin, "images", run="train", tag="summaries/picture/image/1", sample=0)
    assert [entry["step"] for entry in found] == list(STEPS)
    shown = pages.bytes(images_plugin.ImagesPlugin, "individualImage", **asked(found[0]))
    pixels = np.asarray(Image.open(io.BytesIO(shown)), np.float32)
    np.testing.assert_allclose(pixels, PICTURES[1, :, :, 0] * 255 / PICTURES[1].max(), atol=1)


def test_audio(pages):
    (tag,) = pages.json(audio_plugin.AudioPlugin, "tags")["train"]
    found = pages.json(audio_plugin.AudioPlugin, "audio", run="train", tag=tag, sample=0)
    assert [entry["contentType"] for entry in found] == ["audio/wav"] * 3
    heard = pages.bytes(audio_plugin.AudioPlugin, "individualAudio", **asked(found[0]))
    with wave.open(io.BytesIO(heard)) as file:
        assert (file.getframerate(), file.getnframes(), file.getnchannels()) == (8000, 400, 1)


def test_text(pages):
    assert sorted(pages.json(text_plugin.TextPlugin, "tags")["train"]) == ["summaries/remark", "summaries/table"]
    found = pages.json(text_plugin.TextPlugin, "text", run="train", tag="summaries/remark")
    assert [(entry["step"], entry["text"]) for entry in found] == [
        (step, "<p>some <strong>bold</strong> words</p>") for step in STEPS
    ]
    table = pages.json(text_plugin.TextPlugin, "text", run="train", tag="summaries/table")
    assert table[0]["text"].count("<td>") == 4


def test_the_graph_with_shapes_and_devices(pages):
    shown = pages.bytes(graphs_plugin.GraphsPlugin, "graph", run="train").decode()
    from google.protobuf import text_format

    nodes = {node.name: node for node in text_format.Parse(shown, tf.GraphDef()).node}
    assert nodes["layer/y"].device == "/device:CPU:1"
    shapes = nodes["layer/y"].attr["_output_shapes"].list.shape
    assert [dim.size for dim in shapes[0].dim] == [-1, 6, 6, 2]


def test_what_a_traced_step_took(pages):
    info = pages.json(graphs_plugin.GraphsPlugin, "info")["train"]
    assert info["run_graph"]
    assert sorted(info["tags"]) == ["step 0", "step 10", "step 5"]
    assert all(tag["profile"] for tag in info["tags"].values())
    from google.protobuf import text_format

    text = pages.bytes(graphs_plugin.GraphsPlugin, "run_metadata", run="train", tag="step 5").decode()
    metadata = text_format.Parse(text, tf.RunMetadata())
    nodes = {node.node_name: node for device in metadata.step_stats.dev_stats for node in device.node_stats}
    # Each update counts under its own name, though one call does all.
    updates = [nodes[f"Adam/update_layer/{name}/ApplyAdam"] for name in ("filters", "bias")]
    assert all(update.all_end_rel_micros > 0 for update in updates)
    (allocated,) = nodes["layer/y"].memory
    assert allocated.total_bytes == 4 * 6 * 6 * 2 * 4
    for node in nodes.values():
        for output in node.output:
            # The graph page fails where a shape is not there, be it that of a scalar.
            assert output.tensor_description.HasField("shape")


def test_the_projector(pages):
    info = pages.json(projector_plugin.ProjectorPlugin, "info", run="train")
    assert [(entry["tensorName"], entry["tensorPath"]) for entry in info["embeddings"]] == [("layer/bias", "bias.tsv")]
    points = pages.bytes(projector_plugin.ProjectorPlugin, "tensor", run="train", name="layer/bias:0")
    assert np.frombuffer(points, np.float32).tolist() == [1, 2, 3, 4]


def test_a_writer_as_before_1_0(tmp_path):
    with tf.Session() as session:
        loss = tf.Variable(3.0, name="loss")
        summary = tf.scalar_summary("the loss", loss)
        tf.histogram_summary("values", tf.range(4.0))
        tf.image_summary("pictures", tf.ones([2, 3, 3, 1]), max_images=1)
        merged = tf.merge_all_summaries()
        session.run(tf.initialize_all_variables())
        writer = tf.train.SummaryWriter(str(tmp_path), graph_def=session.graph_def)
        writer.add_summary(session.run(merged), 1)
        writer.add_summary(session.run(summary), 2)
        writer.close()
    pages = Pages(tmp_path)
    points = pages.json(scalars_plugin.ScalarsPlugin, "scalars", run=".", tag="the loss")
    assert [point[1:] for point in points] == [[1, 3.0], [2, 3.0]]
    assert list(pages.json(histograms_plugin.HistogramsPlugin, "tags")["."]) == ["values"]
    assert list(pages.json(images_plugin.ImagesPlugin, "tags")["."]) == ["pictures/image"]
    assert b'op: "ScalarSummary"' in pages.bytes(graphs_plugin.GraphsPlugin, "graph", run=".")


def test_a_file_writer_gives_the_writer_of_its_events(tmp_path):
    with tf.Graph().as_default(), tf.summary.FileWriter(str(tmp_path)) as writer:
        assert writer.event_writer.get_logdir() == str(tmp_path)

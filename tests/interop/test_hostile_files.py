"""Damaged and hostile graphs, SavedModels and event files: an answer that names the file, never anything else."""

from __future__ import annotations

import functools
import pathlib
import shutil

import pytest
from google.protobuf.message import DecodeError
from hypothesis import given, settings
from hypothesis import strategies as st

import headrace as tf
from headrace.interop import protos
from headrace.saved_model.loading import SavedModelLoader, asset_tensors

FIXTURES = pathlib.Path(__file__).parent.parent / "fixtures" / "graphs"
ANSWERS = (tf.errors.OpError, ValueError, TypeError, KeyError, NotImplementedError, RuntimeError, OSError)


def answer_of(function, *arguments, **keywords):
    """What an error says; anything but an answer of these classes fails the test."""
    try:
        function(*arguments, **keywords)
    except ANSWERS as error:
        return str(error)
    return "fine"


@functools.cache
def whole(name):
    return (FIXTURES / name).read_bytes()


@st.composite
def damaged(draw, name):
    data = bytearray(whole(name))
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(data) - 1))
        kind = draw(st.sampled_from(["flip", "cut", "repeat"]))
        if kind == "flip":
            data[place] = draw(st.integers(0, 255))
        elif kind == "cut":
            del data[place : place + draw(st.integers(1, 40))]
        else:
            data[place:place] = data[place : place + 20]
        if not data:
            break
    return bytes(data)


@settings(deadline=None, max_examples=40)
@given(damaged("frozen.pb"))
def test_graphs(data):
    graph_def = tf.GraphDef()
    try:
        graph_def.ParseFromString(data)
    except DecodeError:
        return
    with tf.Graph().as_default():
        assert answer_of(tf.import_graph_def, graph_def, name="")


@settings(deadline=None, max_examples=25)
@given(damaged("mlp/model.meta"))
def test_meta_graphs(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("meta") / "model.meta"
    path.write_bytes(data)
    with tf.Graph().as_default():
        assert answer_of(tf.train.import_meta_graph, str(path))


@settings(deadline=None, max_examples=25)
@given(damaged("saved_model/saved_model.pb"))
def test_saved_models(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("saved") / "model"
    shutil.copytree(FIXTURES / "saved_model", folder)
    (folder / "saved_model.pb").write_bytes(data)
    before = sorted(folder.parent.rglob("*"))
    with tf.Graph().as_default(), tf.Session() as session:
        assert answer_of(tf.saved_model.loader.load, session, ["serve"], str(folder))
    assert sorted(folder.parent.rglob("*")) == before


@settings(deadline=None, max_examples=40)
@given(damaged("events/events.out.tfevents.fixture"))
def test_event_files(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("events") / "events.out.tfevents.1"
    path.write_bytes(data)
    said = str(path)
    try:
        list(tf.train.summary_iterator(str(path)))
    except tf.errors.DataLossError as error:
        said = error.message
    assert str(path) in said


def saved(folder, build):
    """A SavedModel that someone else put together."""
    with tf.Graph().as_default() as graph:
        build()
        meta = tf.train.export_meta_graph(graph=graph)
    meta.meta_info_def.tags.append("serve")
    folder.mkdir()
    (folder / "saved_model.pb").write_bytes(
        protos.SavedModel(saved_model_schema_version=1, meta_graphs=[meta]).SerializeToString()
    )
    return str(folder)


def load(folder):
    with tf.Graph().as_default(), tf.Session() as session:
        return tf.saved_model.loader.load(session, ["serve"], folder)


def test_python_functions_are_refused_by_name(tmp_path):
    called = []
    folder = saved(tmp_path / "m", lambda: tf.py_func(called.append, [tf.constant(1.0)], [], name="hidden"))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"hidden \(PyFunc\)"):
        load(folder)
    assert not called


def test_a_model_that_would_write_when_loaded_is_refused(tmp_path):
    target = tmp_path / "outside"

    def build():
        op = (
            tf.io.write_file(str(target), "x")
            if hasattr(tf.io, "write_file")
            else tf.raw_ops.SaveV2(
                prefix=str(target), tensor_names=["a"], shape_and_slices=[""], tensors=[tf.constant(1.0)]
            )
        )
        tf.add_to_collection("saved_model_main_op", tf.group(op))

    with pytest.raises(tf.errors.InvalidArgumentError, match="would write files"):
        load(saved(tmp_path / "m", build))
    assert not target.exists()


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "a/../../b", "..\\b"])
def test_assets_outside_of_the_folder_are_refused(name):
    meta = protos.MetaGraphDef()
    meta.asset_file_def.add(filename=name).tensor_info.name = "a:0"
    with pytest.raises(tf.errors.InvalidArgumentError, match="outside of its folder"):
        asset_tensors("/model", meta)


def test_assets_as_tensorflow_names_them():
    meta = protos.MetaGraphDef()
    described = protos.AssetFileDef(filename="words.txt")
    described.tensor_info.name = "asset:0"
    packed = meta.collection_def["saved_model_assets"].any_list.value.add()
    packed.type_url, packed.value = "type.googleapis.com/tensorflow.AssetFileDef", described.SerializeToString()
    assert asset_tensors("/model", meta, "scope") == {"scope/asset:0": "/model/assets/words.txt"}
    packed.value = b"\xff"
    with pytest.raises(tf.errors.DataLossError, match="/model"):
        asset_tensors("/model", meta)


def test_what_is_no_saved_model_is_told_with_its_path(tmp_path):
    (tmp_path / "saved_model.pb").write_bytes(b"\xff\xff\xff")
    with pytest.raises(tf.errors.DataLossError, match=r"saved_model\.pb"):
        SavedModelLoader(tmp_path)
    (tmp_path / "saved_model.pb").unlink()
    (tmp_path / "saved_model.pbtxt").write_text("meta_graphs { nonsense: 1 }")
    with pytest.raises(tf.errors.DataLossError, match="nonsense"):
        SavedModelLoader(tmp_path)
    with pytest.raises(OSError, match="does not exist"):
        SavedModelLoader(tmp_path / "none")


def test_deeply_nested_text_is_an_answer(tmp_path):
    path = tmp_path / "deep.meta"
    path.write_text("graph_def { node { attr { key: 'a' value { list { " + "func { attr { value { list { " * 2000)
    with pytest.raises(tf.errors.DataLossError, match=r"deep\.meta"):
        tf.train.import_meta_graph(str(path))

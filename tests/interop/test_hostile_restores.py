"""Checkpoints restored and SavedModels loaded where any of their files is damaged: TensorFlow's errors, naming the file."""

from __future__ import annotations

import pathlib
import random
import shutil
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import headrace as tf
from headrace.core.eager import eager_mode
from headrace.messages import protos

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from mutations import changed, damaged_by

FIXTURES = pathlib.Path(__file__).parent.parent / "fixtures"
GRAPHS = ("mlp", "embedding", "recurrent")


def answered(folder, function):
    """Whether all went well; other answers are errors of TensorFlow, or of bytes that are no text, and name a file."""
    before = sorted(folder.parent.rglob("*"))
    try:
        function()
    except (tf.errors.OpError, OSError, UnicodeDecodeError) as error:
        assert str(folder) in str(error), error  # noqa: PT017  there may be no error
        return False
    finally:
        assert sorted(folder.parent.rglob("*")) == before
    return True


def restored(folder):
    with tf.Graph().as_default(), tf.Session() as session:
        saver = tf.train.import_meta_graph(str(folder / "model.meta"))
        if saver is not None:
            saver.restore(session, str(folder / "model"))


@settings(deadline=None, max_examples=15)
@given(st.sampled_from(GRAPHS), st.data())
def test_graphs_that_were_changed_are_restored_or_refused(tmp_path_factory, name, data):
    folder = tmp_path_factory.mktemp("changed") / "model"
    shutil.copytree(FIXTURES / "graphs" / name, folder)
    path = folder / "model.meta"
    whole = protos.MetaGraphDef.FromString(path.read_bytes())
    path.write_bytes(data.draw(changed(whole)).SerializeToString())
    answered(folder, lambda: restored(folder))


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("suffix", ["meta", "index", "data-00000-of-00001"])
def test_files_that_were_damaged_are_restored_or_refused(tmp_path, seed, suffix):
    folder, generator = tmp_path / "model", random.Random(seed)
    shutil.copytree(FIXTURES / "graphs" / generator.choice(GRAPHS), folder)
    path = folder / f"model.{suffix}"
    path.write_bytes(damaged_by(generator, path.read_bytes()))
    answered(folder, lambda: restored(folder))


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("name", ["tf1", "tf2"])
def test_damaged_models_of_objects_are_loaded_or_refused(tmp_path, seed, name):
    folder, generator = tmp_path / "model", random.Random(seed)
    shutil.copytree(FIXTURES / "objects" / name, folder)
    path = generator.choice(
        sorted(file for file in folder.rglob("*") if file.suffix in (".pb", ".index") and "finger" not in file.name)
    )
    path.write_bytes(damaged_by(generator, path.read_bytes()))

    def load():
        with eager_mode():
            tf.saved_model.load_v2(str(folder), tags=["serve"])

    try:
        answered(folder, load)
    except RuntimeError as error:
        assert "associated with tags" in str(error)  # noqa: PT017


@settings(deadline=None, max_examples=15)
@given(st.sampled_from(["tf1", "tf2"]), st.data())
def test_changed_models_of_objects_are_loaded_or_refused(tmp_path_factory, name, data):
    folder = tmp_path_factory.mktemp("changed") / "model"
    shutil.copytree(FIXTURES / "objects" / name, folder)
    path = folder / "saved_model.pb"
    whole = protos.SavedModel.FromString(path.read_bytes())
    saved = whole.meta_graphs[0]
    kind = data.draw(st.sampled_from(["objects", "library", "all"]))
    if kind == "objects":
        saved.object_graph_def.CopyFrom(data.draw(changed(saved.object_graph_def)))
    elif kind == "library":
        saved.graph_def.library.CopyFrom(data.draw(changed(saved.graph_def.library)))
    else:
        whole = data.draw(changed(whole))
    path.write_bytes(whole.SerializeToString())

    def load():
        with eager_mode():
            tf.saved_model.load_v2(str(folder), tags=["serve"])

    try:
        answered(folder, load)
    except (RuntimeError, ValueError) as error:
        assert "tags" in str(error)  # noqa: PT017


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("compression", ["", "GZIP", "ZLIB"])
def test_damaged_records_are_read_or_refused(tmp_path, seed, compression):
    folder, generator = tmp_path / "records", random.Random(seed)
    folder.mkdir()
    path = folder / "records"
    source = FIXTURES / "graphs" / {"": "records", "GZIP": "records.gzip", "ZLIB": "records.zlib"}[compression]
    path.write_bytes(damaged_by(generator, source.read_bytes()))
    kinds = tf.python_io.TFRecordCompressionType
    options = tf.python_io.TFRecordOptions(getattr(kinds, compression or "NONE"))
    answered(folder, lambda: list(tf.python_io.tf_record_iterator(str(path), options)))

    def dataset():
        with tf.Graph().as_default(), tf.Session() as session:
            item = tf.data.TFRecordDataset(str(path), compression_type=compression).make_one_shot_iterator().get_next()
            try:
                while True:
                    session.run(item)
            except tf.errors.OutOfRangeError:
                pass

    answered(folder, dataset)


@pytest.mark.parametrize("name", ["tf1", "tf2"])
def test_functions_capture_whatever_object_a_file_says_or_are_refused(tmp_path, name):
    folder = tmp_path / "model"
    shutil.copytree(FIXTURES / "objects" / name, folder)
    path = folder / "saved_model.pb"
    whole = protos.SavedModel.FromString(path.read_bytes())
    saved = whole.meta_graphs[0].object_graph_def
    described = next(each for each in saved.concrete_functions.values() if each.bound_inputs)
    refused = 0
    for number in range(len(saved.nodes)):
        described.bound_inputs[0] = number
        path.write_bytes(whole.SerializeToString())
        with eager_mode():
            refused += not answered(folder, lambda: tf.saved_model.load_v2(str(folder), tags=["serve"]))
    assert refused > 0

"""Tables, files and functions of sparse and ragged tensors in models of objects: both ways with TensorFlow 1.15.5 and 2.21."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import headrace as tf
from headrace.checkpoints.tracked_resources import TrackableAsset
from headrace.core.eager import eager_mode
from headrace.messages import protos

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from oracle import has_oracle, oracle_python

FIXTURES = pathlib.Path(__file__).parent.parent / "fixtures" / "objects"


class Parts(tf.Module):
    def __init__(self, words):
        super().__init__()
        lookup = tf.lookup
        self.weights = tf.Variable([1.0, 2.0, 3.0, 4.0, 5.0])
        line, number = lookup.TextFileIndex.WHOLE_LINE, lookup.TextFileIndex.LINE_NUMBER
        self.asset = TrackableAsset(words)
        filled = lookup.TextFileInitializer(self.asset.asset_path, tf.string, line, tf.int64, number)
        self.ids = lookup.StaticHashTable(filled, -1)
        # Another file of the same name, which only a table reads.
        other = lookup.TextFileInitializer(
            words.replace("words.txt", "more/words.txt"), tf.string, line, tf.int64, number
        )
        self.vocabulary = lookup.StaticVocabularyTable(other, 1)
        self.pairs = lookup.StaticHashTable(
            lookup.KeyValueTensorInitializer(["x", "y"], tf.constant([1, 2], tf.int64)), tf.constant(-1, tf.int64)
        )
        self.changing = tf.contrib.lookup.MutableHashTable(tf.string, tf.float32, 0.0)
        self.changing.insert(tf.constant(["q"]), tf.constant([7.0]))

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, name="words")])
    def __call__(self, words):
        return tf.gather(self.weights, self.ids.lookup(words))

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def pair(self, keys):
        return self.pairs.lookup(keys)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def known(self, keys):
        return self.vocabulary.lookup(keys)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def change(self, keys):
        return self.changing.lookup(keys)

    @tf.function(input_signature=[])
    def text(self):
        return tf.io.read_file(self.asset.asset_path)


ASK = """
answers = [model(tf.constant(["a", "c"])).numpy().tolist(), model.pair(tf.constant(["y", "z"])).numpy().tolist()]
answers += [model.text().numpy().decode(), os.path.basename(model.asset.asset_path.numpy().decode())]
answers += [model.signatures["serving_default"](words=tf.constant(["b"]))["output_0"].numpy().tolist()]
"""
EXPECTED = [[1.0, 3.0], [2, -1], "a\nb\nc\n", "words.txt", [2.0]]
MORE = """
answers += [model.known(tf.constant(["n", "a"])).numpy().tolist()]
if restores: answers += [model.change(tf.constant(["q", "r"])).numpy().tolist()]
"""


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    place = tmp_path_factory.mktemp("parts")
    (place / "more").mkdir()
    (place / "words.txt").write_text("a\nb\nc\n")
    (place / "more" / "words.txt").write_text("m\nn\n")
    folder = place / "model"
    with eager_mode():
        parts = Parts(str(place / "words.txt"))
        tf.saved_model.save(parts, str(folder), {"serving_default": parts.__call__, "change": parts.change})
    # What the model needs it has in its own folder.
    (place / "words.txt").unlink()
    shutil.rmtree(place / "more")
    return folder


def asked(folder, text=ASK):
    with eager_mode():
        names = {"tf": tf, "os": os, "model": tf.saved_model.load_v2(str(folder)), "restores": True}
        exec(text, names)  # the text above
        return names["answers"]


def loaded_by_session(folder):
    with tf.Graph().as_default(), tf.Session() as session:
        return tf.saved_model.loader.load(session, ["serve"], str(folder))


def test_what_is_written_loads(written):
    assert asked(written, ASK + MORE) == [*EXPECTED, [1, 2], [7.0, 0.0]]
    assert sorted(path.name for path in (written / "assets").iterdir()) == ["words.txt", "words.txt_1"]


def test_loading_elsewhere_reads_the_files_there(written, tmp_path):
    shutil.copytree(written, tmp_path / "moved")
    assert asked(tmp_path / "moved") == EXPECTED


@pytest.mark.parametrize("place", ["written", "parts_tf1", "parts_tf2"])
def test_sessions_load_them_by_signature(place, written):
    folder = str(written if place == "written" else FIXTURES / place)
    with tf.Graph().as_default(), tf.Session() as session:
        meta = tf.saved_model.loader.load(session, ["serve"], folder)
        signature = meta.signature_def["serving_default"]
        fed = {signature.inputs["words"].name: ["b", "c"]}
        assert session.run(signature.outputs["output_0"].name, fed).tolist() == [2.0, 3.0]
        if place == "written":
            signature = meta.signature_def["change"]
            fed = {signature.inputs["keys"].name: ["q", "r"]}
            assert session.run(signature.outputs["output_0"].name, fed).tolist() == [7.0, 0.0]


def test_in_a_graph_tables_are_filled_by_their_initializer(written):
    with tf.Graph().as_default(), tf.Session() as session:
        model = tf.saved_model.load_v2(str(written))
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        found = model(tf.constant(["c"])), model.change(tf.constant(["q"]))
        assert [value.tolist() for value in session.run(found)] == [[3.0], [7.0]]


@pytest.mark.parametrize("name", ["parts_tf1", "parts_tf2"])
def test_models_of_tensorflow_load(name):
    folder = FIXTURES / name
    with eager_mode():
        model = tf.saved_model.load_v2(str(folder))
        product = model.product(tf.SparseTensor([[0, 0], [1, 4]], tf.constant([2.0, 3.0]), [2, 5]))
        assert product.numpy().tolist() == [[2.0], [15.0]]
        sums, doubled = model.sums(tf.ragged.constant([[1, 2], [3]], dtype=tf.int64))
        assert (sums.numpy().tolist(), doubled.to_list()) == ([3, 3], [[2, 4], [6]])
        found = model.positive(tf.constant([1.0, 0.0, 2.0]))
        assert (found["all"].values.numpy().tolist(), found["x"][0].numpy().tolist()) == ([1.0, 2.0], [1.0, 0.0, 2.0])
        with pytest.raises(ValueError, match="SparseTensorSpec"):
            model.product(tf.SparseTensor([[0, 0]], tf.constant([2]), [2, 5]))
        with pytest.raises(ValueError, match="RaggedTensorSpec"):
            model.sums(tf.constant([[1, 2]], tf.int64))
        if name == "parts_tf2":
            assert model.change(tf.constant(["q", "r"])).numpy().tolist() == [7.0, 0.0]
    if name == "parts_tf2":
        assert asked(folder) == EXPECTED


@pytest.mark.oracle
@pytest.mark.skipif(not has_oracle(), reason="make oracle has not been run")
@pytest.mark.parametrize("which", ["tf1", "tf2"])
def test_tensorflow_loads_what_is_written(written, which):
    python = oracle_python() if which == "tf1" else os.environ.get("HEADRACE_TF2", ".oracle/tf2/bin/python")
    if not os.path.exists(python):
        pytest.skip("TensorFlow 2 is not installed")
    # 1.15.5 does not read what models of objects tell of mutable tables.
    start = "import os, tensorflow as tf\nload, restores = tf.saved_model.load, True\n"
    if which == "tf1":
        start += "tf.compat.v1.enable_eager_execution(); load, restores = tf.saved_model.load_v2, False\n"
    text = f"{start}model = load({str(written)!r})\n{ASK}\n{MORE}\nprint('ANSWERS', answers)"
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    done = subprocess.run([python, "-c", text], capture_output=True, text=True, check=False, env=environment)
    expected = [*EXPECTED, [1, 2], *([[7.0, 0.0]] if which == "tf2" else [])]
    assert f"ANSWERS {expected}" in done.stdout, done.stderr[-2000:]


@pytest.mark.parametrize("where", ["initializer", "main"])
def test_functions_that_would_write_when_loaded_are_refused(written, tmp_path, where):
    folder, target = tmp_path / "model", tmp_path / "outside"
    shutil.copytree(written, folder)
    path = folder / "saved_model.pb"
    model = protos.SavedModel.FromString(path.read_bytes())
    for function in model.meta_graphs[0].graph_def.library.function:
        if "initializer" in function.signature.name:
            for name, text in (("where", str(target)), ("what", "x")):
                node = function.node_def.add(name=name, op="Const")
                node.attr["dtype"].type = 7
                node.attr["value"].tensor.dtype = 7
                node.attr["value"].tensor.tensor_shape.SetInParent()
                node.attr["value"].tensor.string_val.append(text.encode())
            function.node_def.add(name="write", op="WriteFile", input=["where:output:0", "what:output:0"])
    path.write_bytes(model.SerializeToString())
    load = {"initializer": asked, "main": loaded_by_session}[where]
    with pytest.raises(tf.errors.InvalidArgumentError, match="would write files"):
        load(folder)
    assert not target.exists()


def test_tables_made_eagerly_are_each_their_own(tmp_path):
    with eager_mode():
        made = [
            tf.contrib.lookup.MutableDenseHashTable(tf.int64, tf.int64, -1, empty_key=0, deleted_key=-1)
            for _ in range(2)
        ]
        made[0].insert(tf.constant([5], tf.int64), tf.constant([3], tf.int64))
        found = [table.lookup(tf.constant([5], tf.int64)).numpy().tolist() for table in made]
        assert found == [[3], [-1]]
        table = tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, -1)
        table.insert(tf.constant(["x"]), tf.constant([3], tf.int64))
        path = tf.train.Checkpoint(table=table).save(str(tmp_path / "c"))
        names = [name for name, _ in tf.train.list_variables(path)]
        assert "table/.ATTRIBUTES/table-keys" in names
        other = tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, -1)
        tf.train.Checkpoint(table=other).restore(path)
        assert other.lookup(tf.constant(["x"])).numpy().tolist() == [3]

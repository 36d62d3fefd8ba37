"""Models that were loaded are saved again: with their functions, signatures, tables and files."""

from __future__ import annotations

import os
import subprocess

import pytest
from oracle import has_oracle, oracle_python

import headrace as tf
from headrace.core.eager import eager_mode

USE = """
def use(model):
    x = tf.constant([[1.0, 1.0]])
    sparse = tf.SparseTensor([[0, 0], [1, 2]], [1.0, 2.0], [2, 3])
    ragged = tf.ragged.constant([[1, 2], [3]], dtype=tf.int32)
    return [
        model(x)["y"].numpy().tolist(),
        model.look(tf.constant(["b", "z"])).numpy().tolist(),
        model.change(tf.constant(["q", "z"])).numpy().tolist(),
        float(model.pick(x, 3)[0].numpy()),
        float(model.pick(x, 3, flag=True)[0].numpy()),
        float(model.sparse(sparse).numpy()),
        model.ragged(ragged, tf.constant(2)).to_list(),
        {name: sorted(served(x=x)) for name, served in model.signatures.items()},
    ]
"""
exec(USE)


class Model(tf.Module):
    def __init__(self, words):
        super().__init__()
        lookup = tf.lookup
        self.w = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="w")
        self.offset = tf.constant([10.0, 20.0])
        line, number = lookup.TextFileIndex.WHOLE_LINE, lookup.TextFileIndex.LINE_NUMBER
        self.ids = lookup.StaticHashTable(lookup.TextFileInitializer(words, tf.string, line, tf.int64, number), -1)
        self.changing = tf.contrib.lookup.MutableHashTable(tf.string, tf.float32, 0.5)
        self.changing.insert(tf.constant(["q"]), tf.constant([7.0]))

    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32, "x")])
    def __call__(self, x):
        return {"y": tf.matmul(x, self.w) + self.offset}

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def look(self, keys):
        return self.ids.lookup(keys)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def change(self, keys):
        return self.changing.lookup(keys)

    @tf.function
    def pick(self, x, n=2, flag=False):
        total, i = tf.zeros([]), tf.constant(0)
        while i < n:
            total += tf.reduce_sum(self(x)["y"])
            i += 1
        return (total, [x]) if flag else (-total, [x])

    @tf.function(input_signature=[tf.SparseTensorSpec([None, 3], tf.float32)])
    def sparse(self, given):
        return tf.sparse.reduce_sum(given)

    @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.int32), tf.TensorSpec([], tf.int32)])
    def ragged(self, rows, factor):
        return rows * factor


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("again")
    (folder / "words.txt").write_text("a\nb\nc\n")
    with eager_mode():
        model = Model(str(folder / "words.txt"))
        use = globals()["use"]
        model.signatures = {}
        expected = use(model)
        del model.signatures
        tf.saved_model.save(model, str(folder / "one"), signatures=model.__call__.get_concrete_function())
        loaded = tf.saved_model.load_v2(str(folder / "one"))
        tf.saved_model.save(loaded, str(folder / "two"))
        tf.saved_model.save(loaded, str(folder / "three"), signatures=loaded.signatures)
        by_name = {"one": loaded.__call__, "two": loaded.signatures["serving_default"]}
        tf.saved_model.save(loaded, str(folder / "four"), signatures=by_name)
    default = {"serving_default": ["y"]}
    signatures = {"one": default, "two": {}, "three": default, "four": {"one": ["y"], "two": ["y"]}}
    os.remove(folder / "words.txt")
    return folder, {name: [*expected[:-1], signatures[name]] for name in signatures}


@pytest.mark.parametrize("name", ["one", "two", "three", "four"])
def test_a_loaded_model_saved_again(saved, name):
    folder, expected = saved
    with eager_mode():
        assert globals()["use"](tf.saved_model.load_v2(str(folder / name))) == expected[name]


@pytest.mark.oracle
@pytest.mark.skipif(not has_oracle(), reason="make oracle has not been run")
def test_tensorflow_loads_what_was_saved_again(saved):
    folder, expected = saved
    text = f"""
import tensorflow as tf
tf.compat.v1.enable_eager_execution()
{USE}
for name in ["one", "two", "three", "four"]:
    print(use(tf.saved_model.load_v2({str(folder)!r} + "/" + name)))
"""
    environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", PYTHONWARNINGS="ignore")
    done = subprocess.run([oracle_python(), "-c", text], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    wanted = [list(expected[name]) for name in ("one", "two", "three", "four")]
    for values in wanted:
        values[2] = [0.5, 0.5]  # 1.15 makes such tables anew and does not fill them
    assert done.stdout.splitlines()[-4:] == [repr(values) for values in wanted]

"""Graphs that are no SavedModels, served: frozen ones and checkpoints, with functions of one's own around them."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

import headrace as tf
from headrace.cli.commands import headrace as command
from headrace.core import errors
from headrace.serve.codecs import Codec, coded_answer, load_codec
from headrace.serve.graph_files import tensors_by_name
from headrace.serve.model_configs import GraphSignature, ModelConfig, graph_versions

HALF = GraphSignature({"x": "x:0"}, {"y": "y:0"})


def make_half():
    """y = x / 2 + offset, and a table; offset is a variable."""
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    offset = tf.get_variable("offset", [], initializer=tf.constant_initializer(0.0))
    return x, offset, tf.add(x * 0.5, offset, name="y")


@pytest.fixture
def frozen(tmp_path):
    with tf.Graph().as_default(), tf.Session() as sess:
        make_half()
        sess.run(tf.global_variables_initializer())
        graph_def = tf.graph_util.convert_variables_to_constants(sess, sess.graph_def, ["y"])
    tf.train.write_graph(graph_def, str(tmp_path), "half.pb", as_text=False)
    return tmp_path / "half.pb"


@pytest.fixture
def checkpoints(tmp_path):
    """A folder of checkpoints, and what adds one: its offset is its step."""
    graph = tf.Graph()
    with graph.as_default():
        _, offset, _ = make_half()
        saver = tf.train.Saver()
    folder = tmp_path / "train"
    folder.mkdir()

    def add(step):
        with tf.Session(graph=graph) as sess:
            offset.load(float(step), sess)
            saver.save(sess, str(folder / "model.ckpt"), global_step=step)

    return folder, add


def config(path, signature=HALF):
    return ModelConfig("half", str(path), graph=signature)


def answered(server):
    with server.using("half") as model:
        return model.predict("", {"x": np.zeros([1, 3], np.float32)})["y"][0, 0]


def test_names_of_tensors():
    assert tensors_by_name("images=input:0, dropout/keep:0,split:1,import/softmax") == {
        "images": "input:0",
        "dropout/keep": "dropout/keep:0",
        "split:1": "split:1",
        "softmax": "import/softmax:0",
    }
    for wrong in ("", "x=", "x=a:0,x=b:0"):
        with pytest.raises(ValueError):
            tensors_by_name(wrong)


@pytest.mark.parametrize("as_text", [False, True])
def test_a_frozen_graph_is_a_model_with_one_signature(frozen, start, client, as_text):
    path = frozen
    if as_text:
        graph_def = tf.GraphDef.FromString(frozen.read_bytes())
        path = tf.train.write_graph(graph_def, str(frozen.parent), "half.pbtxt")
    rest = client(start(config(path)))
    assert rest.post({"instances": [[1.0, 2.0, 4.0]]}) == (200, {"predictions": [[0.5, 1.0, 2.0]]})
    status, found = rest.get("/v1/models/half/metadata")
    assert (status, found["model_spec"]["version"]) == (200, "1")
    signature = found["metadata"]["signature_def"]["signature_def"]["serving_default"]
    assert signature["outputs"]["y"]["tensor_shape"]["dim"][1]["size"] == "3"


def test_names_below_import_are_understood(frozen, start, client):
    signature = GraphSignature(tensors_by_name("import/x:0"), tensors_by_name("import/y:0"))
    rest = client(start(config(frozen, signature)))
    assert rest.post({"inputs": {"x": [[1.0, 2.0, 4.0]]}}) == (200, {"outputs": [[0.5, 1.0, 2.0]]})


def test_a_checkpoint_gives_way_to_a_newer_one(checkpoints, start):
    folder, add = checkpoints
    add(10)
    server = start(config(folder))
    assert answered(server) == 10.0
    add(20)
    server.update()
    assert answered(server) == 20.0
    assert [one.version for one in server.status("half").model_version_status] == [20, 10]


def test_one_checkpoint_of_several(checkpoints, start):
    folder, add = checkpoints
    add(10)
    add(20)
    for path in (folder / "model.ckpt-10", folder / "model.ckpt-10.meta", folder / "model.ckpt-10.index"):
        assert graph_versions(str(path)) == {10: str(folder / "model.ckpt-10")}
    assert graph_versions(str(folder / "model.ckpt-30")) == {}
    assert answered(start(config(folder / "model.ckpt-10"))) == 10.0


def test_a_checkpoint_without_a_graph_of_its_own(checkpoints, start):
    folder, add = checkpoints
    add(10)
    add(20)
    (folder / "model.ckpt-20.meta").unlink()
    assert answered(start(config(folder))) == 20.0
    (folder / "model.ckpt-10.meta").unlink()
    server = start(config(folder), load_retries=0)
    (state,) = server.status("half").model_version_status
    assert state.status.error_code == errors.NOT_FOUND


def test_tables_of_a_checkpoint_are_filled(tmp_path, start):
    with tf.Graph().as_default(), tf.Session() as sess:
        words = tf.placeholder(tf.string, [None], name="words")
        table = tf.contrib.lookup.index_table_from_tensor(tf.constant(["a", "b"]))
        tf.identity(table.lookup(words) + tf.get_variable("one", [], tf.int64, tf.ones_initializer()), name="ids")
        sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
        tf.train.Saver().save(sess, str(tmp_path / "model.ckpt"))
    signature = GraphSignature({"words": "words:0"}, {"ids": "ids:0"})
    server = start(config(tmp_path, signature))
    with server.using("half") as model:
        assert model.predict("", {"words": np.array([b"b", b"a"], object)})["ids"].tolist() == [2, 1]


def refusal(server):
    (state,) = server.status("half").model_version_status
    return state.status.error_code, state.status.error_message


def test_what_cannot_be_served_is_said(tmp_path, frozen, start):
    missing = GraphSignature({"x": "x:0"}, {"y": "nope:0"})
    code, text = refusal(start(config(frozen, missing), load_retries=0))
    assert code == errors.INVALID_ARGUMENT
    assert "Placeholders: x:0" in text
    assert "y:0" in text
    with tf.Graph().as_default() as graph:
        make_half()
        path = tf.train.write_graph(graph.as_graph_def(), str(tmp_path), "variables.pb", as_text=False)
    code, text = refusal(start(config(path), load_retries=0))
    assert code == errors.FAILED_PRECONDITION
    assert "headrace freeze" in text
    (tmp_path / "noise.pb").write_bytes(b"no graph at all")
    assert refusal(start(config(tmp_path / "noise.pb"), load_retries=0))[0] == errors.DATA_LOSS


@pytest.mark.parametrize("effect", ["python", "writing"])
def test_graphs_that_call_python_or_write_files_are_refused(tmp_path, start, effect):
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        source = tf.py_func(lambda: np.float32(1.0), [], tf.float32, name="source")
        if effect == "writing":
            with tf.control_dependencies([tf.write_file(str(tmp_path / "written"), "x")]):
                x = tf.identity(x)
            tf.add(x, 1.0, name="y")
        else:
            tf.add(x, source, name="y")
        path = tf.train.write_graph(graph.as_graph_def(), str(tmp_path), "graph.pb", as_text=False)
    code, text = refusal(start(config(path), load_retries=0))
    assert code == errors.INVALID_ARGUMENT
    assert ("call Python" if effect == "python" else "write files") in text
    if effect == "python":
        # What is fed is not called.
        given = GraphSignature({"x": "x:0", "source": "source:0"}, {"y": "y:0"})
        with start(config(path, given)).using("half") as model:
            fed = {"x": np.zeros([1, 3], np.float32), "source": np.float32(2.0)}
            assert model.predict("", fed)["y"].tolist() == [[2.0, 2.0, 2.0]]


# ---- functions of one's own ----

HANDLER = '''
import io
import numpy as np
from PIL import Image

def encode(body):
    """The colour of the first pixel of an image, without a dimension for rows."""
    return {"import/x:0": np.asarray(Image.open(io.BytesIO(body)))[0, 0] / 255.0}

def decode(outputs):
    y = outputs["import/y:0"]
    return {"brightest": int(np.argmax(y)), "values": y, "rows": len(np.shape(y))}

class Rows:
    @staticmethod
    def encode(body):
        return {"x": [[float(number) for number in line.split()] for line in body.decode().splitlines()]}

    @staticmethod
    def decode(outputs):
        return "\\n".join(str(row.tolist()) for row in outputs["y"])
'''


@pytest.fixture
def handler(tmp_path):
    path = tmp_path / "handler.py"
    path.write_text(HANDLER)
    return path


def picture(*colour):
    written = io.BytesIO()
    Image.new("RGB", (2, 2), colour).save(written, "png")
    return written.getvalue()


def test_a_body_of_ones_own(frozen, handler, start):
    server = start(config(frozen))
    found = coded_answer(server, "half", load_codec(str(handler)), picture(51, 255, 102))
    assert (found.status, found.media_type) == (200, "application/json")
    said = json.loads(found.text)
    assert (said["brightest"], said["rows"]) == (1, 1)
    np.testing.assert_allclose(said["values"], [0.1, 0.5, 0.2], rtol=1e-6)
    rows = coded_answer(server, "half", load_codec(f"{handler}:Rows"), b"2 4 6\n0 1 2")
    assert (rows.status, rows.text) == (200, "[1.0, 2.0, 3.0]\n[0.0, 0.5, 1.0]")
    assert rows.media_type.startswith("text/plain")


def test_whose_fault_it_was(frozen, handler, start):
    server = start(config(frozen))
    codec = load_codec(f"{handler}:Rows")
    assert coded_answer(server, "half", codec, b"1 two 3").status == 400
    assert coded_answer(server, "half", codec, b"1 2").status == 400
    assert coded_answer(server, "other", codec, b"1 2 3").status == 404
    for broken in (
        Codec(codec.encode, lambda outputs: outputs["nope"]),
        Codec(codec.encode, lambda outputs: object()),
        Codec(lambda body: {"z": 1.0}, codec.decode),
    ):
        found = coded_answer(server, "half", broken, b"1 2 3")
        assert (found.status, list(json.loads(found.text))) == (500, ["error"])


def test_codecs_that_are_none(tmp_path):
    (tmp_path / "half.py").write_text("def encode(body): return {}")
    with pytest.raises(ValueError, match="decode"):
        load_codec(str(tmp_path / "half.py"))
    with pytest.raises(FileNotFoundError):
        load_codec(str(tmp_path / "none.py"))
    with pytest.raises(ImportError):
        load_codec("no.such.module")


# ---- the command ----


def run(*arguments):
    return CliRunner().invoke(command, ["serve", *map(str, arguments)])


def test_the_command_says_what_a_graph_has(frozen, checkpoints):
    done = run(frozen)
    assert done.exit_code == 2
    assert "Placeholders: x:0" in " ".join(done.output.split())
    assert run(frozen.parent / "none.pb", "--outputs", "y:0").exit_code == 2
    assert run("--inputs", "x:0").exit_code == 2
    assert run(frozen, "--inputs", "x:0", "--outputs", "y:0", "--model_base_path", "/m").exit_code == 2
    done = run("--describe", frozen, "--inputs", "x:0", "--outputs", "result=y:0")
    assert (done.exit_code, done.output.startswith(str(frozen))) == (0, True)
    assert "output  result  float  [?, 3]" in done.output
    folder, add = checkpoints
    add(7)
    assert run("--describe", folder, "--outputs", "y:0").output.startswith(str(folder / "model.ckpt-7"))

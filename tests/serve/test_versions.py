"""Versions of models: which are served, how they come and go, and what happens to requests meanwhile."""

from __future__ import annotations

import shutil
import threading

import numpy as np
import pytest

import headrace as tf
from headrace.core import errors
from headrace.files.records import TFRecordWriter
from headrace.serve import messages
from headrace.serve.batching import BatchingOptions
from headrace.serve.model_configs import ModelConfig, VersionPolicy, model_configs, parse_text, versions_in
from headrace.serve.model_server import ModelServer, ServerOptions
from headrace.serve.tensor_messages import fill_message
from headrace.serve.warmup import REQUESTS_FILE


def answered(server, name="half", version=None, label=None):
    """The version's own number, which `half` adds."""
    with server.using(name, version, label) as model:
        return model.predict("", {"x": np.float32([0.0])})["y"].tolist()[0]


def states(server, name="half"):
    found = server.status(name).model_version_status
    return {one.version: one.State.Name(one.state) for one in found}


@pytest.fixture
def base(saved, tmp_path):
    """A folder of models that may be changed: version 1 of `half`."""
    shutil.copytree(saved / "1", tmp_path / "half" / "1")
    return tmp_path / "half"


def add(saved, base, version):
    shutil.copytree(saved / "2", base / str(version))


@pytest.mark.parametrize(
    ("policy", "chosen"),
    [
        (VersionPolicy(), [10]),
        (VersionPolicy(latest=2), [3, 10]),
        (VersionPolicy(every=True), [1, 3, 10]),
        (VersionPolicy(specific=frozenset([1, 3, 7])), [1, 3]),
    ],
)
def test_policies(policy, chosen):
    assert policy.choose([10, 1, 3]) == chosen


def test_versions_are_folders_of_numbers(tmp_path):
    for name in ("1", "0012", "x3", "4x", "-5"):
        (tmp_path / name).mkdir()
    (tmp_path / "7").write_text("a file")
    assert versions_in(str(tmp_path)) == {1: str(tmp_path / "1"), 12: str(tmp_path / "0012")}
    assert versions_in(str(tmp_path / "none")) == {}


def test_a_new_version_takes_over(saved, base, start):
    server = start(ModelConfig("half", str(base)))
    assert answered(server) == 1.0
    add(saved, base, 5)
    server.update()
    assert answered(server) == 2.0
    assert states(server) == {5: "AVAILABLE", 1: "END"}
    shutil.rmtree(base / "5")
    server.update()
    assert answered(server) == 1.0


def test_versions_that_have_gone_are_forgotten_in_time(saved, base, start):
    server = start(ModelConfig("half", str(base)))
    for version in range(2, 16):
        (base / str(version - 1)).rename(base / str(version))
        server.update()
    assert answered(server) == 1.0
    assert states(server) == {15: "AVAILABLE"} | dict.fromkeys(range(5, 15), "END")


def test_a_request_ends_on_the_version_it_began_with(saved, base, start):
    server = start(ModelConfig("half", str(base)))
    with server.using("half") as model:
        add(saved, base, 2)
        updating = threading.Thread(target=server.update)
        updating.start()
        with server._changed:
            server._changed.wait_for(lambda: states(server).get(1) == "UNLOADING", 60)
        assert answered(server) == 2.0
        assert model.predict("", {"x": np.float32([0.0])})["y"].tolist() == [1.0]
    updating.join()
    assert states(server) == {2: "AVAILABLE", 1: "END"}


def test_a_broken_version_is_reported_and_the_old_one_stays(base, start):
    server = start(ModelConfig("half", str(base)), load_retries=0)
    (base / "2").mkdir()
    (base / "2" / "saved_model.pb").write_bytes(b"no model")
    server.update()
    assert answered(server) == 1.0
    (broken,) = [one for one in server.status("half").model_version_status if one.version == 2]
    assert broken.State.Name(broken.state) == "END"
    assert broken.status.error_code != errors.OK
    assert "saved_model.pb" in broken.status.error_message


def test_a_version_that_failed_is_tried_again(saved, base, start):
    server = start(ModelConfig("half", str(base)), load_retries=1, retry_seconds=0.0)
    (base / "2").mkdir()
    server.update()
    assert states(server) == {2: "END", 1: "AVAILABLE"}
    shutil.copytree(saved / "2", base / "2", dirs_exist_ok=True)
    server.update()
    assert states(server) == {2: "AVAILABLE", 1: "END"}


def test_policies_and_labels_of_a_config(saved, start):
    config = f"""
      model_config_list {{
        config {{
          name: "half" base_path: "{saved}" model_platform: "tensorflow"
          model_version_policy {{ all {{}} }}
          version_labels {{ key: "stable" value: 1 }} version_labels {{ key: "canary" value: 2 }}
        }}
        config {{ name: "first" base_path: "{saved}" model_version_policy {{ specific {{ versions: 1 }} }} }}
      }}"""
    server = start()
    server.reload(parse_text(config, messages.ModelServerConfig(), "text"))
    assert answered(server) == 2.0
    assert answered(server, version=1) == 1.0
    assert answered(server, label="stable") == 1.0
    assert answered(server, label="canary") == 2.0
    assert answered(server, "first") == 1.0
    with pytest.raises(errors.InvalidArgumentError, match="label"):
        answered(server, label="other")
    with pytest.raises(errors.NotFoundError):
        answered(server, "first", 2)
    moved = config.replace('key: "canary" value: 2', 'key: "canary" value: 9')
    with pytest.raises(errors.FailedPreconditionError, match="version 9"):
        server.reload(parse_text(moved, messages.ModelServerConfig(), "text"))
    assert answered(server, label="canary") == 2.0
    server.reload(parse_text("model_config_list {}", messages.ModelServerConfig(), "text"))
    with pytest.raises(errors.NotFoundError):
        answered(server)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('config { name: "a" base_path: "/m" } config { name: "a" base_path: "/n" }', errors.InvalidArgumentError),
        ('config { name: "a" base_path: "relative" }', errors.InvalidArgumentError),
        ('config { name: "a" }', errors.InvalidArgumentError),
        ('config { name: "a" base_path: "/m" model_platform: "caffe" }', errors.InvalidArgumentError),
        ('config { name: "a" base_path: "/m" logging_config {} }', errors.UnimplementedError),
        ("config { what: 1 }", errors.InvalidArgumentError),
    ],
)
def test_configs_that_cannot_be(text, error):
    with pytest.raises(error):
        model_configs(parse_text(f"model_config_list {{ {text} }}", messages.ModelServerConfig(), "text"))


def test_a_config_file_is_read(saved, tmp_path, start):
    file = tmp_path / "models.config"
    file.write_text(f'model_config_list {{ config {{ name: "m" base_path: "{saved}" }} }}')
    server = start(config_file=str(file))
    assert answered(server, "m") == 2.0
    file.write_text(f'model_config_list {{ config {{ name: "n" base_path: "{saved}" }} }}')
    server._follow_config()
    assert answered(server, "n") == 2.0
    with pytest.raises(errors.NotFoundError):
        answered(server, "m")


def warmup_file(folder, *logs):
    (folder / "assets.extra").mkdir()
    with TFRecordWriter(str(folder / REQUESTS_FILE)) as writer:
        for log in logs:
            writer.write(log.SerializeToString())


def test_a_model_is_warmed_by_its_requests(base, start):
    log = messages.PredictionLog()
    fill_message(log.predict_log.request.inputs["x"], np.float32([1.0]))
    warmup_file(base / "1", log, log)
    server = start(ModelConfig("half", str(base)))
    with server.using("half") as model:
        assert len(model._calls) == 1


def test_a_model_whose_own_requests_fail_is_not_served(base, start):
    log = messages.PredictionLog()
    fill_message(log.predict_log.request.inputs["wrong"], np.float32([1.0]))
    warmup_file(base / "1", log)
    server = start(ModelConfig("half", str(base)), load_retries=0)
    assert states(server) == {1: "END"}
    assert not server.ready()


def test_no_request_is_lost_while_versions_change(saved, base, start, client):
    server = start(ModelConfig("half", str(base)))
    rest = client(server)
    done, wrong, asked = threading.Event(), [], []

    def ask():
        while not done.is_set():
            status, found = rest.post({"instances": [2.0]})
            asked.append(status)
            if status != 200 or found["predictions"] not in ([2.0], [3.0]):
                wrong.append(found)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for version in range(2, 10):
        shutil.copytree(saved / "12"[version % 2], base / str(version))
        server.update()
    done.set()
    for thread in threads:
        thread.join()
    assert not wrong
    assert len(asked) >= 4


def test_graphs_that_call_python_or_write_files_are_refused(tmp_path, start):
    for name, make in (
        ("python", lambda x: tf.py_func(lambda value: value, [x], tf.float32)),
        ("writing", lambda x: tf.identity(x)),
    ):
        with tf.Graph().as_default(), tf.Session() as sess:
            x = tf.placeholder(tf.float32, [None])
            y = make(x)
            if name == "writing":
                with tf.control_dependencies([tf.write_file(str(tmp_path / "written"), "x")]):
                    y = tf.identity(y)
            tf.saved_model.simple_save(sess, str(tmp_path / name / "1"), {"x": x}, {"y": y})
        server = start(ModelConfig(name, str(tmp_path / name)), load_retries=0)
        (state,) = server.status(name).model_version_status
        assert state.status.error_code == errors.INVALID_ARGUMENT, state
    assert not (tmp_path / "written").exists()


def test_sparse_inputs_are_given_by_their_parts(tmp_path, start, client):
    with tf.Graph().as_default(), tf.Session() as sess:
        sparse = tf.sparse_placeholder(tf.float32, [None, 4])
        tf.saved_model.simple_save(sess, str(tmp_path / "1"), {"s": sparse}, {"sum": tf.sparse_reduce_sum(sparse, 1)})
    server = start(ModelConfig("half", str(tmp_path)), batching=BatchingOptions(max_batch_size=16))
    parts = {"s/indices": [[0, 1], [1, 2]], "s/values": [3.0, 4.0], "s/dense_shape": [2, 4]}
    assert client(server).post({"inputs": parts}) == (200, {"outputs": [3.0, 4.0]})
    # Rows of several requests are never put together: the numbers in indices would be wrong.
    with server.using("half") as model:
        (call,) = model._calls.values()
        assert not call.batchable


def test_a_server_without_a_model_says_so(tmp_path):
    server = ModelServer([ModelConfig("none", str(tmp_path))], ServerOptions(poll_seconds=0))
    server.start()
    assert not server.ready()
    with pytest.raises(errors.NotFoundError):
        server.status("none")
    server.close()

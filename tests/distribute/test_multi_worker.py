"""Workers that are processes of their own: what they train, what they save."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from oracle import golden

import headrace as tf
from headrace.cluster.launching import free_addresses

# What two processes of TensorFlow 1.15.5 say of `worker.keras_model`.
LOSSES_OF_KERAS = [8.668334, 4.427190]
WEIGHTS_OF_KERAS = [9.633354, 0.655290, 3.588608, 0.568482, 0.025098, 3.822692, 3.583875, 0.140520]


def test_two_processes_train_as_those_of_tensorflow_do(start, tasks):
    expected = golden("distribute/two_workers")["momentum"]
    workers = [start("model", "momentum", TF_CONFIG=told) for told in tasks]
    for worker, want in zip(workers, expected, strict=True):
        found = worker.heard()
        np.testing.assert_allclose(found["losses"], np.array(want["losses"]), rtol=1e-5)
        sums = [np.abs(value).sum() for value in want["variables"]]
        np.testing.assert_allclose(found["sums"], sums, rtol=1e-4)


def test_checkpoints_go_on_alone_and_in_a_cluster(start, tasks, tmp_path):
    def run(environments, count):
        return [each.heard() for each in [start("steps", str(count), CHECKPOINTS=folder, **e) for e in environments]]

    folder = str(tmp_path)
    # On a row (1, 2) the model is a number w1 + 2 w2, from whose error a step takes 0.02 * 2 * 5 for each worker, as the
    # gradients of workers are added. Two train in the first two steps and in the last two, one in between.
    losses, error = [], 1.0
    for workers in (2, 2, 1, 1, 2, 2):
        losses.append(error**2)
        error *= 1.0 - 0.2 * workers
    first = run([{"TF_CONFIG": told} for told in tasks], 2)
    assert [each["first"] for each in first] == [1, 1]
    np.testing.assert_allclose(first[0]["losses"], losses[:2], rtol=1e-5)
    assert tf.train.latest_checkpoint(folder).endswith("model.ckpt-2")
    (alone,) = run([{}], 4)
    assert alone["first"] == 3
    np.testing.assert_allclose(alone["losses"], losses[2:4], rtol=1e-5)
    again = run([{"TF_CONFIG": told} for told in tasks], 6)
    assert [each["first"] for each in again] == [5, 5]
    for each in again:
        np.testing.assert_allclose(each["losses"], losses[4:], rtol=1e-5)


def test_an_estimator_trains_on_two_workers(start, tasks, tmp_path):
    folder = str(tmp_path)
    found = [each.heard() for each in [start("estimator", "4", CHECKPOINTS=folder, TF_CONFIG=told) for told in tasks]]
    # As above; 1.15.5 gives each worker its own loss, which is the same for both here. The mean of two workers' gradients moves
    # the weights, as estimators divide the loss among replicas.
    losses = [(1.0 - 0.2) ** (2 * step) for step in range(4)]
    for each in found:
        np.testing.assert_allclose(each["losses"], losses, rtol=1e-5)
    assert tf.train.latest_checkpoint(folder).endswith("model.ckpt-4")
    np.testing.assert_allclose(tf.train.load_variable(folder, "weights").T @ [1.0, 2.0], 4.0 - 0.8**4, rtol=1e-5)


def test_eager_workers(start, tasks):
    found = [worker.heard() for worker in [start("eager", "3", TF_CONFIG=told) for told in tasks]]
    # The variable is the chief's 0; each worker adds its number.
    for index, worker in enumerate(found):
        # Names of devices are those of the task that the process is, as in TensorFlow.
        device = [f"/job:worker/replica:0/task:{index}/device:CPU:0"]
        assert worker == {"totals": [1.0, 3.0, 5.0], "v": 0.0, "devices": device, "listed": device}


@pytest.mark.parametrize("mode", ["graph", "eager"])
def test_keras_models_train_on_two_workers(start, tasks, mode):
    """As TensorFlow 1.15.5 does it: each worker normalizes its half of each batch, and moving averages are of both."""
    workers = [start("keras", mode, TF_CONFIG=told) for told in tasks]
    first, second = (worker.heard() for worker in workers)
    assert first == second
    np.testing.assert_allclose(first["losses"], LOSSES_OF_KERAS, rtol=1e-4)
    np.testing.assert_allclose(first["weights"], WEIGHTS_OF_KERAS, rtol=1e-3)


def test_keras_workers_go_on_after_a_restart(start, tasks, tmp_path):
    """With the epoch that they were in, as TensorFlow 1.15.5; the chief alone writes, and each predicts its part."""
    stopped = [start("keras_restarts", str(tmp_path), "stops", TF_CONFIG=told) for told in tasks]
    assert [worker.heard() for worker in stopped] == [{"begun": [0, 1, 2]}] * 2
    for worker in stopped:
        worker.popen.wait()
    hosts = free_addresses(2)
    told = [json.dumps({"cluster": {"worker": hosts}, "task": {"type": "worker", "index": i}}) for i in range(2)]
    first, second = (
        worker.heard() for worker in [start("keras_restarts", str(tmp_path), "", TF_CONFIG=own) for own in told]
    )
    assert first["begun"] == second["begun"] == [2, 3]
    np.testing.assert_allclose(first["losses"], [4.05217, 1.64680], rtol=1e-5)
    assert first["losses"] == second["losses"]
    assert first["rows"] == second["rows"] == [32, 32]
    assert [first["wrote"], second["wrote"]] == [True, False]
    assert sorted(os.listdir(tmp_path)) == ["0", "model.h5"]


def test_a_keras_model_on_a_server_of_variables(start):
    """What a worker and a server of TensorFlow 1.15.5 give for `worker.servers`."""
    hosts = free_addresses(2)
    cluster = {"worker": hosts[:1], "ps": hosts[1:]}
    told = {job: json.dumps({"cluster": cluster, "task": {"type": job, "index": 0}}) for job in cluster}
    start("servers", "keras", TF_CONFIG=told["ps"])
    found = start("servers", "keras", TF_CONFIG=told["worker"]).heard()
    np.testing.assert_allclose(found["losses"], [7.222444, 4.189636, 2.434271], rtol=1e-5)
    np.testing.assert_allclose(found["loss"], 1.491328, rtol=1e-5)
    np.testing.assert_allclose(found["weights"], [0.684470, 0.662742, 0.641014, -0.217279], rtol=1e-5)
    assert found["devices"] == ["/job:ps/task:0"]


def test_torchrun(tmp_path):
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    done = subprocess.run(
        [*command, str(Path(__file__).with_name("worker.py")), "torchrun", "started"],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    said = [json.loads(line) for line in done.stdout.replace("}{", "}\n{").splitlines() if line.startswith("{")]
    assert said == [{"name": "started", "workers": 2, "total": 3.0}] * 2

"""Programs as local clusters: what each process is told, and how all of it ends."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys

import pytest

from headrace.cluster.launching import Task, defined_flags, plan_tasks, run_tasks

FLAGS = 'flags.DEFINE_string("ps_hosts", "", "")\nflags.DEFINE_string("worker_hosts", "", "")\n'
FLAGS += 'parser.add_argument("--job_name")\nflags.DEFINE_integer(\n    "task_id", 0, "")\n'


@pytest.fixture
def script(tmp_path):
    def write(text):
        path = tmp_path / "train.py"
        path.write_text(text)
        return str(path)

    return write


def test_flags_that_a_program_defines():
    assert defined_flags(FLAGS) == {"ps_hosts", "worker_hosts", "job_name", "task_id"}


def test_flags_are_given_by_the_names_that_the_program_has(script):
    path = script(FLAGS)
    tasks = plan_tasks([path, "--steps=3"], 1, 2)
    assert [(task.job, task.index) for task in tasks] == [("ps", 0), ("worker", 0), ("worker", 1)]
    last = tasks[-1].command
    assert last[:5] == ("-m", "headrace", "run", path, "--steps=3")
    assert last[-2:] == ("--job_name=worker", "--task_id=1")
    hosts = dict(each[2:].split("=") for each in last[5:7])
    assert {name: len(each.split(",")) for name, each in hosts.items()} == {"ps_hosts": 1, "worker_hosts": 2}
    assert all("TF_CONFIG" not in task.environment for task in tasks)


def test_a_program_that_makes_its_flags_itself_is_given_all_where_flags_are_asked_for(script):
    path = script("""for name in names: parser.add_argument("--" + name)
parser.add_argument("--task_index", type=int)""")
    (*_, last) = plan_tasks([path], 1, 1, style="flags")
    assert {each.partition("=")[0] for each in last.command[4:]} == {
        "--ps_hosts",
        "--worker_hosts",
        "--job_name",
        "--task_index",
    }


def test_other_programs_are_told_by_tf_config(script):
    tasks = plan_tasks([script("import tensorflow")], 1, 3, evaluator=True)
    told = [json.loads(task.environment["TF_CONFIG"]) for task in tasks]
    places = [("ps", 0), ("chief", 0), ("worker", 0), ("worker", 1), ("evaluator", 0)]
    assert [(each["task"]["type"], each["task"]["index"]) for each in told] == places
    assert len({json.dumps(each["cluster"]) for each in told}) == 1
    addresses = [address for listed in told[0]["cluster"].values() for address in listed]
    assert len(set(addresses)) == 4


def test_a_cluster_has_a_token_of_its_own(script, monkeypatch):
    monkeypatch.delenv("HEADRACE_CLUSTER_TOKEN", raising=False)
    path = script("")
    tokens = [{task.environment["HEADRACE_CLUSTER_TOKEN"] for task in plan_tasks([path], 1, 2)} for _ in range(2)]
    assert len(tokens[0]) == 1
    assert tokens[0] != tokens[1]


@pytest.mark.parametrize(("servers", "workers", "style"), [(1, 0, "auto"), (-1, 1, "auto"), (1, 1, "mail")])
def test_clusters_that_are_none(script, servers, workers, style):
    with pytest.raises(ValueError, match=r"worker|style"):
        plan_tasks([script("")], servers, workers, style=style)


# The files of outputs are closed by whoever collects them.
collected = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")


def _python(job, index, text):
    return Task(job, index, ("-c", text))


@collected
def test_servers_end_with_the_last_worker(capfd):
    wait = "import time; print('serving', flush=True); time.sleep(1000)"
    assert run_tasks([_python("ps", 0, wait), _python("worker", 0, "print('done')")]) == 0
    assert "[worker:0] done" in capfd.readouterr().out


@collected
def test_all_end_when_one_fails():
    wait = "import time; time.sleep(1000)"
    assert run_tasks([_python("worker", 0, wait), _python("worker", 1, "raise SystemExit(3)")]) == 3


@collected
def test_python_is_this_one(capfd):
    run_tasks([_python("worker", 0, "import sys; print(sys.executable)")])
    assert sys.executable in capfd.readouterr().out


def test_all_end_when_the_launcher_is_killed(script):
    path = script(
        "import socket, sys\nwith socket.create_connection(('localhost', int(sys.argv[1]))) as s:\n    s.recv(1)\n"
    )
    with socket.create_server(("localhost", 0)) as listening:
        listening.settimeout(60)
        command = [sys.executable, "-m", "headrace", "launch", "--ps=1", "--workers=1", path]
        with subprocess.Popen([*command, str(listening.getsockname()[1])]) as launcher:
            connections = [listening.accept()[0] for _ in range(2)]
            launcher.send_signal(signal.SIGKILL)
        for connection in connections:
            with connection:
                connection.settimeout(60)
                assert connection.recv(1) == b""

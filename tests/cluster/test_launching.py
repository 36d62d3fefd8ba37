"""Programs as local clusters: what each process is told, and how all of it ends."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys

import pytest
from torch.distributed.elastic.multiprocessing import SignalException

from headrace.cluster import launching
from headrace.cluster.launching import Task, plan_tasks, run_tasks
from headrace.cluster.program_flags import defined_flags

FLAGS = 'flags.DEFINE_string("ps_hosts", "", "")\nflags.DEFINE_string("worker_hosts", "", "")\n'
FLAGS += 'parser.add_argument("--job_name")\nflags.DEFINE_integer(\n    "task_id", 0, "")\n'


@pytest.fixture
def script(tmp_path):
    def write(text):
        path = tmp_path / "train.py"
        path.write_text(text)
        return str(path)

    return write


@pytest.mark.parametrize(
    ("text", "flags"),
    [
        (FLAGS, {"ps_hosts": "ps_hosts", "worker_hosts": "worker_hosts", "job_name": "job_name", "task_id": "task_id"}),
        ('p.add_argument("-j", "--job_name", default="")', {"j": "j", "job_name": "job_name"}),
        ("p.add_argument('--task-index', '-t', type=int)", {"task_index": "task-index", "t": "t"}),
        ('flags.DEFINE_string(name="job_name", default="x")', {"job_name": "job_name"}),
        ('flags.DEFINE_enum("mode", "train", ["ps", "--eval"], "")', {"mode": "mode"}),
        ("flags.DEFINE_string(prefix + name, '', '')", {}),
    ],
)
def test_flags_that_a_program_defines(text, flags):
    assert defined_flags(text) == flags


def _told(task):
    """The arguments of a script that flags of its task are."""
    return [each.partition("=")[0] for each in task.command[4:]]


def test_flags_are_spelled_as_the_program_spells_them(script):
    path = script("\n".join(f'p.add_argument("--{each}")' for each in ("job-name", "task-index", "ps-hosts")))
    (*_, last) = plan_tasks([path], 1, 1)
    assert _told(last) == ["--ps-hosts", "--job-name", "--task-index"]


@pytest.mark.parametrize(
    ("statement", "file"),
    [
        ("from settings import FLAGS", "settings.py"),
        ("import os, settings as s", "settings.py"),
        ("from . import settings", "settings.py"),
        ("from .settings import FLAGS", "settings.py"),
        ("import options.cluster", "options/cluster.py"),
        ("from options import a, cluster", "options/cluster.py"),
        ("from options.cluster import *", "options/cluster.py"),
        ("  import options", "options/__init__.py"),
    ],
)
def test_flags_of_modules_beside_the_program(script, tmp_path, statement, file):
    (tmp_path / "options").mkdir()
    (tmp_path / file).write_text(FLAGS)
    (*_, last) = plan_tasks([script(f"import numpy\n{statement}\n")], 1, 1)
    assert _told(last) == ["--ps_hosts", "--worker_hosts", "--job_name", "--task_id"]


def test_flags_of_modules_that_import_each_other(script, tmp_path):
    (tmp_path / "one.py").write_text("import two")
    (tmp_path / "two.py").write_text(f"import one\n{FLAGS}")
    (*_, last) = plan_tasks([script("import one")], 0, 1)
    assert _told(last) == ["--worker_hosts", "--job_name", "--task_id"]


def test_arguments_name_what_a_task_is_told(script):
    path = script("import sys; job, index = sys.argv[1:3]")
    tasks = plan_tasks([path, "{job_name}", "{task_index}", "--at={ps_hosts};{worker_hosts}", "{other}"], 1, 2)
    assert all("TF_CONFIG" not in task.environment for task in tasks)
    assert [task.command[4:6] for task in tasks] == [("ps", "0"), ("worker", "0"), ("worker", "1")]
    (at,) = {task.command[6] for task in tasks}
    assert [len(each.split(",")) for each in at.removeprefix("--at=").split(";")] == [1, 2]
    assert tasks[0].command[7] == "{other}"


@pytest.mark.parametrize(
    ("name", "file"), [("trainer.task", "trainer/task.py"), ("trainer", "trainer/__main__.py"), ("task", "task.py")]
)
def test_modules_are_run_by_their_names(tmp_path, monkeypatch, name, file):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / file
    path.parent.mkdir(exist_ok=True)
    path.write_text("from .flags import FLAGS" if path.parent != tmp_path else "from flags import FLAGS")
    (path.parent / "flags.py").write_text(FLAGS)
    (*_, last) = plan_tasks(["-m", name, "--steps=3"], 1, 2)
    assert last.command[:6] == ("-m", "headrace", "run", "-m", name, "--steps=3")
    assert last.command[-2:] == ("--job_name=worker", "--task_id=1")


def test_modules_that_are_none(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=r"No module named trainer\.task"):
        plan_tasks(["-m", "trainer.task"], 1, 2)


def test_arguments_that_name_a_job_that_is_none(script):
    with pytest.raises(ValueError, match=r"chief_hosts.*ps, worker"):
        plan_tasks([script(""), "--chief={chief_hosts}", "{task_index}"], 1, 2)


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
@pytest.mark.parametrize(
    ("end", "status", "told"),
    [("raise SystemExit(3)", 3, "with status 3"), ("import os; os.kill(os.getpid(), 9)", 137, "by SIGKILL")],
)
def test_all_end_when_one_fails(capfd, end, status, told):
    wait = "import time; time.sleep(1000)"
    assert run_tasks([_python("worker", 0, wait), _python("worker", 1, end)]) == status
    assert f"headrace launch: worker:1 ended {told}" in capfd.readouterr().err


@collected
def test_python_is_this_one(capfd):
    run_tasks([_python("worker", 0, "import sys; print(sys.executable)")])
    assert sys.executable in capfd.readouterr().out


def test_all_end_by_one_interrupt_of_the_terminal(script):
    path = script(
        "import socket, sys\nwith socket.create_connection(('localhost', int(sys.argv[1]))) as s:\n    s.recv(1)\n"
    )
    with socket.create_server(("localhost", 0)) as listening:
        listening.settimeout(60)
        command = [sys.executable, "-m", "headrace", "launch", "--ps=1", "--workers=1", path]
        command.append(str(listening.getsockname()[1]))
        with subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL) as launcher:
            connections = [listening.accept()[0] for _ in range(2)]
            # A terminal sends it to all processes of the group.
            os.killpg(launcher.pid, signal.SIGINT)
            assert launcher.wait(60) == 128 + signal.SIGINT
        for connection in connections:
            with connection:
                connection.settimeout(60)
                assert connection.recv(1) == b""


def test_an_interrupt_while_processes_start_ends_the_launcher_as_one(monkeypatch):
    def interrupted(*args, **kwargs):
        raise SignalException("interrupted", sigval=signal.SIGINT)

    monkeypatch.setattr(launching, "start_processes", interrupted)
    assert run_tasks([_python("worker", 0, "pass")]) == 128 + signal.SIGINT


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

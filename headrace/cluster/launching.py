"""A program as a cluster of processes on this machine: free ports, what tells each process its task, one end for all.

Processes are started, watched and ended by what `torch.distributed`'s elastic agent starts its workers with.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import re
import secrets
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from torch.distributed.elastic.multiprocessing import DefaultLogsSpecs, SignalException, Std, start_processes

from headrace.cluster.launcher_watch import GRACE_SECONDS, held_lock
from headrace.cluster.program_flags import flags_of_module, flags_of_program

_PERIOD = 0.1
# What programs call the number of their task, the one most used first.
_TASK_FLAGS = ("task_index", "task_id", "task", "worker_index")
_STYLES = ("auto", "flags", "tf_config", "both")
# What stands for a task's own values in a program's arguments.
_PLACE = re.compile(r"\{(job_name|task_index|\w+_hosts)\}")


@dataclass(frozen=True)
class Task:
    """A task of the cluster, as the process that is it is started.

    Attributes:
        job, index: which one.
        command: the arguments after Python's own name.
        environment: the variables that it has besides those of this process.
    """

    job: str
    index: int
    command: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)


def free_addresses(count: int) -> list[str]:
    """Addresses of this machine at which nobody listens."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("localhost", 0))
        return [f"localhost:{each.getsockname()[1]}" for each in sockets]


def plan_tasks(
    program: Sequence[str],
    servers: int,
    workers: int,
    *,
    style: str = "auto",
    chief: bool | None = None,
    evaluator: bool = False,
) -> list[Task]:
    """The tasks of a cluster that runs a program.

    Args:
        program: the script, or "-m" and the name of a module, and the arguments. In these, `{job_name}` and `{task_index}`
            stand for those of a task, and `{ps_hosts}`, `{worker_hosts}` and `{chief_hosts}` for the addresses of a job.
        servers: how many parameter servers.
        workers: how many workers, the chief among them.
        style: how a process is told its task: by "flags", by "tf_config", by "both", or by what the texts of the script
            and of its modules show ("auto"). Arguments that name `{task_index}` are enough for "auto".
        chief: whether the first worker is a job of its own, "chief"; by default where TF_CONFIG alone tells.
        evaluator: whether another process evaluates.

    Raises:
        ValueError: if there is no worker, the style is none, an argument asks for the addresses of a job that is none, or
            the module is not found.
        OSError: if the script cannot be read.
    """
    if workers < 1 or servers < 0:
        raise ValueError(
            f"A cluster has at least one worker and not less than no server, got {workers} workers and {servers} servers"
        )
    if style not in _STYLES:
        raise ValueError(f"style must be one of {', '.join(_STYLES)}, got {style!r}")
    by_name = program[0] == "-m"
    flags = flags_of_module(program[1]) if by_name else flags_of_program(Path(program[0]))
    runs, own_arguments = (program[:2], program[2:]) if by_name else (program[:1], program[1:])
    told = any("{task_index}" in argument for argument in own_arguments)
    by_flags = style in ("flags", "both") or (style == "auto" and (told or "job_name" in flags))
    by_variable = style in ("tf_config", "both") or (style == "auto" and not by_flags)
    own_chief = (not by_flags) if chief is None else chief
    addresses = iter(free_addresses(servers + workers))
    cluster: dict[str, list[str]] = {}
    if servers:
        cluster["ps"] = [next(addresses) for _ in range(servers)]
    if own_chief:
        cluster["chief"] = [next(addresses)]
    rest = list(addresses)
    if rest:
        cluster["worker"] = rest
    places = [(job, index) for job, listed in cluster.items() for index in range(len(listed))]
    if evaluator:
        places.append(("evaluator", 0))
    shared = _shared_environment(len(places))
    tasks = []
    for job, index in places:
        environment = dict(shared)
        if by_variable:
            environment["TF_CONFIG"] = json.dumps({"cluster": cluster, "task": {"type": job, "index": index}})
        own = [_filled(argument, cluster, job, index) for argument in own_arguments]
        arguments = _flag_arguments(cluster, job, index, flags) if by_flags and not told else ()
        tasks.append(Task(job, index, ("-m", "headrace", "run", *runs, *own, *arguments), environment))
    return tasks


def _shared_environment(processes: int) -> dict[str, str]:
    """What all processes of the cluster have: a token that no other cluster knows, and their share of the cores."""
    environment = {}
    if "HEADRACE_CLUSTER_TOKEN" not in os.environ:
        environment["HEADRACE_CLUSTER_TOKEN"] = secrets.token_hex(16)
    if "HEADRACE_CLUSTER_ALLOW" not in os.environ:
        # They are processes of one user, who starts them for this program.
        environment["HEADRACE_CLUSTER_ALLOW"] = "files"
    if "OMP_NUM_THREADS" not in os.environ:
        environment["OMP_NUM_THREADS"] = str(max(1, (os.cpu_count() or 1) // processes))
    return environment


def _filled(argument: str, cluster: Mapping[str, Sequence[str]], job: str, index: int) -> str:
    """An argument of the program, with what it says in braces replaced by what that is for a task."""
    values = {"job_name": job, "task_index": str(index)}
    values |= {f"{name}_hosts": ",".join(addresses) for name, addresses in cluster.items()}

    def value(place: re.Match[str]) -> str:
        if place[1] not in values:
            raise ValueError(f"{argument!r} asks for {place[0]}, but the jobs of the cluster are {', '.join(cluster)}")
        return values[place[1]]

    return _PLACE.sub(value, argument)


def _flag_arguments(
    cluster: Mapping[str, Sequence[str]], job: str, index: int, flags: Mapping[str, str]
) -> tuple[str, ...]:
    """The flags that tell a task who it is, in the program's own spelling."""
    task = next((name for name in _TASK_FLAGS if name in flags), _TASK_FLAGS[0])
    values = {f"{name}_hosts": ",".join(addresses) for name, addresses in cluster.items()}
    values |= {"job_name": job, task: str(index)}
    # A program whose text shows the flag of the job shows the others too; one that does not makes or reads them in its own way.
    shown = values if "job_name" not in flags else [name for name in values if name in flags]
    return tuple(f"--{flags.get(name, name)}={values[name]}" for name in shown)


@contextlib.contextmanager
def _own_signals() -> Iterator[None]:
    """Inside, what starts processes may take signals over; afterwards they are handled as before."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in _ending()}
    try:
        yield
    finally:
        for number, handler in before.items():
            if handler is not None:
                signal.signal(number, handler)


@contextlib.contextmanager
def _agent_silenced() -> Iterator[None]:
    """Inside, the agent does not log what it does to processes: it knows them by numbers only."""
    logger = logging.getLogger("torch.distributed.elastic.multiprocessing.api")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)


def run_tasks(tasks: Sequence[Task]) -> int:
    """Runs the processes of a cluster until its workers are done, or one of them fails; returns the exit status.

    What they print comes out with their names before each line. When one fails, which is told at stderr, or this process
    is interrupted, all end; those of `headrace run` also when this process is killed.
    """
    with (
        _agent_silenced(),
        tempfile.TemporaryDirectory(prefix="headrace-launch-") as folder,
        held_lock(Path(folder, "launcher")) as lock,
        _own_signals(),
    ):
        context = None
        try:
            # A signal may come while the last process starts, too.
            context = start_processes(
                "cluster",
                sys.executable,
                args={i: tuple(task.command) for i, task in enumerate(tasks)},
                envs={i: dict(task.environment, PYTHONUNBUFFERED="1", **lock) for i, task in enumerate(tasks)},
                logs_specs=DefaultLogsSpecs(folder, tee=Std.ALL),
                log_line_prefixes={i: f"[{task.job}:{task.index}] " for i, task in enumerate(tasks)},
            )
            return _wait(context, tasks)
        except SignalException as signalled:
            _end(context, signalled.sigval)
            return 128 + signalled.sigval
        except KeyboardInterrupt:
            return 130
        finally:
            _end(context)


def _end(context: Any, number: Any = None) -> None:
    """Ends what has been started, hearing of no more signals; without a context, processes end with the lock they hold."""
    _hear_no_more()
    if context is not None:
        context.close(number, timeout=GRACE_SECONDS)


def _hear_no_more() -> None:
    """Ignores the signals that end a program, while its processes are being ended: one of them is enough."""
    if threading.current_thread() is threading.main_thread():
        for number in _ending():
            signal.signal(number, signal.SIG_IGN)


def _ending() -> list[int]:
    """The signals by which programs are asked to end, on this system."""
    return [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT") if hasattr(signal, name)]


def _wait(context: Any, tasks: Sequence[Task]) -> int:
    working = [i for i, task in enumerate(tasks) if task.job != "ps"]
    while True:
        result = context.wait(timeout=_PERIOD, period=_PERIOD)
        if result is not None:
            first = min(result.failures.values(), key=lambda failure: failure.timestamp, default=None)
            if first is None:
                return 0
            _tell_end(tasks[first.local_rank], first.exitcode)
            return _status(first.exitcode)
        if all(context.subprocess_handlers[i].proc.poll() == 0 for i in working):
            # Servers wait for as long as there are any who ask.
            return 0


def _tell_end(task: Task, code: int) -> None:
    """Says which process has failed: the last lines that are seen may be of others."""
    how = f"with status {code}" if code >= 0 else f"by {_signal_name(-code)}"
    print(f"headrace launch: {task.job}:{task.index} ended {how}; all others are ended", file=sys.stderr, flush=True)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _status(code: int) -> int:
    return code if code >= 0 else 128 - code

"""`headrace launch`: a program as a cluster of processes on this machine."""

from __future__ import annotations

import sys

import click


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option("--ps", "servers", default=1, show_default=True, type=int, help="How many parameter servers.")
@click.option("--workers", default=2, show_default=True, type=int, help="How many workers, the chief among them.")
@click.option(
    "--style",
    default="auto",
    show_default=True,
    type=click.Choice(["auto", "flags", "tf_config", "both"]),
    help="How a process learns its task: flags such as --job_name, the variable TF_CONFIG, both, or as the script says.",
)
@click.option("--chief/--no-chief", default=None, help="Whether the first worker is a job of its own, called chief.")
@click.option("--evaluator", is_flag=True, help="Another process, which evaluates (TF_CONFIG).")
@click.option("-m", "module", metavar="MODULE", help="Run a module of this name, as `python -m` does.")
@click.argument("program", nargs=-1, type=click.UNPROCESSED)
def launch(
    servers: int,
    workers: int,
    style: str,
    chief: bool | None,
    evaluator: bool,
    module: str | None,
    program: tuple[str, ...],
) -> None:
    """Runs PROGRAM, a script with its arguments, as a cluster on this machine.

    With -m, PROGRAM is the arguments alone, as `headrace launch --ps 2 -m trainer.task --steps 1000`.

    Ports are free ones, outputs have the name of their task before each line, and when one process fails, or the command
    is interrupted, all end. Servers end with the last worker. In the arguments {job_name}, {task_index}, {ps_hosts} and
    {worker_hosts} stand for a task's own, where the script takes them in a way that its text does not show.
    """
    from headrace.cluster.launching import plan_tasks, run_tasks

    if module is not None:
        program = ("-m", module, *program)
    elif not program:
        raise click.UsageError("Name a script to run, or a module with -m.")
    try:
        tasks = plan_tasks(program, servers, workers, style=style, chief=chief, evaluator=evaluator)
    except (OSError, ValueError) as error:
        raise click.ClickException(str(error)) from None
    sys.exit(run_tasks(tasks))

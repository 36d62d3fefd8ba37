"""The commands of `headrace`, as click knows them."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING

import click

from headrace.cli.doctor import doctor
from headrace.cli.graph_commands import COMMANDS as GRAPH_COMMANDS
from headrace.cli.launch import launch
from headrace.cli.serve import serve

if TYPE_CHECKING:
    from headrace.shim.installed import Installation

# What follows the script belongs to the script, options and `--help` included.
_PROGRAM = {"ignore_unknown_options": True, "allow_interspersed_args": False}


def _show_version(context: click.Context, _parameter: click.Parameter, asked: bool) -> None:
    if asked and not context.resilient_parsing:
        context.invoke(version)
        context.exit()


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "-V",
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Print the versions.",
)
def headrace() -> None:
    """Run, check and explain TensorFlow 1.x programs on PyTorch.

    `headrace script.py …`, `headrace -m module …` and `headrace -c text …` run programs, as `headrace run` does.
    """


@headrace.command(context_settings=_PROGRAM)
@click.option("-m", "module", metavar="MODULE", help="Run a module of this name, as `python -m` does.")
@click.option("-c", "text", metavar="TEXT", help="Run a program given as text, as `python -c` does.")
@click.option("--no-keras", is_flag=True, help="Let `import keras` give the Keras that is installed.")
@click.option("--tf-version", metavar="VERSION", help="Run a program of an earlier TensorFlow as that ran it.")
@click.argument("program", nargs=-1, type=click.UNPROCESSED)
def run(module: str | None, text: str | None, no_keras: bool, tf_version: str | None, program: tuple[str, ...]) -> None:
    """Run a program with its own arguments, as python runs it.

    PROGRAM is a script and its arguments; with -m or -c, the arguments alone. `import tensorflow` gives Headrace,
    `import keras` the Keras of those years on it, and sources in Python 2 are converted on the fly.
    """
    _run_program(module, program, text, keras=not no_keras, version=tf_version)


def _run_program(
    module: str | None,
    program: tuple[str, ...],
    text: str | None = None,
    *,
    keras: bool = True,
    version: str | None = None,
) -> None:
    from headrace.shim import runner

    if text is not None:
        runner.run_text(text, program, keras=keras, version=version)
    elif module is not None:
        runner.run_module(module, program, keras=keras, version=version)
    elif program:
        runner.run_script(program[0], program[1:], keras=keras, version=version)
    else:
        raise click.UsageError("Name a script to run, or a module with -m.")


@headrace.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True))
@click.option("-q", "--quiet", is_flag=True, help="Print the missing names only, no summary.")
def check(paths: tuple[str, ...], quiet: bool) -> None:
    """List the tf.* names that programs use and Headrace lacks.

    PATHS are scripts, and folders searched for scripts. Nothing is run. The exit code is 1 if a name is
    missing, 2 if a file could not be read, 0 otherwise.
    """
    from headrace.shim.usage import check_file, source_files

    missing, used, unreadable = 0, 0, 0
    files = source_files(paths)
    for file in files:
        try:
            report = check_file(file)
        except (SyntaxError, OSError, ValueError) as error:
            click.echo(f"{file}: cannot be read: {error}", err=True)
            unreadable += 1
            continue
        used += report.used
        for use in report.missing:
            missing += 1
            click.echo(f"{file}:{use.line}: {use.name}" + (f"  ({use.advice})" if use.advice else ""))
    if not quiet:
        click.echo(
            f"{missing} missing of {used} uses of tf.* names in {len(files)} file{'s' * (len(files) != 1)}",
            err=True,
        )
    sys.exit(1 if missing else 2 if unreadable else 0)


@headrace.command(context_settings=_PROGRAM)
@click.option("-m", "module", metavar="MODULE", help="Run a module of this name, as `python -m` does.")
@click.option("--all", "which", flag_value="all", default="all", help="Print every plan, in the order made (default).")
@click.option("--last", "which", flag_value="last", help="Print the last plan only.")
@click.option("--passes", is_flag=True, help="Print what each pass of the planner changed, and why, too.")
@click.option("--node", metavar="NAME", help="Print only what the passes did to the node of this name.")
@click.option("--regions", is_flag=True, help="Print the ops and the instructions of native regions, too.")
@click.argument("program", nargs=-1, type=click.UNPROCESSED)
def explain(
    module: str | None, which: str, passes: bool, node: str | None, regions: bool, program: tuple[str, ...]
) -> None:
    """Run a program and print the plans made for it.

    Each distinct sess.run (what is fetched, what is fed) has one plan: the Python function that its steps
    run. The plans are printed when the program ends, after its own output.

    \b
    With --passes, a table of the passes comes before each function, then their changes:
      -  a node went, for the reason behind it      +  a node came
      ~  a node changed                             >  a node moved
    """
    from headrace.cli.explain import collected_plans, print_node, print_plans
    from headrace.plan.history import recorded

    if module is None and not program:
        raise click.UsageError("Name a script to explain, or a module with -m.")
    with ExitStack() as stack:
        plans = stack.enter_context(collected_plans())
        histories = stack.enter_context(recorded()) if passes or node is not None else None
        try:
            _run_program(module, program)
        finally:
            wanted = plans[-1:] if which == "last" else plans
            if node is None or histories is None:
                print_plans(wanted, histories, regions)
            else:
                print_node(node, wanted, histories)


@headrace.command()
@click.argument("types", nargs=-1, required=True, metavar="TYPE…")
def op(types: tuple[str, ...]) -> None:
    """Tell what is declared of ops.

    TYPE is TensorFlow's name of an op, such as MatMul or ApplyAdam: its signature, the file and line that declare it, its
    rules of shapes and gradients, examples, what the planner makes of it, and the names of tf.* that lead to it.
    """
    from headrace.cli.op_card import UnknownOp, op_card

    for number, op_type in enumerate(types):
        try:
            click.echo("\n" * (number > 0) + op_card(op_type))
        except UnknownOp as error:
            raise click.ClickException(str(error)) from None


_with_target = click.option(
    "--python", "python", metavar="PATH", help="The environment of this Python, or a site-packages folder."
)


@headrace.group()
def shim() -> None:
    """Install a `tensorflow` package that is Headrace in an environment.

    With it, plain `python train.py`, pytest and notebooks run TensorFlow 1.x programs.
    """


def _installation(python: str | None) -> Installation:
    from headrace.shim.installed import ShimError, installation_of

    try:
        return installation_of(python)
    except ShimError as error:
        raise click.ClickException(str(error)) from None


@shim.command()
@_with_target
def install(python: str | None) -> None:
    """Install the package; a real TensorFlow there is never overwritten."""
    from headrace.shim.installed import ShimError

    installation = _installation(python)
    try:
        installation.install()
    except ShimError as error:
        raise click.ClickException(str(error)) from None
    click.echo(f"Installed in {installation.site}. `headrace shim remove` takes it out again.")


@shim.command()
@_with_target
def remove(python: str | None) -> None:
    """Remove the package, and nothing else."""
    from headrace.shim.installed import ShimError

    installation = _installation(python)
    try:
        removed = installation.remove()
    except ShimError as error:
        raise click.ClickException(str(error)) from None
    click.echo(f"Removed from {installation.site}." if removed else f"There is none in {installation.site}.")


@shim.command()
@_with_target
def status(python: str | None) -> None:
    """Say which tensorflow, if any, an environment has."""
    installation = _installation(python)
    click.echo(f"{installation.site}: {installation.describe()}")


@headrace.command()
@click.argument("checkpoint", required=False)
@click.option("--file_name", default="", help="The checkpoint, where it is not the argument: its path without endings.")
@click.option("--tensor_name", default="", help="Print the value of this tensor.")
@click.option("--all_tensors", is_flag=False, flag_value=True, default=False, type=bool, help="Print all values.")
@click.option("--all_tensor_names", is_flag=False, flag_value=True, default=False, type=bool, help="Print all names.")
@click.option("--count_exclude_pattern", default="", help="Names to leave out when parameters are counted.")
@click.option("--printoptions", multiple=True, metavar="K=V", help="An option of NumPy's printing; may be repeated.")
def inspect(
    checkpoint: str | None,
    file_name: str,
    tensor_name: str,
    all_tensors: bool,
    all_tensor_names: bool,
    count_exclude_pattern: str,
    printoptions: tuple[str, ...],
) -> None:
    """List the tensors in a checkpoint with their types and shapes, or print their values.

    CHECKPOINT is its path without endings, or a folder, whose latest one is meant.
    """
    from argparse import ArgumentTypeError

    from headrace.checkpoints.checkpoint_state import checkpoint_exists, latest_checkpoint
    from headrace.checkpoints.inspect_checkpoint import parse_numpy_printoption, print_tensors_in_checkpoint_file
    from headrace.files import file_io

    path = checkpoint or file_name
    if not path:
        raise click.UsageError("Name a checkpoint.")
    if file_io.is_directory(path):
        latest = latest_checkpoint(path)
        if latest is None:
            raise click.ClickException(f"There is no checkpoint in the folder {path}.")
        click.echo(f"The latest checkpoint of {path} is {latest}.", err=True)
        path = latest
    elif not checkpoint_exists(path) and not file_io.file_exists(path):
        raise click.ClickException(f"There is no checkpoint {path}: neither {path}.index nor a file of that name.")
    try:
        for option in printoptions:
            parse_numpy_printoption(option)
    except (ArgumentTypeError, ValueError) as error:
        raise click.BadParameter(str(error), param_hint="--printoptions") from None
    print_tensors_in_checkpoint_file(path, tensor_name, all_tensors, all_tensor_names, count_exclude_pattern)


@headrace.command()
def version() -> None:
    """Print the versions of Headrace, of the TensorFlow it stands for, and of what it runs on."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed_version

    import headrace as package
    from headrace.core.version import VERSION

    click.echo(f"headrace {package.__headrace_version__} (TensorFlow {VERSION})")
    click.echo(f"python {sys.version.split()[0]}")
    for name in ("torch", "numpy"):
        try:
            click.echo(f"{name} {installed_version(name)}")
        except PackageNotFoundError:
            click.echo(f"{name} is not installed")


for _command in (*GRAPH_COMMANDS, serve, doctor, launch):
    headrace.add_command(_command)


def run_tool(command: str, tool: str) -> None:
    """Runs one of TensorFlow's tools, with the arguments of this process.

    Args:
        command: the command that it is here.
        tool: its module in TensorFlow, by which its help calls it.
    """
    headrace.commands[command].main(prog_name=f"python -m {tool}")

"""The commands of `headrace` about graphs in files, with the options of TensorFlow's tools."""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from headrace.messages import protos


_FLAG: dict[str, Any] = {"is_flag": False, "flag_value": True, "default": False, "type": bool}


# All that a terminal does not show as a character, but tabs and the ends of lines.
_COMMANDS_OF_TERMINALS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def _shown(text: object) -> str:
    """Text out of a file, in which what a terminal would take for commands is written out."""
    return _COMMANDS_OF_TERMINALS.sub(lambda match: f"\\x{ord(match[0]):02x}", str(text))


def _reported(function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
    """Calls a tool; what it says of bad input is printed without a traceback."""
    from headrace.core.errors import OpError

    try:
        return function(*arguments, **keywords)
    except (OSError, ValueError, TypeError, LookupError, RuntimeError, AssertionError, MemoryError, OpError) as error:
        message = error.message if isinstance(error, OpError) else error
        raise click.ClickException(_shown(message)) from None


def _in_file(function: Callable[..., Any], path: str) -> Callable[..., Any]:
    """A tool whose complaints name the file of the graph, where there is one."""

    def run(*arguments: Any, **keywords: Any) -> protos.GraphDef | None:
        from headrace.messages.file_faults import faults_in

        with faults_in(path) if path else contextlib.nullcontext():
            return function(*arguments, **keywords)

    return run


@click.command(no_args_is_help=True)
@click.option("--input_graph", default="", help="The file of a GraphDef.")
@click.option("--input_saver", default="", help="The file of a SaverDef.")
@click.option("--input_checkpoint", default="", help="The path of a checkpoint.")
@click.option("--checkpoint_version", default=2, help="1 or 2; which one a checkpoint has is found out.")
@click.option("--output_graph", default="", help="The file to write.")
@click.option("--input_binary", **_FLAG, help="Whether the input files are binary.")
@click.option("--output_node_names", default="", help="The nodes to keep, divided by commas.")
@click.option("--restore_op_name", default="save/restore_all", help="Not needed; accepted for older scripts.")
@click.option("--filename_tensor_name", default="save/Const:0", help="Not needed; accepted for older scripts.")
@click.option("--clear_devices", **{**_FLAG, "default": True}, help="Forget where nodes are placed (default).")
@click.option("--initializer_nodes", default="", help="Nodes to run before, divided by commas.")
@click.option("--variable_names_whitelist", default="", help="The only variables to convert, divided by commas.")
@click.option("--variable_names_blacklist", default="", help="Variables not to convert, divided by commas.")
@click.option("--input_meta_graph", default="", help="The file of a MetaGraphDef.")
@click.option("--input_saved_model_dir", default="", help="The folder of a SavedModel.")
@click.option("--saved_model_tags", default="serve", help="The tags of its graph, divided by commas.")
def freeze(**options: Any) -> None:
    """Make the variables of a graph constants."""
    from headrace.graph_tools.freezing import freeze_graph

    graph_def = _reported(_in_file(freeze_graph, options["input_graph"]), **options)
    click.echo(f"{len(graph_def.node)} ops in the final graph.", err=True)


def _types(names: str) -> Any:
    from headrace.core.dtypes import as_dtype

    types = [int(name) if name.isdigit() else as_dtype(name).as_datatype_enum for name in names.split(",")]
    return types[0] if len(types) == 1 else types


@click.command()
@click.option("--input_graph", required=True, help="The file of a GraphDef.")
@click.option("--output_graph", required=True, help="The file to write.")
@click.option("--input_binary", **_FLAG, help="Whether the input is binary.")
@click.option("--output_binary", **{**_FLAG, "default": True}, help="Whether the output is to be binary (default).")
@click.option("--input_node_names", required=True, help="The nodes that become placeholders, divided by commas.")
@click.option("--output_node_names", required=True, help="The nodes to keep, divided by commas.")
@click.option("--placeholder_type_enum", default="float32", help="The type of the placeholders, or one for each.")
def strip(placeholder_type_enum: str, **options: Any) -> None:
    """Take what some outputs do not need out of a graph."""
    from headrace.graph_tools.stripping import strip_unused_from_files

    if _reported(
        _in_file(strip_unused_from_files, options["input_graph"]),
        placeholder_type_enum=_types(placeholder_type_enum),
        **options,
    ):
        sys.exit(1)


@click.command()
@click.option("--input", "input_graph", required=True, help="The file of a frozen GraphDef.")
@click.option("--output", "output_graph", required=True, help="The file to write.")
@click.option("--input_names", required=True, help="The nodes that are fed, divided by commas.")
@click.option("--output_names", required=True, help="The nodes that are fetched, divided by commas.")
@click.option("--frozen_graph", **{**_FLAG, "default": True}, help="Whether the files are binary (default).")
@click.option("--placeholder_type_enum", default="float32", help="The type of what is fed, or one for each.")
@click.option("--toco_compatible", **_FLAG, help="Accepted: what is written is so in any case.")
def optimize(
    input_graph: str,
    output_graph: str,
    input_names: str,
    output_names: str,
    frozen_graph: bool,
    placeholder_type_enum: str,
    toco_compatible: bool,
) -> None:
    """Make a frozen graph smaller: no training nodes, batch normalization folded into convolutions."""
    from headrace.graph_tools.optimizing import optimize_for_inference
    from headrace.messages import protos
    from headrace.messages.graph_files import read_message, write_message

    graph_def = _reported(read_message, input_graph, protos.GraphDef(), not frozen_graph)
    types = _types(placeholder_type_enum)
    names = input_names.split(","), output_names.split(",")
    made = _reported(_in_file(optimize_for_inference, input_graph), graph_def, *names, types, toco_compatible)
    _reported(write_message, output_graph, made, not frozen_graph)
    click.echo(f"{len(made.node)} ops in the final graph.", err=True)


@click.group("saved-model")
def saved_model() -> None:
    """Look into SavedModels, and run them."""


@saved_model.command()
@click.option("--dir", "directory", required=True, help="The folder of the SavedModel.")
@click.option("--all", "everything", is_flag=True, help="Print everything.")
@click.option("--tag_set", help="Print the signatures of the graph with these tags, divided by commas.")
@click.option("--signature_def", help="Print the inputs and outputs of this signature.")
def show(directory: str, everything: bool, tag_set: str | None, signature_def: str | None) -> None:
    """Print what a SavedModel takes and gives."""
    from headrace.graph_tools.saved_models import described

    for line in _reported(lambda: list(described(directory, tag_set, signature_def, everything))):
        click.echo(_shown(line))


@saved_model.command()
@click.option("--dir", "directory", required=True, help="The folder of the SavedModel.")
@click.option("--tag_set", help="Look at the graph with these tags only, divided by commas.")
def scan(directory: str, tag_set: str | None) -> None:
    """Say which ops of a SavedModel read or write files, or print."""
    from headrace.graph_tools.saved_models import scanned

    for line in _reported(lambda: list(scanned(directory, tag_set))):
        click.echo(_shown(line))


@saved_model.command("run")
@click.option("--dir", "directory", required=True, help="The folder of the SavedModel.")
@click.option("--tag_set", required=True, help="The tags of the graph, divided by commas.")
@click.option("--signature_def", required=True, help="The signature.")
@click.option("--inputs", help="Inputs from files: 'key=file.npy;key=file.npz[name]'.")
@click.option("--input_exprs", help="Inputs by expressions of literals and NumPy: 'key=np.ones((2, 3))'.")
@click.option("--input_examples", help="Examples: 'key=[{\"feature\": [1.0]}]'.")
@click.option("--outdir", help="The folder to write the outputs to, as KEY.npy.")
@click.option("--overwrite", is_flag=True, help="Write over files that are there.")
@click.option("--tf_debug", is_flag=True, help="Run it in the debugger's command line.")
@click.option("--worker", help="A remote worker, of which there are none here.")
@click.option("--init_tpu", is_flag=True, help="Set up a TPU, of which there are none here.")
def run_saved_model_command(
    directory: str,
    tag_set: str,
    signature_def: str,
    inputs: str | None,
    input_exprs: str | None,
    input_examples: str | None,
    outdir: str | None,
    overwrite: bool,
    tf_debug: bool,
    worker: str | None,
    init_tpu: bool,
) -> None:
    """Print the outputs of a SavedModel for some inputs."""
    from headrace.graph_tools.saved_models import load_inputs_from_input_arg_string, run_saved_model, save_output

    if not (inputs or input_exprs or input_examples):
        raise click.UsageError("At least one of --inputs, --input_exprs or --input_examples must be given.")
    if worker or init_tpu:
        raise click.UsageError("--worker and --init_tpu: models are run in this process, without TPUs.")
    fed = _reported(load_inputs_from_input_arg_string, inputs or "", input_exprs or "", input_examples or "")
    wrapped = {}
    if tf_debug:
        from headrace.debug.local_cli import LocalCLIDebugWrapperSession

        wrapped = {"wrapped": LocalCLIDebugWrapperSession}
    outputs = _reported(run_saved_model, directory, tag_set, signature_def, fed, **wrapped)
    for key, value in outputs.items():
        click.echo(f"Result for output key {_shown(key)}:\n{_shown(value)}")
        if outdir:
            path = _reported(save_output, key, value, outdir, overwrite)
            click.echo(f"Output {_shown(key)} is saved to {_shown(path)}")


@click.command()
@click.argument("source")
@click.option("--to", "to", type=click.Choice(["torch", "safetensors", "onnx"]), default="torch", help="What to write.")
@click.option("-o", "--output", required=True, help="The file to write.")
@click.option("--inputs", default="", help="The tensors that are fed, divided by commas; placeholders by default.")
@click.option("--outputs", default="", help="The tensors that are fetched, divided by commas.")
@click.option("--tag_set", default="serve", help="The tags of a SavedModel's graph, divided by commas.")
@click.option("--signature_def", default="serving_default", help="The signature of a SavedModel.")
def convert(source: str, to: str, output: str, inputs: str, outputs: str, tag_set: str, signature_def: str) -> None:
    """Write a model as a file for PyTorch or ONNX.

    SOURCE is the folder of a SavedModel, a frozen graph (.pb, .pbtxt), a checkpoint's .meta file, or a checkpoint, of
    which only the weights are written.
    """
    from headrace.graph_tools.freezing import listed
    from headrace.torch.conversion import convert as convert_model

    written = _reported(
        convert_model,
        source,
        output,
        to,
        inputs=listed(inputs),
        outputs=listed(outputs),
        tags=listed(tag_set),
        signature=signature_def,
    )
    click.echo(_shown(f"Wrote {output}: {written}"))


@click.command("import-pb", no_args_is_help=True)
@click.option("--model_dir", required=True, help="The file of a frozen GraphDef, or the folder of a SavedModel.")
@click.option("--log_dir", required=True, help="The folder that TensorBoard will read.")
def import_pb(model_dir: str, log_dir: str) -> None:
    """Write a graph for TensorBoard to show."""
    from headrace.graph_tools.drawing import import_to_tensorboard

    _reported(import_to_tensorboard, model_dir, log_dir)


@click.command(no_args_is_help=True)
@click.option("--in_graph", required=True, help="The file of a frozen GraphDef.")
@click.option("--out_graph", required=True, help="The file to write.")
@click.option("--inputs", default="", help="The nodes that are fed, divided by commas.")
@click.option("--outputs", required=True, help="The nodes that are fetched, divided by commas.")
@click.option("--transforms", required=True, help="Names of transforms, with their parameters in parentheses.")
@click.option("--output_as_text", **_FLAG, help="Whether the output is to be text.")
def transform(in_graph: str, out_graph: str, inputs: str, outputs: str, transforms: str, output_as_text: bool) -> None:
    """Apply graph transforms, such as 'strip_unused_nodes fold_constants(ignore_errors=true) fold_batch_norms'."""
    from headrace.graph_tools.freezing import listed
    from headrace.graph_tools.transforms import TransformGraph
    from headrace.messages import protos
    from headrace.messages.graph_files import read_message, write_message

    graph_def = _reported(read_message, in_graph, protos.GraphDef())
    made = _reported(_in_file(TransformGraph, in_graph), graph_def, listed(inputs), listed(outputs), [transforms])
    _reported(write_message, out_graph, made, output_as_text)
    click.echo(f"{len(graph_def.node)} nodes became {len(made.node)} in {out_graph}.", err=True)


COMMANDS = (freeze, strip, optimize, saved_model, convert, import_pb, transform)

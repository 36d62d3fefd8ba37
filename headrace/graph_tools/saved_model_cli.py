"""`saved_model_cli` for programs: its parser of arguments and the functions that its commands call."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, MutableMapping
from typing import Any

from headrace.core import slots
from headrace.graph_tools.saved_models import (
    described,
    get_meta_graph_def,
    load_inputs_from_input_arg_string,
    run_saved_model,
    save_output,
    scanned,
    scanned_graph,
)
from headrace.messages import protos


def get_signature_def_map(saved_model_dir: str, tag_set: str) -> MutableMapping[str, protos.SignatureDef]:
    """The signatures of the graph with these tags, divided by commas; RuntimeError if there is none."""
    return get_meta_graph_def(saved_model_dir, tag_set).signature_def


def scan_meta_graph_def(meta_graph_def: protos.MetaGraphDef) -> None:
    """Prints which ops of a graph read or write files, or print."""
    print(scanned_graph(meta_graph_def))


def run_saved_model_with_feed_dict(
    saved_model_dir: str,
    tag_set: str,
    signature_def_key: str,
    input_tensor_key_feed_dict: Mapping[str, Any],
    outdir: str | None,
    overwrite_flag: bool,
    worker: str | None = None,
    init_tpu: bool = False,
    tf_debug: bool = False,
) -> None:
    """Prints the outputs of a signature for some inputs.

    Args:
        saved_model_dir: the folder.
        tag_set: the tags of the graph, divided by commas.
        signature_def_key: the signature.
        input_tensor_key_feed_dict: the values by key.
        outdir: the folder to write the outputs to, as KEY.npy; None for none.
        overwrite_flag: whether to write over files that are there.
        worker: the target of the session.
        init_tpu: False: there are no TPUs.
        tf_debug: whether to run it in the debugger's command line.

    Raises:
        ValueError: for inputs that it lacks, or that are missing.
        RuntimeError: if a file is there and not to be written over.
        NotImplementedError: for `init_tpu`.
    """
    if init_tpu:
        raise NotImplementedError("saved_model_cli with init_tpu: Headrace runs models on CPUs and GPUs; leave it out.")
    wrapped = {"wrapped": slots.debugging_session} if tf_debug else {}
    outputs = run_saved_model(
        saved_model_dir, tag_set, signature_def_key, input_tensor_key_feed_dict, target=worker or "", **wrapped
    )
    for key, value in outputs.items():
        print(f"Result for output key {key}:\n{value}")
        if outdir:
            print(f"Output {key} is saved to {save_output(key, value, outdir, overwrite_flag)}")


def show(args: argparse.Namespace) -> None:
    """Prints what a SavedModel takes and gives: the command `show`."""
    for line in described(args.dir, args.tag_set, args.signature_def, args.all):
        print(line)


def run(args: argparse.Namespace) -> None:
    """Prints the outputs of a SavedModel for some inputs: the command `run`.

    Raises:
        AttributeError: if no inputs are given.
    """
    if not args.inputs and not args.input_exprs and not args.input_examples:
        raise AttributeError("At least one of --inputs, --input_exprs or --input_examples must be required")
    run_saved_model_with_feed_dict(
        args.dir,
        args.tag_set,
        args.signature_def,
        load_inputs_from_input_arg_string(args.inputs, args.input_exprs, args.input_examples),
        args.outdir,
        args.overwrite,
        worker=args.worker,
        init_tpu=args.init_tpu,
        tf_debug=args.tf_debug,
    )


def scan(args: argparse.Namespace) -> None:
    """Prints which ops of a SavedModel read or write files, or print: the command `scan`."""
    for line in scanned(args.dir, args.tag_set):
        print(line)


def convert_with_tensorrt(args: argparse.Namespace) -> None:
    """The command `convert tensorrt`.

    Raises:
        NotImplementedError: always.
    """
    raise NotImplementedError(
        f"saved_model_cli convert tensorrt: Headrace has no TensorRT; {args.dir} runs as it is, and `headrace convert` "
        "makes a PyTorch or ONNX model of it."
    )


def create_parser() -> argparse.ArgumentParser:
    """The parser of the tool's arguments; what it parses has the function of the command as `func`.

    Example:
        >>> args = create_parser().parse_args(["show", "--dir", "model"])
        >>> args.dir, args.func.__name__
        ('model', 'show')
    """
    parser = argparse.ArgumentParser(description="Look into SavedModels, and run them.")
    parser.add_argument("-v", "--version", action="version", version="0.1.0")
    commands = parser.add_subparsers(title="commands")
    folder = argparse.ArgumentParser(add_help=False)
    folder.add_argument("--dir", required=True, help="the folder of the SavedModel")

    shown = commands.add_parser("show", parents=[folder], description="Print what a SavedModel takes and gives.")
    shown.add_argument("--all", action="store_true", help="print everything")
    shown.add_argument("--tag_set", help="the tags of the graph to show, divided by commas")
    shown.add_argument("--signature_def", metavar="SIGNATURE_DEF_KEY", help="the signature to show")
    shown.set_defaults(func=show)

    ran = commands.add_parser("run", parents=[folder], description="Print the outputs of a SavedModel for some inputs.")
    ran.add_argument("--tag_set", required=True, help="the tags of the graph, divided by commas")
    ran.add_argument("--signature_def", required=True, metavar="SIGNATURE_DEF_KEY", help="the signature to run")
    ran.add_argument("--inputs", default="", help="inputs from files: 'key=file.npy;key=file.npz[name]'")
    ran.add_argument("--input_exprs", default="", help="inputs by expressions of literals and NumPy: 'key=np.ones(2)'")
    ran.add_argument("--input_examples", default="", help="Examples: 'key=[{\"feature\": [1.0]}]'")
    ran.add_argument("--outdir", help="the folder to write the outputs to, as KEY.npy")
    ran.add_argument("--overwrite", action="store_true", help="write over files that are there")
    ran.add_argument("--tf_debug", action="store_true", help="run it in the debugger's command line")
    ran.add_argument("--worker", help="the target of the session")
    ran.add_argument("--init_tpu", action="store_true", default=None, help="set up a TPU, of which there are none")
    ran.set_defaults(func=run)

    looked_at = commands.add_parser(
        "scan", parents=[folder], description="Print which ops read or write files, or print."
    )
    looked_at.add_argument("--tag_set", help="the tags of the graph to look at, divided by commas")
    looked_at.set_defaults(func=scan)

    converted = commands.add_parser("convert", parents=[folder], description="Convert a SavedModel.")
    converted.add_argument("--output_dir", required=True, help="the folder to write to")
    converted.add_argument("--tag_set", required=True, help="the tags of the graph, divided by commas")
    methods = converted.add_subparsers(title="conversion methods")
    by_tensorrt = methods.add_parser("tensorrt", description="Convert it for TensorRT, which is not here.")
    by_tensorrt.add_argument("--max_batch_size", type=int, default=1, help="the largest batch")
    by_tensorrt.add_argument("--max_workspace_size_bytes", type=int, default=2 << 20, help="memory while it runs")
    by_tensorrt.add_argument("--precision_mode", default="FP32", help="FP32, FP16 or INT8")
    by_tensorrt.add_argument("--minimum_segment_size", type=int, default=3, help="the fewest nodes to replace")
    by_tensorrt.add_argument("--is_dynamic_op", type=bool, default=False, help="whether to build networks when it runs")
    by_tensorrt.set_defaults(func=convert_with_tensorrt)
    return parser


def main() -> None:
    """Runs the tool with the arguments of the process."""
    parser = create_parser()
    args = parser.parse_args()
    if not hasattr(args, "func"):
        parser.error("too few arguments")
    args.func(args)

"""What is in a SavedModel, shown and run from the command line."""

from __future__ import annotations

import ast
import os
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from headrace.core.graph import Graph
from headrace.files.gfile import GFile
from headrace.interop.meta_graph import ops_used
from headrace.messages import protos
from headrace.runtime.session import Session
from headrace.saved_model.loading import load, meta_graph_of_tags, parse_saved_model


def read_saved_model(saved_model_dir: str) -> Any:
    """The `SavedModel` message in a folder; OSError if there is none."""
    return parse_saved_model(saved_model_dir)


def get_saved_model_tag_sets(saved_model_dir: str) -> list[list[str]]:
    """The tags of each graph."""
    return [list(meta_graph.meta_info_def.tags) for meta_graph in parse_saved_model(saved_model_dir).meta_graphs]


def get_meta_graph_def(saved_model_dir: str, tag_set: str) -> protos.MetaGraphDef:
    """The MetaGraphDef with these tags, divided by commas; RuntimeError if there is none."""
    return meta_graph_of_tags(parse_saved_model(saved_model_dir), tag_set.split(","))


def _tensor_lines(kind: str, key: str, info: protos.TensorInfo, indent: str) -> Iterator[str]:
    yield f"{indent}  {kind}['{key}'] tensor_info:"
    dtype = (
        protos.types_pb2.DataType.Name(info.dtype) if info.dtype in protos.types_pb2.DataType.values() else info.dtype
    )
    yield f"{indent}      dtype: {dtype}"
    if info.tensor_shape.unknown_rank:
        shape = "unknown_rank"
    else:
        sizes = [str(dim.size) for dim in info.tensor_shape.dim]
        shape = f"({', '.join(sizes)})"
    yield f"{indent}      shape: {shape}"
    yield f"{indent}      name: {info.name or info.coo_sparse.values_tensor_name}"


def signature_lines(signature: protos.SignatureDef, indent: str = "") -> Iterator[str]:
    """A signature in the lines that `saved_model_cli` prints."""
    for kind, infos in (("input", signature.inputs), ("output", signature.outputs)):
        yield f"{indent}The given SavedModel SignatureDef contains the following {kind}(s):"
        for key, info in sorted(infos.items()):
            yield from _tensor_lines(f"{kind}s", key, info, indent)
    yield f"{indent}Method name is: {signature.method_name}"


def described(
    saved_model_dir: str, tag_set: str | None = None, signature_def: str | None = None, everything: bool = False
) -> Iterator[str]:
    """What is in a SavedModel, in the lines that `saved_model_cli show` prints.

    Args:
        saved_model_dir: the folder.
        tag_set: the graph whose signatures are shown.
        signature_def: the signature whose tensors are shown.
        everything: tell all.

    Raises:
        OSError, RuntimeError: if there is no SavedModel, no such graph; ValueError: no such signature.
    """
    if everything:
        for tags in sorted(get_saved_model_tag_sets(saved_model_dir)):
            joined = ",".join(sorted(tags))
            yield f"\nMetaGraphDef with tag-set: '{', '.join(tags)}' contains the following SignatureDefs:"
            found = meta_graph_of_tags(parse_saved_model(saved_model_dir), joined.split(",")).signature_def
            for key in sorted(found):
                yield f"\nsignature_def['{key}']:"
                yield from signature_lines(found[key], "  ")
        return
    if tag_set is None:
        yield "The given SavedModel contains the following tag-sets:"
        for tags in sorted(get_saved_model_tag_sets(saved_model_dir)):
            yield ", ".join(sorted(tags))
        return
    signatures = get_meta_graph_def(saved_model_dir, tag_set).signature_def
    if signature_def is None:
        yield "The given SavedModel MetaGraphDef contains SignatureDefs with the following keys:"
        for key in sorted(signatures):
            yield f'SignatureDef key: "{key}"'
        return
    yield from signature_lines(_signature(signatures, signature_def))


def _signature(signatures: Any, key: str) -> protos.SignatureDef:
    if key not in signatures:
        raise ValueError(f'Could not find signature "{key}". Please choose from: {", ".join(sorted(signatures))}')
    return signatures[key]


# What reaches beyond the graph when it is run.
_SUSPECT = frozenset(("WriteFile", "ReadFile", "PrintV2"))


def scanned(saved_model_dir: str, tag_set: str | None = None) -> Iterator[str]:
    """Which ops that read, write or print there are, in the lines that `saved_model_cli scan` prints.

    Args:
        saved_model_dir: the folder.
        tag_set: the graph to look at, by its tags divided by commas; all by default.

    Raises:
        OSError, RuntimeError: if there is no SavedModel, no such graph.
    """
    message = parse_saved_model(saved_model_dir)
    graphs = [meta_graph_of_tags(message, tag_set.split(","))] if tag_set else list(message.meta_graphs)
    for meta_graph in graphs:
        yield scanned_graph(meta_graph)


def scanned_graph(meta_graph: protos.MetaGraphDef) -> str:
    """The line of `scanned` on one graph."""
    tags = list(meta_graph.meta_info_def.tags)
    found = ops_used(meta_graph) & _SUSPECT
    if found:
        return f"MetaGraph with tag set {tags} contains the following blacklisted ops: {found}"
    return f"MetaGraph with tag set {tags} does not contain blacklisted ops."


# ---- inputs ----


def preprocess_inputs_arg_string(inputs_str: str) -> dict[str, tuple[str, str | None]]:
    """The files that `--inputs` names.

    Args:
        inputs_str: "key=file.npy;other=file.npz[name]".

    Returns:
        by key the path, and the name of the array in it or None.

    Raises:
        RuntimeError: for text of another form.

    Example:
        >>> preprocess_inputs_arg_string("x=a.npy;y=b.npz[w]")
        {'x': ('a.npy', None), 'y': ('b.npz', 'w')}
    """
    found: dict[str, tuple[str, str | None]] = {}
    for part in filter(None, inputs_str.split(";")):
        match = re.fullmatch(r"([^=]+)=([^\[\]]+)(?:\[([^\[\]]+)\])?", part)
        if match is None:
            raise RuntimeError(
                f'--inputs "{part}" format is incorrect. Please follow "<input_key>=<filename>", or '
                '"<input_key>=<filename>[<variable_name>]"'
            )
        found[match[1]] = match[2], match[3]
    return found


def _keyed(text: str, option: str) -> Iterator[tuple[str, str]]:
    for part in filter(None, text.split(";")):
        key, equals, value = part.partition("=")
        if not equals or not key.strip():
            raise RuntimeError(
                f'--{option} "{text}" format is incorrect. Please follow "<input_key>=<python expression>"'
            )
        yield key, value.strip()


def preprocess_input_exprs_arg_string(input_exprs_str: str) -> dict[str, Any]:
    """The values that `--input_exprs` describes.

    Args:
        input_exprs_str: "key=expression": numbers, strings and lists, and calls of NumPy's functions as
            `np.ones((2, 3))`. Unlike in 1.x nothing else is evaluated.

    Raises:
        RuntimeError, SyntaxError: for text of another form; ValueError: for another expression;
        AttributeError: for what NumPy does not have.
    """
    return {key: _evaluated(value) for key, value in _keyed(input_exprs_str, "input_exprs")}


def preprocess_input_examples_arg_string(input_examples_str: str) -> dict[str, list[bytes]]:
    """The serialized Examples that `--input_examples` describes.

    Args:
        input_examples_str: "key=[{'feature': [values]}]".

    Raises:
        RuntimeError: for text of another form; ValueError: for other values.
    """
    return {key: _examples(key, value) for key, value in _keyed(input_examples_str, "input_examples")}


def load_inputs_from_input_arg_string(inputs_str: str, input_exprs_str: str, input_examples_str: str) -> dict[str, Any]:
    """The values that the options of `saved_model_cli run` describe, of which a later one goes before an earlier.

    Args:
        inputs_str, input_exprs_str, input_examples_str: as of the three functions above. Pickled files are not read.

    Raises:
        RuntimeError: for text of another form, and names that a file does not hold; ValueError: for other values.
    """
    found: dict[str, Any] = {}
    for key, (path, name) in preprocess_inputs_arg_string(inputs_str).items():
        found[key] = _from_file(path, name, key)
    options: dict[str, Mapping[str, Any]] = {
        "input_exprs": preprocess_input_exprs_arg_string(input_exprs_str),
        "input_examples": preprocess_input_examples_arg_string(input_examples_str),
    }
    for option, values in options.items():
        for key, value in values.items():
            if key in found:
                warnings.warn(f"The value of input {key} in --{option} is used; it was given before.", stacklevel=2)
            found[key] = value
    return found


def _examples(key: str, text: str) -> list[bytes]:
    try:
        items = ast.literal_eval(text)
    except (ValueError, TypeError, SyntaxError):
        raise ValueError(f"--input_examples {key}={text}: not a list of literals") from None
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise ValueError(
            f'tf.Example input must be a list of dictionaries, but "{items}" is {type(items)}, the value of {key}'
        )
    return [_example(item) for item in items]


def _from_file(path: str, name: str | None, key: str) -> np.ndarray:
    with GFile(path, "rb") as file:
        return _loaded(file, path, name, key)


def _loaded(file: Any, path: str, name: str | None, key: str) -> np.ndarray:
    try:
        data = np.load(file, allow_pickle=False)
    except ValueError:
        raise ValueError(
            f"{path} is no .npy or .npz file of numbers; pickles are not read, for reading one can run anything: use np.save"
        ) from None
    if isinstance(data, np.ndarray):
        if name is not None:
            warnings.warn(f'Input file {path} contains a single ndarray. Name key "{name}" ignored.', stacklevel=4)
        return data
    with data:
        if name is None and len(data.files) != 1:
            raise RuntimeError(
                f"Input file {path} contains more than one ndarrays. Please specify the name of ndarray to use: "
                f"{key}={path}[NAME], where it holds {', '.join(data.files)}"
            )
        if name is not None and name not in data.files:
            raise RuntimeError(f'Input file {path} does not contain variable with name "{name}", but {data.files}')
        return data[data.files[0] if name is None else name]


def _evaluated(text: str) -> np.ndarray | list[int]:
    """The value of an expression of literals and calls of NumPy's functions; nothing else is evaluated."""
    try:
        parsed = ast.parse(text, mode="eval")
    except SyntaxError:
        raise SyntaxError(f"{text!r} is no expression") from None
    return _value(parsed.body, text)


def _value(node: ast.AST, text: str) -> Any:
    if isinstance(node, ast.Call) and not any(keyword.arg is None for keyword in node.keywords):
        function = _value(node.func, text)
        keywords = {str(keyword.arg): _value(keyword.value, text) for keyword in node.keywords}
        return function(*[_value(argument, text) for argument in node.args], **keywords)
    if isinstance(node, ast.Attribute) and not node.attr.startswith("_"):
        owner = node.value
        if isinstance(owner, ast.Name) and owner.id in ("np", "numpy"):
            if node.attr in _NUMPY or not hasattr(np, node.attr):
                return getattr(np, node.attr)
        elif (
            isinstance(owner, ast.Attribute)
            and node.attr in _RANDOM
            and ast.unparse(owner) in ("np.random", "numpy.random")
        ):
            return getattr(np.random, node.attr)
    if isinstance(node, (ast.List, ast.Tuple)):
        items = [_value(item, text) for item in node.elts]
        return items if isinstance(node, ast.List) else tuple(items)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_value(node.left, text), _value(node.right, text))
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError):
        raise ValueError(
            f"{text!r} is not evaluated: only numbers, strings, lists, arithmetic and NumPy's array functions are."
        ) from None


_OPERATORS = {ast.Add: np.add, ast.Sub: np.subtract, ast.Mult: np.multiply, ast.Div: np.true_divide, ast.Pow: np.power}
_RANDOM = frozenset(("rand", "randn", "randint", "uniform", "normal", "random", "random_sample"))
_NUMPY = frozenset((
    "abs", "arange", "array", "asarray", "bool_", "concatenate", "cos", "e", "exp", "expand_dims", "eye", "float16",
    "float32", "float64", "full", "identity", "inf", "int16", "int32", "int64", "int8", "linspace", "nan", "newaxis",
    "ones", "pi", "repeat", "reshape", "sin", "sqrt", "squeeze", "stack", "tile", "transpose", "uint16", "uint32",
    "uint64", "uint8", "zeros",
))  # fmt: skip


def _example(features: Mapping[str, Any]) -> bytes:
    example = protos.Example()
    for key, values in features.items():
        if not isinstance(values, list):
            raise ValueError(f'feature value must be a list, but {key}: "{values}" is {type(values)}')
        feature = example.features.feature[key]
        if all(isinstance(value, (str, bytes)) for value in values):
            feature.bytes_list.value.extend(v.encode() if isinstance(v, str) else v for v in values)
        elif all(isinstance(value, int) for value in values):
            feature.int64_list.value.extend(values)
        elif all(isinstance(value, (int, float)) for value in values):
            feature.float_list.value.extend(values)
        else:
            odd = next(
                value for value in values if not isinstance(value, (int, float)) or type(value) is not type(values[0])
            )
            raise ValueError(
                f"Type {type(odd)} for value {odd} is not supported for tf.train.Feature {key!r}: it holds numbers or texts."
            )
    return example.SerializeToString()


def run_saved_model(
    saved_model_dir: str,
    tag_set: str,
    signature_def: str,
    inputs: Mapping[str, Any],
    wrapped: Callable[[Any], Any] = lambda session: session,
    target: str = "",
) -> dict[str, Any]:
    """The outputs of a signature for some inputs.

    Args:
        saved_model_dir: the folder.
        tag_set: the tags of the graph, divided by commas.
        signature_def: the signature.
        inputs: the values by key.
        wrapped: makes of the session the one that runs, such as a debugger's.
        target: the target of the session: that of a server, or '' for this process.

    Raises:
        ValueError: for inputs that it lacks, or that are missing.
    """
    signature = _signature(get_meta_graph_def(saved_model_dir, tag_set).signature_def, signature_def)
    for key in inputs:
        if key not in signature.inputs:
            raise ValueError(
                f'"{key}" is not a valid input key. Please choose from {", ".join(sorted(signature.inputs))}, or use '
                "--show option."
            )
    with Graph().as_default() as graph, Session(target, graph=graph) as session:
        load(session, tag_set.split(","), saved_model_dir)
        fetches = {key: info.name for key, info in signature.outputs.items()}
        values = wrapped(session).run(fetches, {signature.inputs[key].name: value for key, value in inputs.items()})
    return {key: values[key] for key in sorted(values)}


def save_output(key: str, value: np.ndarray, folder: str, overwrite: bool) -> str:
    """Writes an output to the file `KEY.npy` and returns its path.

    Raises:
        RuntimeError: if the file is there and `overwrite` is False.
    """
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, f"{os.path.basename(key)}.npy")
    if not overwrite and os.path.exists(path):
        raise RuntimeError(
            f'Output file {path} already exists. Add "--overwrite" to overwrite the existing output files.'
        )
    np.save(path, value)
    return path

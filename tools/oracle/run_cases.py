"""What TensorFlow says of cases: reads a line of JSON a case ([name, program]), writes a line a result.

Runs under Python 3.7 with TensorFlow 1.15.5, and with TensorFlow 2.21 for the ops that 1.15.5 lacks.
tools/oracle/record_cases.py starts it; tests/case_programs.py says what a program is.
"""

import base64
import glob
import importlib
import json
import os
import shutil
import sys
import tempfile

import numpy as np
import recorded
import tensorflow
from tensorflow.core.framework import graph_pb2, op_def_pb2
from tensorflow.python.framework import op_def_library
from tensorflow.python.util import nest

IS_LATER = not tensorflow.__version__.startswith("1.")
tf = tensorflow.compat.v1 if IS_LATER else tensorflow
if IS_LATER:
    from tensorflow.python.client import pywrap_tf_session as pywrap_tensorflow
else:
    from tensorflow.python import pywrap_tensorflow

# A queue that nobody fills must not wait for ever.
PATIENCE_MS = 5000
# What TensorFlow raises about what it is given.
REFUSALS = (
    tf.errors.OpError,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
)
# Where the Python functions live that ops of cases call.
GRAPHS_OF_FUNCTIONS = []


def all_ops():
    """Every op this TensorFlow knows: the library that applies them, and their definitions by type."""
    if not IS_LATER:
        load_contrib()
    known = op_def_pb2.OpList()
    known.ParseFromString(pywrap_tensorflow.TF_GetBuffer(pywrap_tensorflow.TF_GetAllOpList()))
    op_defs = {op.name: op for op in known.op}
    if IS_LATER:
        return op_def_library, op_defs
    library = op_def_library.OpDefLibrary()
    library.add_op_list(known)
    return library, op_defs


def load_contrib():
    """Loads the libraries of kernels of `tf.contrib`."""
    # Importing what loads a library of kernels registers its ops and gradients.
    place = os.path.dirname(tf.contrib.__file__)
    for path in sorted(glob.glob(os.path.join(place, "*", "python", "ops", "_*.so"))):
        parts = os.path.splitext(os.path.relpath(path, place))[0].split(os.sep)
        module = ".".join(["tensorflow.contrib"] + parts[:-1] + [parts[-1][1:]])
        try:
            importlib.import_module(module)
        except ImportError:
            # The module that loads it has another name.
            tf.load_op_library(path)


class Built(object):
    """A program's graph."""

    def __init__(self, ops, program):
        self.library, self.op_defs = ops
        self.feeds = {}
        self.tensors = []
        self.ops = []
        self.program = program
        if program["library"]:
            functions = graph_pb2.GraphDef()
            functions.versions.producer = tf.GRAPH_DEF_VERSION if hasattr(tf, "GRAPH_DEF_VERSION") else 134
            functions.library.ParseFromString(base64.b64decode(program["library"]))
            tf.import_graph_def(functions, name="")
        removed = [self.op_defs[node["op"]].deprecation.version for node in program["nodes"] if "op" in node]
        if any(removed):
            # Ops that are no more still run in graphs of before.
            older = graph_pb2.GraphDef()
            older.versions.producer = min(version for version in removed if version) - 1
            tf.import_graph_def(older, name="")
        for node in program["nodes"]:
            self.add(node)
        for node, position, source in program.get("back_edges", ()):
            self.ops[node]._update_input(position, self.tensors[source][0])

    def add(self, node):
        if "feed" in node:
            value = recorded.from_plain(node["feed"])
            dtype = tf.as_dtype(node["dtype"])
            tensor = tf.placeholder(dtype, node["shape"])
            if dtype.is_quantized or dtype == tf.bfloat16:
                value = np.asarray(value).astype(dtype.as_numpy_dtype)
            self.feeds[tensor] = value
            self.keep(tensor.op, [tensor])
        elif "constant" in node:
            tensor = tf.constant(recorded.from_plain(node["constant"]), tf.as_dtype(node["dtype"]))
            self.keep(tensor.op, [tensor])
        elif "literal" in node:
            self.keep(None, [recorded.from_plain(node["literal"])])
        else:
            self.apply(node)

    def keep(self, op, outputs):
        self.ops.append(op)
        self.tensors.append(outputs)

    def apply(self, node):
        inputs = {}
        for arg, refs in zip(self.op_defs[node["op"]].input_arg, node["inputs"]):
            many = not refs or isinstance(refs[0], list)
            inputs[str(arg.name)] = [self.at(ref) for ref in refs] if many else self.at(refs)
        op_def = self.op_defs[node["op"]]
        inferred = {n for arg in op_def.input_arg for n in (arg.type_attr, arg.number_attr, arg.type_list_attr)}
        for attr in op_def.attr:
            if attr.HasField("default_value") and attr.name not in inferred:
                inputs[str(attr.name)] = default_of(attr.type, attr.default_value)
        for name, value in node["attrs"].items():
            inputs[str(name)] = attr_of(value)
        with tf.control_dependencies([self.ops[i] for i in node["control"]]):
            result = self.library.apply_op(str(node["op"]), **inputs)
        if isinstance(result, tf.Operation):
            self.keep(result, [])
        else:
            outputs = nest.flatten(result)
            op = outputs[0].op if outputs else tf.get_default_graph().get_operations()[-1]
            self.keep(op, list(op.outputs))

    def at(self, ref):
        return self.tensors[ref[0]][ref[1]]

    def inexact_leaves(self):
        """What gradients are asked for: floating placeholders, constants and variables."""
        leaves = []
        for node, outputs in zip(self.program["nodes"], self.tensors):
            if "feed" in node or "constant" in node:
                if outputs[0].dtype.is_floating or outputs[0].dtype.is_complex:
                    leaves.append(outputs[0])
            elif node.get("variable") and tf.as_dtype(node["attrs"]["dtype"]["dtype"]).is_floating:
                leaves.append(outputs[0])
        return leaves


def default_of(kind, value):
    """The default of an attribute, as `apply_op` takes it."""
    if kind.startswith("list("):
        field = {"string": "s", "int": "i", "float": "f", "bool": "b"}.get(kind[5:-1], kind[5:-1])
        values = getattr(value.list, field)
        return [tf.as_dtype(v) for v in values] if field == "type" else list(values)
    if kind == "type":
        return tf.as_dtype(value.type)
    if kind == "shape":
        return tf.TensorShape(value.shape)
    return getattr(value, {"string": "s", "int": "i", "float": "f", "bool": "b"}.get(kind, kind))


def attr_of(value):
    if isinstance(value, list):
        return [attr_of(part) for part in value]
    if isinstance(value, dict):
        if "dtype" in value:
            return tf.as_dtype(value["dtype"])
        if "function" in value:
            return str(value["function"])
        if "lambda" in value:
            return token_of(value["lambda"], value["eager_types"])
        if "shape" in value and "array" not in value:
            return tf.TensorShape(value["shape"])
        value = recorded.from_plain(value)
        return tf.make_tensor_proto(value) if isinstance(value, np.ndarray) else value
    return value


def token_of(text, eager_types):
    """What an op finds a Python function by."""
    function = eval(text)
    with tf.Graph().as_default() as graph:
        op = tf.py_function(function, [], eager_types)[0].op if eager_types else tf.py_func(function, [], [])
    # The function lives as long as a graph in which it is an operation.
    GRAPHS_OF_FUNCTIONS.append(graph)
    return op.get_attr("token")


def has_value(tensor):
    return tensor.dtype.base_dtype not in (tf.resource, tf.variant)


def value_of(value):
    # Handles of session tensors come as objects around the string.
    array = np.asarray(getattr(value, "handle", value))
    if array.dtype.fields:
        array = array[array.dtype.names[0]]
    return recorded.to_plain(array)


def static(tensor):
    """The type and the static shape of a tensor."""
    shape = tensor.shape.as_list() if tensor.shape.ndims is not None else None
    return {"dtype": tensor.dtype.base_dtype.name, "shape": shape}


def described(tensors, run):
    """Types, static shapes and values of tensors."""
    values = iter(run([tensor for tensor in tensors if has_value(tensor)]))
    out = []
    for tensor in tensors:
        said = static(tensor)
        if has_value(tensor):
            said["value"] = value_of(next(values))
        out.append(said)
    return out


def weights_like(value):
    """Numbers that no sum cancels, one for each element."""
    array = np.asarray(value)
    return np.cos(0.7 * np.arange(array.size) + 1.0).reshape(array.shape)


def gradients(built, run, outputs, values):
    """The gradients of the weighted outputs, None where there is none; or the class of the error."""
    leaves = built.inexact_leaves()
    # Gradients of strings and handles do not exist.
    ys = [(y, v) for y, v in zip(outputs, values) if y.dtype.base_dtype.is_floating or y.dtype.base_dtype.is_complex]
    if not leaves or not ys:
        return None
    try:
        weights = [tf.constant(weights_like(v), y.dtype.base_dtype) for y, v in ys]
        found = [
            None if g is None else tf.convert_to_tensor(g) for g in tf.gradients([y for y, _ in ys], leaves, weights)
        ]
        got = iter(run([g for g in found if g is not None]))
        return [None if g is None else value_of(next(got)) for g in found]
    except REFUSALS as error:
        return {"error": type(error).__name__}


def first_line(error):
    """What an error says, without the places in files that TensorFlow 2 lists before it."""
    lines = str(error).split("\n")
    starts = [i + 1 for i, line in enumerate(lines[:-1]) if line.startswith("Node: ")]
    return lines[starts[0] if IS_LATER and starts else 0][:200]


def answer(ops, program):
    """What TensorFlow says of one program."""
    if any("op" in node and node["op"] not in ops[1] for node in program["nodes"]):
        return {"absent": True}
    for name, data in program["files"].items():
        with open(name, "wb") as out:
            out.write(recorded.from_plain(data))
    options = tf.RunOptions(timeout_in_ms=PATIENCE_MS)
    config = tf.ConfigProto()
    config.graph_options.optimizer_options.opt_level = -1
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    try:
        with tf.Graph().as_default() as graph:
            built = Built(ops, program)
            with tf.Session(graph=graph, config=config) as session:

                def run(fetches):
                    return session.run(fetches, built.feeds, options)

                def step(nodes):
                    tensors = [tensor for i in nodes for tensor in built.tensors[i]]
                    if any(has_value(tensor) for tensor in tensors):
                        return described(tensors, run)
                    run([built.ops[i] for i in nodes])
                    return described(tensors, lambda none: [])

                def later_step(i):
                    try:
                        return step([i])
                    except tf.errors.OpError as error:
                        return {"error": type(error).__name__}

                for i in program["before"]:
                    run(built.ops[i])
                fetches = program.get("fetches", [program["op"]])
                said = {"outputs": step(fetches), "after": [later_step(i) for i in program["after"]]}
                if "fetches" in program:
                    said["own_outputs"] = [static(tensor) for tensor in built.tensors[program["op"]]]
                if program["gradients"]:
                    outputs = [t for i in fetches for t in built.tensors[i] if has_value(t)]
                    values = [recorded.from_plain(o["value"]) for o in said["outputs"] if "value" in o]
                    found = gradients(built, run, outputs, values)
                    if found is not None:
                        said["gradients"] = found
                return said
    except REFUSALS as error:
        return {"error": type(error).__name__, "message": first_line(error)}


def main():
    tf.logging.set_verbosity(tf.logging.ERROR)
    if IS_LATER:
        tf.disable_v2_behavior()
    # Only the answers may reach standard output, whatever an op or a library prints.
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    ops = all_ops()
    with open(sys.argv[1]) as lines:
        cases = [json.loads(line) for line in lines]
    here = tempfile.mkdtemp()
    for name, program in cases:
        place = tempfile.mkdtemp(dir=here)
        os.chdir(place)
        out.write(json.dumps([name, answer(ops, program)]) + "\n")
        out.flush()
    os.chdir("/")
    shutil.rmtree(here)


if __name__ == "__main__":
    main()

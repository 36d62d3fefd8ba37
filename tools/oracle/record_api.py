"""Records the facts about TensorFlow 1.15 that Headrace is compared with: its op types and its public names.

    .oracle/tf1/bin/python tools/oracle/record_api.py tests/facts
    .oracle/tf2/bin/python tools/oracle/record_api.py --later tests/facts

The first writes op_defs.json, v1_symbols.json and contrib_symbols.json, a line an op type or public name, in
alphabetical order. The second writes op_defs_later.json: the op types of that TensorFlow which 1.15 has not, or which
it has otherwise. A name that this TensorFlow cannot import on its machine is written to standard error and left out.
"""

import argparse
import importlib
import inspect
import json
import os
import pathlib
import pkgutil
import sys
import types
import warnings

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
warnings.simplefilter("ignore")

import tensorflow as tf  # noqa: E402  what it logs and warns of is settled above
from signature_text import from_full_arg_spec, signature_text, value_text  # noqa: E402  likewise
from tensorflow.core.framework import op_def_pb2  # noqa: E402  likewise
from tensorflow.python.util import tf_inspect  # noqa: E402  likewise

# Modules reached from `tf` that are other libraries, or the same names once more.
NOT_WALKED = (
    "tf.app.flags",
    "tf.compat.v1",
    "tf.compat.v2",
    "tf.contrib",
    "tf.flags",
    "tf.pywrap_tensorflow",
    "tf.raw_ops",
    "tf.test.mock",
)

# Python tells signatures of some of these in some versions and of none in others.
PYTHONS_OWN = (types.BuiltinFunctionType, type(list.index), type(object.__init__))

# What TensorFlow's packages below contrib keep for themselves.
PRIVATE_MODULES = ("python", "ops", "kernels", "proto", "api", "loader", "test", "examples", "gen_", "client")

# They hold nothing but wrappers of op types (tf.raw_ops has them), and what was never told of.
PRIVATE_PACKAGES = ("quantization", "cmake")

# Public by use although they lie below such a folder, or in another library.
ALSO_PUBLIC = {
    "tf.contrib.cluster_resolver.python.training": "tensorflow.contrib.cluster_resolver.python.training",
    "tf.contrib.distributions.python.ops.bijectors": "tensorflow.contrib.distributions.python.ops.bijectors",
    "tf.contrib.framework.nest": "tensorflow.python.util.nest",
    "tf.contrib.losses.python.metric_learning": "tensorflow.contrib.losses.python.metric_learning",
    "tf.contrib.tensorboard.plugins.projector": "tensorflow.contrib.tensorboard.plugins.projector",
}


# ------------------------------------------------------------------------------------------------------ op types


def dtype_name(number):
    return tf.as_dtype(number).name


def shape_of(proto):
    """The sizes, None for an unknown one; None if not even their number is known."""
    if proto.unknown_rank:
        return None
    return [None if dim.size < 0 else dim.size for dim in proto.dim]


def as_written(number):
    """The number in the op's registration; what is kept of it is the nearest float32."""
    return float("%.7g" % number)


def tensor_value(tensor):
    return {"dtype": dtype_name(tensor.dtype), "value": tf.make_ndarray(tensor).tolist()}


def attr_value(value):
    """An attribute's value in terms of JSON."""
    kind = value.WhichOneof("value")
    if kind == "list":
        fields = list(value.list.ListFields())
        if not fields:
            return []
        field, items = fields[0]
        if field.name == "s":
            return [item.decode("latin-1") for item in items]
        if field.name == "type":
            return [dtype_name(item) for item in items]
        if field.name == "shape":
            return [shape_of(item) for item in items]
        if field.name == "tensor":
            return [tensor_value(item) for item in items]
        if field.name == "f":
            return [as_written(item) for item in items]
        return list(items)
    plain = getattr(value, kind)
    if kind == "s":
        return plain.decode("latin-1")
    if kind == "type":
        return dtype_name(plain)
    if kind == "shape":
        return shape_of(plain)
    if kind == "tensor":
        return tensor_value(plain)
    if kind == "f":
        return as_written(plain)
    return plain


def arg_fact(arg):
    fact = {"name": arg.name}
    if arg.type:
        fact["type"] = dtype_name(arg.type)
    for field in ("type_attr", "number_attr", "type_list_attr"):
        if getattr(arg, field):
            fact[field] = getattr(arg, field)
    if arg.is_ref:
        fact["is_ref"] = True
    return fact


def attr_fact(attr):
    fact = {"type": attr.type}
    if attr.HasField("default_value"):
        fact["default"] = attr_value(attr.default_value)
    if attr.HasField("allowed_values"):
        fact["allowed"] = attr_value(attr.allowed_values)
    if attr.has_minimum:
        fact["minimum"] = attr.minimum
    return fact


def op_fact(op_def):
    fact = {
        "inputs": [arg_fact(arg) for arg in op_def.input_arg],
        "outputs": [arg_fact(arg) for arg in op_def.output_arg],
        "attrs": {attr.name: attr_fact(attr) for attr in op_def.attr},
    }
    for field, name in (
        ("is_stateful", "stateful"),
        ("is_commutative", "commutative"),
        ("is_aggregate", "aggregate"),
        ("allows_uninitialized_input", "allows_uninitialized_input"),
    ):
        if getattr(op_def, field):
            fact[name] = True
    if op_def.HasField("deprecation"):
        fact["deprecated_since"] = op_def.deprecation.version
    return fact


def load_contrib_ops():
    """Imports the wrappers of all op types of contrib, which register them."""
    root = pathlib.Path(tf.contrib.__path__[0])
    for path in sorted(root.glob("**/gen_*.py")):
        name = "tensorflow.contrib." + ".".join(path.relative_to(root).with_suffix("").parts)
        try:
            importlib.import_module(name)
        except (ImportError, tf.errors.NotFoundError) as error:
            print("%s: %s" % (name, error), file=sys.stderr)


def op_facts():
    """The public op types: those that the library registers, and those that Python alone knows."""
    op_list = op_def_pb2.OpList()
    if tf.__version__.startswith("1."):
        from tensorflow.python import pywrap_tensorflow as library
        from tensorflow.python.framework import op_def_registry, test_ops

        load_contrib_ops()
        for_tests = {"ConstructionFails", *test_ops._op_def_lib._ops}
        of_python = op_def_registry.get_registered_ops()
    else:
        from tensorflow.python.client import pywrap_tf_session as library

        for_tests, of_python = set(), {}
    op_list.ParseFromString(library.TF_GetBuffer(library.TF_GetAllOpList()))
    known = dict(of_python, **{op_def.name: op_def for op_def in op_list.op})
    return {
        name: op_fact(op_def) for name, op_def in known.items() if not name.startswith("_") and name not in for_tests
    }


# -------------------------------------------------------------------------------------------------- public names


def callable_text(function):
    """The signature of a callable, or None where it is not written in Python."""
    if isinstance(function, PYTHONS_OWN):
        return None
    try:
        return signature_text(from_full_arg_spec(tf_inspect.getfullargspec(function)))
    except (TypeError, ValueError):
        return None


def class_members(cls):
    """Method -> signature and attribute -> None, inherited ones too."""
    members = {}
    for name in ["__init__"] + [name for name in dir(cls) if not name.startswith("_")]:
        value = getattr(cls, name)
        is_function = callable(value) and not inspect.isclass(value)
        members[name] = callable_text(value) if is_function else None
    if issubclass(cls, tuple) and isinstance(cls.__new__, types.FunctionType):
        members["__new__"] = callable_text(cls.__new__)
    return members


def symbol_fact(value):
    """`{kind: what is known}`: a function's signature, a class's members, a constant's value, nothing of a module."""
    if isinstance(value, types.ModuleType):
        return {"module": None}
    if inspect.isclass(value):
        if any(base.__module__.startswith("google.protobuf") for base in value.__mro__):
            return {"message": value.DESCRIPTOR.full_name} if hasattr(value, "DESCRIPTOR") else {"value": None}
        return {"class": class_members(value)}
    if callable(value):
        return {"function": callable_text(value)}
    text = value_text(value)
    return {"value": None if text.startswith("<") else text}


def is_api_module(module):
    return ".api._v1" in module.__name__ or "._api.v1" in module.__name__


def public_names(path, module):
    """(name, value) of what `dir` shows and Python's own futures are not."""
    for name in sorted(dir(module)):
        if name.startswith("_") or name == "DESCRIPTOR":
            continue
        try:
            value = getattr(module, name)
        except (ImportError, AttributeError) as error:
            print("%s.%s: %s" % (path, name, error), file=sys.stderr)
            continue
        if type(value).__module__ != "__future__":
            yield name, value


def v1_facts():
    """The names that TensorFlow exports under `tf`, contrib's and second spellings of whole modules excepted."""
    facts = {}

    def walk(path, module):
        for name, value in public_names(path, module):
            full = path + "." + name
            if full == "tf.contrib" or full.startswith("tf.compat.v"):
                continue
            if not isinstance(value, types.ModuleType) or full in NOT_WALKED:
                facts[full] = symbol_fact(value)
            elif is_api_module(value):
                facts[full] = symbol_fact(value)
                walk(full, value)

    walk("tf", tf)
    return facts


def contrib_packages():
    """The packages of contrib that can be imported: name -> package."""
    packages = {}
    for _, name, is_package in pkgutil.iter_modules(tf.contrib.__path__):
        if is_package and name not in PRIVATE_PACKAGES:
            try:
                packages[name] = importlib.import_module("tensorflow.contrib." + name)
            except (ImportError, AttributeError, tf.errors.NotFoundError) as error:
                print("tf.contrib.%s: %s" % (name, error), file=sys.stderr)
    return packages


def is_its_own(name, value, module):
    """Whether a name of a module of contrib is there to be used, rather than imported to be used by it."""
    home = getattr(value, "__module__", None)
    if not isinstance(home, str):
        return name.isupper() or hasattr(module, "__path__")
    if not hasattr(module, "__path__"):
        return home == module.__name__
    if home.startswith("tensorflow.python.util."):
        return module.__name__ == "tensorflow.contrib.framework"  # it hands on the decorators of deprecation
    return home.startswith(("tensorflow", "_pywrap_tensorflow"))


def contrib_facts():
    """The names below `tf.contrib`, each module under its shortest path."""
    facts, followed = {}, set()
    waiting = [("tf.contrib." + name, package) for name, package in contrib_packages().items()]
    waiting += [(path, importlib.import_module(name)) for path, name in ALSO_PUBLIC.items()]
    while waiting:
        path, module = waiting.pop(0)
        facts[path] = symbol_fact(module)
        if module.__name__ in followed:
            continue
        followed.add(module.__name__)
        package = ".".join(module.__name__.split(".")[:3]) + "."
        for name, value in public_names(path, module):
            if not isinstance(value, types.ModuleType):
                if is_its_own(name, value, module):
                    facts[path + "." + name] = symbol_fact(value)
            elif not hasattr(module, "__path__") or name.startswith(PRIVATE_MODULES):
                continue  # what a file imports, and what a package keeps for itself
            elif value.__name__.startswith(package):
                waiting.append((path + "." + name, value))
    return facts


# --------------------------------------------------------------------------------------------------------- files


def write(path, facts):
    lines = ["%s:%s" % (json.dumps(key), json.dumps(facts[key], separators=(",", ":"))) for key in sorted(facts)]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print("%s: %d" % (path, len(facts)))


def main():
    tf.get_logger().setLevel("ERROR")  # each deprecated name says so when it is touched
    parser = argparse.ArgumentParser(description="Record facts about TensorFlow's API.")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--later", action="store_true", help="only the op types that 1.15 has not, or has otherwise")
    options = parser.parse_args()
    if options.later:
        known = json.loads((options.folder / "op_defs.json").read_text())
        write(options.folder / "op_defs_later.json", {t: f for t, f in op_facts().items() if known.get(t) != f})
        return
    contrib = contrib_facts()
    write(options.folder / "v1_symbols.json", v1_facts())
    write(options.folder / "contrib_symbols.json", contrib)
    write(options.folder / "op_defs.json", op_facts())


if __name__ == "__main__":
    main()

"""Modules of TensorFlow's own source tree that programs import, and where their names are looked up here.

`from tensorflow.python.ops import math_ops` gives a module whose names are those of the places named in its
row, tried in order: public modules, implementation modules (both relative to the package), and "." for the
root. The rows describe 1.15's tree and older spellings of it; a module whose places do not exist is a missing
module.
"""

from __future__ import annotations

import builtins
import re
import sys

from headrace.api.internal_contrib import CONTRIB, FOLDERS
from headrace.api.internal_modules import PACKAGES, PYTHON
from headrace.api.internal_names import SPELLED
from headrace.api.internal_remaining import ADVICE, REMAINING

# Names of 1.x's modules that hid those of builtins.
_HIDING_BUILTINS = {
    "python.ops.array_ops": "slice",
    "python.ops.control_flow_ops": "tuple",
    "python.ops.math_ops": "abs complex pow range round",
}
_PROTOS = {
    "core.framework": "allocation_description api_def attr_value cost_graph function graph node_def op_def "
    "resource_handle step_stats summary tensor tensor_description tensor_shape variable versions",
    "core.protobuf": "cluster debug graph_debug_info meta_graph rewriter_config saved_object_graph saver struct "
    "trackable_object_graph verifier_config",
    "core.util": "event",
    "core.profiler": "tfprof_log",
}

# Modules whose import alone does something, and what is imported then.
WITH_EFFECT = {"python.framework.test_ops": "testing.test_ops"}

# Modules of message classes that are made here.
_OWN_PROTOS = {
    "core.example": "example example_parser_configuration feature",
    "core.framework": "device_attributes kernel_def",
    "core.kernels.boosted_trees": "boosted_trees",
    "core.profiler": "profile tfprof_output",
    "core.protobuf": "config control_flow queue_runner saved_model tensor_bundle tensorflow_server",
    "core.util": "saved_tensor_slice",
    "python.framework": "cpp_shape_inference",
    "python.training": "checkpoint_state",
}


def _contrib_rows() -> dict[str, tuple[str, ...]]:
    """The rows of contrib's modules, some of which lie deeper than others."""
    rows: dict[str, tuple[str, ...]] = {f"contrib.{folder}": () for folder in FOLDERS}
    for folder, modules in CONTRIB.items():
        for places, names in modules.items():
            found = tuple(place.replace("+", "contrib.", 1) for place in places.split())
            rows.update({f"contrib.{folder}.{name}": found for name in names.split()})
    return rows


def _rows() -> dict[str, tuple[str, ...]]:
    rows = {path: tuple(places.split()) for path, places in PACKAGES.items()}
    for folder, modules in (*REMAINING.items(), *PYTHON.items()):
        package = f"python.{folder}" if folder else "python"
        rows.setdefault(package, ())
        for places, names in modules.items():
            for name in names.split():
                rows[f"{package}.{name}"] = tuple(places.split())
    for folder, names in _OWN_PROTOS.items():
        for name in names.split():
            rows[f"{folder}.{name}_pb2"] = ("messages.protos",)
    for folder in _PROTOS:
        rows[folder] = ()
    # 0.6 and 0.7 had their recurrent networks among the models.
    rows["models.rnn.rnn"], rows["models.rnn.seq2seq"] = ("nn",), ("contrib.legacy_seq2seq", "nn")
    rows["models.rnn.rnn_cell"] = rows["models.rnn.linear"] = ("nn.rnn_cell",)
    # The codes that its enumeration names are those of `tf.errors`.
    rows["core.lib.core.error_codes_pb2"] = ("core.errors", "messages.protos")
    rows["core.framework.types_pb2"] = ("messages.element_types",)
    for path in list(rows):
        while "." in path:
            path = path.rpartition(".")[0]
            if path != "core":  # the implementation's own core
                rows.setdefault(path, ())
    rows.update(_contrib_rows())
    return rows


_ROWS = _rows()
_GENERATED = re.compile(r"(?:contrib\.\w+\.)?(?:python\.)?ops\.gen_\w+_ops?")
_GENERATED_FOLDER = re.compile(r"contrib\.\w+\.ops")
_KERAS = re.compile(r"python\.(keras\.[\w.]+)")
# Where the tree of `tf.keras` was until 1.8.
_KERAS_IMPLEMENTATION = "python.keras._impl"
_CONTRIB_KERAS = "contrib.keras.python.keras"
# Rooms whose modules hold what 1.x's internal modules did.
_IMPLEMENTING = ("autodiff", "checkpoints", "input_queues", "interop", "optimizers", "sessions", "state")
_VERSIONED = re.compile(r"(\w+?)(?:_v|V)([12])")
# Folders of modules that 1.x's modules import, and so have as attributes, in the order of who gets a name.
_IMPORTED_FROM = ("ops", "framework", "util", "platform", "eager", "training", "client", "layers")
# The public modules in which TensorFlow 2 has functions with other arguments.
_PUBLISHED = (
    *("debugging", "feature_column", "image", "io", "linalg", "math", "nn", "random", "sparse", "strings"),
    *("keras.initializers", "keras.layers"),
)
# Below `python.ops` and its like are modules, and what else these folders hold; below a module there is none.
_FOLDERS_OF_CONTRIB = (
    "estimator feature_column framework kernel_tests layers learn losses mappers metric_learning metrics ops python "
    "saved_model slim timeseries tools tpu training util utils"
)
_DEEPER = "bijectors data datasets estimators learn_io nets ops preprocessing python state_space_models utils"
# Classes, what 1.x kept to a module and the features of `__future__` are none.
_MODULE = r"(?!(?:absolute_import|division|print_function)\b)[a-z]\w*"
_CONTRIB = re.compile(
    rf"(contrib\.\w+)\.(?:python|pylib)(?:\.(?:{_MODULE}|(?:{_FOLDERS_OF_CONTRIB.replace(' ', '|')})"
    rf"((?:\.(?:{_DEEPER.replace(' ', '|')}))?(?:\.{_MODULE})?)))?"
)
# Modules of `tf.keras` that are folders of modules here.
_KERAS_MODULE = re.compile(
    r"python\.keras\.(?:activations|backend|callbacks|constraints|initializers|losses|metrics|models|optimizers|regularizers)\.\w+"
)


def searched(path: str) -> tuple[str, ...] | None:
    """Where the names of an internal module are looked up, in order; None if 1.x had no such module.

    Args:
        path: the module's name without `tensorflow.` in front.

    Returns:
        paths relative to the package, "." for its root; empty for a mere package.

    Example:
        >>> searched("python.ops.rnn_cell")
        ('nn.rnn_cell', 'recurrent.internals', 'nn', '.')
    """
    if path in _ROWS:
        return _ROWS[path]
    if _GENERATED.fullmatch(path):
        return ("api.gen_ops", ".")
    if _GENERATED_FOLDER.fullmatch(path):
        return ()
    if path == _KERAS_IMPLEMENTATION:
        return ()
    if path.startswith(f"{_KERAS_IMPLEMENTATION}.keras"):
        return searched(path.replace(f"{_KERAS_IMPLEMENTATION}.keras", "python.keras", 1))
    if _KERAS_MODULE.fullmatch(path):
        return None
    if match := _KERAS.fullmatch(path):
        return (match[1],)
    if path.startswith(_CONTRIB_KERAS):
        # The tree that became `python.keras`.
        inside = path.removeprefix("contrib.keras.")
        public = path.replace(_CONTRIB_KERAS, "contrib.keras", 1)
        return (public, *(searched(inside) or ()))
    if match := _CONTRIB.fullmatch(path):
        # contrib kept its implementation two or three folders below the module that published it, some of it in
        # modules that have public ones of their own.
        below = match[2] or ""
        folder = below.rpartition(".")[0]
        return (*(f"{match[1]}{tail}" for tail in dict.fromkeys((below, folder, ""))), ".")
    return None


def spelled(path: str, name: str) -> tuple[str, str] | None:
    """The (public or implementing module, name) that a name of an internal module is here, if it is called otherwise.

    Example:
        >>> spelled("python.ops.lookup_ops", "StaticHashTableV1")
        ('lookup', 'StaticHashTable')
    """
    target = SPELLED.get((path.removeprefix("python."), name))
    if target is None:
        return None
    module, _, plain = target.rpartition(".")
    return module, plain


def advice(path: str) -> str | None:
    """What to say about a name that an internal module lacks here; None where the module is no internal one.

    Example:
        >>> advice("python.tpu.tpu_embedding")
        'internal to TensorFlow 1.x; it drove TPUs; tf.contrib.tpu has what runs without one'
    """
    if path not in _ROWS:
        return None
    told = next((text for folder, text in ADVICE.items() if f"{path}.".startswith(f"{folder}.")), None)
    return f"internal to TensorFlow 1.x; {told or 'what programs used of it is here, this is not'}"


def is_module(path: str) -> bool:
    """Whether an internal path has a row of its own, so that it is a module where a function has its name too."""
    return path in _ROWS


def starred(path: str, names: list[str]) -> list[str]:
    """The names that `from module import *` takes of a module.

    What an internal module offers here is more than what 1.x wrote there. Of that, nothing hides a builtin or a module of
    the standard library but what did so in 1.x.

    Args:
        path: of the module.
        names: all that it offers.
    """
    if not is_module(path) and not _CONTRIB.fullmatch(path):
        return names
    kept = _HIDING_BUILTINS.get(path, "").split()
    hidden = {*sys.stdlib_module_names, *dir(builtins)}.difference(kept)
    return [name for name in names if name not in hidden]


def versions(path: str, name: str, places: tuple[str, ...]) -> list[tuple[str, str]]:
    """Where a name of an internal module that ends in a version is looked up: its (public module, name) in order.

    1.x wrote `pad_v2` in `array_ops` for what TensorFlow 2 publishes as `pad`, and `reduce_sum_v1` for its own.

    Example:
        >>> versions("python.ops.string_ops", "string_split_v2", ("strings", "."))
        [('compat.v2.strings', 'string_split'), ('compat.v2.strings', 'split'), ('compat.v2', 'string_split'), \
('compat.v2.nn', 'string_split')]
    """
    if name.startswith("_") and not name.startswith("__"):
        # What 1.x kept to a module is public among the modules here, which are smaller.
        if path.startswith("python."):
            return [(place, name[1:]) for place in places if place.partition(".")[0] in _IMPLEMENTING]
        return [(place, name[1:]) for place in places if path in _ROWS and place.startswith(("contrib.", "metrics."))]
    if not path.startswith("python."):
        return []
    match = _VERSIONED.fullmatch(name)
    if match is None:
        return []
    plain, number = match.groups()
    found = []
    for place in places:
        public = "" if place == "." else place
        if number == "1":
            if not public.startswith(("api.", "core.", "functions.", "kernels.", "ops.", "state.")):
                found.append((public, plain))
        elif not public or public in _PUBLISHED:
            later = f"compat.v2.{public}" if public else "compat.v2"
            found.append((later, plain))
            if public and plain.startswith(f"{public.removesuffix('s')}_"):
                found.append((later, plain.removeprefix(f"{public.removesuffix('s')}_")))
    if number == "2":
        found.append(("compat.v2.nn", plain))
        if plain.startswith("sparse_"):
            found.append(("compat.v2.sparse", plain.removeprefix("sparse_")))
    return found


def sibling(path: str, name: str) -> str | None:
    """The internal module that a module's attribute is by its name, as one that it imports, or None.

    Example:
        >>> sibling("python.ops.rnn", "rnn_cell_impl")
        'python.ops.rnn_cell_impl'
    """
    if path not in _ROWS or not path.startswith("python.") or "_" not in name:
        return None
    folders = (path.rpartition(".")[0], *(f"python.{folder}" for folder in _IMPORTED_FROM))
    found = (f"{folder}.{name}" for folder in folders)
    return next((module for module in found if module in _ROWS or _GENERATED.fullmatch(module)), None)


def is_contrib(path: str) -> bool:
    """Whether a path is one of contrib's folders and modules of implementations."""
    return _CONTRIB.fullmatch(path) is not None


def message_module(path: str) -> str | None:
    """The module with the message classes of `tensorflow.core`'s `path`, by its full name, or None.

    Example:
        >>> message_module("core.framework.graph_pb2")
        'tensorboard.compat.proto.graph_pb2'
    """
    folder, _, name = path.rpartition(".")
    if name.endswith("_pb2") and name.removesuffix("_pb2") in _PROTOS.get(folder, "").split():
        return f"tensorboard.compat.proto.{name}"
    return None


def children(path: str) -> set[str]:
    """The names of the internal modules right below an internal package."""
    if not path:
        return set()
    inside = {p[len(path) + 1 :].partition(".")[0] for p in _ROWS if p.startswith(f"{path}.")}
    return inside | {f"{name}_pb2" for name in _PROTOS.get(path, "").split()}


def paths() -> set[str]:
    """All internal modules that have a row, and the packages above them."""
    return {path for path in _ROWS if path} | {
        f"{folder}.{name}_pb2" for folder, names in _PROTOS.items() for name in names.split()
    }

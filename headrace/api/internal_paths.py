"""Modules of TensorFlow's own source tree that programs import, and where their names are looked up here.

`from tensorflow.python.ops import math_ops` gives a module whose names are those of the places named in its
row, tried in order: public modules, implementation modules (both relative to the package), and "." for the
root. The rows describe 1.15's tree and older spellings of it; a module whose places do not exist is a missing
module.
"""

from __future__ import annotations

import re

from headrace.api.internal_modules import PACKAGES, PYTHON
from headrace.api.internal_names import SPELLED

_PROTOS = {
    "core.framework": "allocation_description api_def attr_value cost_graph function graph node_def op_def "
    "resource_handle step_stats summary tensor tensor_description tensor_shape types variable versions",
    "core.protobuf": "cluster config debug graph_debug_info meta_graph rewriter_config saved_object_graph saver struct "
    "trackable_object_graph verifier_config",
    "core.util": "event",
    "core.profiler": "tfprof_log",
}

# Modules whose import alone does something, and what is imported then.
WITH_EFFECT = {"python.framework.test_ops": "testing.test_ops"}

# Modules of message classes that are made here.
_OWN_PROTOS = {
    "core.example": "example example_parser_configuration feature",
    "core.framework": "device_attributes",
    "core.kernels.boosted_trees": "boosted_trees",
    "core.protobuf": "control_flow queue_runner saved_model tensor_bundle tensorflow_server",
    "core.util": "saved_tensor_slice",
    "python.framework": "cpp_shape_inference",
    "python.training": "checkpoint_state",
}

# Modules of `tf.contrib.learn`, and the implementation modules their names lie in.
_LEARN = {
    "estimators.debug": "debug",
    "estimators.estimator": "estimator estimator_inputs",
    "estimators.head": "head classification_heads heads head_combinations",
    "estimators.metric_key": "metric_key",
    "estimators.model_fn": "model_outputs metric_spec",
    "estimators.run_config": "run_config",
    "experiment": "experiment",
    "export_strategy": "export_strategy",
    "learn_io": "data_feeder pandas_data",
    "learn_io.data_feeder": "data_feeder pandas_data",
    "learn_io.dask_io": "pandas_data data_feeder",
    "learn_io.pandas_io": "pandas_data",
    "monitors": "monitors",
    "utils.gc": "export_versions",
    "utils.input_fn_utils": "serving_inputs",
    "utils.saved_model_export_utils": "export_strategy signatures",
}


def _rows() -> dict[str, tuple[str, ...]]:
    rows = {path: tuple(places.split()) for path, places in PACKAGES.items()}
    for folder, modules in PYTHON.items():
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
    for path in list(rows):
        while "." in path:
            path = path.rpartition(".")[0]
            if path != "core":  # the implementation's own core
                rows.setdefault(path, ())
    # Its names are not those of the module that publishes its folder.
    rows["contrib.lookup.lookup_ops"] = ("contrib.lookup",)
    rows["contrib.util.loader"] = ("config.behavior",)
    # Modules of the names of functions in them.
    for name in ("dense_image_warp", "interpolate_spline", "sparse_image_warp"):
        rows[f"contrib.image.python.ops.{name}"] = ("contrib.image.warping", "contrib.image", ".")
    rows["contrib.image.python.ops.single_image_random_dot_stereograms"] = ("contrib.image", ".")
    for name in ("alpha_dropout", "fwd_gradients", "scaled_softplus"):
        rows[f"contrib.nn.python.ops.{name}"] = (f"contrib.nn.{name}", "contrib.nn", ".")
    for name in ("sparsemax", "sparsemax_loss"):
        rows[f"contrib.sparsemax.python.ops.{name}"] = ("contrib.sparsemax", ".")
    # Modules of helpers, whose names are not public.
    rows["contrib.distributions.python.ops.distribution_util"] = (
        "distributions.scales", "distributions.mixing", "distributions.static_logic",
        "python.ops.distributions.util",
    )  # fmt: skip
    rows["contrib.bayesflow.python.ops.monte_carlo_impl"] = ("contrib.bayesflow.monte_carlo",)
    rows["contrib.distributions.python.ops.test_util"] = ("distributions.sampling_tests",)
    rows["contrib.distributions.python.ops.shape"] = ("distributions.event_matrices",)
    rows["contrib.distributions.python.ops.vector_exponential_linear_operator"] = ("distributions.vectors",)
    rows["contrib.distributions.python.ops.vector_laplace_linear_operator"] = ("distributions.vectors",)
    for name in ("agn_optimizer", "elastic_average_optimizer", "model_average_optimizer"):
        rows[f"contrib.opt.python.training.{name}"] = ("contrib.opt", "optimizers.centers")
    rows["contrib.opt.python.training.weight_decay_optimizers"] = ("contrib.opt", "optimizers.weight_decay")
    rows["contrib.opt.python.training.matrix_functions"] = ("optimizers.matrix_roots",)
    rows["contrib.checkpoint.python.split_dependency"] = ("contrib.checkpoint",)
    # A folder deeper than others.
    rows["contrib.losses.python.metric_learning.metric_loss_ops"] = ("losses.metric_learning", "losses.clustering")
    rows["contrib.metrics.python.ops.metric_ops"] = ("contrib.metrics", "metrics.concat_metrics", ".")
    rows["contrib.metrics.python.ops.histogram_ops"] = ("contrib.metrics", "metrics.histograms", ".")
    layers = "contrib.layers"
    rows[f"{layers}.python.layers.layers"] = (layers, f"{layers}.shaping", ".")
    rows[f"{layers}.python.layers.feature_column_ops"] = (layers, f"{layers}.feature_column_inputs", ".")
    framework = "contrib.framework"
    rows[f"{framework}.python.ops"] = (framework, f"{framework}.printing", ".")
    rows[f"{framework}.python.ops.checkpoint_ops"] = (framework, "checkpoints.vocabularies", ".")
    rows[f"{framework}.python.ops.prettyprint_ops"] = (f"{framework}.printing", framework, ".")
    rows["contrib.factorization.python.ops.gmm_ops"] = ("contrib.factorization", "contrib.factorization.mixtures", ".")
    for name in ("extenders", "export", "replicate_model_fn", "saved_model_estimator"):
        rows[f"contrib.estimator.python.estimator.{name}"] = (f"contrib.estimator.{name}", "contrib.estimator", ".")
    rows["contrib.training.python.training.sequence_queueing_state_saver"] = (
        "contrib.training", "contrib.training.sequence_states", "contrib.training.sequence_batching", ".",
    )  # fmt: skip
    learn = "contrib.learn.python.learn"
    for name, homes in _LEARN.items():
        rows[f"{learn}.{name}"] = (*(f"contrib.learn.{home}" for home in homes.split()), "contrib.learn", ".")
    rows["contrib.framework.python.ops.audio_ops"] = ("ops.audio.wav", "ops.audio.spectrogram")
    return rows


_ROWS = _rows()
_GENERATED = re.compile(r"(?:contrib\.\w+\.)?(?:python\.)?ops\.gen_\w+_ops?")
_GENERATED_FOLDER = re.compile(r"contrib\.\w+\.ops")
_KERAS = re.compile(r"python\.(keras\.[\w.]+)")
# Rooms whose modules hold what 1.x's internal modules did.
_IMPLEMENTING = ("autodiff", "checkpoints", "input_queues", "interop", "optimizers", "sessions", "state")
_VERSIONED = re.compile(r"(\w+)_v([12])")
# Folders of modules that 1.x's modules import, and so have as attributes, in the order of who gets a name.
_IMPORTED_FROM = ("ops", "framework", "util", "platform", "eager", "training", "client", "layers")
# The public modules in which TensorFlow 2 has functions with other arguments.
_PUBLISHED = ("debugging", "image", "io", "linalg", "math", "nn", "random", "sparse", "strings")
# Below `python.ops` and its like are modules, and what else these folders hold.
_DEEPER = "bijectors data datasets estimators learn_io nets ops preprocessing python state_space_models utils"
_CONTRIB = re.compile(rf"(contrib\.\w+)\.(?:python|pylib)(?:\.\w+((?:\.(?:{_DEEPER.replace(' ', '|')}))?(?:\.\w+)?))?")


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
    if match := _KERAS.fullmatch(path):
        return (match[1],)
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


def is_module(path: str) -> bool:
    """Whether an internal path has a row of its own, so that it is a module where a function has its name too."""
    return path in _ROWS


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

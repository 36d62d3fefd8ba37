"""Writing the model of an estimator of `tf.contrib.learn` as a SavedModel."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from headrace.checkpoints.saver import Saver
from headrace.contrib.learn.metric_spec import ModeKeys
from headrace.contrib.learn.signatures import build_all_signature_defs, get_input_alternatives, get_output_alternatives
from headrace.core.collections import GraphKeys
from headrace.core.defaults import get_collection
from headrace.core.graph import Graph
from headrace.estimator.util import get_timestamped_dir, removed
from headrace.files import file_io
from headrace.files.paths import as_path
from headrace.lookup.tables import tables_initializer
from headrace.ops.flow.grouping import group
from headrace.runtime.session import Session
from headrace.saved_model import names
from headrace.saved_model.writing import SavedModelBuilder
from headrace.sessions.resources import initialize_resources, shared_resources
from headrace.state.collecting import local_variables_initializer
from headrace.state.global_step import create_global_step

if TYPE_CHECKING:
    from headrace.contrib.learn.estimator import Estimator

# The collection of an exported graph with the keys of the features that it is served.
INPUT_FEATURE_KEYS = "input_feature_keys"


class GraphRewriteSpec(NamedTuple):
    """A graph to export: its tags, and the transforms that it goes through.

    Args:
        tags: a tuple of tags.
        transforms: a tuple of names of transforms of `tf.graph_util`'s tool.
    """

    tags: tuple[str, ...]
    transforms: tuple[str, ...]


def export_savedmodel(
    estimator: Estimator,
    export_dir_base: str,
    serving_input_fn: Callable[[], Any],
    default_output_alternative_key: str | None,
    assets_extra: Mapping[str, str] | None,
    as_text: bool,
    checkpoint_path: str,
    graph_rewrite_specs: Sequence[GraphRewriteSpec],
    strip_default_attrs: bool,
) -> bytes:
    """`Estimator.export_savedmodel`; arguments as there."""
    tags = _tags(graph_rewrite_specs)
    export_dir = get_timestamped_dir(os.fsencode(as_path(export_dir_base)))
    final = os.fsdecode(export_dir)
    # Readers look for folders named by a number, and shall not find this one before it is whole.
    unfinished = os.path.join(os.path.dirname(final), f"temp-{os.path.basename(final)}")
    builder = SavedModelBuilder(unfinished)
    try:
        with Graph().as_default() as graph:
            create_global_step(graph)
            serving_inputs = serving_input_fn()
            inputs, features = get_input_alternatives(serving_inputs)
            for key in serving_inputs.features:
                graph.add_to_collection(INPUT_FEATURE_KEYS, key)
            ops = estimator._call_model_fn(features, None, ModeKeys.INFER)
            outputs, default = get_output_alternatives(ops, default_output_alternative_key)
            signatures = build_all_signature_defs(inputs, outputs, default)
            initialize = group(
                local_variables_initializer(), initialize_resources(shared_resources()), tables_initializer()
            )
            saver = ops.scaffold.saver if ops.scaffold is not None else None
            with Session(config=estimator._session_config) as session:
                (saver or Saver(sharded=True)).restore(session, checkpoint_path)
                builder.add_meta_graph_and_variables(
                    session,
                    tags,
                    signature_def_map=signatures,
                    assets_collection=get_collection(GraphKeys.ASSET_FILEPATHS),
                    main_op=initialize,
                    strip_default_attrs=strip_default_attrs,
                )
        builder.save(as_text)
        for inside, source in (assets_extra or {}).items():
            target = os.path.join(unfinished, "assets.extra", inside)
            file_io.recursive_create_dir(os.path.dirname(target))
            file_io.copy(as_path(source), target)
        file_io.rename(unfinished, final)
    except BaseException:
        removed(unfinished)
        raise
    return export_dir


def _tags(specs: Sequence[GraphRewriteSpec]) -> list[str]:
    if len(specs) > 1 or any(spec.transforms for spec in specs):
        raise NotImplementedError(
            "graph_rewrite_specs with transforms, or several of them: export the model as it is, and transform its graph "
            "with tools.graph_transforms."
        )
    return list(specs[0].tags) if specs else [names.SERVING]

"""What fills the slots of `headrace.core.slots`: the name of a slot to the function, relative to the package."""

from __future__ import annotations

import functools
import importlib
from typing import Any

_PACKAGE = __name__.rpartition(".api.")[0]

# Module to the slots that its functions fill: `slot`, or `slot=function` where that has another name.
HOMES: dict[str, str] = {
    "notebook.pages": "as_html",
    "api.op_index": "declare fusion op_types",
    "autodiff.branch_gradients": "branch_gradient",
    "autodiff.split_functions": "call_gradient=gradient_of_call",
    "autodiff.function_gradients": "connected_inputs=connected function_gradient=gradient_of masked_gradients=masked",
    "autodiff.loop_gradients": "loop_gradient",
    "autodiff.tape": "new_tape=Tape start_tape=start stop_tape=stop",
    "autodiff.gradient_tape": "gradient_tape=GradientTape",
    "cluster.target": "remote_target=RemoteTarget reset_target",
    "core.bare_operations": "operation_of",
    "core.eager": "eager_constant=constant_array",
    "core.eager_sequences": "array_of_sequence=of_sequence",
    "core.type_specs": "type_spec_of=spec_from_value",
    "data.dataset": "zip_datasets=Dataset.zip",
    "data.optional": "next_as_optional=get_next_as_optional",
    "debug.dump_files": "dump_watcher=FileWatcher",
    "debug.local_cli": "debugging_session=LocalCLIDebugWrapperSession",
    "debug.stepping": "step_watcher=stepper_of",
    "distribute.default_strategy": "default_strategy",
    "functions.array.brackets": "tensor_item=slice_helper",
    "functions.flow.tensor_array": "tensor_array_gradient=gradient_of",
    "functions.linalg.dispatch": "dispatch_linear_operator=apply",
    "functions.linalg.registrations": "register_linear_operators=register",
    "functions.math.operators": "install_operators=install",
    "functions.ragged.dispatch": "dispatch_ragged=apply ragged_operator=operate",
    "functions.ragged.indexing": "ragged_item=getitem",
    "functions.ragged.tensor": "ragged_or_dense=convert_to_tensor_or_ragged_tensor ragged_tensor=RaggedTensor",
    "interop.control_flow": "cond_from_proto context_to_proto while_from_proto",
    "keras.activations": "named_activation=get",
    "keras.constraints": "named_constraint=get",
    "keras.initializers": "named_initializer=get",
    "keras.regularizers": "named_regularizer=get",
    "checkpoints.containers": "tracked_container=wrapped",
    "checkpoints.dependencies": "dependencies_of_layer",
    "keras.backend_config": "floatx",
    "keras.mixed_precision.autocast_variable": "auto_casting autocast_variable=create_autocast_variable",
    "keras.mixed_precision.loss_scale_optimizer": "keras_loss_scale_optimizer=LossScaleOptimizer",
    "keras.layers.serialization": "keras_layer_from_config=deserialize",
    "keras.metrics.means": "mean_metric=Mean",
    "keras.models": "clone_model",
    "keras.optimizers.optimizer_v2": "restored_optimizer=RestoredOptimizer",
    "keras.saving.network_weights": "load_network_weights=load_weights save_network_weights=save_weights",
    "keras.saving.save": "save_model",
    "keras.saving.saved_model.save": "layer_additions=LayerAdditions",
    "messages.graph_def": "graph_def_of",
    "messages.function_def": "function_def_of",
    "messages.node_def": "attr_from_proto node_def_of public_attr version_def",
    "messages.tensor_proto": "array_of",
    "messages.op_def": "op_def_of",
    "messages.protos": "node_def_message=NodeDef resource_handle_message=ResourceHandleProto",
    "ops.array.constant": "register_conversions",
    "plan.collectives": "meet_collectives",
    "plan.held_reads": "hold_reads",
    "plan.lists_in_place": "change_lists_in_place",
    "plan.lowered_flow": "lower_functions",
    "plan.optionals": "take_out_optionals",
    "plan.tasks": "cut_tasks",
    "distribute.eager_servers": "join_cluster",
    "plan.evaluate": "evaluate may_evaluate=is_bounded",
    "profiler.flops": "register_flops=register",
    "runtime.cost_graphs": "cost_models=CostModels",
    "runtime.process_config": "session_config",
    "runtime.eager": "eager_graph=EagerGraph",
    "sessions.registered_collections": "register_collections=register",
    "state.current_scope": "variable_scope=get_variable_scope",
    "state.scoping": "variable_creator_scope",
}


def _places() -> dict[str, tuple[str, str]]:
    places = {}
    for module, rows in HOMES.items():
        for row in rows.split():
            slot, _, function = row.partition("=")
            places[slot] = module, function or slot
    return places


PLACES = _places()


def find(slot: str) -> Any:
    """What fills a slot, imported now.

    Raises:
        KeyError: if it has no row.
    """
    module, path = PLACES[slot]
    return functools.reduce(getattr, path.split("."), importlib.import_module(f"{_PACKAGE}.{module}"))

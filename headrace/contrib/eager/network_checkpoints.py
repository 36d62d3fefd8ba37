"""Checkpoints of `tfe.Network`: the variables by their names, those that are made later when they are made."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.saver import Saver
from headrace.contrib.eager.network import Network
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import get_default_session
from headrace.core.eager import executing_eagerly
from headrace.files.checkpoint.reader import CheckpointReader
from headrace.state.global_step import get_global_step

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.typing import TensorLike
    from headrace.state.variables import Variable


Naming = Callable[[str], str]


class _Restoration:
    """What has been asked for of a checkpoint, for variables that are not there yet.

    Attributes:
        naming: from names of variables to names in the checkpoint.
        values: what is yet to be restored, by name in the checkpoint; None of what has been.
        variables: what has been restored.
    """

    def __init__(self, naming: Naming, values: dict[str, Any], conflict: Callable[..., ValueError]) -> None:
        self.naming = naming
        self.values = values
        self.variables: dict[str, Any] = {}
        self.session = None if executing_eagerly() else get_default_session()
        self.conflict = conflict


def _stripping(scope: str) -> Naming:
    """The names without that of the scope before them."""
    return lambda name: name[len(scope) + 1 :] if name.startswith(scope + "/") else name


def _folder_or_path(network: Any, save_path: str) -> str:
    # In a folder a checkpoint is named after the network.
    return os.path.join(save_path, network.name.replace("/", "_")) if os.path.isdir(save_path) else save_path


def _conflict(network: Any, saving: bool, given: bool) -> Callable[..., ValueError]:
    """Makes the error of two variables that get one name."""
    name, scope = network.name, network.scope_name

    def made(mapped: str, first: Variable, second: Variable) -> ValueError:
        both = f"'{first._shared_name}' and '{second._shared_name}'"
        if not given:
            return ValueError(
                f"The default checkpoint variable name mapping strategy for Network '{name}' resulted in a naming conflict. "
                f"We attempted to strip off the variable prefix for the Network ('{scope}'), but this resulted in two "
                f"variables named '{mapped}' (originally {both}). Layers that were first added to another network keep its "
                "prefix; pass `map_func=lambda n: n` to save and restore full names."
            )
        function = "save_network_checkpoint" if saving else "restore_network_checkpoint"
        return ValueError(
            f"The map_func passed to {function} for the Network '{name}' resulted in two variables named '{mapped}' "
            f"({both}). Strip less from the names, or rename parts of the network, whose own prefix is '{scope}'."
        )

    return made


def _by_name(network: Any, naming: Naming, conflict: Callable[..., ValueError]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for variable in network.variables:
        mapped = naming(variable._shared_name)
        if found.setdefault(mapped, variable) is not variable:
            raise conflict(mapped, found[mapped], variable)
    return found


def save_network_checkpoint(
    network: Any, save_path: str, global_step: TensorLike | Variable | None = None, map_func: Naming | None = None
) -> str | None:
    """Saves the variables of a network.

    Args:
        network: a `tfe.Network` that has been called.
        save_path: the path of the checkpoint, or a folder.
        global_step: added to the path; the global step by default, if there is one.
        map_func: from names of variables to names in the checkpoint; by default the network's own name is taken off.

    Returns:
        the path of the checkpoint.

    Raises:
        ValueError: if the network has not been called, or two variables get one name.
    """
    if not network.built:
        raise ValueError(
            "Attempt to save the Network before it was first called. This means variables have not yet been created, so "
            "there is nothing to save."
        )
    network._set_scope()
    if global_step is None:
        global_step = get_global_step()
    path = _folder_or_path(network, save_path)
    naming = _stripping(network.scope_name) if map_func is None else map_func
    variables = _by_name(network, naming, _conflict(network, True, map_func is not None))
    session = None if executing_eagerly() else get_default_session()
    return Saver(variables).save(sess=session, save_path=path, write_meta_graph=False, global_step=global_step)


def _restoring_getter(restorations: list[_Restoration]) -> Callable[..., Any]:
    """A custom getter that begins variables with the values of a checkpoint, the one asked for last first."""

    def get(
        getter: Callable[..., Any],
        name: str,
        shape: Any = None,
        dtype: DType | None = None,
        initializer: Any = None,
        *args: Any,
        **kwargs: Any,
    ) -> Any:
        found = None
        mapped = ""
        for restoration in reversed(restorations):
            mapped = restoration.naming(name)
            if mapped in restoration.values:
                found = restoration
                break
        value = found.values[mapped] if found is not None else None
        if value is not None:
            shape, initializer = None, convert_to_tensor(value) if executing_eagerly() else value
        variable = getter(name, *args, shape=shape, dtype=dtype, initializer=initializer, **kwargs)
        if found is None:
            return variable
        if value is not None:
            found.values[mapped] = None
            if found.session is not None:
                found.session.run(variable.initializer)
        if found.variables.setdefault(mapped, variable) is not variable:
            raise found.conflict(mapped, found.variables[mapped], variable)
        return variable

    return get


def _add(layer: Any, restoration: _Restoration) -> None:
    if isinstance(layer, Network):
        layer._set_scope()
    if "_deferred_restorations" not in layer.__dict__:
        layer._deferred_restorations = []
        layer._custom_getter = _restoring_getter(layer._deferred_restorations)
    layer._scope.set_custom_getter(layer._custom_getter)
    layer._deferred_restorations.append(restoration)
    if isinstance(layer, Network):
        for inner in layer.layers:
            if not isinstance(inner, Network):
                layer._set_scope_of(inner)
            _add(inner, restoration)


def restore_network_checkpoint(network: Any, save_path: str, map_func: Naming | None = None) -> None:
    """Restores the variables of a network: at once those there are, the others when they are made.

    Args:
        network: a `tfe.Network`.
        save_path: what `save_network_checkpoint` returned, or a folder.
        map_func: from names of variables to names in the checkpoint; as of `save_network_checkpoint`.

    Raises:
        ValueError: if two variables get one name.
    """
    network._finalize_name(parent_network=False)
    network._set_scope()
    path = _folder_or_path(network, save_path)
    naming = _stripping(network.scope_name) if map_func is None else map_func
    conflict = _conflict(network, False, map_func is not None)
    existing = _by_name(network, naming, conflict)
    if existing:
        Saver(var_list=existing).restore(None if executing_eagerly() else get_default_session(), path)
    reader = CheckpointReader(path)
    missing = {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map() if name not in existing}
    if missing:
        _add(network, _Restoration(naming, missing, conflict))

"""How the layers make their variables: as model variables, under the names these layers have always used."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.contrib.framework.variables import model_variable
from headrace.contrib.layers import utils
from headrace.contrib.layers.initializers import xavier_initializer
from headrace.core.defaults import add_to_collection, get_collection
from headrace.state.initializers import zeros_initializer
from headrace.state.modes import VariableAggregation, VariableSynchronization
from headrace.state.partitioned import PartitionedVariable
from headrace.state.variable_scope import variable_scope

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import (
        Activation,
        CollectionNames,
        DTypeLike,
        InitializerLike,
        Partitioner,
        Regularizer,
        ShapeLike,
        TensorLike,
    )
    from headrace.state.modes import _ReuseMode
    from headrace.state.variables import Variable


NHWC, NCHW, NDHWC, NCDHW = "NHWC", "NCHW", "NDHWC", "NCDHW"

# What weights and biases start from by default.
XAVIER, ZEROS = xavier_initializer(), zeros_initializer()

# What the variables of `tf.layers` are called in `tf.contrib.layers`.
WEIGHTS_AND_BIASES = {"bias": "biases", "kernel": "weights"}


def model_variable_getter(
    getter: Callable[..., Any],
    name: str,
    shape: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    initializer: InitializerLike | None = None,
    regularizer: Regularizer | None = None,
    trainable: bool = True,
    collections: CollectionNames | None = None,
    caching_device: str | Callable[..., Any] | None = None,
    partitioner: Partitioner | None = None,
    rename: dict[str, str] | None = None,
    use_resource: bool | None = None,
    synchronization: VariableSynchronization = VariableSynchronization.AUTO,
    aggregation: VariableAggregation = VariableAggregation.NONE,
    **_: Any,
) -> Variable:
    """A custom getter that makes model variables; `rename` gives the last parts of their names other words."""
    before, slash, last = name.rpartition("/")
    return model_variable(
        f"{before}{slash}{(rename or {}).get(last, last)}",
        shape=shape,
        dtype=dtype,
        initializer=initializer,
        regularizer=regularizer,
        collections=collections,
        trainable=trainable,
        caching_device=caching_device,
        partitioner=partitioner,
        custom_getter=getter,
        use_resource=use_resource,
        synchronization=synchronization,
        aggregation=aggregation,
    )


def layer_scope(
    scope: str | None,
    default_name: str,
    inputs: TensorLike,
    reuse: bool | _ReuseMode | None,
    rename: dict[str, str] | None = None,
) -> variable_scope:
    """The variable scope of a layer whose variables `tf.layers` makes: model variables, renamed."""

    def renaming_getter(getter: Callable[..., Any], *args: Any, **kwargs: Any) -> Variable:
        kwargs["rename"] = rename
        return model_variable_getter(getter, *args, **kwargs)

    return variable_scope(scope, default_name, [inputs], reuse=reuse, custom_getter=renaming_getter)


def layer_arguments(scope: Any, inputs: Tensor, trainable: bool, reuse: bool | _ReuseMode | None) -> dict[str, Any]:
    """What the layers of `tf.layers` are given that work in an opened scope; activations come after them."""
    return {
        "activation": None,
        "activity_regularizer": None,
        "trainable": trainable,
        "name": scope.name,
        "dtype": inputs.dtype.base_dtype,
        "_scope": scope,
        "_reuse": reuse,
    }


def add_variable_to_collections(variable: Variable, collections: CollectionNames | None, name: str) -> None:
    """Adds the variable called `name` to the collections asked for, once."""
    for collection in utils.get_variable_collections(collections, name) or []:
        for part in list(variable) if isinstance(variable, PartitionedVariable) else [variable]:
            if all(part is not other for other in get_collection(collection)):
                add_to_collection(collection, part)


def parameter(
    name: str,
    shape: ShapeLike,
    dtype: DTypeLike,
    initializer: InitializerLike,
    variables_collections: Any,
    trainable: bool,
    regularizer: Regularizer | None = None,
) -> Any:
    """A model variable of a layer, in the collections for its name."""
    return model_variable(
        name,
        shape=shape,
        dtype=dtype,
        initializer=initializer,
        regularizer=regularizer,
        collections=utils.get_variable_collections(variables_collections, name),
        trainable=trainable,
    )


def finished(
    outputs: Tensor, activation_fn: Activation | None, outputs_collections: CollectionNames | None, scope_name: str
) -> Tensor:
    """The outputs after the activation, in the collections asked for."""
    if activation_fn is not None:
        outputs = activation_fn(outputs)
    return utils.collect_named_outputs(outputs_collections, scope_name, outputs)


def check_data_format(data_format: str, allowed: tuple[str, str] = (NCHW, NHWC)) -> str:
    """The layout as `tf.layers` calls it.

    Raises:
        ValueError: if it is not allowed.
    """
    if data_format not in allowed:
        raise ValueError(f"data_format has to be either {allowed[0]} or {allowed[1]}.")
    return "channels_first" if data_format.startswith("NC") else "channels_last"

"""Functions that make a layer and apply it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor


def function_of(
    layer: type, name: str, does: str, example: str, before: dict[str, str] | None = None
) -> Callable[..., Any]:
    """The function of `tf.layers` that makes a layer and applies it.

    Its arguments are the inputs, those of the class, and `reuse` where the layer has variables.

    Args:
        layer: the class.
        name: the name of the function.
        does: what it does, for its docstring.
        example: a call, for its docstring.
        before: further arguments of `call`, which default to False, to the argument of the class they come before.
    """
    parameters: list[inspect.Parameter] = [inspect.Parameter("inputs", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    of_call = {after: argument for argument, after in (before or {}).items()}
    has_variables = "trainable" in inspect.signature(layer).parameters
    for parameter in inspect.signature(layer).parameters.values():
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            continue
        if parameter.name in of_call:
            argument = of_call[parameter.name]
            parameters.append(inspect.Parameter(argument, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=False))
        parameters.append(parameter)
        if parameter.name == "name" and has_variables:
            parameters.append(inspect.Parameter("reuse", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None))
    signature = inspect.Signature([p.replace(annotation=inspect.Parameter.empty) for p in parameters])
    types = {p.name: p.annotation for p in parameters if isinstance(p.annotation, str)}
    called_with = tuple(before or ())

    def apply(*args: Any, **kwargs: Any) -> Tensor:
        try:
            given = signature.bind(*args, **kwargs).arguments
        except TypeError as error:
            raise TypeError(f"{name}() {error}") from None
        inputs = given.pop("inputs")
        to_call = {key: given.pop(key) for key in called_with if key in given}
        if has_variables:
            given["_reuse"] = given.pop("reuse", None)
            given["_scope"] = given.get("name")
        return layer(**given).apply(inputs, **to_call)

    apply.__name__ = apply.__qualname__ = name
    apply.__doc__ = _document(layer, does, example, called_with, has_variables)
    apply.__signature__ = signature  # type: ignore[attr-defined]  # functions take any attribute
    apply.__module__ = layer.__module__
    apply.__annotations__ = {"inputs": "TensorLike", **types, "return": "Tensor"}
    return apply


def _document(layer: type, does: str, example: str, called_with: tuple[str, ...], has_variables: bool) -> str:
    lines = [does, "", "Args:", "    inputs: the tensor to apply it to."]
    lines += [f"    {key}: whether this is training: a bool or a bool tensor." for key in called_with]
    lines.append(f"    name: {'the name of its variable scope' if has_variables else 'a name for the operations'}.")
    if has_variables:
        lines.append("    reuse: whether to use the variables that a layer of this name has made before.")
    lines += [f"    others: those of `tf.layers.{layer.__name__}`.", "", "Returns:", "    the outputs, a tensor.", ""]
    return "\n".join([*lines, "Example:", f"    >>> {example}", ""])

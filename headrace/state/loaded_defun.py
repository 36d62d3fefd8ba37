"""Functions of `FunctionDef` messages, as `Defun` makes them: what 1.x's `function.from_library` gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headrace.core.defaults import get_default_graph
from headrace.core.dtypes import as_dtype
from headrace.core.graph_functions import called_function
from headrace.messages import protos
from headrace.messages.function_def import function_from_def
from headrace.state.defun import DefinedFunction

if TYPE_CHECKING:
    from headrace.core.graph_functions import Function
    from headrace.core.tensor import Tensor


class LoadedFunction(DefinedFunction):
    """A function that a message describes: call it with tensors.

    Args:
        message: a `FunctionDef`. The functions that it calls must be in the graph when it is called first.
        grad_func: the function that computes its gradient.
    """

    def __init__(self, message: protos.FunctionDef, grad_func: DefinedFunction | None = None) -> None:
        arguments = message.signature.input_arg
        name = message.signature.name
        types = [as_dtype(arg.type) for arg in arguments]
        super().__init__(None, [arg.name for arg in arguments], types, func_name=name, grad_func=grad_func)
        self._message = protos.FunctionDef()
        self._message.CopyFrom(message)

    @property
    def name(self) -> str:
        """Its name in the graph."""
        return self._message.signature.name

    @property
    def definition(self) -> protos.FunctionDef:
        """The message."""
        return self._message

    @property
    def captured_inputs(self) -> list[Tensor]:
        """None: what it took from outside are arguments."""
        return []

    def _trace(self) -> Function:
        graph = get_default_graph()
        known = called_function(graph, self.name)
        if known is not None:
            return known
        made = function_from_def(self._message, graph)
        if self._grad_func is not None:
            made.gradient = self._grad_func.function
        return made


def _from_definition(fdef: protos.FunctionDef, grad_func: DefinedFunction | None = None) -> LoadedFunction:
    """The function that a `FunctionDef` describes; `grad_func` computes its gradient."""
    return LoadedFunction(fdef, grad_func)


def from_library(lib: protos.FunctionDefLibrary) -> list[LoadedFunction]:
    """The functions of a library, each with the one that computes its gradient.

    Args:
        lib: a `FunctionDefLibrary`.

    Returns:
        them, each after its gradient.

    Raises:
        ValueError: if a function is missing, or the gradients go in a circle.
    """
    messages = {message.signature.name: message for message in lib.function}
    gradients = {pair.function_name: pair.gradient_func for pair in lib.gradient}
    for name in [*gradients, *gradients.values()]:
        if name not in messages:
            raise ValueError(f"FunctionDefLibrary missing '{name}' FunctionDef")
    made: dict[str, LoadedFunction] = {}
    for name in messages:
        chain = [name]
        while chain[-1] not in made and (gradient := gradients.get(chain[-1])) is not None:
            if gradient in chain:
                raise ValueError("FunctionDefLibrary contains cyclic gradient functions!")
            chain.append(gradient)
        for each in reversed(chain):
            if each not in made:
                made[each] = LoadedFunction(messages[each], made.get(gradients.get(each, "")))
    return list(made.values())

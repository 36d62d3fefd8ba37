"""What lower rooms ask of upper ones: each request is a named slot here, and `headrace.api.wiring` says what fills it.

A room imports only what lies below it. Where a method of a graph, a tensor or an op's declaration is by nature the work of
a room above (an operation as a `NodeDef`, the gradient of a function), the lower room calls a slot:

    >>> from headrace.core import slots
    >>> slots.node_def_of(loss.op).op
    'Mean'

The function behind a slot is imported when the slot is first called, so that a program loads what it uses. The slots of
this file are all there are; a new one needs a row in `headrace/api/wiring.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Function = Callable[..., Any]


class Slot:
    """A function of an upper room, by name.

    Args:
        purpose: what it does, in the words of whoever calls it.
    """

    __slots__ = ("_function", "name", "purpose")

    def __init__(self, purpose: str) -> None:
        self.purpose = purpose
        self.name = ""
        self._function: Function | None = None

    @property
    def function(self) -> Function:
        """What fills it, imported now if it has not been yet."""
        if self._function is None:
            self._function = _find(self.name)
        return self._function

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        return (self._function or self.function)(*args, **keywords)

    def __repr__(self) -> str:
        return f"<slot {self.name}: {self.purpose}>"


def _unwired(name: str) -> Function:
    raise LookupError(f"Nothing fills the slot {name!r}: headrace.api.wiring has not been installed.")


_find: Callable[[str], Function] = _unwired


def wire(find: Callable[[str], Function]) -> None:
    """Says how what fills a slot is found; called once, by the package.

    Args:
        find: takes the name of a slot, returns the function.
    """
    global _find
    _find = find


# ---- notebooks

as_html = Slot("an object as notebooks show it")

# ---- declarations

declare = Slot("declares the op of a type, by importing the one file that does; whether there is one")
op_types = Slot("the types of all ops that can be declared")
fusion = Slot("the fusion that a file of `plan.fusions` declares, by the file's name")

# ---- tensors and values

install_operators = Slot("gives tensors what Python's operators mean")
tensor_item = Slot("what `tensor[...]` gives")
register_conversions = Slot("registers how Python's and NumPy's values become tensors")
type_spec_of = Slot("what describes a value made of tensors")
eager_constant = Slot("the value of a tensor that holds it, as an array")
array_of_sequence = Slot("a list of arrays and numbers as an array, by the rules that hold eagerly")
evaluate = Slot("the outputs of an operation from its inputs' values, while the graph is built")
may_evaluate = Slot("whether the outputs of an operation are small enough to be computed while the graph is built")
eager_graph = Slot("the graph whose operations run as they are made")

# ---- values made of tensors

ragged_tensor = Slot("the class `tf.RaggedTensor`")
ragged_or_dense = Slot("a ragged tensor, or a tensor of what is not ragged")
ragged_item = Slot("rows and elements of a ragged tensor")
ragged_operator = Slot("what an operator gives for ragged tensors")
dispatch_ragged = Slot("a public function of ragged tensors")
dispatch_linear_operator = Slot("a public function of linear operators")
register_linear_operators = Slot("registers how linear operators of each kind are inverted, multiplied and factored")

# ---- graphs as messages

operation_of = Slot("the operation that a `NodeDef` describes, added to a graph")
node_def_message = Slot("an empty `NodeDef`")
resource_handle_message = Slot("a `ResourceHandleProto`")
node_def_of = Slot("an operation as a `NodeDef`")
array_of = Slot("the elements of a `TensorProto` as an array")
op_def_of = Slot("a declaration as an `OpDef`")
graph_def_of = Slot("a graph as a `GraphDef`")
version_def = Slot("a `VersionDef` of two numbers")
public_attr = Slot("an attribute as `Operation.get_attr` gives it")
attr_from_proto = Slot("the plain value of an `AttrValue`")
context_to_proto = Slot("a branch or a loop as a message")
cond_from_proto = Slot("the branch that a `CondContextDef` describes")
while_from_proto = Slot("the loop that a `WhileContextDef` describes")
register_collections = Slot("registers how items of the standard collections become messages")

# ---- gradients

function_def_of = Slot("a function as a `FunctionDef`")
function_gradient = Slot("the function of the inputs and the outputs' gradients that gives a function's gradients")
call_gradient = Slot("the gradients of a call of a function")
connected_inputs = Slot("which inputs of a function its outputs depend on differentiably")
masked_gradients = Slot("gradients of a function's inputs, None where nothing depends on them")
branch_gradient = Slot("the gradients of an If or Case that keeps what they need")
loop_gradient = Slot("the gradients of a While that keeps what they need")
tensor_array_gradient = Slot("the gradients of an op on TensorArrays")
new_tape = Slot("a tape that records operations run eagerly")
start_tape = Slot("lets a tape record")
stop_tape = Slot("ends what a tape records")
gradient_tape = Slot("`tf.GradientTape`")

# ---- what names stand for in the arguments of layers

named_activation = Slot("the activation that a name or settings stand for")
named_constraint = Slot("the constraint that a name or settings stand for")
named_initializer = Slot("the initializer that a name or settings stand for")
named_regularizer = Slot("the regularizer that a name or settings stand for")

# ---- models in files

floatx = Slot("the floating type that Keras means where none is given: `tf.keras.backend.floatx`")
auto_casting = Slot("a block in which variables of mixed precision are read in a type")
autocast_variable = Slot(
    "a variable that is read in `layers.context.call_context.read_dtype` while a layer is being called"
)
tracked_container = Slot("a list or dict as the container that keeps track of its elements")
dependencies_of_layer = Slot("what checkpoints of objects save of a layer, by the names of its attributes")
keras_layer_from_config = Slot("the layer or model that a configuration describes: `tf.keras.layers.deserialize`")
keras_loss_scale_optimizer = Slot("an optimizer of Keras that takes the gradients of a multiple of the loss")
restored_optimizer = Slot("what an optimizer of a SavedModel kept")
layer_additions = Slot("what SavedModels hold of layers and models beside their variables and functions")
mean_metric = Slot("a metric that averages what it is given: `tf.keras.metrics.Mean`")
clone_model = Slot("a model of the same layers with new weights: `tf.keras.models.clone_model`")
save_model = Slot("writes a model to a file or a folder: `Model.save`")
save_network_weights = Slot("writes the weights of a network: `Network.save_weights`")
load_network_weights = Slot("sets the weights of a network to those of a file: `Network.load_weights`")

# ---- what programs ask a graph or a function for

variable_scope = Slot("the variable scope that is open")
variable_creator_scope = Slot("a scope in which a function makes the variables of a graph")
register_flops = Slot("registers how many arithmetic operations ops are")
default_strategy = Slot("the distribution strategy in force outside of all scopes")
zip_datasets = Slot("datasets as one of tuples")
next_as_optional = Slot("the next element of an iterator, or none at its end")
cut_tasks = Slot("cuts a planned graph where devices name other tasks of a cluster")
lower_functions = Slot("takes the functions of branches and loops into a planned graph")
take_out_optionals = Slot("puts values in the place of optionals between branches and their gradients")
hold_reads = Slot("finds what patterns of a planned graph must not compute later")
change_lists_in_place = Slot("has lists that go round the loops of a planned graph changed in place")
meet_collectives = Slot("brings together the members of collectives that are in one plan")
join_cluster = Slot("starts the server of a task in this process, and lets eager operations meet those of other tasks")
session_config = Slot("the config of a session, with what is set for the process")
cost_models = Slot("what a session measures that is asked for a cost model")
remote_target = Slot("the runtime of a session on a server of another process")
reset_target = Slot("forgets the state of a server of another process, and of its cluster")
dump_watcher = Slot("makes what writes the tensors of a watched run into files")
debugging_session = Slot("makes of a session one that runs in the debugger's command line")
step_watcher = Slot("what goes through a watched run operation by operation, None if nothing has that URL")

for _name, _slot in list(globals().items()):
    if isinstance(_slot, Slot):
        _slot.name = _name
del _name, _slot

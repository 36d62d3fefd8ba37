"""Eager execution: the graph whose operations run as they are made, by plans of one operation each."""

from __future__ import annotations

import contextlib
import itertools
import random
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import torch

from headrace.core.buffers import VariableBuffer
from headrace.core.eager import EagerOperation, EagerSource, EagerTensor, invalid
from headrace.core.errors import OpError
from headrace.core.graph import Graph
from headrace.core.operation import Operation, Tensor
from headrace.core.registry import raw
from headrace.plan.plan import Plan, make_plan
from headrace.plan.threads import all_threads, one_thread
from headrace.plan.values import to_numpy, to_torch
from headrace.runtime import configuration, failures
from headrace.runtime.resources import Runtime

_flush_denormal = torch.set_flush_denormal
_InferenceMode = torch._C._InferenceMode

# For one op with given attributes, so many combinations of shapes (or of values read on the host) get plans of their own;
# after that a plan serves all shapes of one rank (all values).
_MOST_VARIANTS = 64
_LARGEST_KNOWN = 32
_MOST_CALLS = 8_000
_MOST_KERNELS = 8_000
_VALUES = frozenset({int, bool, str, bytes, np.int32, np.int64, np.bool_})

# What only graphs have.
_REFUSED = {
    "Placeholder": "tf.placeholder() is not compatible with eager execution.",
    "PlaceholderV2": "tf.placeholder() is not compatible with eager execution.",
    "PlaceholderWithDefault": None,
    "VariableV2": "tf.Variable(use_resource=False) is not supported when eager execution is enabled.",
    "Variable": "tf.Variable(use_resource=False) is not supported when eager execution is enabled.",
}
# Collections that the library fills for graphs to find again; eager programs keep the objects themselves.
_CUSTOM_ONLY = frozenset(
    {
        *("variables", "local_variables", "trainable_variables", "model_variables", "moving_average_variables"),
        *("trainable_resource_variables", "metric_variables", "losses", "regularization_losses", "update_ops"),
        *("summaries", "queue_runners", "table_initializer", "asset_filepaths", "activations", "train_op", "init_op"),
        *(
            "ready_op",
            "eval_step",
            "savers",
            "saveable_objects",
            "cond_context",
            "while_context",
            "iterators",
            "biases",
        ),
        *("weights", "mean_absolute_losses"),
    }
)


class _Kernel:
    """A planned operation.

    Attributes:
        type: the operation's type.
        function: the plan's function.
        given: the positions of the inputs it takes; the others are part of it.
        takes_all: whether it takes all inputs.
        writes: the positions of variables it may write.
        lends: whether a result is the memory of a variable.
    """

    __slots__ = ("function", "given", "lends", "plan", "scratch", "takes_all", "type", "writes")

    def __init__(
        self, kind: str, plan: Plan, given: list[int], count: int, writes: tuple[int, ...], scratch: Graph
    ) -> None:
        self.plan = plan
        self.function = plan.function
        self.given = given
        self.takes_all = len(given) == count
        self.writes = writes
        self.lends = any(node.decl.reads_state for node in plan.nodes) and any(plan.shared)
        self.scratch = scratch
        self.type = kind


def _named(error: OpError, kind: str) -> OpError:
    """An error of an operation of type `kind`, with that type at the end of what it says."""
    mark = f"[Op:{kind}]"
    if not error._message.endswith("]") or "[Op:" not in error._message:
        error._message = f"{error._message} {mark}"
        error.args = (error._message,)
    if error._op is not None and error._op.type == kind:
        # There is no graph for it to be in, and where it was made is where it failed.
        error._op = None
        error._ran = False
    return error


class _Call:
    """What a call of an op comes to, for tensors of given types and shapes.

    Attributes:
        kernel: the planned operation.
        attrs: its attributes.
        types: the element types of its outputs.
        fixed: for each input the tensor it always is, None for those that are given; None if all are given as they are.
        is_single: whether the result is the one output itself.
    """

    __slots__ = ("attrs", "fixed", "is_single", "kernel", "types")

    def __init__(
        self,
        kernel: _Kernel,
        attrs: dict[str, Any],
        types: Sequence[Any],
        fixed: list[Any] | None,
        is_single: bool,
    ) -> None:
        self.kernel = kernel
        self.attrs = attrs
        self.types = types
        self.fixed = fixed
        self.is_single = is_single


class EagerGraph(Graph):
    """Where operations go that run as they are made: nothing of them is kept.

    Args:
        config: a `ConfigProto`.

    Attributes:
        runtime: what keeps random streams, tables and the like.
        callbacks: called with each operation that has run: its type, inputs, attributes, outputs and name.
    """

    is_eager = True

    def __init__(self, config: Any = None) -> None:
        super().__init__()
        settings = configuration.Settings(config)
        self.runtime = Runtime(settings.default_device())
        self.runtime.settings = settings
        self.source: Any = EagerSource(self)
        self._kernels: dict[Any, _Kernel] = {}
        self._calls: dict[Any, _Call] = {}
        self._latest = _Latest()
        self._variants: dict[Any, int] = {}
        self._names: dict[Any, str] = {}
        self._numbers = itertools.count()
        self._rng: random.Random | None = None
        self._recording = _Recording()
        self.callbacks: tuple[Callable[..., Any], ...] = ()
        # Functions go when what they were traced for goes.
        self._functions: Any = weakref.WeakValueDictionary()

    # ---- what a graph has and this one has not ----

    @property
    def version(self) -> int:
        return 0

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        stack = self._scopes.name_stack
        return f"{stack}/{name}" if stack else name

    def name_scope_now(self, name: str | None) -> _OpenScope:
        """Enters a name scope: what is returned leaves it by `__exit__`."""
        scopes = self._scopes
        outer = scopes.name_stack
        if not name:
            inner = ""
        elif name[-1] == "/":
            inner = name[:-1]
        else:
            inner = f"{outer}/{name}" if outer else name
        scopes.name_stack = inner
        return _OpenScope(scopes, outer, inner + "/" if inner else "")

    def add_to_collection(self, name: Any, value: Any) -> None:
        if name not in _CUSTOM_ONLY:
            super().add_to_collection(name, value)

    def control_dependencies(self, control_inputs: Iterable[Any] | None) -> Any:
        """Whatever was made before has run before."""
        return contextlib.nullcontext()

    def colocate_with(self, op: Any, ignore_existing: bool = False) -> Any:
        return contextlib.nullcontext()

    def as_graph_element(self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True) -> Any:
        if isinstance(obj, (EagerTensor, EagerOperation)):
            return obj
        converter = getattr(obj, "_as_graph_element", None)
        if converter is not None:
            return converter()
        return super().as_graph_element(obj, allow_tensor, allow_operation)

    # ---- seeds ----

    @property
    def seed(self) -> int | None:
        return self._seed

    @seed.setter
    def seed(self, seed: int | None) -> None:
        self._seed = seed
        self._rng = None if seed is None else random.Random(seed)
        # Streams begin anew.
        with self._lock:
            for key in [key for key in self.runtime.objects if key[0] == "random_stream"]:
                del self.runtime.objects[key]
            self._kernels.clear()
            self._calls.clear()
            self._variants.clear()

    def next_op_seed(self) -> int | None:
        """The seed of an operation that has none of its own; None where no seed was set."""
        return None if self._rng is None else self._rng.randint(0, 2**31 - 1)

    # ---- running ----

    def call(self, decl: Any, args: Sequence[Any], keywords: dict[str, Any]) -> Any:
        """An op applied to eager tensors of types and shapes it has been applied to before; NotImplemented of others.

        Args:
            decl: the declaration.
            args: its inputs, by position.
            keywords: its attributes.
        """
        key = _call_key(decl, args, keywords)
        try:
            found = self._calls.get(key)
        except TypeError:
            # An attribute, or a value, that is no part of a key.
            return NotImplemented
        if found is None or self._gradient_override or self._scopes.devices or self.callbacks:
            return NotImplemented
        if found.fixed is None:
            given = args
        else:
            given = [value if fixed is None else fixed for value, fixed in zip(_flat(args), found.fixed, strict=True)]
        values = self._run(found.kernel, given)
        source = self.source
        outputs = [EagerTensor(value, dtype, source) for value, dtype in zip(values, found.types, strict=True)]
        tapes = self._recording.tapes
        if tapes:
            op = EagerOperation(self, decl, decl.type, list(given), found.attrs)
            op._outputs = outputs
            for tape in tapes:
                tape.see(op)
        if found.is_single:
            return outputs[0]
        return outputs if decl.signature.outputs else None

    def learn(self, decl: Any, args: Sequence[Any], keywords: dict[str, Any], result: Any) -> None:
        """Remembers what a call came to, where that depends on types, shapes and the values in the key alone."""
        outputs = decl.signature.outputs
        latest = self._latest.made
        if latest is None or decl.binding_rule is not None or len(outputs) > 1:
            return
        if len(self._calls) > _MOST_CALLS:
            self._calls.clear()
        kernel, op = latest
        flat = _flat(args)
        if op.decl is not decl or len(flat) != len(op._inputs) or len(args) != len(decl.signature.inputs):
            return
        if any(tensor._dtype.name == "variant" for tensor in op._inputs):
            return
        fixed = [None if value.__class__ is EagerTensor else made for value, made in zip(flat, op._inputs, strict=True)]
        is_plain = all(value.__class__ is EagerTensor for value in args)
        types = [tensor._dtype for tensor in op._outputs]
        single = isinstance(result, EagerTensor)
        key = _call_key(decl, args, keywords)
        try:
            self._calls[key] = _Call(kernel, op.attrs, types, None if is_plain else fixed, single)
        except TypeError:
            return

    def add_operation(
        self,
        decl: Any,
        inputs: list[Tensor],
        attrs: dict[str, Any],
        name: str,
        output_types: Sequence[Any],
        control_inputs: Sequence[Operation] = (),
    ) -> Operation:
        if self._gradient_override and decl.type in self._gradient_override:
            attrs["_gradient_op_type"] = self._gradient_override[decl.type]
        op = EagerOperation(self, decl, name, inputs, attrs)
        values = self._results(op, output_types)
        source = self.source
        op._outputs = [EagerTensor(value, dtype, source) for value, dtype in zip(values, output_types, strict=True)]
        tapes = self._recording.tapes
        if tapes:
            for tape in tapes:
                tape.see(op)
        if self.callbacks and decl.type != "Const":
            given = tuple(itertools.chain.from_iterable(attrs.items()))
            for callback in self.callbacks:
                callback(decl.type, list(inputs), given, list(op._outputs), None)
        return op

    def _results(self, op: EagerOperation, output_types: Sequence[Any]) -> Sequence[Any]:
        decl = op.decl
        kind = decl.type
        if kind == "Const":
            return (to_torch(op.attrs["value"], output_types[0]),)
        if kind == "VarHandleOp":
            attrs = op.attrs
            return (VariableBuffer(op._name, attrs["dtype"], attrs["shape"], self._device(op), True),)
        if kind in _REFUSED:
            if kind == "PlaceholderWithDefault":
                return (op._inputs[0]._value,)  # type: ignore[attr-defined]
            raise RuntimeError(_REFUSED[kind])
        latest = self._latest
        latest.made = None
        kernel, is_kept = self._kernel(op, output_types)
        results = self._run(kernel, op._inputs)
        if is_kept:
            latest.made = kernel, op
        return results

    def _run(self, kernel: _Kernel, given: Sequence[Any]) -> Sequence[Any]:
        if kernel.takes_all:
            values = [tensor._value for tensor in given]
        else:
            values = [given[i]._value for i in kernel.given]
        for i in kernel.writes:
            buffer = given[i]._value
            if isinstance(buffer, VariableBuffer) and buffer.lent:
                # What was read before the write stays as it was.
                if isinstance(buffer.value, torch.Tensor):
                    buffer.value = buffer.value.clone()
                buffer.lent = False
        results = self._call(kernel, values)
        if kernel.lends:
            for tensor in given:
                buffer = tensor._value
                if isinstance(buffer, VariableBuffer):
                    buffer.lent = True
        return results

    def _call(self, kernel: _Kernel, values: Sequence[Any]) -> Sequence[Any]:
        # Small operations are quicker in one thread; the plan says which are worth more.
        one_thread()
        _flush_denormal(True)
        guard = _InferenceMode(True)
        try:
            results: Sequence[Any] = kernel.function(*values)
            return results
        except BaseException as error:
            raised = failures.explained(error, kernel.plan)
            if isinstance(raised, OpError):
                raised = _named(raised, kernel.type)
            if raised is error:
                raise
            raise raised from None
        finally:
            del guard
            _flush_denormal(False)
            all_threads()

    def _device(self, op: Any) -> torch.device:
        return self.runtime.device

    def _kernel(self, op: EagerOperation, output_types: Sequence[Any]) -> tuple[_Kernel, bool]:
        """The planned operation, and whether the next one like it is the same."""
        decl = op.decl
        attrs = op.attrs
        base: Any = (decl, _frozen(attrs), str(self._scopes.devices[-1](op)) if self._has_device() else "")
        host = decl.host_inputs
        known: list[Any] = []
        shapes: list[Any] = []
        for i, tensor in enumerate(op._inputs):
            dtype = tensor._dtype
            shapes.append((dtype, tensor.dims))
            if (
                host
                and isinstance(tensor._value, torch.Tensor)  # type: ignore[attr-defined]
                and _size(tensor.dims) <= _LARGEST_KNOWN
                and not dtype.is_floating
                and self._is_host_input(op, i)
            ):
                known.append((i, tensor._value.numpy().tobytes()))  # type: ignore[attr-defined]
        key = (base, tuple(shapes), tuple(known))
        kernel = self._kernels.get(key)
        if kernel is not None:
            return kernel, True
        handles = any(t.name in ("resource", "variant") for t in output_types)
        if handles and decl.signature.calls:
            # A dataset: what its function is called occurs once.
            return self._make(op, output_types, False, {}, op._name), False
        if handles and decl.stateful and not op._inputs:
            # A table, queue or iterator of its own.
            return self._make(op, output_types, False, {}, f"{op._name}_{next(self._numbers)}"), False
        name = self._names.get(base)
        if name is None:
            name = self._names[base] = f"{op._name}_{next(self._numbers)}" if decl.stateful else op._name
        kind = (base, tuple((dtype, len(dims or ())) for dtype, dims in shapes))
        count = self._variants.get(kind, 0)
        if count >= _MOST_VARIANTS:
            kernel = self._kernels.get(kind)
            if kernel is None:
                kernel = self._kernels[kind] = self._make(op, output_types, True, {}, name)
            return kernel, True
        if len(self._kernels) > _MOST_KERNELS:
            self._kernels.clear()
            self._variants.clear()
        self._variants[kind] = count + 1
        constants = {i: op._inputs[i]._value.numpy() for i, _ in known}  # type: ignore[attr-defined]
        kernel = self._kernels[key] = self._make(op, output_types, False, constants, name)
        return kernel, True

    def _has_device(self) -> bool:
        return bool(self._scopes.devices) and callable(self._scopes.devices[-1])

    def _is_host_input(self, op: EagerOperation, index: int) -> bool:
        position = 0
        for arg in op.decl.signature.inputs:
            count = 1
            if arg.number_attr is not None:
                count = op.attrs[arg.number_attr]
            elif arg.type_list_attr is not None:
                count = len(op.attrs[arg.type_list_attr])
            if index < position + count:
                return arg.name in op.decl.host_inputs
            position += count
        return False

    def _refusal(self, op: EagerOperation, output_types: Sequence[Any], name: str) -> OpError | None:
        """What the kernel says of arguments that the shape function refuses: TensorFlow runs nothing else eagerly."""
        if op.decl.stateful:
            return None
        try:
            self._run(self._make(op, output_types, None, {}, name), op._inputs)
        except OpError as error:
            # What torch says of shapes that it was never to see tells less than the shape function.
            return None if f"(op {op.decl.type}, node" in error.message else error
        except (ValueError, TypeError, RuntimeError, IndexError):
            pass
        return None

    def _make(
        self,
        op: EagerOperation,
        output_types: Sequence[Any],
        any_shape: bool | None,
        known: dict[int, np.ndarray],
        name: str,
    ) -> _Kernel:
        """Plans the operation as the only one of a graph.

        Args:
            op: the operation.
            output_types: its outputs' element types.
            any_shape: whether it is planned for any sizes; None for any rank too.
            known: values of inputs that are part of the plan.
            name: its name there.
        """
        decl = op.decl
        scratch = Graph()
        scratch._functions = self._functions
        scratch._container = self._container
        scratch._scopes.devices = self._scopes.devices
        feeds: list[Tensor] = []
        given: list[int] = []
        inputs: list[Tensor] = []
        with scratch.as_default():
            for i, tensor in enumerate(op._inputs):
                if i in known:
                    inputs.append(raw.Const(value=np.array(known[i]), dtype=tensor._dtype.base_dtype, name="known"))
                    continue
                dims = tensor.dims
                if any_shape and dims is not None:
                    dims = (None,) * len(dims)
                if any_shape is None or tensor._dtype.name in ("resource", "variant"):
                    dims = None
                feed: Tensor = raw.Placeholder(dtype=tensor._dtype.base_dtype, shape=dims, name="input")
                feeds.append(feed)
                given.append(i)
                inputs.append(feed)
            try:
                made = Graph.add_operation(
                    scratch, decl, inputs, dict(op.attrs), scratch.unique_name(name.replace(":", "_")), output_types
                )
            except ValueError as error:
                if any_shape is None:
                    raise
                raise self._refusal(op, output_types, name) or invalid(str(error), decl.type) from None
            fetches: list[Any] = list(made._outputs) or [made]
            if made._outputs and decl.stateful:
                fetches.append(made)
            try:
                plan = make_plan(fetches, feeds, self.runtime)
            except OpError as error:
                _named(error, decl.type)
                raise
        # A call may write whatever it is handed.
        writes = tuple(
            i
            for i, tensor in enumerate(op._inputs)
            if tensor._dtype.name == "resource"
            and (decl.signature.calls or i in decl.writes_state or decl.type in self._functions)
        )
        return _Kernel(decl.type, plan, given, len(op._inputs), writes, scratch)

    def array_of(self, tensor: EagerTensor) -> np.ndarray:
        """The value of a tensor as an array that may share its memory."""
        return to_numpy(tensor._value, tensor._dtype)

    def constant(self, array: np.ndarray, dtype: Any) -> EagerTensor:
        """The tensor of an array that nobody writes to."""
        return EagerTensor(to_torch(array, dtype), dtype, self.source)

    def tensor_of(self, value: Any, dtype: Any) -> EagerTensor:
        """The tensor of a kernels' value."""
        return EagerTensor(value, dtype, self.source)

    # ---- recording ----

    @property
    def tapes(self) -> list[Any]:
        """What records the operations of this thread: objects with the methods of `autodiff.tape.Tape`."""
        return self._recording.tapes

    @tapes.setter
    def tapes(self, tapes: list[Any]) -> None:
        self._recording.tapes = tapes

    def note(self, inputs: Sequence[Any], outputs: Sequence[Any], backward: Callable[..., Any]) -> None:
        """Tells the tapes of something that counts as one operation with the gradient function `backward`."""
        for tape in self._recording.tapes:
            tape.note(inputs, outputs, backward)

    @contextlib.contextmanager
    def not_recording(self) -> Iterator[None]:
        """A context in which no tape of this thread sees anything."""
        recording = self._recording
        tapes = recording.tapes
        recording.tapes = []
        try:
            yield
        finally:
            recording.tapes = tapes


class _OpenScope:
    """A name scope that has been entered."""

    __slots__ = ("outer", "scope", "scopes")

    def __init__(self, scopes: Any, outer: str, scope: str) -> None:
        self.scopes = scopes
        self.outer = outer
        self.scope = scope

    def __exit__(self, *exc: Any) -> None:
        self.scopes.name_stack = self.outer


class _Latest(threading.local):
    """What the operation that ran last came to."""

    def __init__(self) -> None:
        self.made: Any = None


class _Recording(threading.local):
    def __init__(self) -> None:
        self.tapes: list[Any] = []


def _flat(args: Sequence[Any]) -> list[Any]:
    """The inputs with lists of tensors flattened; a list of numbers is one input."""
    flat: list[Any] = []
    for value in args:
        if value.__class__ in (list, tuple) and value and value[0].__class__ is EagerTensor:
            flat.extend(value)
        else:
            flat.append(value)
    return flat


def _call_key(decl: Any, args: Sequence[Any], keywords: dict[str, Any]) -> Any:
    """What decides the plan of a call: types and shapes of tensors, and the values of what is read on the host."""
    key: list[Any] = [decl]
    host = decl.host_positions
    for i, value in enumerate(args):
        kind = value.__class__
        if kind is EagerTensor:
            key.append(value._dtype)
            key.append(value.dims)
            # Numbers such as learning rates change from call to call, and decide no plan.
            if i in host and not value._dtype.is_floating:
                held = value._value
                if held.__class__ is not torch.Tensor or held.numel() > _LARGEST_KNOWN:
                    # Not hashable: such a call is looked at anew each time.
                    key.append([])
                else:
                    key.append(held.numpy().tobytes())
        elif kind is list or kind is tuple:
            for item in value:
                if item.__class__ is EagerTensor:
                    key.append(item._dtype)
                    key.append(item.dims)
                    if i in host:
                        key.append([])
                else:
                    _add_value(key, item)
            key.append(len(value))
        elif kind is np.ndarray:
            if value.size > _LARGEST_KNOWN or value.dtype == object:
                key.append([])
            else:
                key.append((value.dtype.str, value.shape, value.tobytes()))
        else:
            _add_value(key, value)
    key.extend(keywords.items())
    return tuple(key)


def _add_value(key: list[Any], value: Any) -> None:
    kind = value.__class__
    key.append(kind)
    if kind is float:
        # Zeros of both signs are equal, but not the same.
        key.append(repr(value))
    else:
        key.append(value if kind in _VALUES else [])


def _size(dims: Any) -> int:
    size = 1
    for dim in dims or ():
        size *= dim
    return size


def _frozen(value: Any) -> Any:
    """An attribute value, or a dict of them, as a part of a key."""
    if isinstance(value, dict):
        return tuple((key, _frozen(item)) for key, item in value.items() if key != "_class")
    if isinstance(value, (list, tuple)):
        return tuple(_frozen(item) for item in value)
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes() if value.dtype != object else tuple(value.ravel().tolist())
    try:
        hash(value)
    except TypeError:
        return id(value)
    return value

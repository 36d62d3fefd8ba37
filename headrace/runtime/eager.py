"""Eager execution: the graph whose operations run as they are made, by plans of one operation each."""

from __future__ import annotations

import contextlib
import itertools
import operator
import random
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import torch

from headrace.core.buffers import VariableBuffer
from headrace.core.eager import EagerOperation, EagerSource, EagerTensor, eager_tensor, new_operation
from headrace.core.errors import OpError
from headrace.core.graph import Graph
from headrace.core.graph_scopes import OpenNameScope, device_scope
from headrace.core.operation import Operation
from headrace.core.registry import CALLS
from headrace.core.tensor import Tensor
from headrace.devices.denormals import flush_denormals
from headrace.devices.process_settings import settings as process_settings
from headrace.devices.sharing import is_shared
from headrace.devices.threads import all_threads, one_thread
from headrace.plan.values import to_torch
from headrace.runtime import configuration, failures
from headrace.runtime.eager_calls import Call, Kernel, Latest, Recording, named
from headrace.runtime.eager_keys import (
    LARGEST_KNOWN,
    call_key,
    flat_inputs,
    frozen,
    is_host_input,
    is_variable,
    plain_key,
    size_of,
    variable_value,
)
from headrace.runtime.eager_planning import PlannedShapes, planned, planned_walk, scratch_graph
from headrace.runtime.eager_values import EagerValues
from headrace.runtime.kept_plans import MAX_VARIANTS, KeptPlans
from headrace.runtime.resources import Runtime

if TYPE_CHECKING:
    from headrace.core.registry import OpDecl
    from headrace.core.typing import TensorLike
    from headrace.messages import protos


_InferenceMode = torch._C._InferenceMode


class EagerGraph(EagerValues, Graph):
    """Where operations go that run as they are made: nothing of them is kept.

    Args:
        config: a `ConfigProto`.

    Attributes:
        runtime: what keeps random streams, tables and the like.
        callbacks: called with each operation that has run: its type, inputs, attributes, outputs and name.
    """

    is_eager = True

    def __init__(self, config: protos.ConfigProto | None = None) -> None:
        super().__init__()
        settings = configuration.EagerSettings(config)
        self.runtime = Runtime(settings.default_device())
        self.runtime.settings = settings
        self.source: EagerSource = EagerSource(self)
        self._sources: dict[str, EagerSource] = {}
        self._kept = KeptPlans(object())
        # Those of them that the quickest way leads to, by shorter keys.
        self._plain: dict[Any, Call] = {}
        self._latest = Latest()
        self._names: dict[Any, str] = {}
        self._device_scopes: dict[str, Callable[..., Any] | None] = {}
        self._numbers = itertools.count()
        self._scalars: dict[Any, EagerTensor] = {}
        self._rng: random.Random | None = None
        self._recording = Recording()
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

    def name_scope_now(self, name: str | None) -> OpenNameScope:
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
        return OpenNameScope(scopes, outer, inner + "/" if inner else "")

    def _device_scope(self, given: Any) -> Callable[..., Any] | None:
        if callable(given):
            raise RuntimeError("tf.device does not support functions when eager execution is enabled.")
        if not isinstance(given, str):
            return device_scope(given, ValueError)
        scope = self._device_scopes.get(given)
        if scope is None:
            scope = self._device_scopes[given] = device_scope(given)
            # What it says of operations that were not told before, as all are here.
            scope.of_all = given  # type: ignore[union-attr]  # functions take any attribute
        return scope

    def _device_of_all(self) -> str | None:
        """The device that is asked for whatever the operation; None where a function decides."""
        devices = self._scopes.devices
        return "" if not devices or devices[-1] is None else getattr(devices[-1], "of_all", None)

    def control_dependencies(self, control_inputs: Iterable[Any] | None) -> Any:
        """Whatever was made before has run before."""
        for call in filter(callable, () if control_inputs is None else control_inputs):
            call()
        return contextlib.nullcontext()

    def colocate_with(self, op: TensorLike | Operation | None, ignore_existing: bool = False) -> Any:
        return contextlib.nullcontext()

    def as_graph_element(self, obj: object, allow_tensor: bool = True, allow_operation: bool = True) -> Any:
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
            # Plans of functions are good for this object only.
            self._kept = KeptPlans(object())
            self._plain.clear()

    def next_op_seed(self) -> int | None:
        """The seed of an operation that has none of its own; None where no seed was set."""
        return None if self._rng is None else self._rng.randint(0, 2**31 - 1)

    # ---- running ----

    def call(self, decl: OpDecl, args: Sequence[Any], keywords: dict[str, Any]) -> Any:
        """An op applied to eager tensors of types and shapes it has been applied to before; NotImplemented of others.

        Args:
            decl: the declaration.
            args: its inputs, by position.
            keywords: its attributes.
        """
        devices = self._scopes.devices
        try:
            found = self._plain.get(plain_key(decl, args, keywords)) if not devices else None
            if found is None:
                for value in args:
                    if value.__class__ is not EagerTensor and is_variable(value):
                        args = [variable_value(value) for value in args]
                        break
                kept = self._kept if decl.type not in CALLS else self._kept_for(keywords.get("f"))
                found = kept.calls.get(call_key(decl, args, keywords, self._device_of_all() if devices else ""))
        except TypeError:
            # An attribute, or a value, that is no part of a key.
            return NotImplemented
        if found is None or self._gradient_override or self.callbacks:
            return NotImplemented
        if found.is_plain:
            return self._plain_result(found, decl, args)
        given = args
        if found.fixed is not None:
            given = [
                value if fixed is None else fixed for value, fixed in zip(flat_inputs(args), found.fixed, strict=True)
            ]
        if found.is_read and (held := given[0]._value).value is not None:
            held.is_aliased = True
            outputs = [EagerTensor(held.value, found.types[0], given[0]._op)]
        else:
            kernel = found.kernel
            values = self._call(kernel, [x._value for x in given]) if found.is_pure else self._run(kernel, given)
            source = self.source_of(given)
            outputs = [EagerTensor(value, dtype, source) for value, dtype in zip(values, found.types)]
        tapes = self._recording.tapes
        if tapes:
            self._show(tapes, decl, given, found, outputs)
        return None if found.pack is None else found.pack(outputs)

    def _plain_result(self, found: Call, decl: OpDecl, args: Sequence[Any]) -> EagerTensor:
        (value,) = self._call(found.kernel, [x._value for x in args])
        dims = found.dims
        source = self.source_in_scope() if self._scopes.devices else self.source
        if dims is None:
            result = EagerTensor(value, found.types[0], source)
        else:
            result = eager_tensor(value, found.types[0], source, dims)
        tapes = self._recording.tapes
        if tapes:
            self._show(tapes, decl, args, found, [result])
        return result

    def _show(
        self,
        tapes: Sequence[Any],
        decl: OpDecl,
        given: Sequence[Any],
        call: Call,
        outputs: list[Any],
    ) -> None:
        op = new_operation(self, decl, decl.type, list(given), call.attrs)
        op._outputs = outputs
        op._known_call = call
        for tape in tapes:
            tape.see(op)

    def learn(self, decl: OpDecl, args: Sequence[Any], keywords: dict[str, Any], result: object) -> None:
        """Remembers what a call came to, where that depends on types, shapes and the values in the key alone."""
        outputs = decl.signature.outputs
        latest = self._latest.made
        if latest is None or decl.binding_rule is not None or decl.is_remembered:
            return
        if len(outputs) > 1 and any(arg.number_attr or arg.type_list_attr for arg in outputs):
            return
        kept = self._kept if decl.type not in CALLS else self._kept_for(keywords.get("f"))
        if kept.has_many_calls:
            kept.calls.clear()
            self._plain.clear()
        kernel, op = latest
        flat = flat_inputs(args)
        if op.decl is not decl or len(flat) != len(op._inputs) or len(args) != len(decl.signature.inputs):
            return
        if any(tensor._dtype.name == "variant" for tensor in op._inputs):
            return
        if not any(isinstance(value, (list, tuple)) for value in args):
            # A variable stands for its value, which may be another next time.
            flat = args = [made if is_variable(value) else value for value, made in zip(args, op._inputs, strict=True)]
        fixed = [None if value.__class__ is EagerTensor else made for value, made in zip(flat, op._inputs, strict=True)]
        is_plain = all(value.__class__ is EagerTensor for value in args)
        types = [tensor._dtype for tensor in op._outputs]
        pack: Callable[[list[Any]], Any] | None
        if isinstance(result, EagerTensor):
            pack = _first
        elif len(outputs) > 1:
            pack = type(result)._make  # type: ignore[attr-defined]  # a namedtuple
        else:
            pack = list if outputs else None
        device = self._device_of_all()
        call = Call(kernel, op.attrs, types, None if is_plain else fixed, pack, pack is _first)
        try:
            kept.calls[call_key(decl, args, keywords, device)] = call
            if call.is_plain and device == "" and (key := plain_key(decl, args, keywords)) is not None:
                self._plain[key] = call
        except TypeError:
            return

    def add_operation(
        self,
        decl: OpDecl,
        inputs: list[Tensor],
        attrs: dict[str, Any],
        name: str,
        output_types: Sequence[Any],
        control_inputs: Sequence[Operation] = (),
    ) -> Operation:
        if self._gradient_override and decl.type in self._gradient_override:
            attrs["_gradient_op_type"] = self._gradient_override[decl.type]
        op = new_operation(self, decl, name, inputs, attrs)
        values = self._results(op, output_types)
        source = self.source_for(op)
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
            self.source_of_value(output_types[0])
            return (to_torch(op.attrs["value"], output_types[0]),)
        if kind == "VarHandleOp":
            attrs = op.attrs
            return (VariableBuffer(op._name, attrs["dtype"], attrs["shape"], self._device(op), True),)
        if decl.graph_only is not None:
            raise RuntimeError(decl.graph_only)
        if decl.may_be_fed:
            # Nothing is fed: it is its default, whatever shape it was given.
            return (op._inputs[0]._value,)  # type: ignore[attr-defined]  # an EagerTensor, as all inputs here
        latest = self._latest
        latest.made = None
        kernel, is_kept = self._kernel(op, output_types)
        results = self._run(kernel, op._inputs)
        if is_kept:
            latest.made = kernel, op
        return results

    def _run(self, kernel: Kernel, given: Sequence[Any]) -> Sequence[Any]:
        if kernel.takes_all:
            values = [tensor._value for tensor in given]
        else:
            values = [given[i]._value for i in kernel.given]
        for i in kernel.writes:
            buffer = given[i]._value
            if isinstance(buffer, VariableBuffer) and buffer.is_aliased:
                # What was read before the write stays as it was, where it is still there.
                if isinstance(buffer.value, torch.Tensor) and is_shared(buffer):
                    buffer.value = buffer.value.clone()
                buffer.is_aliased = False
        results = self._call(kernel, values)
        if kernel.returns_alias:
            for tensor in given:
                buffer = tensor._value
                if isinstance(buffer, VariableBuffer):
                    buffer.is_aliased = True
        return results

    def _call(self, kernel: Kernel, values: Sequence[Any]) -> Sequence[Any]:
        # Small operations are quicker in one thread; the plan says which are worth more.
        one_thread()
        flush_denormals(True)
        guard = _InferenceMode(True)
        try:
            results: Sequence[Any] = kernel.function(*values)
            return results
        except BaseException as error:
            raised = failures.explained(error, kernel.plan)
            if isinstance(raised, OpError):
                raised = named(raised, kernel.type)
            if raised is error:
                raise
            raise raised from None
        finally:
            del guard
            flush_denormals(False)
            all_threads()

    def _device(self, op: EagerOperation) -> torch.device:
        return self.runtime.device

    def _kernel(self, op: EagerOperation, output_types: Sequence[Any]) -> tuple[Kernel, bool]:
        """The planned operation, and whether the next one like it is the same."""
        decl = op.decl
        kind, attrs = decl.type, op.attrs
        base: tuple[OpDecl, tuple[tuple[str, Any], ...], str] = (
            decl,
            frozen(attrs),
            str(self._scopes.devices[-1](op)) if self._has_device() else "",
        )
        host = decl.host_inputs
        known: list[Any] = []
        shapes: list[Any] = []
        for i, tensor in enumerate(op._inputs):
            dtype = tensor._dtype
            shapes.append((dtype, tensor.dims))
            if (
                host
                and isinstance(tensor._value, torch.Tensor)  # type: ignore[attr-defined]  # an EagerTensor
                and size_of(tensor.dims) <= LARGEST_KNOWN
                and not dtype.is_floating
                and is_host_input(op, i)
            ):
                known.append((i, tensor._value.numpy().tobytes()))  # type: ignore[attr-defined]  # an EagerTensor
        kept = self._kept
        variables: dict[int, VariableBuffer] = {}
        binding: tuple[int, ...] = ()
        if kind in CALLS:
            kept = self._kept_for(attrs["f"])
            variables, binding = kept.variables(op)
        key = (base, tuple(shapes), tuple(known), binding)
        kernel = kept.kernels.get(key)
        if kernel is not None:
            return kernel, True
        # The lists that a call hands to its gradient are made by each run.
        handles = any(t.name == "resource" or (t.name == "variant" and kind not in CALLS) for t in output_types)
        if handles and decl.signature.calls:
            # A dataset: what its function is called occurs once.
            return planned(self, op, output_types, PlannedShapes.GIVEN, {}, op._name), False
        if handles and decl.stateful and not op._inputs:
            # A table, queue or iterator of its own.
            return planned(self, op, output_types, PlannedShapes.GIVEN, {}, f"{op._name}_{next(self._numbers)}"), False
        name = self._names.get(base)
        if name is None:
            name = self._names[base] = f"{op._name}_{next(self._numbers)}" if decl.stateful else op._name
        ranks = (base, tuple((dtype, len(dims or ())) for dtype, dims in shapes), binding)
        count = kept.variants.get(ranks, 0)
        if count >= MAX_VARIANTS:
            kernel = kept.kernels.get(ranks)
            if kernel is None:
                kernel = planned(self, op, output_types, PlannedShapes.GIVEN_RANKS, {}, name, variables)
                kept.kernels[ranks] = kernel
            return kernel, True
        kept.shed()
        kept.variants[ranks] = count + 1
        process_settings.opened = True
        constants = {i: op._inputs[i]._value.numpy() for i, _ in known}
        kernel = planned(self, op, output_types, PlannedShapes.GIVEN, constants, name, variables)
        kept.kernels[key] = kernel
        return kernel, True

    def _kept_for(self, function: str | None) -> KeptPlans:
        """What is kept of the calls of a function."""
        found = self._functions.get(function or "")
        if found is None:
            return self._kept
        kept: KeptPlans | None = found.eager_plans
        if kept is None or kept.epoch is not self._kept.epoch:
            kept = found.eager_plans = KeptPlans(self._kept.epoch)
        return kept

    def _has_device(self) -> bool:
        return bool(self._scopes.devices) and callable(self._scopes.devices[-1])

    # ---- gradients of a whole recording ----

    @property
    def may_plan_walks(self) -> bool:
        """Whether what a tape does here may be one plan: nobody sees its operations, and all are in one place."""
        return not (
            self._recording.tapes
            or self.callbacks
            or self._gradient_override
            or self._scopes.devices
            or self.runtime.device.type != "cpu"
        )

    def scratch_graph(self) -> Graph:
        """An empty graph that has the functions of this one."""
        return scratch_graph(self)

    def planned_walk(self, fetches: Sequence[Tensor], feeds: Sequence[Tensor], given: list[int], count: int) -> Kernel:
        """The plan of gradients in a scratch graph: see `eager_planning.planned_walk`."""
        return planned_walk(self, fetches, feeds, given, count)

    def run_walk(self, kernel: Kernel, given: Sequence[EagerTensor]) -> Sequence[Any]:
        """The values that a planned walk gives for the tensors of a recording."""
        return self._run(kernel, given)

    # ---- recording ----

    @property
    def tapes(self) -> list[Any]:
        """What records the operations of this thread: objects with the methods of `autodiff.tape.Tape`."""
        return self._recording.tapes

    @tapes.setter
    def tapes(self, tapes: list[Any]) -> None:
        self._recording.tapes = tapes

    def note(self, inputs: Any, outputs: Any, backward: Callable[..., Any], filled: int | None = None) -> None:
        """Tells the tapes of something that counts as one operation: see `Tape.note`."""
        for tape in self._recording.tapes:
            tape.note(inputs, outputs, backward, filled)

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


_first = operator.itemgetter(0)

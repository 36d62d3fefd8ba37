"""One version of a model, loaded: its signatures, and the running of them."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from headrace.core import errors
from headrace.core.dtypes import DType, as_dtype
from headrace.core.graph import Graph
from headrace.core.shapes import TensorShape
from headrace.devices.threads import share_threads
from headrace.runtime.session import Session
from headrace.saved_model import names
from headrace.saved_model.loading import load, refuse_writing
from headrace.serve import messages

if TYPE_CHECKING:
    from headrace.messages import protos

Outputs = dict[str, np.ndarray]
Values = Sequence[np.ndarray]


class Scheduler(Protocol):
    """What runs calls together with others of their kind."""

    def run(self, call: Call, arrays: Values) -> Values:
        """The values of a call, once they are there."""

    def submit(self, call: Call, arrays: Values, done: Callable[[Values | BaseException], None]) -> bool:
        """Has `done` called with the values of a call, or the error, in another thread; False if it is to be run alone."""


@dataclass(frozen=True)
class Port:
    """An input or output of a signature: the tensor's name, its type, its static shape, and whether it is part of more."""

    tensor: str
    dtype: DType
    shape: TensorShape
    part: bool = False


@dataclass(frozen=True)
class Signature:
    """What a model offers under one name."""

    name: str
    method: str
    inputs: dict[str, Port]
    outputs: dict[str, Port]

    @property
    def input_types(self) -> dict[str, DType]:
        """The types of the inputs."""
        return {name: port.dtype for name, port in self.inputs.items()}


@dataclass(eq=False)
class Call:
    """Some outputs of a model for some inputs: a plan of the session.

    What is asked in the same way shares one, so that it stands for the requests that may be run together.
    """

    feeds: tuple[Port, ...]
    run: Callable[..., Values]
    servable: Servable = field(repr=False)
    # Whether inputs and outputs have a first dimension that tells rows apart.
    batchable: bool


class Servable:
    """A model in a session of its own.

    Args:
        name, version: what it is called.
        graph, session: the model.
        signatures: what it offers.
        signature_defs: the same as a `SignatureDefMap`.
        scheduler: runs calls; each runs alone by default.
    """

    def __init__(
        self,
        name: str,
        version: int,
        graph: Graph,
        session: Session,
        signatures: Mapping[str, Signature],
        signature_defs: Any,
        scheduler: Scheduler | None = None,
    ) -> None:
        self.name, self.version = name, version
        self.graph, self.session = graph, session
        self.signatures = dict(signatures)
        self.signature_defs = signature_defs
        self.scheduler = scheduler
        self._calls: dict[tuple[tuple[str, ...], tuple[str, ...]], Call] = {}
        self._lock = threading.Lock()

    def signature(self, name: str) -> Signature | None:
        """The signature of a name, the default one for '', None if there is none."""
        return self.signatures.get(name or names.DEFAULT_SERVING_SIGNATURE_DEF_KEY)

    def predict(
        self, signature_name: str, inputs: Mapping[str, np.ndarray], output_filter: Iterable[str] = ()
    ) -> Outputs:
        """Some outputs of a signature, for a value of each of its inputs.

        Args:
            signature_name: the signature; '' for the default one.
            inputs: an array for each input.
            output_filter: the outputs that are wanted; by default all.

        Raises:
            FailedPreconditionError: if there is no such signature.
            InvalidArgumentError: if inputs or outputs are not those of the signature, or an array does not fit.
        """
        wanted, call = self.prepare(signature_name, inputs, output_filter)
        return dict(zip(wanted, self._run(call, list(inputs.values())), strict=True))

    def prepare(
        self, signature_name: str, inputs: Mapping[str, np.ndarray], output_filter: Iterable[str] = ()
    ) -> tuple[list[str], Call]:
        """The names of the outputs that `predict` would give, and the call that computes them of the inputs' arrays."""
        signature = self.signature(signature_name)
        if signature is None:
            key = signature_name or names.DEFAULT_SERVING_SIGNATURE_DEF_KEY
            raise errors.FailedPreconditionError(None, None, f'Serving signature key "{key}" not found.')
        self._check_names(signature, inputs)
        wanted = _wanted(signature, output_filter)
        call = self.call([signature.inputs[key] for key in inputs], [signature.outputs[key] for key in wanted])
        _check_all_fit(call, list(inputs.values()))
        return wanted, call

    def run(self, feeds: Sequence[Port], arrays: Values, fetches: Sequence[Port]) -> Values:
        """The values of tensors for those of others; InvalidArgumentError for values that do not fit."""
        call = self.call(feeds, fetches)
        _check_all_fit(call, arrays)
        return self._run(call, arrays)

    def _run(self, call: Call, arrays: Values) -> Values:
        return run_call(call, arrays) if self.scheduler is None else self.scheduler.run(call, arrays)

    def call(self, feeds: Sequence[Port], fetches: Sequence[Port]) -> Call:
        """The call of these tensors: always the same one."""
        key = (tuple(port.tensor for port in feeds), tuple(port.tensor for port in fetches))
        found = self._calls.get(key)
        if found is None:
            with self._lock:
                found = self._calls.get(key)
                if found is None:
                    found = self._calls[key] = self._make_call(feeds, fetches)
        return found

    def _make_call(self, feeds: Sequence[Port], fetches: Sequence[Port]) -> Call:
        tensors = [self.graph.get_tensor_by_name(port.tensor) for port in feeds]
        run = self.session.make_callable([port.tensor for port in fetches], tensors)
        open_rows = all(_rows_are_open(port) for port in (*feeds, *fetches))
        return Call(tuple(feeds), run, self, bool(feeds) and open_rows)

    def _check_names(self, signature: Signature, inputs: Mapping[str, Any]) -> None:
        given, expected = set(inputs), set(signature.inputs)
        if given == expected:
            return
        extra, missing = sorted(given - expected), sorted(expected - given)
        raise errors.InvalidArgumentError(
            None,
            None,
            f"input size does not match signature: {len(given)}!={len(expected)} len({{{','.join(sorted(given))}}}) != "
            f"len({{{','.join(sorted(expected))}}}). Sent extra: {{{','.join(extra)}}}. Missing but required: "
            f"{{{','.join(missing)}}}.",
        )

    def close(self) -> None:
        """Gives the memory of the model back."""
        self.session.close()
        self._calls.clear()


def _wanted(signature: Signature, output_filter: Iterable[str]) -> list[str]:
    wanted = list(output_filter)
    for index, alias in enumerate(wanted):
        if alias not in signature.outputs:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"output tensor alias not found in signature: {alias} Outputs expected to be in the set "
                f"{{{','.join(sorted(signature.outputs))}}}.",
            )
        if alias in wanted[:index]:
            raise errors.InvalidArgumentError(None, None, f"duplicate output tensor alias: {alias}")
    return wanted or list(signature.outputs)


def _rows_are_open(port: Port) -> bool:
    shape = port.shape
    return not port.part and (shape.rank is None or (shape.rank > 0 and shape.as_list()[0] is None))


def _check_all_fit(call: Call, arrays: Values) -> None:
    for port, array in zip(call.feeds, arrays, strict=True):
        _check_fits(port, array)


def _check_fits(port: Port, array: np.ndarray) -> None:
    given = as_dtype(array.dtype)
    if given.name != port.dtype.name:
        raise errors.InvalidArgumentError(
            None, None, f"Expects arg[0] to be {port.dtype.name} but {given.name} is provided, for {port.tensor}"
        )
    if not port.shape.is_compatible_with(array.shape):
        raise errors.InvalidArgumentError(
            None,
            None,
            f"You must feed a value for {port.tensor} with dtype {port.dtype.name} and shape {port.shape}, but its shape "
            f"is {list(array.shape)}",
        )


# With a thread for each, inception v1 on two processors gives 69 answers a second two at a time, 45 one at a time on both:
# its operations are too small to be divided well. More than there are processors, or than the interpreter can serve, only
# wait for one another.
PLACES = max(2, min(os.cpu_count() or 1, 8))
_places = threading.Semaphore(PLACES)
# How long a call waits for a place, in seconds.
_PATIENCE = 1.0


class _Wanted:
    """The calls that run or wait for a place: those that have one share the processor's threads.

    Whoever waits counts, for it gets the place that becomes free: a call that has all threads in the moment between would keep
    them while the next one runs.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0

    def __enter__(self) -> None:
        with self._lock:
            self._count += 1
            share_threads(min(self._count, PLACES))

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._count -= 1
            share_threads(min(self._count, PLACES))


_wanted_calls = _Wanted()


def run_call(call: Call, arrays: Values) -> Values:
    """The values that a call gives; errors of its operations as they are.

    Raises:
        InvalidArgumentError: for what the session refuses before it runs.
    """
    with _wanted_calls:
        # Whoever has waited long enough runs all the same: what runs may itself wait, for what this call brings.
        has_place = _places.acquire(timeout=_PATIENCE)
        try:
            return call.run(*arrays)
        except (TypeError, ValueError) as error:
            raise errors.InvalidArgumentError(None, None, str(error)) from error
        finally:
            if has_place:
                _places.release()


def load_servable(
    name: str,
    version: int,
    path: str,
    tags: Iterable[str] = (names.SERVING,),
    config: protos.ConfigProto | None = None,
    scheduler: Scheduler | None = None,
) -> Servable:
    """Loads a SavedModel.

    Args:
        name, version: what to call it.
        path: its folder.
        tags: the tags of the graph to load.
        config: a `ConfigProto` for its session.
        scheduler: what runs its calls.

    Raises:
        OSError, RuntimeError, OpError: if there is no such model, or it cannot be served: a graph that calls Python or
            writes files is not.
    """
    graph = Graph()
    with graph.as_default():
        session = Session(graph=graph, config=config)
        meta_graph = load(session, tags, path)
    return servable_of(name, version, session, meta_graph.signature_def, path, scheduler)


def servable_of(
    name: str,
    version: int,
    session: Session,
    signature_defs: Mapping[str, protos.SignatureDef],
    path: str,
    scheduler: Scheduler | None = None,
) -> Servable:
    """A model that is in a session already, under some signatures.

    Raises:
        InvalidArgumentError: if a signature needs what writes files.
    """
    graph = session.graph
    signatures: dict[str, Signature] = {}
    known = messages.SignatureDefMap()
    for key, signature in signature_defs.items():
        known.signature_def[key].MergeFromString(signature.SerializeToString())
        if key.startswith("__saved_model_"):
            continue
        signatures[key] = Signature(
            key, signature.method_name, _ports(graph, signature.inputs), _ports(graph, signature.outputs)
        )
    for made in signatures.values():
        fetched = [graph.get_tensor_by_name(port.tensor).op for port in made.outputs.values()]
        refuse_writing(fetched, path)
    return Servable(name, version, graph, session, signatures, known, scheduler)


def _ports(graph: Graph, infos: Mapping[str, Any]) -> dict[str, Port]:
    ports = {}
    for alias in sorted(infos):
        parts = dict(_tensor_names(alias, infos[alias]))
        for key, name in parts.items():
            tensor = graph.get_tensor_by_name(name)
            ports[key] = Port(name, tensor.dtype.base_dtype, tensor.shape, list(parts) != [alias])
    return ports


def _tensor_names(alias: str, info: protos.TensorInfo) -> Iterator[tuple[str, str]]:
    """The tensors of an input or output: one, or the parts of a sparse or composite one by names below its own."""
    encoding = info.WhichOneof("encoding")
    if encoding == "coo_sparse":
        yield f"{alias}/indices", info.coo_sparse.indices_tensor_name
        yield f"{alias}/values", info.coo_sparse.values_tensor_name
        yield f"{alias}/dense_shape", info.coo_sparse.dense_shape_tensor_name
    elif encoding == "composite_tensor":
        for index, component in enumerate(info.composite_tensor.components):
            yield from _tensor_names(f"{alias}/{index}", component)
    else:
        yield alias, info.name

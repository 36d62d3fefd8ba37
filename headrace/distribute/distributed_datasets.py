"""Datasets whose elements are values of several replicas, and the iterators over them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core import nest as core_nest
from headrace.core.defaults import control_dependencies, device, get_default_graph
from headrace.core.eager import executing_eagerly
from headrace.core.errors import OutOfRangeError
from headrace.core.operation import Operation
from headrace.core.tensor import Tensor
from headrace.core.type_specs import TensorSpec
from headrace.data import nest
from headrace.data.dataset import DatasetV2
from headrace.data.eager_iterator import EagerIterator
from headrace.data.multi_device import MultiDeviceIterator
from headrace.data.optional import Optional, get_next_as_optional
from headrace.distribute.batch_splitting import (
    auto_shard_dataset,
    check_batched,
    clone_dataset,
    is_planned,
    rebatch,
    spec_of_part,
    split_batch,
)
from headrace.distribute.values import regroup
from headrace.functions.flow.cond import cond
from headrace.functions.flow.while_loop import while_loop
from headrace.kernels.composing.filling import zeros
from headrace.ops.flow.grouping import group

if TYPE_CHECKING:
    from headrace.core.shapes import TensorShape
    from headrace.distribute.input_workers import InputWorkers
    from headrace.distribute.strategy import InputContext


class _WorkerIterator:
    """An iterator of one host, which feeds several devices.

    Args:
        dataset: the dataset.
        worker: the host.
        devices: the devices.
        splits: whether an element is divided among the devices; else each device gets the next one.
    """

    def __init__(self, dataset: Any, worker: str, devices: Sequence[str], splits: bool) -> None:
        self.dataset = dataset
        self._worker, self._devices, self._splits = worker, devices, splits
        if splits:
            check_batched(dataset)
        self._iterator = self._made()

    def _made(self) -> Any:
        with device(self._worker):
            return MultiDeviceIterator(self.dataset, self._devices) if is_planned() else EagerIterator(self.dataset)

    def initialize(self) -> Operation | None:
        """The operation that begins anew; eagerly it has begun."""
        if executing_eagerly():
            self._iterator = self._made()
            return None
        return self._iterator.initializer

    def _next(self) -> Any:
        return self._iterator.get_next()

    @property
    def gives_one_to_all(self) -> bool:
        """Whether one element of the dataset is for all devices."""
        return self._splits or len(self._devices) == 1

    def parts(self, element: Any) -> list[Any]:
        """The part of an element for each device."""
        return split_batch(element, self._devices)

    def get_next_as_list(self) -> list[Any]:
        """The element of each device."""
        if isinstance(self._iterator, MultiDeviceIterator):
            return self._iterator.get_next()
        if self.gives_one_to_all:
            with device(self._worker):
                whole = self._next()
            return self.parts(whole)
        elements: list[Any] = []
        for where in self._devices:
            # One after the other, so that the devices get them in turn.
            before = [part for element in elements[-1:] for part in nest.flatten(element) if isinstance(part, Tensor)]
            with device(where), control_dependencies([] if executing_eagerly() else before):
                elements.append(self._next_or_empty() if elements and self._may_be_short else self._next())
        return elements

    @property
    def _may_be_short(self) -> bool:
        """Whether devices without an element at the end get one without rows, rather than all of them none."""
        specs = nest.flatten(self.dataset.element_spec)
        return (
            not is_planned()
            and all(type(spec) is TensorSpec and spec.shape.ndims is not None for spec in specs)
            and any(not spec.shape.is_fully_defined() for spec in specs)
        )

    def _next_or_empty(self) -> Any:
        return self._value_or_empty(get_next_as_optional(self._iterator))

    def _value_or_empty(self, element: Optional) -> Any:
        """The value of an optional element, or one of which every size that is not known is 0."""

        def empty() -> Any:
            return nest.map_structure(
                lambda spec: zeros([size or 0 for size in spec.shape.as_list()], spec.dtype), element.value_structure
            )

        return cond(element.has_value(), element.get_value, empty)

    def next_or_none(self) -> tuple[Tensor, list[Any]]:
        """Whether there is an element at all, and that of each device, in a function."""
        first = get_next_as_optional(self._iterator)
        elements = [self._value_or_empty(first)]
        for where in self._devices[1:]:
            with device(where), control_dependencies(nest.flatten(elements[-1])):
                elements.append(self._next_or_empty())
        return first.has_value(), elements

    def reduce(self, initial_state: Any, reduce_fn: Callable[[Any, list[Any]], Any]) -> Any:
        """What `reduce_fn(state, elements)` makes of a state with the elements of all devices, one after the other.

        Raises:
            NotImplementedError: for elements that are not all tensors, if the devices get them in turn.
        """
        if self.gives_one_to_all:
            return self.dataset.reduce(initial_state, lambda state, element: reduce_fn(state, self.parts(element)))
        if any(type(spec) is not TensorSpec for spec in nest.flatten(self.dataset.element_spec)):
            raise NotImplementedError(
                "A loop in a tf.function over elements that go to devices in turn and are no tensors: iterate outside of the "
                "function, or use experimental_distribute_dataset."
            )

        def step(_: Any, elements: Any, state: Any) -> Any:
            state = reduce_fn(state, elements)
            return (*self.next_or_none(), state)

        start = (*self.next_or_none(), initial_state)
        shapes = [nest.map_structure(lambda spec: spec.shape, self.dataset.element_spec) for _ in self._devices]
        kept = core_nest.map_structure(lambda value: value.shape, initial_state)
        _, _, found = while_loop(
            lambda has, *_: has, step, start, shape_invariants=(start[0].shape, shapes, kept), parallel_iterations=1
        )
        return found


class _CallableIterator:
    """What calls a function for each device.

    Args:
        fn: returns an element.
        worker, devices: as of an iterator over a dataset.
    """

    def __init__(self, fn: Callable[[], Any], worker: str, devices: Sequence[str]) -> None:
        self._fn, self._worker, self._devices = fn, worker, devices

    def initialize(self) -> Operation | None:
        """Nothing: functions need not be begun."""
        return None

    def get_next_as_list(self) -> list[Any]:
        """The element of each device."""
        elements = []
        for where in self._devices:
            with device(where):
                elements.append(self._fn())
        return elements


class DistributedIterator:
    """An iterator whose elements are values of several replicas.

    Args:
        input_workers: the hosts.
        iterators: an iterator for each.
        strategy: the strategy.
    """

    def __init__(self, input_workers: InputWorkers, iterators: Sequence[Any], strategy: Any) -> None:
        self._input_workers = input_workers
        self._iterators = list(iterators)
        self._strategy = strategy

    def get_next(self, name: str | None = None) -> Any:
        """The next element.

        Args:
            name: accepted; operations have the names that the iterators give them.

        Raises:
            OutOfRangeError: eagerly, where there is none; in a graph when it is run.
        """
        replicas: list[Any] = []
        for iterator in self._iterators:
            replicas += iterator.get_next_as_list()
        return regroup(self._input_workers.device_map, replicas)

    def next(self) -> Any:
        """The next element, as `next(iterator)`."""
        return self.__next__()

    def __next__(self) -> Any:
        try:
            return self.get_next()
        except OutOfRangeError:
            raise StopIteration from None

    def __iter__(self) -> DistributedIterator:
        return self

    def get_iterator(self, worker: str) -> Any:
        """The iterator of a host, None if there is none."""
        for number, name in enumerate(self._input_workers.worker_devices):
            if name == worker:
                return self._iterators[number]
        return None

    def initialize(self) -> Any:
        """The operation that begins anew; None while executing eagerly, when it is done."""
        made = [iterator.initialize() for iterator in self._iterators]
        return None if executing_eagerly() else group(*[operation for operation in made if operation is not None])

    @property
    def initializer(self) -> Any:
        """The operation that `initialize` returns."""
        return self.initialize()

    _initializer = initializer

    @property
    def _dataset(self) -> Any:
        return self._iterators[0].dataset

    @property
    def output_shapes(self) -> TensorShape | Any:
        """The shapes of the elements of the dataset."""
        return self._dataset.output_shapes

    @property
    def output_types(self) -> Any:
        """The types of the elements of the dataset."""
        return self._dataset.output_types

    @property
    def output_classes(self) -> Any:
        """The classes of the elements of the dataset."""
        return self._dataset.output_classes


class _Distributed:
    """Something to iterate over, whose elements are values of several replicas."""

    _input_workers: InputWorkers
    _strategy: Any

    def _worker_iterators(self) -> list[Any]:
        raise NotImplementedError(f"{type(self).__name__}._worker_iterators")

    def _iterator(self) -> DistributedIterator:
        return DistributedIterator(self._input_workers, self._worker_iterators(), self._strategy)

    def __iter__(self) -> Iterator[Any]:
        if not executing_eagerly() and not get_default_graph().building_function:
            raise RuntimeError("__iter__() is only supported inside of tf.function or when eager execution is enabled.")
        return self._iterator()

    def reduce(self, initial_state: Any, reduce_fn: Callable[[Any, Any], Any]) -> Any:
        """What `reduce_fn(state, element)` makes of a state with all elements, eagerly or in a function.

        Args:
            initial_state: the state before the first element.
            reduce_fn: gives the next state.

        Raises:
            NotImplementedError: in a function, where several hosts get different elements.
        """
        if executing_eagerly():
            state = initial_state
            for element in iter(self):
                state = reduce_fn(state, element)
            return state
        (worker, *others) = self._worker_iterators()
        if others:
            raise NotImplementedError(
                "A loop in a tf.function over a dataset of several hosts: iterate outside of the function."
            )
        device_map = self._input_workers.device_map
        return worker.reduce(initial_state, lambda state, parts: reduce_fn(state, regroup(device_map, parts)))

    def _make_initializable_iterator(self) -> DistributedIterator:
        if executing_eagerly():
            raise ValueError("Cannot create initializable iterator in Eager mode. Please use `iter` instead.")
        return self._iterator()

    def _make_one_shot_iterator(self) -> DistributedIterator:
        if not executing_eagerly():
            raise ValueError("Cannot create a one shot iterator. Please use `make_initializable_iterator()` instead.")
        return self._iterator()


class DistributedDataset(_Distributed):
    """A dataset whose batches are divided among the replicas.

    Args:
        dataset: the dataset.
        input_workers: the hosts.
        strategy: the strategy.
        split_batch_by: the number of replicas a batch is divided by; None leaves it whole.
        input_context: of several input pipelines, which one this is; it takes its part of the elements.
    """

    def __init__(
        self,
        dataset: Any,
        input_workers: InputWorkers,
        strategy: Any,
        split_batch_by: int | None = None,
        input_context: InputContext | None = None,
    ) -> None:
        if not isinstance(dataset, DatasetV2):
            # Where batches are divided TensorFlow looks at the type first.
            kind = AttributeError if split_batch_by is None else TypeError
            raise kind(f"experimental_distribute_dataset: expected a tf.data.Dataset, got {dataset!r}")
        self._input_workers, self._strategy = input_workers, strategy
        pipelines = input_context.num_input_pipelines if input_context is not None else 1
        fed = [len(input_workers.compute_devices_for_worker(i)) for i in range(input_workers.num_workers)]
        # One host that feeds all replicas divides each batch as it comes. Otherwise its parts are elements to be dealt out.
        feeds_all = len(fed) == 1 and fed[0] == split_batch_by and pipelines == 1
        self._splits = feeds_all and not is_planned()
        if split_batch_by is not None:
            check_batched(dataset)
        if split_batch_by is not None and not self._splits:
            dataset = rebatch(dataset, split_batch_by)
            if is_planned():
                dataset = dataset.prefetch(split_batch_by)
        if input_context is not None:
            self._cloned_datasets = [auto_shard_dataset(dataset, pipelines, input_context.input_pipeline_id)]
            return
        self._cloned_datasets = []
        for number, worker in enumerate(input_workers.worker_devices):
            # Each host makes the dataset for itself, and reads its own part.
            with device(worker):
                self._cloned_datasets.append(auto_shard_dataset(clone_dataset(dataset), len(fed), number))

    @property
    def element_spec(self) -> Any:
        """The description of what each replica gets of an element."""
        spec = self._cloned_datasets[0].element_spec
        if not self._splits:
            return spec
        count = len(self._input_workers.compute_devices_for_worker(0))
        return nest.map_structure(lambda each: spec_of_part(each, count), spec)

    def make_initializable_iterator(self) -> DistributedIterator:
        """An iterator that `initialize()` begins, in a graph.

        Raises:
            ValueError: while executing eagerly.
        """
        return self._make_initializable_iterator()

    def make_one_shot_iterator(self) -> DistributedIterator:
        """An iterator that goes through the dataset once, while executing eagerly.

        Raises:
            ValueError: in a graph.
        """
        return self._make_one_shot_iterator()

    def _worker_iterators(self) -> list[Any]:
        workers = self._input_workers
        return [
            _WorkerIterator(dataset, worker, workers.compute_devices_for_worker(number), self._splits)
            for number, (dataset, worker) in enumerate(zip(self._cloned_datasets, workers.worker_devices, strict=True))
        ]


class DistributedDatasetsFromFunction(_Distributed):
    """What a function makes for each host, an element for each replica.

    Args:
        dataset_fn: called with an `InputContext`; returns a dataset, or a function that returns an element.
        input_workers: the hosts.
        input_contexts: what each is told.
        strategy: the strategy.

    Raises:
        ValueError: if there are more contexts than hosts, or fewer; or the function returns something else.
    """

    def __init__(
        self,
        dataset_fn: Callable[[InputContext], Any],
        input_workers: InputWorkers,
        input_contexts: Sequence[InputContext],
        strategy: Any,
    ) -> None:
        if input_workers.num_workers != len(input_contexts):
            raise ValueError(
                f"Number of input workers ({input_workers.num_workers}) is not same as number of input_contexts "
                f"({len(input_contexts)})"
            )
        self._dataset_fn, self._input_workers, self._strategy = dataset_fn, input_workers, strategy
        self._input_contexts = list(input_contexts)

    def _worker_iterators(self) -> list[Any]:
        iterators: list[Any] = []
        workers = self._input_workers
        for number, context in enumerate(self._input_contexts):
            worker, devices = workers.worker_devices[number], workers.compute_devices_for_worker(number)
            with device(worker):
                result = self._dataset_fn(context)
            if isinstance(result, DatasetV2):
                iterators.append(_WorkerIterator(result, worker, devices, False))
            elif callable(result):
                iterators.append(_CallableIterator(result, worker, devices))
            else:
                raise ValueError("input_fn must return a tf.data.Dataset or a callable.")
        return iterators


class DatasetIterator(DistributedIterator):
    """An iterator over a dataset whose batches are divided among the replicas; arguments as of `DistributedDataset`."""

    def __init__(
        self,
        dataset: Any,
        input_workers: InputWorkers,
        strategy: Any,
        split_batch_by: int | None = None,
        input_context: InputContext | None = None,
    ) -> None:
        distributed = DistributedDataset(dataset, input_workers, strategy, split_batch_by, input_context)
        super().__init__(input_workers, distributed._worker_iterators(), strategy)


class InputFunctionIterator(DistributedIterator):
    """An iterator over what an input function gives; arguments as of `DistributedDatasetsFromFunction`."""

    def __init__(
        self,
        input_fn: Callable[[InputContext], Any],
        input_workers: InputWorkers,
        input_contexts: Sequence[InputContext],
        strategy: Any,
    ) -> None:
        distributed = DistributedDatasetsFromFunction(input_fn, input_workers, input_contexts, strategy)
        super().__init__(input_workers, distributed._worker_iterators(), strategy)

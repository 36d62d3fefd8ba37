"""Transformations that say how a pipeline runs, not what it gives; and those of 1.15's own modules only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.registry import raw
from headrace.core.shapes import as_shape
from headrace.core.tensor import Tensor
from headrace.core.type_specs import TensorSpec
from headrace.data import structure
from headrace.data.arguments import int64
from headrace.data.dataset import Dataset, DatasetV2
from headrace.data.element_functions import ElementFunction

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


Transformation = Callable[[Dataset], Dataset]

COMPRESSION_NONE = None
COMPRESSION_GZIP = "GZIP"


def assert_next(transformations: TensorLike) -> Transformation:
    """A transformation that marks where a graph's rewriter would look for `transformations`; nothing rewrites it here.

    Args:
        transformations: names of the transformations that follow.
    """
    names = convert_to_tensor(transformations, dtype="string", name="transformations")
    return lambda dataset: dataset._same(
        raw.AssertNextDataset(dataset._variant_tensor, names, **dataset._flat_structure)
    )


def model() -> Transformation:
    """A transformation behind which 1.15 tunes what is before it; pipelines here need none."""
    return lambda dataset: dataset._same(raw.ModelDataset(dataset._variant_tensor, **dataset._flat_structure))


def non_serializable() -> Transformation:
    """A transformation that is in no exported graph."""
    return lambda dataset: dataset._same(raw.NonSerializableDataset(dataset._variant_tensor, **dataset._flat_structure))


def optimize(optimizations: Any = None) -> Transformation:
    """A transformation that rewrites what is before it.

    Args:
        optimizations: names of rewrites, as the options of datasets have them.
    """
    names = convert_to_tensor([] if optimizations is None else optimizations, dtype="string", name="optimizations")
    return lambda dataset: dataset._same(raw.OptimizeDataset(dataset._variant_tensor, names, **dataset._flat_structure))


def sleep(sleep_microseconds: TensorLike) -> Transformation:
    """A transformation that waits before each element.

    Args:
        sleep_microseconds: for how long.
    """
    return lambda dataset: dataset._same(
        raw.SleepDataset(
            dataset._variant_tensor, int64(sleep_microseconds, "sleep_microseconds"), **dataset._flat_structure
        )
    )


def map_on_gpu(map_func: Callable[..., Any]) -> Transformation:
    """`Dataset.map`, whose operations run where they are placed."""
    return lambda dataset: dataset.map(map_func)


def replicate(dataset: Dataset, devices: Sequence[str]) -> dict[str, Dataset]:
    """A dataset for each device: the same one, since datasets are described on the host.

    Raises:
        TypeError: if `dataset` is none.
    """
    if not isinstance(dataset, DatasetV2):
        raise TypeError(f"`dataset` must be a `tf.data.Dataset` object. Got {dataset}.")
    return dict.fromkeys(devices, dataset)


class PrivateThreadPool:
    """Threads for a pipeline of one's own: see `override_threadpool`.

    Args:
        num_threads: how many, at least 1.
        display_name: what they are called.
        max_intra_op_parallelism: how many threads one operation may use; the threads of pipelines use one each.
    """

    def __init__(self, num_threads: int, display_name: str | None = None, max_intra_op_parallelism: int = 1) -> None:
        self.num_threads = num_threads
        self.display_name = display_name
        self.max_intra_op_parallelism = max_intra_op_parallelism


def override_threadpool(dataset: Dataset, thread_pool: PrivateThreadPool) -> Dataset:
    """`dataset`, whose functions are called on threads of its own where several are called at once.

    Args:
        dataset: a dataset.
        thread_pool: the threads.
    """
    count = int64(thread_pool.num_threads, "num_threads")
    return dataset._same(raw.PrivateThreadPoolDataset(dataset._variant_tensor, count, **dataset._flat_structure))


class MatchingFilesDataset(Dataset):
    """The names of the files that match patterns.

    Args:
        patterns: a pattern, or several.
    """

    def __init__(self, patterns: TensorLike) -> None:
        tensor = convert_to_tensor(patterns, dtype="string", name="patterns")
        super().__init__(raw.MatchingFilesDataset(tensor), TensorSpec([], "string"))


def snapshot(
    path: TensorLike,
    compression: str | None = None,
    reader_path_prefix: str | None = None,
    writer_path_prefix: str | None = None,
    shard_size_bytes: int | None = None,
    pending_snapshot_expiry_seconds: int | None = None,
    num_reader_threads: int | None = None,
    reader_buffer_size: int | None = None,
    num_writer_threads: int | None = None,
    writer_buffer_size: int | None = None,
) -> Transformation:
    """A transformation that writes all elements to files in the first pass, and reads them in later passes and runs.

    Args:
        path: a folder, one for each pipeline.
        compression: "GZIP" or none.
        reader_path_prefix, writer_path_prefix: put before the path when files are read or written.
        shard_size_bytes: how large a file may become.
        pending_snapshot_expiry_seconds: after how long a snapshot that was not completed is begun anew.
        num_reader_threads, reader_buffer_size, num_writer_threads, writer_buffer_size: one thread reads or writes here;
            numbers above 1 are accepted and change nothing in the elements.
    """
    given = {
        "compression": compression,
        "reader_path_prefix": reader_path_prefix,
        "writer_path_prefix": writer_path_prefix,
        "shard_size_bytes": shard_size_bytes,
        "pending_snapshot_expiry_seconds": pending_snapshot_expiry_seconds,
        "num_reader_threads": num_reader_threads,
        "reader_buffer_size": reader_buffer_size,
        "num_writer_threads": num_writer_threads,
        "writer_buffer_size": writer_buffer_size,
    }
    settings = {key: value for key, value in given.items() if value is not None}
    folder = convert_to_tensor(path, dtype="string", name="path")
    return lambda dataset: dataset._same(
        raw.SnapshotDataset(dataset._variant_tensor, folder, **settings, **dataset._flat_structure)
    )


def map_defun(
    fn: Callable[..., Any],
    elems: list[Any],
    output_dtypes: list[Any],
    output_shapes: list[Any],
    max_intra_op_parallelism: int = 1,
) -> list[Tensor]:
    """What a function makes of each row of tensors, as the rows of tensors.

    Args:
        fn: takes the rows, one of each tensor; returns a tensor, or several.
        elems: tensors with the same first dimension.
        output_dtypes: the types of what `fn` returns.
        output_shapes: its shapes, as far as they are known.
        max_intra_op_parallelism: how many threads one operation may use.

    Raises:
        ValueError: if an argument is no list.
    """
    for name, value, what in (
        ("elems", elems, "tensors"),
        ("output_dtypes", output_dtypes, "`tf.DType` objects"),
        ("output_shapes", output_shapes, "`tf.TensorShape` objects"),
    ):
        if not isinstance(value, list):
            raise ValueError(f"`{name}` must be a list of {what}.")
    tensors = [convert_to_tensor(elem) for elem in elems]
    spec = tuple(TensorSpec(t.shape if t.shape.ndims is None else t.shape[1:], t.dtype) for t in tensors)
    function = ElementFunction(fn, "map_defun()", spec)
    made = raw.MapDefun(
        tensors,
        function.captured,
        output_types=output_dtypes,
        output_shapes=[structure.flat_dims(TensorSpec(as_shape(shape)))[0] for shape in output_shapes],
        f=function.name,
        max_intra_op_parallelism=max_intra_op_parallelism,
    )
    return list(made)

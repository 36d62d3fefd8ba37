"""Handwritten digits as the tutorials read them: files in IDX format, and batches in TensorFlow's order."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.dtypes import as_dtype, float32, uint8
from headrace.core.random_seed import get_seed
from headrace.datasets.csv_tables import Datasets
from headrace.datasets.downloading import maybe_download

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike


SOURCE_URL = DEFAULT_SOURCE_URL = "https://storage.googleapis.com/cvdf-datasets/mnist/"
_IMAGES, _LABELS = 2051, 2049


def extract_images(f: Any) -> np.ndarray:
    """The images of a gzipped IDX file: uint8 [count, rows, columns, 1]. Prints which file it is, as TensorFlow does.

    Args:
        f: the file, open for bytes.

    Raises:
        ValueError: for another kind of file.
    """
    print("Extracting", getattr(f, "name", f))
    with gzip.GzipFile(fileobj=f) as stream:
        magic, count, rows, columns = np.frombuffer(stream.read(16), ">u4").tolist()
        if magic != _IMAGES:
            raise ValueError(f"Invalid magic number {magic} in MNIST image file: {getattr(f, 'name', '')}")
        pixels = np.frombuffer(stream.read(rows * columns * count), np.uint8)
    return pixels.reshape(count, rows, columns, 1)


def extract_labels(f: Any, one_hot: bool = False, num_classes: int = 10) -> np.ndarray:
    """The labels of a gzipped IDX file: uint8 [count], or one-hot rows. Prints which file it is, as TensorFlow does.

    Args:
        f: the file, open for bytes.
        one_hot: whether each label becomes a row with a 1 at its place.
        num_classes: how long such a row is.

    Raises:
        ValueError: for another kind of file.
    """
    print("Extracting", getattr(f, "name", f))
    with gzip.GzipFile(fileobj=f) as stream:
        magic, count = np.frombuffer(stream.read(8), ">u4").tolist()
        if magic != _LABELS:
            raise ValueError(f"Invalid magic number {magic} in MNIST label file: {getattr(f, 'name', '')}")
        labels = np.frombuffer(stream.read(count), np.uint8)
    return dense_to_one_hot(labels, num_classes) if one_hot else labels


def dense_to_one_hot(labels_dense: np.ndarray, num_classes: int) -> np.ndarray:
    """Rows with a 1 at the place that each label names, float64."""
    rows = np.zeros((len(labels_dense), num_classes))
    rows[np.arange(len(labels_dense)), labels_dense] = 1
    return rows


class DataSet:
    """Images and labels, in batches.

    Args:
        images: uint8 [count, rows, columns, 1].
        labels: their labels.
        fake_data: whether batches are of made-up data.
        one_hot: whether made-up labels are one-hot.
        dtype: float32 for values in [0, 1], uint8 for values as they are.
        reshape: whether an image becomes a row.
        seed: of the order of batches.

    Raises:
        TypeError: for another type.
    """

    def __init__(
        self,
        images: Any,
        labels: Any,
        fake_data: bool = False,
        one_hot: bool = False,
        dtype: DTypeLike = float32,
        reshape: bool = True,
        seed: int | None = None,
    ) -> None:
        graph_seed, op_seed = get_seed(seed)
        # The order comes out of NumPy's common generator, as it did.
        np.random.seed(graph_seed if seed is None else op_seed)
        dtype = as_dtype(dtype).base_dtype
        if dtype not in (uint8, float32):
            raise TypeError(f"Invalid image dtype {dtype!r}, expected uint8 or float32")
        if fake_data:
            self._num_examples = 10000
            self.one_hot = one_hot
        else:
            assert images.shape[0] == labels.shape[0], f"images.shape: {images.shape} labels.shape: {labels.shape}"
            self._num_examples = images.shape[0]
            if reshape:
                assert images.shape[3] == 1
                images = images.reshape(images.shape[0], images.shape[1] * images.shape[2])
            if dtype == float32:
                images = np.multiply(images.astype(np.float32), 1.0 / 255.0)
        self._images, self._labels = images, labels
        self._epochs_completed = 0
        self._index_in_epoch = 0

    @property
    def images(self) -> Any:
        """All images, in the present order."""
        return self._images

    @property
    def labels(self) -> Any:
        """All labels, in the present order."""
        return self._labels

    @property
    def num_examples(self) -> int:
        """How many images there are."""
        return self._num_examples

    @property
    def epochs_completed(self) -> int:
        """How often all images have been given."""
        return self._epochs_completed

    def next_batch(self, batch_size: int, fake_data: bool = False, shuffle: bool = True) -> tuple[Any, Any]:
        """The next images and labels.

        Args:
            batch_size: how many.
            fake_data: whether to make them up.
            shuffle: whether each epoch has an order of its own.

        Returns:
            images and labels; a batch at the end of an epoch ends with the beginning of the next.
        """
        if fake_data:
            label: Any = [1] + [0] * 9 if getattr(self, "one_hot", False) else 0
            return [[1] * 784 for _ in range(batch_size)], [label for _ in range(batch_size)]
        start = self._index_in_epoch
        if self._epochs_completed == 0 and start == 0 and shuffle:
            self._reorder()
        if start + batch_size <= self._num_examples:
            self._index_in_epoch += batch_size
            return self._images[start : self._index_in_epoch], self._labels[start : self._index_in_epoch]
        self._epochs_completed += 1
        rest = self._num_examples - start
        images, labels = self._images[start:], self._labels[start:]
        if shuffle:
            self._reorder()
        end = self._index_in_epoch = batch_size - rest
        return np.concatenate((images, self._images[:end])), np.concatenate((labels, self._labels[:end]))

    def _reorder(self) -> None:
        order = np.arange(self._num_examples)
        np.random.shuffle(order)
        self._images, self._labels = self._images[order], self._labels[order]


def read_data_sets(
    train_dir: str,
    fake_data: bool = False,
    one_hot: bool = False,
    dtype: DTypeLike = float32,
    reshape: bool = True,
    validation_size: int = 5000,
    seed: int | None = None,
    source_url: str = SOURCE_URL,
) -> Datasets:
    """The digits for training, validation and test.

    Args:
        train_dir: the folder with the four files; those that are not there are fetched.
        fake_data: whether to make data up and read no files.
        one_hot: whether labels are one-hot rows.
        dtype: float32 for values in [0, 1], uint8 for values as they are.
        reshape: whether an image becomes a row.
        validation_size: how many of the images for training are set apart.
        seed: of the order of batches.
        source_url: where the files are.

    Returns:
        `Datasets(train, validation, test)`, each a `DataSet`.

    Raises:
        ValueError: for a validation size that is not between 0 and the number of images.
        FileNotFoundError: for a file that is not there and cannot be fetched.

    Example:
        >>> mnist = read_data_sets("MNIST_data", fake_data=True, one_hot=True)
        >>> images, labels = mnist.train.next_batch(100, fake_data=True)
        >>> len(images), len(images[0]), len(labels[0])
        (100, 784, 10)
    """
    if fake_data:
        train, validation, test = [
            DataSet([], [], fake_data=True, one_hot=one_hot, dtype=dtype, seed=seed) for _ in range(3)
        ]
        return Datasets(train, validation, test)
    arrays = []
    for part in ("train", "t10k"):
        for what in ("images-idx3", "labels-idx1"):
            name = f"{part}-{what}-ubyte.gz"
            with open(maybe_download(name, train_dir, (source_url or SOURCE_URL) + name), "rb") as file:
                arrays.append(extract_images(file) if what[0] == "i" else extract_labels(file, one_hot))
    images, labels, test_images, test_labels = arrays
    if not 0 <= validation_size <= len(images):
        raise ValueError(f"Validation size should be between 0 and {len(images)}. Received: {validation_size}.")
    options: dict[str, Any] = {"dtype": dtype, "reshape": reshape, "seed": seed}
    train = DataSet(images[validation_size:], labels[validation_size:], **options)
    validation = DataSet(images[:validation_size], labels[:validation_size], **options)
    return Datasets(train, validation, DataSet(test_images, test_labels, **options))


def load_mnist(train_dir: str = "MNIST-data") -> Datasets:
    """`read_data_sets` of a folder."""
    return read_data_sets(train_dir)

"""Batches of images: of an array, and what those of files have in common."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator as Iterates
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.keras.backend_config import floatx, image_data_format
from headrace.keras.preprocessing.image_files import array_to_img, img_to_array, load_img
from headrace.keras.utils.data_utils import Sequence
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike
    from headrace.keras.preprocessing.image import ImageDataGenerator

_CHANNELS = {"grayscale": 1, "rgb": 3, "rgba": 4}


class Iterator(Sequence):
    """Batches of what is numbered, in order or by chance, without an end.

    Args:
        n: how many there are.
        batch_size: how many a batch has.
        shuffle: whether each epoch has an order of its own.
        seed: of NumPy's generator; it is set for each batch.
    """

    white_list_formats = ("png", "jpg", "jpeg", "bmp", "ppm", "tif", "tiff")

    def __init__(self, n: int, batch_size: int, shuffle: bool, seed: int | None) -> None:
        self.n = n
        self.batch_size = batch_size
        self.seed = seed
        self.shuffle = shuffle
        self.batch_index = 0
        self.total_batches_seen = 0
        self.lock = threading.Lock()
        self.index_array: np.ndarray | None = None
        self.index_generator = self._flow_index()

    def _set_index_array(self) -> None:
        self.index_array = np.random.permutation(self.n) if self.shuffle else np.arange(self.n)

    def _order(self) -> np.ndarray:
        if self.index_array is None:
            self._set_index_array()
        assert self.index_array is not None
        return self.index_array

    def _seed_batch(self) -> None:
        if self.seed is not None:
            np.random.seed(self.seed + self.total_batches_seen)

    def __getitem__(self, idx: int) -> Any:
        if idx >= len(self):
            raise ValueError(f"Asked to retrieve element {idx}, but the Sequence has length {len(self)}")
        self._seed_batch()
        self.total_batches_seen += 1
        return self._get_batches_of_transformed_samples(
            self._order()[self.batch_size * idx : self.batch_size * (idx + 1)]
        )

    def __len__(self) -> int:
        return (self.n + self.batch_size - 1) // self.batch_size

    def on_epoch_end(self) -> None:
        """Makes a new order."""
        self._set_index_array()

    def reset(self) -> None:
        """Begins anew."""
        self.batch_index = 0

    def _flow_index(self) -> Iterates[np.ndarray]:
        """The numbers of each batch."""
        self.reset()
        while True:
            self._seed_batch()
            if self.batch_index == 0:
                self._set_index_array()
            first = self.batch_index * self.batch_size % self.n if self.n else 0
            self.batch_index = self.batch_index + 1 if self.n > first + self.batch_size else 0
            self.total_batches_seen += 1
            yield self._order()[first : first + self.batch_size]

    def __iter__(self) -> Iterator:
        return self

    def __next__(self, *args: Any, **kwargs: Any) -> Any:
        return self.next(*args, **kwargs)

    def next(self) -> Any:
        """The next batch."""
        # Several threads may ask; only what a batch consists of is found out one by one.
        with self.lock:
            index_array = next(self.index_generator)
        return self._get_batches_of_transformed_samples(index_array)

    def _get_batches_of_transformed_samples(self, index_array: np.ndarray) -> Any:
        """A batch.

        Args:
            index_array: the numbers of what it consists of.
        """
        raise NotImplementedError(f"{type(self).__name__} has to define _get_batches_of_transformed_samples.")


def _save_all(batch: np.ndarray, index_array: np.ndarray, to: Any) -> None:
    """Writes the images of a batch into `save_to_dir`, each under a name of its own."""
    if not to.save_to_dir:
        return
    for image, index in zip(batch, index_array, strict=True):
        name = f"{to.save_prefix}_{index}_{np.random.randint(10**7 if to.long_names else 10**4)}.{to.save_format}"
        array_to_img(image, to.data_format, scale=True).save(os.path.join(to.save_to_dir, name))


class NumpyArrayIterator(Iterator):
    """Batches of the images in an array, transformed.

    Args:
        x: the images, or they and a list of more arrays that go along.
        y: what belongs to each, or None.
        image_data_generator: transforms them.
        batch_size, shuffle, seed: as for `Iterator`.
        sample_weight: the weight of each.
        data_format: "channels_last" or "channels_first".
        save_to_dir: a folder in which the transformed images are kept.
        save_prefix, save_format: the beginning and the end of their names.
        subset: "training" or "validation", where the generator has a `validation_split`.
        dtype: the type of the batches.

    Raises:
        ValueError: for arrays of different lengths or of another rank.
    """

    long_names = False

    dtype: Any

    def __init__(
        self,
        x: Any,
        y: Any,
        image_data_generator: ImageDataGenerator,
        batch_size: int = 32,
        shuffle: bool = False,
        sample_weight: Any = None,
        seed: int | None = None,
        data_format: str | None = None,
        save_to_dir: str | None = None,
        save_prefix: str = "",
        save_format: str = "png",
        subset: str | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        self.dtype = dtype or floatx()
        self.data_format = data_format or image_data_format()
        x, misc = _with_others(x)
        for values, name in ((y, "`y` (labels)"), (sample_weight, "`sample_weight`")):
            if values is not None and len(x) != len(values):
                raise ValueError(
                    f"`x` (images tensor) and {name} should have the same length. Found: x.shape = {np.shape(x)}, and "
                    f"{np.shape(values)}"
                )
        if subset is not None:
            part = _subset(subset, len(x), image_data_generator._validation_split, y)
            x, misc = x[part], [one[part] for one in misc]
            y = None if y is None else y[part]
            sample_weight = None if sample_weight is None else sample_weight[part]
        self.x = np.asarray(x, dtype=self.dtype)
        self.x_misc = misc
        if self.x.ndim != 4:
            raise ValueError(
                f"Input data in `NumpyArrayIterator` should have rank 4. You passed an array with shape {self.x.shape}"
            )
        warn_of_channels("NumpyArrayIterator", self.x.shape, self.data_format)
        self.y = None if y is None else np.asarray(y)
        self.sample_weight = None if sample_weight is None else np.asarray(sample_weight)
        self.image_data_generator = image_data_generator
        self.save_to_dir, self.save_prefix, self.save_format = save_to_dir, save_prefix, save_format
        super().__init__(len(self.x), batch_size, shuffle, seed)

    def _get_batches_of_transformed_samples(self, index_array: np.ndarray) -> Any:
        batch = np.zeros((len(index_array), *self.x.shape[1:]), dtype=self.dtype)
        generator = self.image_data_generator
        for i, j in enumerate(index_array):
            image = self.x[j]
            parameters = generator.get_random_transform(image.shape)
            batch[i] = generator.standardize(generator.apply_transform(image.astype(self.dtype), parameters))
        _save_all(batch, index_array, self)
        inputs: Any = [batch, *(one[index_array] for one in self.x_misc)] if self.x_misc else batch
        if self.y is None:
            return inputs
        rest = () if self.sample_weight is None else (self.sample_weight[index_array],)
        return (inputs, self.y[index_array], *rest)


def _with_others(x: Any) -> tuple[Any, list[np.ndarray]]:
    if not isinstance(x, (tuple, list)):
        return x, []
    others = x[1] if isinstance(x[1], list) else [x[1]]
    arrays = [np.asarray(one) for one in others]
    for one in arrays:
        if len(one) != len(x[0]):
            raise ValueError(
                "All of the arrays in `x` should have the same length. Found a pair with: "
                f"len(x[0]) = {len(x[0])}, len(x[?]) = {len(one)}"
            )
    return x[0], arrays


def _subset(subset: str, count: int, validation_split: float, y: Any) -> slice:
    if subset not in ("training", "validation"):
        raise ValueError(f'Invalid subset name: {subset}; expected "training" or "validation".')
    border = int(count * validation_split)
    if y is not None and not np.array_equal(np.unique(y[:border]), np.unique(y[border:])):
        raise ValueError(
            "Training and validation subsets have different number of classes after the split. If your numpy arrays "
            "are sorted by the label, you might want to shuffle them."
        )
    return slice(border) if subset == "validation" else slice(border, None)


def warn_of_channels(who: str, shape: tuple[int, ...], data_format: str) -> None:
    """Warns of images with neither 1, 3 nor 4 channels.

    Args:
        who: what has got them.
        shape: theirs.
        data_format: "channels_last" or "channels_first".
    """
    axis = 3 if data_format == "channels_last" else 1
    if shape[axis] not in (1, 3, 4):
        tf_logging.warning(
            '%s is set to use the data format convention "%s" (channels on axis %d), i.e. expected either 1, 3, or 4 '
            "channels on axis %d. However, it was passed an array with shape %s (%d channels).",
            *(who, data_format, axis, axis, shape, shape[axis]),
        )


class BatchFromFilesMixin:
    """Batches of images in files, transformed. What mixes it in has `filepaths`, `labels` and `sample_weight`."""

    long_names = True
    class_mode: str | None
    dtype: Any
    filepaths: list[str]
    labels: Any
    sample_weight: Any
    class_indices: dict[str, int]

    def set_processing_attrs(
        self,
        image_data_generator: ImageDataGenerator | None,
        target_size: tuple[int, int],
        color_mode: str,
        data_format: str,
        save_to_dir: str | None,
        save_prefix: str,
        save_format: str,
        subset: str | None,
        interpolation: str,
    ) -> None:
        """Takes how images are read.

        Args:
            image_data_generator: transforms them.
            target_size: `(rows, columns)`.
            color_mode: "rgb", "rgba" or "grayscale".
            data_format: "channels_last" or "channels_first".
            save_to_dir, save_prefix, save_format: where the transformed images are kept.
            subset: "training" or "validation", where the generator has a `validation_split`.
            interpolation: as for `load_img`.

        Raises:
            ValueError: for another mode or subset.
        """
        self.image_data_generator = image_data_generator
        self.target_size = tuple(target_size)
        if color_mode not in _CHANNELS:
            raise ValueError(f'Invalid color mode: {color_mode}; expected "rgb", "rgba", or "grayscale".')
        self.color_mode = color_mode
        self.data_format = data_format
        channels = (_CHANNELS[color_mode],)
        last = data_format == "channels_last"
        self.image_shape = self.target_size + channels if last else channels + self.target_size
        self.save_to_dir, self.save_prefix, self.save_format = save_to_dir, save_prefix, save_format
        self.interpolation = interpolation
        self.split: tuple[float, float] | None = None
        if subset is not None:
            share = image_data_generator._validation_split if image_data_generator else 0.0
            parts = {"validation": (0.0, share), "training": (share, 1.0)}
            if subset not in parts:
                raise ValueError(f'Invalid subset name: {subset};expected "training" or "validation"')
            self.split = parts[subset]
        self.subset = subset

    def _get_batches_of_transformed_samples(self, index_array: np.ndarray) -> Any:
        batch = np.zeros((len(index_array), *self.image_shape), dtype=self.dtype)
        paths = self.filepaths
        for i, j in enumerate(index_array):
            batch[i] = self._image(paths[j])
        _save_all(batch, index_array, self)
        if self.class_mode not in ("input", "binary", "sparse", "categorical", "multi_output", "raw"):
            return batch
        labels = self._labels(batch, index_array)
        weights = self.sample_weight
        return (batch, labels) if weights is None else (batch, labels, weights[index_array])

    def _image(self, path: str) -> np.ndarray:
        rows, columns = self.target_size
        image = load_img(
            path, color_mode=self.color_mode, target_size=(rows, columns), interpolation=self.interpolation
        )
        x = img_to_array(image, data_format=self.data_format)
        image.close()
        generator = self.image_data_generator
        if generator is None:
            return x
        # NumPy may have given the image's own memory, which cannot be written.
        return generator.standardize(generator.apply_transform(x, generator.get_random_transform(x.shape)))

    def _labels(self, batch: np.ndarray, index_array: np.ndarray) -> Any:
        if self.class_mode == "input":
            return batch.copy()
        if self.class_mode == "multi_output":
            return [output[index_array] for output in self.labels]
        if self.class_mode == "raw":
            return self.labels[index_array]
        kinds = [self.labels[i] for i in index_array]
        if self.class_mode in ("binary", "sparse"):
            return np.array(kinds, dtype=self.dtype)
        rows = np.zeros((len(batch), len(self.class_indices)), dtype=self.dtype)
        for i, kind in enumerate(kinds):
            rows[i, kind] = 1.0
        return rows

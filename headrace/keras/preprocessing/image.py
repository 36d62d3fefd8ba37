"""Images for training, each transformed anew whenever it is used."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.keras.backend_config import floatx, image_data_format
from headrace.keras.preprocessing.image_folders import DataFrameIterator, DirectoryIterator
from headrace.keras.preprocessing.image_iterators import NumpyArrayIterator, warn_of_channels
from headrace.keras.preprocessing.image_transforms import (
    apply_affine_transform,
    apply_brightness_shift,
    apply_channel_shift,
    flip_axis,
)
from headrace.util import tf_logging

if TYPE_CHECKING:
    from collections.abc import Sequence

    from headrace.core.typing import DTypeLike

# What is added to standard deviations, so that nothing is divided by 0.
_TINY = 1e-6


class ImageDataGenerator:
    """Makes batches of images, each transformed by chance.

    Args:
        featurewise_center, featurewise_std_normalization: whether the mean of all images is subtracted, and whether they
            are divided by their standard deviation; `fit` finds both.
        samplewise_center, samplewise_std_normalization: the same, of each image by itself.
        zca_whitening: whether images are decorrelated; `fit` finds how.
        zca_epsilon: what is added to variances there.
        rotation_range: by how many degrees they are turned at most.
        width_shift_range, height_shift_range: by how much they are shifted: a part of their size below 1, else a
            number of points; or values to choose from.
        brightness_range: between which two factors they are made brighter or darker.
        shear_range: by how many degrees they are sheared at most.
        zoom_range: between which two factors they are made smaller, or by how much from 1 either way.
        channel_shift_range: how much is added to them at most, either way.
        fill_mode, cval: as for `apply_affine_transform`.
        horizontal_flip, vertical_flip: whether half of them are turned around.
        rescale: a factor, before the others but after `preprocessing_function`.
        preprocessing_function: a function of an image, after it has been transformed.
        data_format: "channels_last" or "channels_first".
        validation_split: the part of the images that is for the validation.
        interpolation_order: of the splines between points.
        dtype: the type of the batches.

    Raises:
        ValueError: for arguments out of range.

    Example:
        >>> images = tf.keras.preprocessing.image.ImageDataGenerator(rescale=1 / 255, horizontal_flip=True)
        >>> batches = images.flow(np.full([6, 8, 8, 3], 255), np.arange(6), batch_size=4)
        >>> batch, labels = next(batches)
        >>> batch.shape, labels.shape
        ((4, 8, 8, 3), (4,))
    """

    def __init__(
        self,
        featurewise_center: bool = False,
        samplewise_center: bool = False,
        featurewise_std_normalization: bool = False,
        samplewise_std_normalization: bool = False,
        zca_whitening: bool = False,
        zca_epsilon: float = 1e-6,
        rotation_range: float = 0,
        width_shift_range: Any = 0.0,
        height_shift_range: Any = 0.0,
        brightness_range: Sequence[float] | None = None,
        shear_range: float = 0.0,
        zoom_range: float | Sequence[float] = 0.0,
        channel_shift_range: float = 0.0,
        fill_mode: str = "nearest",
        cval: float = 0.0,
        horizontal_flip: bool = False,
        vertical_flip: bool = False,
        rescale: float | None = None,
        preprocessing_function: Callable[[np.ndarray], np.ndarray] | None = None,
        data_format: str | None = None,
        validation_split: float = 0.0,
        dtype: DTypeLike | None = None,
        interpolation_order: int = 1,
    ) -> None:
        self.featurewise_center = featurewise_center
        self.samplewise_center = samplewise_center
        self.featurewise_std_normalization = featurewise_std_normalization
        self.samplewise_std_normalization = samplewise_std_normalization
        self.zca_whitening = zca_whitening
        self.zca_epsilon = zca_epsilon
        self.rotation_range = rotation_range
        self.width_shift_range = width_shift_range
        self.height_shift_range = height_shift_range
        self.shear_range = shear_range
        self.zoom_range = _zoom_range(zoom_range)
        self.channel_shift_range = channel_shift_range
        self.fill_mode = fill_mode
        self.cval = cval
        self.horizontal_flip = horizontal_flip
        self.vertical_flip = vertical_flip
        self.rescale = rescale
        self.preprocessing_function = preprocessing_function
        self.dtype: Any = dtype or floatx()
        self.interpolation_order = interpolation_order
        self.data_format = data_format or image_data_format()
        if self.data_format not in ("channels_last", "channels_first"):
            raise ValueError(
                '`data_format` should be `"channels_last"` (channel after row and column) or `"channels_first"` '
                f"(channel before row and column). Received: {data_format}"
            )
        last = self.data_format == "channels_last"
        self.row_axis, self.col_axis, self.channel_axis = (1, 2, 3) if last else (2, 3, 1)
        if validation_split and not 0 < validation_split < 1:
            raise ValueError(f"`validation_split` must be strictly between 0 and 1.  Received: {validation_split}")
        self._validation_split = validation_split
        self.mean: Any = None
        self.std: Any = None
        self.principal_components: Any = None
        self._settle()
        if brightness_range is not None and (
            not isinstance(brightness_range, (tuple, list)) or len(brightness_range) != 2
        ):
            raise ValueError(f"`brightness_range should be tuple or list of two floats. Received: {brightness_range}")
        self.brightness_range = brightness_range

    def _settle(self) -> None:
        """Sets what other arguments ask for too."""
        told = "This ImageDataGenerator specifies `%s`, which overrides setting of `%s`."
        if self.zca_whitening:
            if not self.featurewise_center:
                self.featurewise_center = True
                tf_logging.warning(told, "zca_whitening", "featurewise_center")
            if self.featurewise_std_normalization:
                self.featurewise_std_normalization = False
                tf_logging.warning(told, "zca_whitening", "featurewise_std_normalization")
        for kind in ("featurewise", "samplewise"):
            if getattr(self, f"{kind}_std_normalization") and not getattr(self, f"{kind}_center"):
                setattr(self, f"{kind}_center", True)
                tf_logging.warning(told, f"{kind}_std_normalization", f"{kind}_center")

    def flow(
        self,
        x: Any,
        y: Any = None,
        batch_size: int = 32,
        shuffle: bool = True,
        sample_weight: Any = None,
        seed: int | None = None,
        save_to_dir: str | None = None,
        save_prefix: str = "",
        save_format: str = "png",
        subset: str | None = None,
    ) -> NumpyArrayIterator:
        """Batches of the images in an array.

        Args:
            x, y, batch_size, shuffle, sample_weight, seed, save_to_dir, save_prefix, save_format, subset: as for
                `NumpyArrayIterator`.
        """
        return NumpyArrayIterator(
            x,
            y,
            self,
            batch_size=batch_size,
            shuffle=shuffle,
            sample_weight=sample_weight,
            seed=seed,
            data_format=self.data_format,
            save_to_dir=save_to_dir,
            save_prefix=save_prefix,
            save_format=save_format,
            subset=subset,
            dtype=self.dtype,
        )

    def flow_from_directory(
        self,
        directory: str,
        target_size: tuple[int, int] = (256, 256),
        color_mode: str = "rgb",
        classes: Sequence[str] | None = None,
        class_mode: str | None = "categorical",
        batch_size: int = 32,
        shuffle: bool = True,
        seed: int | None = None,
        save_to_dir: str | None = None,
        save_prefix: str = "",
        save_format: str = "png",
        follow_links: bool = False,
        subset: str | None = None,
        interpolation: str = "nearest",
    ) -> DirectoryIterator:
        """Batches of the images in a folder that has a folder for each class.

        Args:
            directory, target_size, color_mode, classes, class_mode, batch_size, shuffle, seed, save_to_dir,
                save_prefix, save_format, follow_links, subset, interpolation: as for `DirectoryIterator`.
        """
        return DirectoryIterator(
            directory,
            self,
            target_size=target_size,
            color_mode=color_mode,
            classes=classes,
            class_mode=class_mode,
            data_format=self.data_format,
            batch_size=batch_size,
            shuffle=shuffle,
            seed=seed,
            save_to_dir=save_to_dir,
            save_prefix=save_prefix,
            save_format=save_format,
            follow_links=follow_links,
            subset=subset,
            interpolation=interpolation,
            dtype=self.dtype,
        )

    def flow_from_dataframe(
        self,
        dataframe: Any,
        directory: str | None = None,
        x_col: str = "filename",
        y_col: str | Sequence[str] = "class",
        weight_col: str | None = None,
        target_size: tuple[int, int] = (256, 256),
        color_mode: str = "rgb",
        classes: Sequence[str] | None = None,
        class_mode: str | None = "categorical",
        batch_size: int = 32,
        shuffle: bool = True,
        seed: int | None = None,
        save_to_dir: str | None = None,
        save_prefix: str = "",
        save_format: str = "png",
        subset: str | None = None,
        interpolation: str = "nearest",
        validate_filenames: bool = True,
        **kwargs: Any,
    ) -> DataFrameIterator:
        """Batches of the images that a table of pandas names.

        Args:
            dataframe, directory, x_col, y_col, weight_col, target_size, color_mode, classes, class_mode, batch_size,
                shuffle, seed, save_to_dir, save_prefix, save_format, subset, interpolation, validate_filenames: as for
                `DataFrameIterator`.
            **kwargs: arguments of older versions, of which a warning says what they are now.
        """
        for name in ("has_ext", "sort", "drop_duplicates"):
            if name in kwargs:
                tf_logging.warning(
                    "%s is deprecated: names of files are taken as they are, in the order of the table.", name
                )
        if class_mode == "other":
            tf_logging.warning('`class_mode` "other" is deprecated, please use `class_mode` "raw".')
            class_mode = "raw"
        return DataFrameIterator(
            dataframe,
            directory,
            self,
            x_col=x_col,
            y_col=y_col,
            weight_col=weight_col,
            target_size=target_size,
            color_mode=color_mode,
            classes=classes,
            class_mode=class_mode,
            data_format=self.data_format,
            batch_size=batch_size,
            shuffle=shuffle,
            seed=seed,
            save_to_dir=save_to_dir,
            save_prefix=save_prefix,
            save_format=save_format,
            subset=subset,
            interpolation=interpolation,
            dtype=self.dtype,
            validate_filenames=validate_filenames,
        )

    def standardize(self, x: np.ndarray) -> np.ndarray:
        """A batch or an image, scaled and centred; in place.

        Args:
            x: the images.
        """
        if self.preprocessing_function:
            x = self.preprocessing_function(x)
        if self.rescale:
            x *= self.rescale
        if self.samplewise_center:
            x -= np.mean(x, keepdims=True)
        if self.samplewise_std_normalization:
            x /= np.std(x, keepdims=True) + _TINY
        if self.featurewise_center and self._is_fit("featurewise_center", self.mean):
            x -= self.mean
        if self.featurewise_std_normalization and self._is_fit("featurewise_std_normalization", self.std):
            x /= self.std + _TINY
        if self.zca_whitening and self._is_fit("zca_whitening", self.principal_components):
            flat = np.reshape(x, (-1, np.prod(x.shape[-3:])))
            x = np.reshape(np.dot(flat, self.principal_components), x.shape)
        return x

    def _is_fit(self, name: str, found: object) -> bool:
        if found is None:
            tf_logging.warning(
                "This ImageDataGenerator specifies `%s`, but it hasn't been fit on any training data. Fit it first by "
                "calling `.fit(numpy_data)`.",
                name,
            )
        return found is not None

    def get_random_transform(self, img_shape: tuple[int, ...], seed: int | None = None) -> dict[str, Any]:
        """How an image is transformed, by chance.

        Args:
            img_shape: its shape.
            seed: of NumPy's generator.

        Returns:
            what `apply_transform` takes.
        """
        if seed is not None:
            np.random.seed(seed)
        rotation = self.rotation_range
        theta = np.random.uniform(-rotation, rotation) if rotation else 0
        tx = _shift(self.height_shift_range, img_shape[self.row_axis - 1])
        ty = _shift(self.width_shift_range, img_shape[self.col_axis - 1])
        shear = np.random.uniform(-self.shear_range, self.shear_range) if self.shear_range else 0
        low, high = self.zoom_range
        zx, zy = (1, 1) if low == 1 and high == 1 else np.random.uniform(low, high, 2)
        # Both are drawn in any case, so that one argument does not change what the others give.
        flip_horizontal = (np.random.random() < 0.5) * self.horizontal_flip
        flip_vertical = (np.random.random() < 0.5) * self.vertical_flip
        channels = self.channel_shift_range
        channel_shift = np.random.uniform(-channels, channels) if channels != 0 else None
        brightness = None
        if self.brightness_range is not None:
            brightness = np.random.uniform(self.brightness_range[0], self.brightness_range[1])
        return {
            "theta": theta,
            "tx": tx,
            "ty": ty,
            "shear": shear,
            "zx": zx,
            "zy": zy,
            "flip_horizontal": flip_horizontal,
            "flip_vertical": flip_vertical,
            "channel_shift_intensity": channel_shift,
            "brightness": brightness,
        }

    def apply_transform(self, x: np.ndarray, transform_parameters: dict[str, Any]) -> np.ndarray:
        """An image transformed.

        Args:
            x: the image.
            transform_parameters: what `get_random_transform` gives, or some of it.
        """
        row_axis, col_axis, channel_axis = self.row_axis - 1, self.col_axis - 1, self.channel_axis - 1
        given: Any = transform_parameters.get
        x = apply_affine_transform(
            x,
            given("theta", 0),
            given("tx", 0),
            given("ty", 0),
            given("shear", 0),
            given("zx", 1),
            given("zy", 1),
            row_axis=row_axis,
            col_axis=col_axis,
            channel_axis=channel_axis,
            fill_mode=self.fill_mode,
            cval=self.cval,
            order=self.interpolation_order,
        )
        if given("channel_shift_intensity") is not None:
            x = apply_channel_shift(x, given("channel_shift_intensity"), channel_axis)
        if given("flip_horizontal", False):
            x = flip_axis(x, col_axis)
        if given("flip_vertical", False):
            x = flip_axis(x, row_axis)
        if given("brightness") is not None:
            x = apply_brightness_shift(x, given("brightness"))
        return x

    def random_transform(self, x: np.ndarray, seed: int | None = None) -> np.ndarray:
        """An image transformed by chance.

        Args:
            x: the image.
            seed: of NumPy's generator.
        """
        return self.apply_transform(x, self.get_random_transform(x.shape, seed))

    def fit(self, x: Any, augment: bool = False, rounds: int = 1, seed: int | None = None) -> None:
        """Finds the mean, the standard deviation and the principal components of images.

        Args:
            x: the images.
            augment: whether they are transformed first.
            rounds: how often each is, then.
            seed: of NumPy's generator.

        Raises:
            ValueError: for an array of another rank.
            ImportError: if SciPy is not installed, for `zca_whitening`.
        """
        x = np.asarray(x, dtype=self.dtype)
        if x.ndim != 4:
            raise ValueError(f"Input to `.fit()` should have rank 4. Got array with shape: {x.shape}")
        warn_of_channels("ImageDataGenerator", x.shape, self.data_format)
        if seed is not None:
            np.random.seed(seed)
        x = np.copy(x)
        if self.rescale:
            x *= self.rescale
        if augment:
            x = np.array([self.random_transform(one) for _ in range(rounds) for one in x], dtype=self.dtype)
        each_channel = [1, 1, 1]
        each_channel[self.channel_axis - 1] = x.shape[self.channel_axis]
        axes = (0, self.row_axis, self.col_axis)
        if self.featurewise_center:
            self.mean = np.reshape(np.mean(x, axis=axes), each_channel)
            x -= self.mean
        if self.featurewise_std_normalization:
            self.std = np.reshape(np.std(x, axis=axes), each_channel)
            x /= self.std + _TINY
        if self.zca_whitening:
            self.principal_components = self._whitening(np.reshape(x, (len(x), -1)))

    def _whitening(self, rows: np.ndarray) -> np.ndarray:
        """The matrix that makes images uncorrelated (Bell and Sejnowski, 1997)."""
        try:
            from scipy import linalg
        except ImportError as error:
            raise ImportError("Using zca_whitening requires SciPy. Install SciPy.") from error
        u, s, _ = linalg.svd(np.dot(rows.T, rows) / len(rows))
        return np.dot(u * (1.0 / np.sqrt(s[np.newaxis] + self.zca_epsilon)), u.T)


def _zoom_range(zoom_range: Any) -> list[float]:
    if isinstance(zoom_range, (float, int)):
        return [1 - zoom_range, 1 + zoom_range]
    if len(zoom_range) == 2 and all(isinstance(value, (float, int)) for value in zoom_range):
        return [zoom_range[0], zoom_range[1]]
    raise ValueError(f"`zoom_range` should be a float or a tuple or list of two floats. Received: {zoom_range}")


def _shift(shift_range: Any, size: int) -> float:
    """By how much an image is shifted along an axis of `size` points."""
    if not shift_range:
        return 0
    # Values to choose from, or whole numbers below one; a fraction is neither.
    if isinstance(shift_range, (float, np.floating)):
        shift = float(np.random.uniform(-shift_range, shift_range))
    else:
        shift = float(np.random.choice(shift_range) * np.random.choice([-1, 1]))
    return shift * size if np.max(shift_range) < 1 else shift

# Made by tools/make_stubs.py.

import numpy as np
from _typeshed import Incomplete
from collections.abc import Callable, Sequence
from headrace.core.typing import DTypeLike as DTypeLike
from headrace.keras.backend_config import floatx as floatx, image_data_format as image_data_format
from headrace.keras.preprocessing.image_folders import DataFrameIterator as DataFrameIterator, DirectoryIterator as DirectoryIterator
from headrace.keras.preprocessing.image_iterators import NumpyArrayIterator as NumpyArrayIterator, warn_of_channels as warn_of_channels
from headrace.keras.preprocessing.image_transforms import apply_affine_transform as apply_affine_transform, apply_brightness_shift as apply_brightness_shift, apply_channel_shift as apply_channel_shift, flip_axis as flip_axis
from headrace.util import tf_logging as tf_logging
from typing import Any

class ImageDataGenerator:
    '''Makes batches of images, each transformed by chance.

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
    '''
    featurewise_center: Incomplete
    samplewise_center: Incomplete
    featurewise_std_normalization: Incomplete
    samplewise_std_normalization: Incomplete
    zca_whitening: Incomplete
    zca_epsilon: Incomplete
    rotation_range: Incomplete
    width_shift_range: Incomplete
    height_shift_range: Incomplete
    shear_range: Incomplete
    zoom_range: Incomplete
    channel_shift_range: Incomplete
    fill_mode: Incomplete
    cval: Incomplete
    horizontal_flip: Incomplete
    vertical_flip: Incomplete
    rescale: Incomplete
    preprocessing_function: Incomplete
    dtype: Any
    interpolation_order: Incomplete
    data_format: Incomplete
    mean: Any
    std: Any
    principal_components: Any
    brightness_range: Incomplete
    def __init__(self, featurewise_center: bool = False, samplewise_center: bool = False, featurewise_std_normalization: bool = False, samplewise_std_normalization: bool = False, zca_whitening: bool = False, zca_epsilon: float = 1e-06, rotation_range: float = 0, width_shift_range: Any = 0.0, height_shift_range: Any = 0.0, brightness_range: Sequence[float] | None = None, shear_range: float = 0.0, zoom_range: float | Sequence[float] = 0.0, channel_shift_range: float = 0.0, fill_mode: str = 'nearest', cval: float = 0.0, horizontal_flip: bool = False, vertical_flip: bool = False, rescale: float | None = None, preprocessing_function: Callable[[np.ndarray], np.ndarray] | None = None, data_format: str | None = None, validation_split: float = 0.0, dtype: DTypeLike | None = None, interpolation_order: int = 1) -> None: ...
    def flow(self, x: Any, y: Any = None, batch_size: int = 32, shuffle: bool = True, sample_weight: Any = None, seed: int | None = None, save_to_dir: str | None = None, save_prefix: str = '', save_format: str = 'png', subset: str | None = None) -> NumpyArrayIterator:
        """Batches of the images in an array.

        Args:
            x, y, batch_size, shuffle, sample_weight, seed, save_to_dir, save_prefix, save_format, subset: as for
                `NumpyArrayIterator`.
        """
    def flow_from_directory(self, directory: str, target_size: tuple[int, int] = (256, 256), color_mode: str = 'rgb', classes: Sequence[str] | None = None, class_mode: str | None = 'categorical', batch_size: int = 32, shuffle: bool = True, seed: int | None = None, save_to_dir: str | None = None, save_prefix: str = '', save_format: str = 'png', follow_links: bool = False, subset: str | None = None, interpolation: str = 'nearest') -> DirectoryIterator:
        """Batches of the images in a folder that has a folder for each class.

        Args:
            directory, target_size, color_mode, classes, class_mode, batch_size, shuffle, seed, save_to_dir,
                save_prefix, save_format, follow_links, subset, interpolation: as for `DirectoryIterator`.
        """
    def flow_from_dataframe(self, dataframe: Any, directory: str | None = None, x_col: str = 'filename', y_col: str | Sequence[str] = 'class', weight_col: str | None = None, target_size: tuple[int, int] = (256, 256), color_mode: str = 'rgb', classes: Sequence[str] | None = None, class_mode: str | None = 'categorical', batch_size: int = 32, shuffle: bool = True, seed: int | None = None, save_to_dir: str | None = None, save_prefix: str = '', save_format: str = 'png', subset: str | None = None, interpolation: str = 'nearest', validate_filenames: bool = True, **kwargs: Any) -> DataFrameIterator:
        """Batches of the images that a table of pandas names.

        Args:
            dataframe, directory, x_col, y_col, weight_col, target_size, color_mode, classes, class_mode, batch_size,
                shuffle, seed, save_to_dir, save_prefix, save_format, subset, interpolation, validate_filenames: as for
                `DataFrameIterator`.
            **kwargs: arguments of older versions, of which a warning says what they are now.
        """
    def standardize(self, x: np.ndarray) -> np.ndarray:
        """A batch or an image, scaled and centred; in place.

        Args:
            x: the images.
        """
    def get_random_transform(self, img_shape: tuple[int, ...], seed: int | None = None) -> dict[str, Any]:
        """How an image is transformed, by chance.

        Args:
            img_shape: its shape.
            seed: of NumPy's generator.

        Returns:
            what `apply_transform` takes.
        """
    def apply_transform(self, x: np.ndarray, transform_parameters: dict[str, Any]) -> np.ndarray:
        """An image transformed.

        Args:
            x: the image.
            transform_parameters: what `get_random_transform` gives, or some of it.
        """
    def random_transform(self, x: np.ndarray, seed: int | None = None) -> np.ndarray:
        """An image transformed by chance.

        Args:
            x: the image.
            seed: of NumPy's generator.
        """
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
__all__ = ['DirectoryIterator', 'ImageDataGenerator', 'Iterator', 'NumpyArrayIterator', 'apply_affine_transform', 'apply_brightness_shift', 'apply_channel_shift', 'array_to_img', 'img_to_array', 'load_img', 'random_brightness', 'random_channel_shift', 'random_rotation', 'random_shear', 'random_shift', 'random_zoom', 'save_img']
from headrace.keras.preprocessing.image_folders import DirectoryIterator as DirectoryIterator
from headrace.keras.preprocessing.image_iterators import Iterator as Iterator
from headrace.keras.preprocessing.image_iterators import NumpyArrayIterator as NumpyArrayIterator
from headrace.keras.preprocessing.image_transforms import apply_affine_transform as apply_affine_transform
from headrace.keras.preprocessing.image_transforms import apply_brightness_shift as apply_brightness_shift
from headrace.keras.preprocessing.image_transforms import apply_channel_shift as apply_channel_shift
from headrace.keras.preprocessing.image_files import array_to_img as array_to_img
from headrace.keras.preprocessing.image_files import img_to_array as img_to_array
from headrace.keras.preprocessing.image_files import load_img as load_img
from headrace.keras.preprocessing.image_transforms import random_brightness as random_brightness
from headrace.keras.preprocessing.image_transforms import random_channel_shift as random_channel_shift
from headrace.keras.preprocessing.image_transforms import random_rotation as random_rotation
from headrace.keras.preprocessing.image_transforms import random_shear as random_shear
from headrace.keras.preprocessing.image_transforms import random_shift as random_shift
from headrace.keras.preprocessing.image_transforms import random_zoom as random_zoom
from headrace.keras.preprocessing.image_files import save_img as save_img

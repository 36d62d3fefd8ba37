"""Batches of images in folders, and of those that a table names."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.keras.backend_config import floatx, image_data_format
from headrace.keras.preprocessing.image_files import names_in_class
from headrace.keras.preprocessing.image_iterators import BatchFromFilesMixin, Iterator
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike
    from headrace.keras.preprocessing.image import ImageDataGenerator

_LABELLED = ("binary", "categorical", "sparse")


class DirectoryIterator(BatchFromFilesMixin, Iterator):
    """Batches of the images in a folder that has a folder for each class.

    Args:
        directory: the folder.
        image_data_generator: transforms them.
        target_size: `(rows, columns)` that they are brought to.
        color_mode: "rgb", "rgba" or "grayscale".
        classes: the folders; without it all there are, in the order of their names.
        class_mode: "categorical" for rows with a 1 at the class's place, "binary" or "sparse" for its number, "input"
            for the images themselves, None for images alone.
        batch_size, shuffle, seed: as for `Iterator`.
        data_format: "channels_last" or "channels_first".
        save_to_dir, save_prefix, save_format: where transformed images are kept.
        follow_links: whether links to folders are followed.
        subset: "training" or "validation", where the generator has a `validation_split`.
        interpolation: as for `load_img`.
        dtype: the type of the batches.

    Raises:
        ValueError: for another mode.
    """

    allowed_class_modes = frozenset({"categorical", "binary", "sparse", "input", None})

    def __init__(
        self,
        directory: str,
        image_data_generator: ImageDataGenerator | None,
        target_size: tuple[int, int] = (256, 256),
        color_mode: str = "rgb",
        classes: Sequence[str] | None = None,
        class_mode: str | None = "categorical",
        batch_size: int = 32,
        shuffle: bool = True,
        seed: int | None = None,
        data_format: str | None = None,
        save_to_dir: str | None = None,
        save_prefix: str = "",
        save_format: str = "png",
        follow_links: bool = False,
        subset: str | None = None,
        interpolation: str = "nearest",
        dtype: DTypeLike | None = None,
    ) -> None:
        self.set_processing_attrs(
            image_data_generator,
            target_size,
            color_mode,
            data_format or image_data_format(),
            save_to_dir,
            save_prefix,
            save_format,
            subset,
            interpolation,
        )
        self.directory = directory
        _check_mode(class_mode, self.allowed_class_modes)
        self.class_mode = class_mode
        self.dtype = dtype or floatx()
        if not classes:
            classes = [name for name in sorted(os.listdir(directory)) if os.path.isdir(os.path.join(directory, name))]
        self.num_classes = len(classes)
        self.class_indices = {name: number for number, name in enumerate(classes)}
        self.filenames: list[str] = []
        numbers: list[int] = []
        for name in classes:
            folder = os.path.join(directory, name)
            found = names_in_class(folder, self.white_list_formats, self.split, self.class_indices, follow_links)
            numbers += found[0]
            self.filenames += found[1]
        self.classes = np.array(numbers, dtype="int32")
        self.samples = len(self.filenames)
        print(f"Found {self.samples} images belonging to {self.num_classes} classes.")
        self._filepaths = [os.path.join(directory, name) for name in self.filenames]
        Iterator.__init__(self, self.samples, batch_size, shuffle, seed)

    @property
    def filepaths(self) -> list[str]:  # type: ignore[override]  # a value of the mixin
        """The paths of the images."""
        return self._filepaths

    @property
    def labels(self) -> np.ndarray:  # type: ignore[override]  # a value of the mixin
        """The number of the class of each."""
        return self.classes

    @property
    def sample_weight(self) -> None:  # type: ignore[override]  # a value of the mixin
        """None: they have none."""
        return None


def _check_mode(class_mode: str | None, allowed: frozenset[str | None]) -> None:
    if class_mode not in allowed:
        raise ValueError(f"Invalid class_mode: {class_mode}; expected one of: {sorted(map(str, allowed))}")


class DataFrameIterator(BatchFromFilesMixin, Iterator):
    """Batches of the images that a table of pandas names.

    Args:
        dataframe: the table.
        directory: the folder of relative paths.
        image_data_generator: transforms them.
        x_col: the column of the paths.
        y_col: the column of the classes, or the columns of numbers.
        weight_col: the column of weights.
        target_size, color_mode, batch_size, shuffle, seed, data_format, save_to_dir, save_prefix, save_format, subset,
            interpolation, dtype: as for `DirectoryIterator`.
        classes: the classes; without it all there are, in the order of their names.
        class_mode: as for `DirectoryIterator`, or "raw" for the numbers in `y_col`, "multi_output" for a list of the
            columns `y_col`.
        validate_filenames: whether files that are not there are left out.

    Raises:
        ValueError: for a column that does not fit the mode.
        TypeError: for a column of other values.
    """

    allowed_class_modes = frozenset({"binary", "categorical", "input", "multi_output", "raw", "sparse", None})

    def __init__(
        self,
        dataframe: Any,
        directory: str | None = None,
        image_data_generator: ImageDataGenerator | None = None,
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
        data_format: str | None = "channels_last",
        save_to_dir: str | None = None,
        save_prefix: str = "",
        save_format: str = "png",
        subset: str | None = None,
        interpolation: str = "nearest",
        dtype: DTypeLike | None = "float32",
        validate_filenames: bool = True,
    ) -> None:
        self.set_processing_attrs(
            image_data_generator,
            target_size,
            color_mode,
            data_format or image_data_format(),
            save_to_dir,
            save_prefix,
            save_format,
            subset,
            interpolation,
        )
        table = dataframe.copy()
        self.directory = directory or ""
        self.class_mode = class_mode
        self.dtype = dtype or floatx()
        self._check_params(table, x_col, y_col, weight_col, classes)
        if validate_filenames:
            table = self._filter_valid_filepaths(table, x_col)
        labelled = class_mode in _LABELLED
        if labelled:
            table, names = self._filter_classes(table, y_col, classes)
            self.class_indices = {name: number for number, name in enumerate(names)}
        if self.split:
            table = table.iloc[int(self.split[0] * len(table)) : int(self.split[1] * len(table)), :]
        if labelled:
            self.classes = self.get_classes(table, y_col)
        self.filenames = table[x_col].tolist()
        self._sample_weight = table[weight_col].values if weight_col else None
        self._targets: Any = None
        if class_mode == "multi_output":
            self._targets = [np.array(table[column].tolist()) for column in y_col]
        elif class_mode == "raw":
            self._targets = table[y_col].values
        self.samples = len(self.filenames)
        belonging = f" belonging to {len(self.class_indices)} classes" if labelled else ""
        checked = "validated" if validate_filenames else "non-validated"
        print(f"Found {self.samples} {checked} image filenames{belonging}.")
        self._filepaths = [os.path.join(self.directory, name) for name in self.filenames]
        Iterator.__init__(self, self.samples, batch_size, shuffle, seed)

    def _check_params(self, df: Any, x_col: str, y_col: Any, weight_col: str | None, classes: Any) -> None:
        mode = self.class_mode
        _check_mode(mode, self.allowed_class_modes)
        if mode == "multi_output" and not isinstance(y_col, list):
            raise TypeError(f'If class_mode="{mode}", y_col must be a list. Received {type(y_col).__name__}.')
        if not all(isinstance(path, str) for path in df[x_col]):
            raise TypeError(f"All values in column x_col={x_col} must be strings.")
        if mode in ("binary", "sparse") and not all(isinstance(label, str) for label in df[y_col]):
            raise TypeError(f'If class_mode="{mode}", y_col="{y_col}" column values must be strings.')
        if mode == "binary":
            if classes and len(set(classes)) != 2:
                raise ValueError(
                    f'If class_mode="binary" there must be 2 classes. {len(set(classes))} class/es were given.'
                )
            if not classes and df[y_col].nunique() != 2:
                raise ValueError(
                    f'If class_mode="binary" there must be 2 classes. Found {df[y_col].nunique()} classes.'
                )
        if mode == "categorical" and not all(isinstance(label, (str, list, tuple)) for label in df[y_col]):
            raise TypeError(
                f'If class_mode="{mode}", y_col="{y_col}" column values must be type string, list or tuple.'
            )
        if classes and mode not in _LABELLED:
            tf_logging.warning('`classes` will be ignored given the class_mode="%s"', mode)
        if weight_col and not issubclass(df[weight_col].dtype.type, np.number):
            raise TypeError(f"Column weight_col={weight_col} must be numeric.")

    def get_classes(self, df: Any, y_col: Any) -> list[Any]:
        """The number of the class of each image, or a list of numbers where it has several.

        Args:
            df: the table.
            y_col: the column of the classes.
        """
        return [
            [self.class_indices[one] for one in label]
            if isinstance(label, (list, tuple))
            else self.class_indices[label]
            for label in df[y_col]
        ]

    @staticmethod
    def _filter_classes(df: Any, y_col: Any, classes: Sequence[str] | None) -> tuple[Any, list[str]]:
        """The rows that have one of the classes, and the classes."""
        if not classes:
            found: set[str] = set()
            for label in df[y_col]:
                found.update(label if isinstance(label, (list, tuple)) else [label])
            return df.dropna(subset=[y_col]), sorted(found)
        wanted = sorted(set(classes))

        def kept(label: Any) -> Any:
            if isinstance(label, (list, tuple)):
                return [one for one in label if one in wanted] or None
            return label if label in wanted else None

        df[y_col] = df[y_col].apply(kept)
        return df.dropna(subset=[y_col]), wanted

    def _filter_valid_filepaths(self, df: Any, x_col: str) -> Any:
        """The rows whose file is an image that is there."""
        endings = tuple(f".{one}" for one in self.white_list_formats)
        paths = [os.path.join(self.directory, name) for name in df[x_col]]
        valid = np.array([path.lower().endswith(endings) and os.path.isfile(path) for path in paths], dtype=bool)
        if not valid.all():
            tf_logging.warning(
                'Found %d invalid image filename(s) in x_col="%s". These filename(s) will be ignored.',
                int((~valid).sum()),
                x_col,
            )
        return df[valid]

    @property
    def filepaths(self) -> list[str]:  # type: ignore[override]  # a value of the mixin
        """The paths of the images."""
        return self._filepaths

    @property
    def labels(self) -> Any:  # type: ignore[override]  # a value of the mixin
        """What belongs to each."""
        return self._targets if self.class_mode in ("multi_output", "raw") else self.classes

    @property
    def sample_weight(self) -> Any:  # type: ignore[override]  # a value of the mixin
        """The weight of each, or None."""
        return self._sample_weight

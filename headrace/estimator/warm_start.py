"""From which model another one takes its first values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from headrace.checkpoints.warm_starting import VocabInfo
from headrace.files.file_io import file_exists
from headrace.files.paths import as_path
from headrace.saved_model.folders import get_variables_path
from headrace.saved_model.loading import contains_saved_model

if TYPE_CHECKING:
    from headrace.state.variables import Variable


class _Fields(NamedTuple):
    ckpt_to_initialize_from: str
    vars_to_warm_start: Any
    var_name_to_vocab_info: Mapping[str, VocabInfo]
    var_name_to_prev_var_name: Mapping[str, str]


class WarmStartSettings(_Fields):
    """From which checkpoint which variables take their first values.

    Args:
        ckpt_to_initialize_from: the checkpoint, or the folder it is in.
        vars_to_warm_start: a regular expression of the names of trainable variables, a list of names or variables, or
            None for only those that `var_name_to_vocab_info` names.
        var_name_to_vocab_info: from variable to `VocabInfo`, for those whose vocabulary has changed.
        var_name_to_prev_var_name: from variable to its name in the checkpoint, for those called otherwise there.

    Raises:
        ValueError: if no checkpoint is named.

    Example:
        >>> settings = tf.estimator.WarmStartSettings("other_model", vars_to_warm_start="dense.*")
        >>> tf.estimator.Estimator(model_fn, "model", warm_start_from=settings)
    """

    __slots__ = ()

    def __new__(
        cls,
        ckpt_to_initialize_from: str,
        vars_to_warm_start: str | Sequence[str] | Sequence[Variable] | None = ".*",
        var_name_to_vocab_info: Mapping[str, VocabInfo] | None = None,
        var_name_to_prev_var_name: Mapping[str, str] | None = None,
    ) -> WarmStartSettings:
        if not ckpt_to_initialize_from:
            raise ValueError("`ckpt_to_initialize_from` MUST be set in WarmStartSettings")
        return super().__new__(
            cls,
            ckpt_to_initialize_from,
            vars_to_warm_start,
            var_name_to_vocab_info or {},
            var_name_to_prev_var_name or {},
        )


def as_warm_start_settings(given: object) -> WarmStartSettings | None:
    """The settings that `warm_start_from` stands for: a path, settings, or None.

    Raises:
        ValueError: for something else.
    """
    if given is None or isinstance(given, WarmStartSettings):
        return given
    if not isinstance(given, (str, bytes)) and not hasattr(given, "__fspath__"):
        raise ValueError(
            "warm_start_from must be a string or a WarmStartSettings, instead got " + str(type(given)) + "."
        )
    path = as_path(given)
    if file_exists(path) and contains_saved_model(path):
        path = get_variables_path(path)
    return WarmStartSettings(path)

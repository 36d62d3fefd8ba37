"""What a profile counts, shows and writes."""

from __future__ import annotations

import copy
from typing import Any

TRAINABLE_VARIABLES = "_trainable_variables"

Options = dict[str, Any]

# The orders and columns there are.
ORDERS = (
    *("name", "bytes", "peak_bytes", "residual_bytes", "output_bytes", "micros", "accelerator_micros", "cpu_micros"),
    *("params", "float_ops", "occurrence"),
)
COLUMNS = (*ORDERS[1:], "op_types", "device", "tensor_value", "input_shapes")


def _options(**more: Any) -> Options:
    return {
        "max_depth": 10000,
        "min_bytes": 0,
        "min_micros": 0,
        "min_params": 0,
        "min_float_ops": 0,
        "min_occurrence": 0,
        "order_by": "name",
        "account_type_regexes": [".*"],
        "start_name_regexes": [".*"],
        "trim_name_regexes": [],
        "show_name_regexes": [".*"],
        "hide_name_regexes": [],
        "account_displayed_op_only": True,
        "select": ["micros"],
        "step": -1,
        "output": "stdout",
        **more,
    }


class ProfileOptionBuilder:
    """Puts together the options of a profile; each method returns the builder.

    Args:
        options: the dict to begin with.

    Example:
        >>> opts = tf.profiler.ProfileOptionBuilder
        >>> opts(opts.time_and_memory()).with_max_depth(2).order_by("micros").build()
    """

    def __init__(self, options: Options | None = None) -> None:
        self._options = (
            _options(max_depth=100, account_displayed_op_only=False) if options is None else copy.deepcopy(options)
        )

    @staticmethod
    def trainable_variables_parameter() -> Options:
        """Options for counting the parameters of trainable variables."""
        return _options(account_type_regexes=[TRAINABLE_VARIABLES], select=["params"])

    @staticmethod
    def float_operation() -> Options:
        """Options for counting floating-point operations."""
        return _options(min_float_ops=1, order_by="float_ops", select=["float_ops"])

    @staticmethod
    def time_and_memory(
        min_micros: int = 1,
        min_bytes: int = 1,
        min_accelerator_micros: int = 0,
        min_cpu_micros: int = 0,
        min_peak_bytes: int = 0,
        min_residual_bytes: int = 0,
        min_output_bytes: int = 0,
    ) -> Options:
        """Options for the time and memory of a traced run; the arguments leave out what takes less."""
        return _options(
            min_bytes=min_bytes,
            min_peak_bytes=min_peak_bytes,
            min_residual_bytes=min_residual_bytes,
            min_output_bytes=min_output_bytes,
            min_micros=min_micros,
            min_accelerator_micros=min_accelerator_micros,
            min_cpu_micros=min_cpu_micros,
            order_by="micros",
            select=["micros", "bytes"],
        )

    def build(self) -> Options:
        """The options: a copy."""
        return copy.deepcopy(self._options)

    def _with(self, **more: Any) -> ProfileOptionBuilder:
        self._options.update(more)
        return self

    def with_max_depth(self, max_depth: int) -> ProfileOptionBuilder:
        """How deep the tree is shown."""
        return self._with(max_depth=max_depth)

    def with_min_memory(
        self, min_bytes: int = 0, min_peak_bytes: int = 0, min_residual_bytes: int = 0, min_output_bytes: int = 0
    ) -> ProfileOptionBuilder:
        """Leaves out what takes less memory."""
        return self._with(
            min_bytes=min_bytes,
            min_peak_bytes=min_peak_bytes,
            min_residual_bytes=min_residual_bytes,
            min_output_bytes=min_output_bytes,
        )

    def with_min_execution_time(
        self, min_micros: int = 0, min_accelerator_micros: int = 0, min_cpu_micros: int = 0
    ) -> ProfileOptionBuilder:
        """Leaves out what takes less time."""
        return self._with(
            min_micros=min_micros, min_accelerator_micros=min_accelerator_micros, min_cpu_micros=min_cpu_micros
        )

    def with_min_parameters(self, min_params: int) -> ProfileOptionBuilder:
        """Leaves out nodes with fewer parameters."""
        return self._with(min_params=min_params)

    def with_min_occurrence(self, min_occurrence: int) -> ProfileOptionBuilder:
        """Leaves out what occurs less often; in the views of op types and source lines."""
        return self._with(min_occurrence=min_occurrence)

    def with_min_float_operations(self, min_float_ops: int) -> ProfileOptionBuilder:
        """Leaves out nodes with fewer floating-point operations."""
        return self._with(min_float_ops=min_float_ops)

    def with_accounted_types(self, account_type_regexes: list[str]) -> ProfileOptionBuilder:
        """Counts nodes of which a type matches: op types, devices, and "_trainable_variables"."""
        return self._with(account_type_regexes=copy.copy(account_type_regexes))

    def with_node_names(
        self,
        start_name_regexes: list[str] | None = None,
        show_name_regexes: list[str] | None = None,
        hide_name_regexes: list[str] | None = None,
        trim_name_regexes: list[str] | None = None,
    ) -> ProfileOptionBuilder:
        """Chooses by regular expressions of whole names.

        Args:
            start_name_regexes: where the tree begins.
            show_name_regexes: what is shown.
            hide_name_regexes: what is not shown.
            trim_name_regexes: below what nothing is shown.
        """
        chosen = {
            "start_name_regexes": start_name_regexes,
            "show_name_regexes": show_name_regexes,
            "hide_name_regexes": hide_name_regexes,
            "trim_name_regexes": trim_name_regexes,
        }
        default: dict[str, list[str]] = {"start_name_regexes": [".*"], "show_name_regexes": [".*"]}
        return self._with(**{k: default.get(k, []) if v is None else copy.copy(v) for k, v in chosen.items()})

    def account_displayed_op_only(self, is_true: bool) -> ProfileOptionBuilder:
        """Whether totals count only what is shown."""
        return self._with(account_displayed_op_only=is_true)

    def with_empty_output(self) -> ProfileOptionBuilder:
        """Writes nothing."""
        return self._with(output="none")

    def with_stdout_output(self) -> ProfileOptionBuilder:
        """Prints the report."""
        return self._with(output="stdout")

    def with_file_output(self, outfile: str) -> ProfileOptionBuilder:
        """Writes the report to a file."""
        return self._with(output=f"file:outfile={outfile}")

    def with_timeline_output(self, timeline_file: str) -> ProfileOptionBuilder:
        """Writes the traced step, for chrome://tracing, to the file with "_" and the step's number appended."""
        return self._with(output=f"timeline:outfile={timeline_file}")

    def with_pprof_output(self, pprof_file: str) -> ProfileOptionBuilder:
        """Asks for a file for pprof, of the view of the code and of one amount."""
        return self._with(output=f"pprof:outfile={pprof_file}")

    def order_by(self, attribute: str) -> ProfileOptionBuilder:
        """Sorts by "name", "micros", "bytes", "params", "float_ops", "occurrence", ...: the largest first."""
        return self._with(order_by=attribute)

    def select(self, attributes: list[str]) -> ProfileOptionBuilder:
        """Which columns there are: as in `order_by`, and "op_types", "device", "input_shapes"."""
        return self._with(select=copy.copy(attributes))

    def with_step(self, step: int) -> ProfileOptionBuilder:
        """Which step to show; -1 is the mean of all."""
        return self._with(step=step)

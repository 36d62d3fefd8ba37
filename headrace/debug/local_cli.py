"""A session whose runs stop at a command line."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from headrace.core.operation import Operation
from headrace.core.version import VERSION
from headrace.debug.cli.profile_analyzer import ProfileAnalyzer
from headrace.debug.commands import DebugAnalyzer, TensorFilter, print_tensor_arguments
from headrace.debug.dump_dir import DebugDumpDir
from headrace.debug.formatting import format_tensor
from headrace.debug.parsing import Arguments, CommandError, parse_tensor_name_with_slicing
from headrace.debug.session_requests import (
    OnRunEndRequest,
    OnRunEndResponse,
    OnRunStartAction,
    OnRunStartRequest,
    OnRunStartResponse,
)
from headrace.debug.sessions import BaseDebugWrapperSession, free_folder, fresh_name
from headrace.debug.stepping import Stepper
from headrace.debug.terminal import EXPLICIT_USER_EXIT, Leave, Settings, Terminal
from headrace.debug.values import get_flattened_names, get_graph_element_name, has_inf_or_nan

if TYPE_CHECKING:
    import argparse

    from headrace.core.errors import InvalidArgumentError
    from headrace.runtime.session import Session


_BAR = "======================================"


class LocalCLIDebugWrapperSession(BaseDebugWrapperSession):
    """A wrapper that asks at a command line what to do before a run, and shows there what the run has made.

    Args:
        sess: the session.
        dump_root: a folder for the tensors of a run, which must be empty or not exist; removed after each run. One in
            the folder for temporary files by default.
        log_usage: for callers of 1.x; nothing is logged.
        ui_type: "curses" for the whole screen, "readline" for a line of text; where there is no terminal, a line.
        thread_name_filter: see `BaseDebugWrapperSession`.
        config_file_path: where the settings are kept; ".tfdbg_config" in the home directory by default.

    Raises:
        ValueError: if `dump_root` is a file or not empty, or there is no such `ui_type`.

    Example:
        sess = tf_debug.LocalCLIDebugWrapperSession(sess)
        sess.run(train_op)

            run-start: run #1: 1 fetch (train); 0 feeds
            tfdbg> run -f has_inf_or_nan
    """

    def __init__(
        self,
        sess: Session,
        dump_root: str | None = None,
        log_usage: bool = True,
        ui_type: str = "curses",
        thread_name_filter: str | None = None,
        config_file_path: str | bool | None = None,
    ) -> None:
        if ui_type not in ("curses", "readline"):
            raise ValueError(f"Unsupported ui_type: '{ui_type}'. Use 'curses' or 'readline'.")
        super().__init__(sess, thread_name_filter)
        if dump_root:
            self._dump_root = free_folder(dump_root, "dump_root")
        else:
            self._dump_root = os.path.join(tempfile.gettempdir(), fresh_name("tfdbg_"))
        self.ui_type = ui_type
        self._settings = Settings(config_file_path or None)  # type: ignore[arg-type]  # False has become None
        self._tensor_filters: dict[str, TensorFilter] = {}
        self.add_tensor_filter("has_inf_or_nan", has_inf_or_nan)
        # The filter that runs go on until, and the nodes it passes over.
        self._active_tensor_filter = ""
        self._active_exclusion = ""
        # How many runs go by before the next that is looked at, and whether that goes by as well.
        self._run_through_times = 1
        self._skip_debug = False
        self._response: Any = None
        self._stepper: Stepper | None = None
        self._feed_dict: Mapping[Any, Any] | None = None
        self._info: list[str] = []
        self._description = ""

    def _is_disk_usage_reset_each_run(self) -> bool:
        return True

    def add_tensor_filter(self, filter_name: str, tensor_filter: TensorFilter) -> None:
        """Adds a filter for `lt -f` and `run -f`.

        Args:
            filter_name: its name.
            tensor_filter: takes a `DebugTensorDatum` and its value, returns whether it is to be found.

        Raises:
            ValueError: if the name is empty.
            TypeError: if the name is no string or the filter not callable.
        """
        if not isinstance(filter_name, str):
            raise TypeError(f"Input argument filter_name is expected to be str, but is {type(filter_name)}")
        if not filter_name:
            raise ValueError("Input argument filter_name cannot be empty.")
        if not callable(tensor_filter):
            raise TypeError("Input argument tensor_filter is expected to be callable, but is not.")
        self._tensor_filters[filter_name] = tensor_filter

    # ---- before a run ----

    def on_run_start(self, request: OnRunStartRequest) -> OnRunStartResponse:
        """Asks what to do, unless an earlier answer says it."""
        self._feed_dict = request.feed_dict
        self._description = _short_description(request)
        self._info = _introduction(request, self._tensor_filters)
        self._run_through_times -= 1
        if self._active_tensor_filter:
            return self._response
        self._leave_if_asked()
        if request.run_call_count > 1 and not self._skip_debug:
            if self._run_through_times > 0:
                return OnRunStartResponse(OnRunStartAction.NON_DEBUG_RUN, [])
            if self._run_through_times == 0:
                return self._response or OnRunStartResponse(OnRunStartAction.DEBUG_RUN, self._urls())
        if self._response is None:
            terminal = self._terminal()
            terminal.intro = [*self._banner(), "Upcoming run:", *self._info]
            self._response = terminal.talk("run_info", f"run-start: {self._description}")
            if self._run_through_times > 1:
                self._run_through_times -= 1
        self._leave_if_asked()
        return self._response

    def _leave_if_asked(self) -> None:
        if self._response == EXPLICIT_USER_EXIT:
            self._remove_dump_root()
            print("Note: user exited from debugger CLI: Calling sys.exit(1).", file=sys.stderr)
            sys.exit(1)

    def _urls(self) -> list[str]:
        return [f"file://{self._dump_root}"]

    def _terminal(self) -> Terminal:
        """A prompt with the commands that there are at any time."""
        terminal = Terminal(self._settings, self.ui_type)
        arguments = Arguments("Go on with the run, and show what it makes.")
        arguments.add_argument("-t", "--times", type=int, default=1, help="how many runs to go on with")
        arguments.add_argument("-n", "--no_debug", action="store_true", help="do not show what the run makes")
        arguments.add_argument("-f", "--till_filter_pass", default="", help="go on until a filter finds a tensor")
        arguments.add_argument(
            "-fenn", "--filter_exclude_node_names", default="", help="nodes the filter passes over (regular expression)"
        )
        arguments.add_argument("--node_name_filter", default="", help="show nodes whose name matches only")
        arguments.add_argument("--op_type_filter", default="", help="show nodes whose op type matches only")
        arguments.add_argument("--tensor_dtype_filter", default="", help="show tensors whose dtype matches only")
        arguments.add_argument("-p", "--profile", action="store_true", help="show the time each node takes")
        terminal.register("run", self._run_command, arguments, ["r"])
        arguments = Arguments("Show what the run fetches and is fed.")
        terminal.register("run_info", lambda parsed: self._info, arguments, ["ri"])
        arguments = print_tensor_arguments("Print the value of a feed.")
        terminal.register("print_feed", self._print_feed, arguments, ["pf"])
        arguments = Arguments("Go through the run operation by operation.")
        terminal.register("invoke_stepper", self._invoke_stepper, arguments, ["is", "step", "s"])
        terminal.complete(["run", "r"], list(self._tensor_filters))
        terminal.complete(["print_feed", "pf"], [get_graph_element_name(key) for key in self._feed_dict or ()])
        return terminal

    def _run_command(self, parsed: argparse.Namespace) -> list[str]:
        if parsed.filter_exclude_node_names and not parsed.till_filter_pass:
            raise CommandError("--filter_exclude_node_names is valid only when -f or --till_filter_pass is used.")
        if parsed.profile:
            raise Leave(OnRunStartResponse(OnRunStartAction.PROFILE_RUN, []))
        if parsed.till_filter_pass and parsed.till_filter_pass not in self._tensor_filters:
            raise CommandError(f'tensor filter "{parsed.till_filter_pass}" does not exist.')
        self._skip_debug = parsed.no_debug
        self._run_through_times = parsed.times
        debugged = bool(parsed.till_filter_pass) or (parsed.times <= 1 and not parsed.no_debug)
        self._active_tensor_filter = parsed.till_filter_pass
        self._active_exclusion = parsed.filter_exclude_node_names
        raise Leave(
            OnRunStartResponse(
                OnRunStartAction.DEBUG_RUN if debugged else OnRunStartAction.NON_DEBUG_RUN,
                self._urls() if debugged else [],
                node_name_regex_whitelist=parsed.node_name_filter or None,
                op_type_regex_whitelist=parsed.op_type_filter or None,
                tensor_dtype_regex_whitelist=parsed.tensor_dtype_filter or None,
            )
        )

    def _print_feed(self, parsed: argparse.Namespace) -> list[str]:
        if not self._feed_dict:
            raise CommandError("The feed_dict of the current run is None or empty.")
        name, slicing = parse_tensor_name_with_slicing(parsed.tensor_name)
        for key, value in self._feed_dict.items():
            if get_graph_element_name(key) == name:
                return format_tensor(
                    value,
                    f"{name} (feed)",
                    parsed.print_all,
                    slicing,
                    parsed.ranges,
                    parsed.numeric_summary,
                    parsed.write_path,
                    Terminal.width(),
                )
        raise CommandError(f"The feed_dict of the current run does not contain the key {name}")

    def _invoke_stepper(self, parsed: argparse.Namespace) -> list[str]:
        self._skip_debug, self._run_through_times = False, 1
        self._stepper = Stepper(self)
        raise Leave(OnRunStartResponse(OnRunStartAction.DEBUG_RUN, [*self._urls(), self._stepper.url]))

    # ---- after a run ----

    def on_run_end(self, request: OnRunEndRequest) -> OnRunEndResponse:
        """Shows what the run has made."""
        if self._stepper is not None:
            self._stepper.close()
            self._stepper = None
        if request.performed_action == OnRunStartAction.DEBUG_RUN:
            if request.tf_error is not None and not os.path.isdir(self._dump_root):
                raise request.tf_error
            self._show_dump(request)
        elif request.performed_action == OnRunStartAction.PROFILE_RUN:
            terminal = self._terminal()
            for name, short, handler, arguments in ProfileAnalyzer(
                self._sess.graph, request.run_metadata
            ).all_commands():
                terminal.register(name, handler, arguments, [short])
            self._response = terminal.talk("list_profile", f"run-end (profiler mode): {self._description}")
        else:
            self._response = None
        return OnRunEndResponse()

    def _show_dump(self, request: OnRunEndRequest) -> None:
        graphs = list(request.run_metadata.partition_graphs) if request.run_metadata is not None else []
        try:
            dump = self.load_dump(graphs)
            first, passed = "lt", self._active_tensor_filter
            if passed:
                excluded = self._active_exclusion
                if request.tf_error is None and not dump.find(
                    self._tensor_filters[passed], 1, exclude_node_names=excluded or None
                ):
                    return
                self._active_tensor_filter = ""
                first = f"lt -f {passed}" + (f" -fenn '{excluded}'" if excluded else "")
            terminal = self.analyzer_terminal(dump)
            if request.tf_error is not None:
                terminal.intro = _error_introduction(request.tf_error)
                first = "help"
            self._response = terminal.talk(first, f"run-end: {self._description}")
        finally:
            self._remove_dump_root()

    def load_dump(self, graphs: list[Any] | None = None) -> DebugDumpDir:
        """What the run has written so far."""
        dump = DebugDumpDir(self._dump_root, graphs or None, validate=False)
        dump.set_python_graph(self._sess.graph)
        return dump

    def analyzer_terminal(self, dump: DebugDumpDir) -> Terminal:
        """A prompt with the commands that look into a dump."""
        terminal = self._terminal()
        self.analyzer(dump).register(terminal)
        return terminal

    def analyzer(self, dump: DebugDumpDir) -> DebugAnalyzer:
        """Who looks into a dump."""
        return DebugAnalyzer(dump, self._tensor_filters, self._settings.get("graph_recursion_depth"))

    def _remove_dump_root(self) -> None:
        if os.path.isdir(self._dump_root):
            shutil.rmtree(self._dump_root)

    def _banner(self) -> list[str]:
        return (
            ["", "tfdbg: the debugger", "", f"TensorFlow version: {VERSION}", ""] if self._run_call_count == 1 else []
        )


def _short_description(request: OnRunStartRequest) -> str:
    if request.is_callable_runner:
        return "runner from make_callable()"
    names = get_flattened_names(request.fetches)
    fetches = f"1 fetch ({names[0]})" if len(names) == 1 else f"{len(names)} fetches"
    feeds = [get_graph_element_name(key) for key in request.feed_dict or ()]
    fed = f"1 feed ({feeds[0]})" if len(feeds) == 1 else f"{len(feeds)} feeds"
    return f"run #{request.run_call_count}: {fetches}; {fed}"


def _introduction(request: OnRunStartRequest, filters: Mapping[str, Any]) -> list[str]:
    if request.is_callable_runner:
        lines = [_BAR, "Running a runner returned by Session.make_callable()"]
    else:
        feeds = [f"  {get_graph_element_name(key)}" for key in request.feed_dict or ()] or ["  (Empty)"]
        lines = [_BAR, f"Session.run() call #{request.run_call_count}:", "", "Fetch(es):"]
        lines += [*(f"  {name}" for name in get_flattened_names(request.fetches)), "", "Feed dict:", *feeds]
    return [
        *lines,
        _BAR,
        "",
        "Select one of the following commands to proceed ---->",
        "  run:",
        "    Go on with the run and show the tensors it makes",
        "  run -n:",
        "    Go on with the run without showing tensors",
        "  run -t <T>:",
        "    Go on with T runs, and show the tensors of the last",
        "  run -f <filter_name>:",
        "    Go on until a tensor passes a filter",
        "    Registered filter(s):",
        *(f"        * {name}" for name in filters),
        "  invoke_stepper:",
        "    Go through the run operation by operation",
        "",
        "For more details, see help.",
    ]


def _error_introduction(error: InvalidArgumentError) -> list[str]:
    lines = ["--------------------------------------", "!!! An error occurred during the run !!!", ""]
    operation = getattr(error, "op", None)
    if isinstance(operation, Operation):
        lines += [
            "You may use the following commands to debug:",
            f"  ni -a -d -t {operation.name}: inspect the operation that failed",
            f"  li -r {operation.name}: list what lies before it",
            "  lt: list all tensors made before the error",
            "",
            f"Op name:    {operation.name}",
            f"Error type: {type(error)}",
        ]
    return [*lines, "", "Details:", *str(error).splitlines(), "", "--------------------------------------", ""]

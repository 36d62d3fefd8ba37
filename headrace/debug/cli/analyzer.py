"""The commands that look into a dump, in the form in which 1.15's registries take them."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from headrace.debug import commands
from headrace.debug.cli.marking import marked
from headrace.debug.cli.menus import MAIN_MENU_KEY, Menu, MenuItem
from headrace.debug.cli.rich_text import RichTextLines
from headrace.debug.cli.shared import error
from headrace.debug.dump_dir import DebugDumpDir
from headrace.debug.parsing import Arguments, CommandError
from headrace.debug.terminal import EXPLICIT_USER_EXIT, Settings, Terminal
from headrace.debug.values import get_node_name

SORT_TENSORS_BY_TIMESTAMP = "timestamp"
SORT_TENSORS_BY_DUMP_SIZE = "dump_size"
SORT_TENSORS_BY_OP_TYPE = "op_type"
SORT_TENSORS_BY_TENSOR_NAME = "tensor_name"

# The menu under what a command says: captions, and the options that go with them.
_MENU = {
    "list_tensors": "",
    "node_info": "-a -d -t ",
    "print_tensor": "",
    "list_inputs": "-c -r ",
    "list_outputs": "-c -r ",
}


class DebugAnalyzer:
    """Looks into the dump of one run.

    Args:
        debug_dump: the dump.
        config: the settings; "graph_recursion_depth" is how deep lists of inputs go.

    Example:
        >>> from headrace.python import debug as tf_debug
        >>> watched = tf_debug.DumpingDebugWrapperSession(sess, "dumps")
        >>> value = watched.run(tf.square(w, name="squares"))
        >>> dump = tf_debug.DebugDumpDir(tf.gfile.Glob("dumps/run_*")[0])
        >>> DebugAnalyzer(dump, config=Settings()).list_tensors(["-n", "squares"]).lines[0]
        '1 dumped tensor(s):'
    """

    def __init__(self, debug_dump: DebugDumpDir, config: Settings) -> None:
        self._filters: dict[str, commands.TensorFilter] = {}
        depth = config.get("graph_recursion_depth")
        self._dump = debug_dump
        self._analyzer = commands.DebugAnalyzer(debug_dump, self._filters, depth)
        self._commands: dict[str, tuple[Callable[[Any], list[str]], Arguments]] = {
            name: (handler, arguments) for name, _, handler, arguments in self._analyzer.all_commands()
        }
        set_callback = getattr(config, "set_callback", None)
        if set_callback is not None:
            set_callback("graph_recursion_depth", self._set_depth)

    def _set_depth(self, values: Mapping[str, Any]) -> None:
        for name in ("list_inputs", "list_outputs"):
            self._commands[name][1].set_defaults(depth=values["graph_recursion_depth"])

    def add_tensor_filter(self, filter_name: str, filter_callable: commands.TensorFilter) -> None:
        """Makes a filter known.

        Raises:
            TypeError: if the name is no string or the filter cannot be called. ValueError: if the name is empty.
        """
        if not isinstance(filter_name, str):
            raise TypeError("Input argument filter_name is expected to be str, but is not.")
        if not filter_name:
            raise ValueError("Input argument filter_name cannot be empty.")
        if not callable(filter_callable):
            raise TypeError("Input argument filter_callable is expected to be callable, but is not.")
        self._filters[filter_name] = filter_callable

    def get_tensor_filter(self, filter_name: str) -> commands.TensorFilter:
        """A filter.

        Raises:
            ValueError: if it is not known.
        """
        if filter_name not in self._filters:
            raise ValueError(f'There is no tensor filter named "{filter_name}"')
        return self._filters[filter_name]

    def get_help(self, handler_name: str) -> str:
        """What there is to say about a command."""
        return self._commands[handler_name][1].format_help()

    def _execute(self, name: str, args: Sequence[str], about: str | None = None) -> RichTextLines:
        handler, arguments = self._commands[name]
        try:
            parsed = arguments.parse_args(list(args))
        except CommandError as problem:
            # As argparse ends where arguments do not fit.
            raise SystemExit(2) from problem
        # A screen has the whole file, and is scrolled to the line that was asked for.
        whole = argparse.Namespace(**{**vars(parsed), "line_begin": 1}) if name == "print_source" else parsed
        try:
            out = marked(name, handler(whole), parsed, self._dump)
            node = get_node_name(getattr(parsed, about).partition("[")[0]) if about else None
        except CommandError as problem:
            if problem.__cause__ is not None:
                # The registry of commands tells of these.
                raise problem.__cause__ from None
            out, node = error(str(problem)), self._asked(name, parsed)
        if name not in ("eval", "list_source"):
            out.annotations[MAIN_MENU_KEY] = _menu(name, node)
        return out

    def _asked(self, name: str, parsed: Any) -> str | None:
        """The node that was asked about in vain, if the menu can lead to more about it."""
        if name in ("list_inputs", "list_outputs"):
            return get_node_name(parsed.node_name)
        if name == "print_tensor":
            node = get_node_name(parsed.tensor_name.partition("[")[0])
            return node if self._dump.node_exists(node) else None
        return None

    def list_tensors(self, args: Sequence[str], screen_info: Any = None) -> RichTextLines:
        """The dumped tensors as a table."""
        return self._execute("list_tensors", args)

    def node_info(self, args: Sequence[str], screen_info: Any = None) -> RichTextLines:
        """What a node is, takes and gives."""
        return self._execute("node_info", args, "node_name")

    def list_inputs(self, args: Sequence[str], screen_info: Any = None) -> RichTextLines:
        """The nodes before a node, as a tree."""
        return self._execute("list_inputs", args, "node_name")

    def list_outputs(self, args: Sequence[str], screen_info: Any = None) -> RichTextLines:
        """The nodes behind a node, as a tree."""
        return self._execute("list_outputs", args, "node_name")

    def print_tensor(self, args: Sequence[str], screen_info: Any = None) -> RichTextLines:
        """The value of a dumped tensor."""
        return self._execute("print_tensor", args, "tensor_name")

    def print_source(self, args: Sequence[str], screen_info: Any = None) -> RichTextLines:
        """A source file with what its lines have made."""
        return self._execute("print_source", args)

    def list_source(self, args: Sequence[str], screen_info: Any = None) -> RichTextLines:
        """The source files that have made nodes."""
        return self._execute("list_source", args)

    def evaluate_expression(self, args: Sequence[str], screen_info: Any = None) -> RichTextLines:
        """The value of an expression of dumped tensors."""
        return self._execute("eval", args)


def _menu(shown: str, node: str | None) -> Menu:
    menu = Menu()
    for caption, options in _MENU.items():
        is_about_node = caption != "list_tensors"
        content = f"{caption} {options}{node}" if is_about_node else caption
        possible = caption != shown and (node is not None or not is_about_node)
        menu.append(MenuItem(caption, content if node is not None or not is_about_node else None, possible))
    for caption in ("run_info", "help"):
        menu.append(MenuItem(caption, caption))
    return menu


class AnalyzerUI(Terminal):
    """A prompt with the commands that look into a dump."""

    on_ui_exit: Callable[[], Any] | None = None

    def run_ui(
        self,
        init_command: str | None = None,
        title: str | None = None,
        title_color: str | None = None,
        enable_mouse_on_start: bool = True,
    ) -> Any:
        """Reads and carries out commands until one ends the prompt.

        Args:
            init_command: a command that is carried out unasked.
            title: a line to print before all.
            title_color: its colour on a screen; a line has none.
            enable_mouse_on_start: whether the mouse may be used; the setting "mouse_mode" decides.
        """
        answer = self.talk(init_command or "", title or "")
        if self.on_ui_exit is not None:
            self.on_ui_exit()
        return None if answer == EXPLICIT_USER_EXIT else answer


def create_analyzer_ui(
    debug_dump: DebugDumpDir,
    tensor_filters: Mapping[str, commands.TensorFilter] | None = None,
    ui_type: str = "curses",
    on_ui_exit: Callable[[], Any] | None = None,
    config: Settings | None = None,
) -> AnalyzerUI:
    """A prompt that looks into a dump.

    Args:
        debug_dump: the dump.
        tensor_filters: the filters there are, by name.
        ui_type: "curses" for the whole screen where there is one, "readline" for a line.
        on_ui_exit: called when the prompt has ended.
        config: the settings.

    Example:
        create_analyzer_ui(tf_debug.DebugDumpDir("dump"), ui_type="readline").run_ui()
    """
    settings = config if config is not None else Settings()
    ui = AnalyzerUI(settings, ui_type)
    ui.on_ui_exit = on_ui_exit
    commands.DebugAnalyzer(debug_dump, tensor_filters or {}, settings.get("graph_recursion_depth")).register(ui)
    return ui

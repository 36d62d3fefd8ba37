"""The prompts of 1.15's debugger as objects: what a line does, and what they answer when they end."""

from __future__ import annotations

import argparse

import pytest

from headrace.debug.cli import prompts
from headrace.debug.cli.config import CLIConfig
from headrace.debug.cli.registries import CommandLineExit
from headrace.debug.cli.rich_text import RichTextLines


class Scripted(prompts.ReadlineUI):
    """A prompt that is told its commands and keeps what it would print."""

    def __init__(self, commands, **arguments):
        super().__init__(**arguments)
        self.commands, self.said = list(commands), []
        self.register_command_handler("count", self._count, "Count.", prefix_aliases=["c"])
        self.register_command_handler("leave", self._leave, "Leave.")
        self.register_tab_comp_context(["count", "c"], ["one", "once", "two"])

    @staticmethod
    def _count(words, screen_info=None):
        parser = argparse.ArgumentParser(usage=argparse.SUPPRESS)
        parser.add_argument("-n", type=int, default=1)
        return RichTextLines([str(i) for i in range(parser.parse_args(words).n)])

    @staticmethod
    def _leave(words, screen_info=None):
        raise CommandLineExit(exit_token="left")

    def _get_user_command(self):
        return self.commands.pop(0)

    def _display_output(self, screen_output):
        self.said.append(screen_output.lines)


@pytest.fixture
def scripted(tmp_path):
    return lambda *commands, **more: Scripted(commands, config=CLIConfig(str(tmp_path / "settings")), **more)


def test_commands_until_one_ends_it(scripted, capsys):
    ended = []
    prompt = scripted("count -n 2", "c", "nothing", "", "exit", on_ui_exit=lambda: ended.append(True))
    assert prompt.run_ui(init_command="count -n 3", title="A title") == "explicit_user_exit"
    assert ended == [True]
    assert prompt.said == [
        ["0", "1", "2"],
        ["0", "1"],
        ["0"],
        ['ERROR: Invalid command prefix "nothing"'],
        ['ERROR: Invalid command prefix ""'],
    ]
    assert capsys.readouterr().out == "A title\n"
    assert scripted("leave").run_ui() == "left"


def test_output_goes_to_files_too(scripted, tmp_path, capsys):
    prompt = scripted(f"count -n 2 > {tmp_path}/out", f"count > {tmp_path}/none/out", "quit")
    prompt.run_ui()
    assert (tmp_path / "out").read_text() == "0\n1\n"
    assert prompt.said == [["0", "1"], ["0"]]
    assert "Wrote output to" in (said := capsys.readouterr().out)
    assert "Failed to write output to" in said


def test_settings(scripted):
    prompt = scripted("config set graph_recursion_depth 9", "cfg", "config set nothing 1", "count -z", "exit")
    prompt.run_ui()
    assert prompt.config.get("graph_recursion_depth") == 9
    assert prompt.said[1] == ["Command-line configuration:", "", "  graph_recursion_depth: 9", "  mouse_mode: True"]
    assert "'nothing is not a valid property name.'" in prompt.said[2][1]
    assert prompt.said[3] == ["Syntax error for command: count", 'For help, do "help count"']


def test_help(scripted):
    prompt = scripted("h count", "exit")
    prompt.set_help_intro(RichTextLines(["What this is."]))
    prompt.run_ui("help")
    assert prompt.said[0][0] == "What this is."
    assert {"count", "config", "help", "leave", "version"} <= set(prompt.said[0])
    assert prompt.said[1] == ["count", "  Aliases: c", "", "  Count."]


# What 1.15.5 makes of them.
@pytest.mark.parametrize(
    ("text", "context", "prefix", "before"),
    [
        ("", "", "", ""),
        ("c", "", "c", ""),
        ("count ", "count", "", "count "),
        ("count one t", "count", "t", "count one "),
    ],
)
def test_what_is_completed(scripted, text, context, prefix, before):
    assert scripted()._analyze_tab_complete_input(text) == (context, prefix, before)


def test_completions(scripted):
    prompt = scripted()
    assert [prompt._readline_complete("count on", i) for i in range(3)] == ["count once", "count one", None]
    assert prompt._readline_complete("nothing o", 0) is None


def test_kinds(tmp_path):
    config = CLIConfig(str(tmp_path / "settings"))
    assert isinstance(prompts.get_ui("curses", config=config), prompts.ReadlineUI)
    with pytest.raises(ValueError, match="Invalid ui_type: 'window'"):
        prompts.get_ui("window")
    with pytest.raises(ValueError, match="readline"):
        prompts.get_ui("readline", available_ui_types=["curses"])
    with pytest.raises(NotImplementedError, match="ReadlineUI"):
        prompts.BaseUI(config=config).run_ui()

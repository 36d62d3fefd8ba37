"""The debugger on the whole screen: under a real terminal, and key by key."""

import os
import pty
import select
import subprocess
import sys

import pytest
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from headrace.debug import history, screen, terminal
from headrace.debug.parsing import Arguments

PROGRAM = """
import sys
import numpy as np
import headrace as tf
from headrace.debug.local_cli import LocalCLIDebugWrapperSession
x = tf.placeholder(tf.float32, [None, 2], name="x")
y = tf.log(tf.identity(x, name="inner"), name="y")
sess = LocalCLIDebugWrapperSession(tf.Session(), ui_type="curses")
print("got", sess.run(y, {x: np.ones([1, 2])}), flush=True)
sess.run(y, {x: np.ones([1, 2])})
"""


class Keyboard:
    """A program under a pseudo-terminal: what it writes, and the keys it is given."""

    def __init__(self, program, home):
        self.fd, inner = pty.openpty()
        environment = {**os.environ, "TERM": "xterm", "HOME": str(home), "LINES": "24", "COLUMNS": "100"}
        self.process = subprocess.Popen(
            [sys.executable, "-c", program], stdin=inner, stdout=inner, stderr=inner, env=environment, cwd=home
        )
        os.close(inner)
        self.seen = ""

    def until(self, text):
        """Reads until `text` comes, and returns what came before."""
        while text not in self.seen:
            assert select.select([self.fd], [], [], 60)[0], f"{text!r} does not come after {self.seen!r}"
            try:
                piece = os.read(self.fd, 4096)
            except OSError:
                piece = b""
            assert piece, f"the program ended without {text!r}: {self.seen!r}"
            self.seen += piece.decode(errors="replace")
        before, _, self.seen = self.seen.partition(text)
        return before

    def type(self, keys):
        os.write(self.fd, keys.encode())

    def redrawn(self, *texts):
        """Reads until each text has come. Only what changes is written; with ^L all of it."""
        for text in texts:
            self.type("\x0c")
            self.until(text)

    def end(self):
        try:
            while os.read(self.fd, 4096):
                pass
        except OSError:
            pass
        return self.process.wait()


@pytest.fixture
def keyboard(tmp_path):
    made = Keyboard(PROGRAM, tmp_path)
    yield made
    made.process.kill()
    made.process.wait()
    os.close(made.fd)


def test_a_program_under_a_terminal(keyboard, tmp_path):
    def command(keys, *answers):
        keyboard.type(keys)
        keyboard.redrawn(*answers)

    keyboard.until("run-start: run #1: 1 fetch (y:0); 1 feed (x:0)")
    command("run\r", "run-end: run #1", "3 dumped tensor(s)", "inner:0")
    # The Tab key: the only tensor whose name begins so.
    command("pt in\t\r", 'Tensor "inner:0:DebugIdentity"')
    command("lt > out.txt\r", "Wrote output")
    # The key Up: the command before.
    command("\x1bOA", "lt > out.txt")
    command("\x1bOA", "pt inner:0")
    command("\r", 'Tensor "inner:0:DebugIdentity"')
    command("prev\r", "Wrote output")
    keyboard.type("exit\r")
    # The answer is for the next run; this one is over.
    keyboard.until("got [[0. 0.]]")
    keyboard.until("exited from debugger")
    assert keyboard.end() == 1
    assert "inner:0" in (tmp_path / "out.txt").read_text()
    assert (tmp_path / ".tfdbg_history").read_text().splitlines()[:2] == ["run", "pt inner:0"]


def test_without_a_terminal_there_is_a_line(tmp_path):
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM], input="run\nexit\n", capture_output=True, text=True,
        env={**os.environ, "HOME": str(tmp_path), "TERM": "xterm"}, check=False,
    )  # fmt: skip
    assert ended.stdout.count("tfdbg> ") == 2
    assert "\x1b" not in ended.stdout
    assert ended.returncode == 1


class Paper(DummyOutput):
    """A screen of 8 rows and 40 columns."""

    def get_size(self):
        return Size(rows=8, columns=40)


def rows_of(application):
    drawn = application.renderer.last_rendered_screen
    return ["".join(drawn.data_buffer[y][x].char for x in range(40)).rstrip() for y in range(8)]


def click(row, column, button=0):
    """What a terminal sends when the mouse is pressed and let go; rows and columns count from 0."""
    place = f"{button};{column + 1};{row + 1}"
    return f"\x1b[<{place}M\x1b[<{place}m"


UP, DOWN, LEFT, DELETE, PAGE_UP, PAGE_DOWN = "\x1b[A", "\x1b[B", "\x1b[D", "\x1b[3~", "\x1b[5~", "\x1b[6~"
HOME, END, CLEAR, BACKSPACE = "\x1b[H", "\x1b[F", "\x03", "\x7f"


@pytest.fixture
def talk(tmp_path):
    """Gives keys to a screen with a command `count N` and one `pt NAME`; returns the pictures and the commands."""

    def talk(*keys):
        given, pictures = [], []
        prompt = terminal.Terminal(terminal.Settings(str(tmp_path / "settings")))
        arguments = Arguments("Count.")
        arguments.add_argument("to", type=int)
        prompt.register("count", lambda parsed: [f"line {i}" for i in range(parsed.to)], arguments)
        arguments = Arguments("Print.")
        arguments.add_argument("name")
        prompt.register("pt", lambda parsed: given.append(parsed.name) or [f"value of {parsed.name} a:0"], arguments)
        prompt.complete(["pt"], ["a:0", "alpha/one:0", "alpha/two:0"])

        waiting = [*keys, "exit\r"]
        with create_pipe_input() as source:
            made = screen.Screen(prompt, source, Paper())

            def drawn(application):
                if application.is_done:
                    return
                # One thing after the other: each key is drawn before the next one comes.
                pictures.append(rows_of(application))
                if waiting:
                    source.send_text(waiting.pop(0))

            made.application.after_render += drawn
            assert made.talk("count 20", "title", frozenset({"exit"}))
        assert not waiting
        return pictures, given

    return talk


def test_scrolling(talk):
    pictures, _ = talk(PAGE_DOWN, PAGE_DOWN, PAGE_UP, END, HOME, click(3, 0, 65), click(3, 0, 64))
    tops = [picture[1] for picture in pictures]
    changes = [top for i, top in enumerate(tops) if i == 0 or top != tops[i - 1]]
    assert changes == ["line 0", "line 5", "line 10", "line 5", "line 15", "line 0", "line 3", "line 0"]
    assert pictures[0][0].startswith("--- title ---")
    assert "lines 1-5 of 20 (0%)" in pictures[0][6]
    assert pictures[0][7] == "tfdbg>"


def test_searching(talk):
    pictures, _ = talk("/line 1.\r", "/\r", "/nowhere\r", "/(\r", "next\r")
    seen = [(picture[1], picture[6]) for picture in pictures if picture[7] == "tfdbg>"]
    assert ("line 10", '10 line(s) match "line 1."; / goes to th') in seen
    assert any(top == "line 11" for top, _ in seen)
    assert any('No line matches "nowhere"' in status for _, status in seen)
    assert any("Invalid regular expression" in status for _, status in seen)
    assert any("no further output" in status for _, status in seen)


def test_editing_and_completion(talk):
    _, given = talk(
        "pt xb", LEFT, BACKSPACE, "a", DELETE, ":0\r",
        "p\x01\x05\x15pt al", "\t", "t", "\t", "\r",
        "nonsense", CLEAR, "pt a:0\r", UP, UP, DOWN, UP, "\r",
    )  # fmt: skip
    assert given == ["a:0", "alpha/two:0", "a:0", "alpha/two:0"]


def test_the_tab_key_shows_what_there_is(talk):
    pictures, _ = talk("pt alpha/", "\t", CLEAR)
    shown = [" ".join(picture) for picture in pictures]
    assert any("alpha/one:0" in text and "alpha/two:0" in text for text in shown)


def test_the_mouse(talk):
    pictures, given = talk("pt a:0\r", click(1, 14), click(1, 1), "mouse off\r", "mouse\r")
    assert given == ["a:0", "a:0"]
    assert any("Mouse mode: off" in picture[6] for picture in pictures)


def test_commands_that_end_it(tmp_path):
    prompt = terminal.Terminal(terminal.Settings(str(tmp_path / "settings")))

    def leave(parsed):
        raise terminal.Leave("answer")

    prompt.register("go", leave, Arguments("Leave."))
    for keys, answer in (("go\r", "answer"), ("\x04", None), ("exit\r", None)):
        with create_pipe_input() as source:
            source.send_text(keys)
            made = screen.Screen(prompt, source, Paper())
            if answer is None:
                assert made.talk("", "title", frozenset({"exit"}))
            else:
                with pytest.raises(terminal.Leave) as caught:
                    made.talk("", "title", frozenset({"exit"}))
                assert caught.value.answer == answer


def test_history_is_kept(tmp_path):
    path = str(tmp_path / "history")
    first = history.History(path)
    for command in ("lt", "pt a", "pt a", "ni b"):
        first.add(command)
    again = history.History(path)
    assert again.commands == ["lt", "pt a", "ni b"]


def test_long_lines_are_wrapped():
    assert screen.wrapped(["abcdef", "", "a\tb"], 4) == ["abcd", "ef", "", "a   ", "    ", "b"]

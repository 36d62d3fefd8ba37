"""The debugger on the whole screen: under a real terminal, and key by key."""

import os
import pty
import select
import subprocess
import sys

import pytest

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
            [sys.executable, "-c", program], stdin=inner, stdout=inner, stderr=inner, env=environment, close_fds=True
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

    def end(self):
        try:
            while os.read(self.fd, 4096):
                pass
        except OSError:
            pass
        os.close(self.fd)
        return self.process.wait()


def test_a_program_under_a_terminal(tmp_path):
    keyboard = Keyboard(PROGRAM, tmp_path)
    assert "run-start: run #1: 1 fetch (y:0); 1 feed (x:0)" in keyboard.until("tfdbg> ")
    keyboard.type("run\n")
    keyboard.until("run-end: run #1")
    output = keyboard.until("tfdbg> ")
    assert "3 dumped tensor(s)" in output
    assert "inner:0" in output
    # The Tab key: the only tensor whose name begins so.
    keyboard.type("pt in\t\n")
    keyboard.until('Tensor "inner:0:DebugIdentity"')
    keyboard.until("tfdbg> ")
    keyboard.type(f"lt > {tmp_path}/out.txt\n")
    keyboard.until("Wrote output")
    # The key Up: the command before.
    keyboard.until("tfdbg> ")
    keyboard.type("\x1bOA\x1bOA\n")
    keyboard.until('Tensor "inner:0:DebugIdentity"')
    keyboard.until("tfdbg> ")
    keyboard.type("prev\n")
    keyboard.until("Wrote output")
    keyboard.until("tfdbg> ")
    keyboard.type("exit\n")
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


class Window:
    """A screen of 8 rows and 40 columns that keeps what is written, and gives keys."""

    def __init__(self, keys):
        self.keys, self.pictures = list(keys), []
        self.clear()

    def clear(self):
        self.rows = [" " * 40 for _ in range(8)]
        self.at = (0, 0)

    def getmaxyx(self):
        return 8, 40

    def addnstr(self, row, column, text, count, attribute=0):
        text = text[:count]
        assert row < 8
        assert column + len(text) < 40
        self.rows[row] = (self.rows[row][:column] + text + self.rows[row][column + len(text) :])[:40]

    def move(self, row, column):
        self.at = (row, column)

    def clrtoeol(self):
        self.rows[self.at[0]] = self.rows[self.at[0]][: self.at[1]].ljust(40)

    def refresh(self):
        self.pictures.append([row.rstrip() for row in self.rows])

    def keypad(self, on):
        pass

    def get_wch(self):
        key = self.keys.pop(0)
        if key is KeyboardInterrupt:
            raise KeyboardInterrupt
        return key


class Curses:
    """What the screen uses of curses."""

    error = ValueError
    A_BOLD, A_REVERSE, ALL_MOUSE_EVENTS = 1, 2, 4
    BUTTON1_CLICKED, BUTTON1_RELEASED, BUTTON4_PRESSED, BUTTON5_PRESSED = 1, 2, 4, 8

    def __init__(self, keys, mouse=()):
        self.window, self.mouse = Window(keys), list(mouse)
        names = "ENTER LEFT RIGHT BACKSPACE DC NPAGE PPAGE HOME END UP DOWN RESIZE MOUSE"
        for i, name in enumerate(names.split(), 500):
            setattr(self, f"KEY_{name}", i)

    def initscr(self):
        return self.window

    def getmouse(self):
        return self.mouse.pop(0)

    def __getattr__(self, name):
        if name not in ("noecho", "cbreak", "nocbreak", "echo", "endwin", "mousemask"):
            raise AttributeError(name)
        return lambda *arguments: None


@pytest.fixture
def talk(tmp_path):
    """Gives keys to a screen with a command `count N` and one `pt NAME`; returns the pictures and the commands."""

    def talk(keys, mouse=()):
        given = []
        prompt = terminal.Terminal(terminal.Settings(str(tmp_path / "settings")))
        arguments = Arguments("Count.")
        arguments.add_argument("to", type=int)
        prompt.register("count", lambda parsed: [f"line {i}" for i in range(parsed.to)], arguments)
        arguments = Arguments("Print.")
        arguments.add_argument("name")
        prompt.register("pt", lambda parsed: given.append(parsed.name) or [f"value of {parsed.name} a:0"], arguments)
        prompt.complete(["pt"], ["a:0", "alpha/one:0", "alpha/two:0"])
        made = Curses([])
        codes = [getattr(made, key) if isinstance(key, str) and key.startswith("KEY_") else key for key in keys]
        flat = [c for key in codes for c in (key if isinstance(key, str) else [key])]
        curses = Curses([*flat, *"exit\n"], mouse)
        assert screen.Screen(prompt, curses).talk("count 20", "title", frozenset({"exit"}))
        assert not curses.window.keys
        return curses.window.pictures, given

    return talk


def test_scrolling(talk):
    pictures, _ = talk(["KEY_NPAGE", "KEY_NPAGE", "KEY_PPAGE", "KEY_END", "KEY_HOME"])
    tops = [picture[1] for picture in pictures]
    changes = [top for i, top in enumerate(tops) if i == 0 or top != tops[i - 1]]
    assert changes == ["line 0", "line 5", "line 10", "line 5", "line 15", "line 0"]
    assert pictures[0][0].startswith("--- title ---")
    assert "lines 1-5 of 20 (0%)" in pictures[0][6]
    assert pictures[0][7] == "tfdbg>"


def test_searching(talk):
    pictures, _ = talk(["/line 1.\n", "/\n", "/nowhere\n", "/(\n", "next\n"])
    seen = [(picture[1], picture[6]) for picture in pictures if picture[7] == "tfdbg>"]
    assert (seen[2][0], seen[2][1][:39]) == ("line 10", '10 line(s) match "line 1."; / goes to t')
    assert any(top == "line 11" for top, _ in seen)
    assert any('No line matches "nowhere"' in status for _, status in seen)
    assert any("Invalid regular expression" in status for _, status in seen)
    assert any("no further output" in status for _, status in seen)


def test_editing_and_completion(talk):
    _, given = talk(
        [
            "pt xb", "KEY_LEFT", "KEY_BACKSPACE", "a", "KEY_DC", ":0\n",
            "p\x01\x05\x15pt al\t", "t\t\n",
            "nonsense", KeyboardInterrupt, "pt a:0\n", "KEY_UP", "KEY_UP", "KEY_DOWN", "KEY_UP", "\n",
        ]
    )  # fmt: skip
    assert given == ["a:0", "alpha/two:0", "a:0", "alpha/two:0"]


def test_the_mouse(talk):
    pictures, given = talk(
        ["pt a:0\n", "KEY_MOUSE", "KEY_MOUSE", "count 20\n", "KEY_MOUSE", "mouse off\n"],
        [(0, 14, 1, 0, 1), (0, 1, 1, 0, 1), (0, 0, 0, 0, 8)],
    )
    assert given == ["a:0", "a:0"]
    assert any(picture[1] == "line 3" for picture in pictures)
    assert any("Mouse mode: off" in picture[6] for picture in pictures)


def test_history_is_kept(tmp_path):
    path = str(tmp_path / "history")
    first = history.History(path)
    for command in ("lt", "pt a", "pt a", "ni b"):
        first.add(command)
    again = history.History(path)
    assert again.commands == ["lt", "pt a", "ni b"]
    recall = again.recall()
    assert [recall.step("", by) for by in (-1, -1, -1, -1)] == ["ni b", "pt a", "lt", ""]
    recall = again.recall()
    assert recall.step("p", -1) == "pt a"
    assert recall.step("pt a", 1) == "p"


def test_long_lines_are_wrapped():
    assert screen.wrapped(["abcdef", "", "a\tb"], 4) == ["abcd", "ef", "", "a   ", "    ", "b"]

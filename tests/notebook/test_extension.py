"""`%load_ext headrace`, with a shell that stands for IPython's."""

import sys
from types import ModuleType, SimpleNamespace

import pytest

import headrace as tf
from headrace.notebook.progress import Progress
from headrace.runtime.session import BaseSession


@pytest.fixture
def clock():
    return SimpleNamespace(now=0.0)


@pytest.fixture
def watched(clock):
    shown = []
    progress = Progress(shown.append, lambda: clock.now)
    progress.watch()
    yield progress, shown
    progress.unwatch()


def test_a_short_cell_shows_nothing(watched, clock):
    progress, shown = watched
    progress.start()
    with tf.Graph().as_default(), tf.Session() as sess:
        sess.run(tf.constant(1.0))
        clock.now = 1.9
        sess.run(tf.constant(1.0))
    progress.stop()
    assert shown == []


def test_a_long_cell_shows_steps_and_the_last_number_once_a_second(watched, clock):
    progress, shown = watched
    progress.start()
    with tf.Graph().as_default(), tf.Session() as sess:
        fetches = {"train": tf.no_op(), "loss": tf.constant(0.25)}
        for clock.now in (1.0, 2.0, 2.5, 4.0):
            sess.run(fetches)
    progress.stop()
    assert shown == [
        "2 runs of sessions in 2 s, 1.0 a second, last value 0.25",
        "4 runs of sessions in 4 s, 1.0 a second, last value 0.25",
        None,
    ]


def test_nothing_is_counted_after_the_cell(watched, clock):
    progress, shown = watched
    progress.start()
    progress.stop()
    clock.now = 100.0
    progress.step(1.0)
    assert shown == []


def test_sessions_get_their_own_run_back():
    run = BaseSession.run
    progress = Progress(print)
    progress.watch()
    progress.watch()
    assert BaseSession.run is not run
    progress.unwatch()
    assert BaseSession.run is run


class Shell:
    """What of IPython's shell the extension uses."""

    def __init__(self):
        self.handlers, self.types, self.loaded = {}, {}, []
        self.events = SimpleNamespace(
            register=lambda event, handler: self.handlers.setdefault(event, []).append(handler),
            unregister=lambda event, handler: self.handlers[event].remove(handler),
        )
        pages = SimpleNamespace(for_type=self.types.__setitem__, pop=self.types.pop)
        self.display_formatter = SimpleNamespace(formatters={"text/html": pages})
        self.extension_manager = SimpleNamespace(load_extension=self.loaded.append)


@pytest.fixture
def ipython(monkeypatch):
    display = ModuleType("IPython.display")
    display.display = lambda *args, **keywords: None
    monkeypatch.setitem(sys.modules, "IPython", ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    monkeypatch.setattr("headrace.notebook.extension.install_as_tensorflow", lambda: None)
    return Shell()


def test_it_is_loaded_once_and_unloaded(ipython):
    run = BaseSession.run
    tf.load_ipython_extension(ipython)
    tf.load_ipython_extension(ipython)
    assert {event: len(handlers) for event, handlers in ipython.handlers.items()} == {
        "pre_run_cell": 1,
        "post_run_cell": 1,
    }
    assert tf.GraphDef in ipython.types
    assert ipython.loaded == ["tensorboard"]
    graph_def = tf.GraphDef()
    assert "Graph" in ipython.types[tf.GraphDef](graph_def)
    tf.unload_ipython_extension(ipython)
    assert ipython.types == {}
    assert not any(ipython.handlers.values())
    assert BaseSession.run is run

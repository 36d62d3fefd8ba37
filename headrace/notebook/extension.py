"""`%load_ext headrace`: `import tensorflow` gives Headrace, models have pages, and long cells show how they get on."""

from __future__ import annotations

from typing import Any

from headrace.messages import protos
from headrace.notebook.pages import as_html
from headrace.notebook.progress import Progress
from headrace.shim.hook import install_as_tensorflow

_MESSAGES = (protos.GraphDef, protos.MetaGraphDef, protos.SavedModel)
_loaded: dict[int, Progress] = {}


def load_ipython_extension(ipython: Any) -> None:
    """Prepares a notebook; what `%load_ext headrace` calls.

    `import tensorflow` and `import keras` give Headrace from here on, GraphDefs, MetaGraphDefs and SavedModels are shown as
    pages, a cell that runs sessions for longer than two seconds shows how many steps it has made, and `%tensorboard` works.

    Args:
        ipython: the shell.

    Raises:
        ImportError: if another TensorFlow has been imported already.
    """
    if id(ipython) in _loaded:
        return
    install_as_tensorflow()
    pages = ipython.display_formatter.formatters["text/html"]
    for kind in _MESSAGES:
        pages.for_type(kind, as_html)
    progress = _loaded[id(ipython)] = Progress(_shown_by_notebook())
    ipython.events.register("pre_run_cell", progress.start)
    ipython.events.register("post_run_cell", progress.stop)
    progress.watch()
    progress.start()
    ipython.extension_manager.load_extension("tensorboard")


def unload_ipython_extension(ipython: Any) -> None:
    """Undoes what `load_ipython_extension` did to the notebook; what has been imported stays.

    Args:
        ipython: the shell.
    """
    progress = _loaded.pop(id(ipython), None)
    if progress is None:
        return
    progress.unwatch()
    ipython.events.unregister("pre_run_cell", progress.start)
    ipython.events.unregister("post_run_cell", progress.stop)
    pages = ipython.display_formatter.formatters["text/html"]
    for kind in _MESSAGES:
        pages.pop(kind)


def _shown_by_notebook() -> Any:
    """A function that shows a text in the place of the one before, and leaves the last."""
    from IPython.display import display  # type: ignore[import-not-found]  # where it runs it is there

    handles: list[Any] = []

    def show(text: str | None) -> None:
        if text is None:
            handles.clear()
        elif handles:
            handles[0].update({"text/plain": text}, raw=True)
        else:
            handles.append(display({"text/plain": text}, raw=True, display_id=True))

    return show

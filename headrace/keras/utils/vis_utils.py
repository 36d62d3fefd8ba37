"""Models as drawings of their layers, through pydot and graphviz."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from typing import TYPE_CHECKING, Any

from headrace.core import nest
from headrace.layers.nodes import Node
from headrace.util import tf_logging

if TYPE_CHECKING:
    from types import ModuleType

_MISSING = (
    "Failed to import pydot. You must install pydot and graphviz for `pydotprint` to work: `pip install pydot`, and "
    "graphviz from your system's packages."
)


def _pydot() -> ModuleType | None:
    """pydot, or one of its successors, if it is installed."""
    with contextlib.suppress(ImportError):
        return importlib.import_module("pydotplus")
    with contextlib.suppress(ImportError):
        return importlib.import_module("pydot_ng")
    with contextlib.suppress(ImportError):
        return importlib.import_module("pydot")
    return None


def check_pydot() -> bool:
    """Whether pydot and graphviz are installed and work."""
    pydot = _pydot()
    if pydot is None:
        return False
    try:
        # The only way to find out whether graphviz is there is to use it.
        pydot.Dot.create(pydot.Dot())
    except _failures(pydot):
        return False
    return True


def _failures(pydot: ModuleType) -> tuple[type[Exception], ...]:
    """What is raised where graphviz is missing."""
    own = getattr(pydot, "InvocationException", OSError)
    return OSError, AttributeError, AssertionError, own


def is_wrapped_model(layer: Any) -> bool:
    """Whether a layer applies a model, as `TimeDistributed` does."""
    return _wraps(layer) and _is_network(layer.layer)


def _wraps(layer: Any) -> bool:
    return any(kind.__name__ == "Wrapper" for kind in type(layer).__mro__)


def _is_network(layer: Any) -> bool:
    return hasattr(layer, "_is_graph_network")


def add_edge(dot: Any, src: str, dst: str) -> None:
    """Adds an arrow to a drawing unless it is there."""
    pydot = _pydot()
    assert pydot is not None
    if not dot.get_edge(src, dst):
        dot.add_edge(pydot.Edge(src, dst))


def model_to_dot(
    model: Any,
    show_shapes: bool = False,
    show_layer_names: bool = True,
    rankdir: str = "TB",
    expand_nested: bool = False,
    dpi: int = 96,
    subgraph: bool = False,
) -> Any:
    """A model as a drawing for graphviz.

    Args:
        model: the model.
        show_shapes: whether to write the shapes that layers take and give.
        show_layer_names: whether to write the layers' names.
        rankdir: "TB" draws from top to bottom, "LR" from left to right.
        expand_nested: whether to draw the layers of models in the model.
        dpi: dots per inch.
        subgraph: whether the drawing is to be part of another.

    Returns:
        a `pydot.Dot`, or a `pydot.Cluster` for a subgraph; None in a notebook without pydot.

    Raises:
        ImportError: without pydot and graphviz.
    """
    if not check_pydot():
        if "IPython.core.magics.namespace" in sys.modules:
            # An error would stop a notebook.
            tf_logging.warning(_MISSING)
            return None
        raise ImportError(_MISSING)
    pydot = _pydot()
    assert pydot is not None
    if subgraph:
        dot = pydot.Cluster(style="dashed", graph_name=model.name)
        dot.set("label", model.name)
        dot.set("labeljust", "l")
    else:
        dot = pydot.Dot()
        dot.set("rankdir", rankdir)
        dot.set("concentrate", True)
        dot.set("dpi", dpi)
        dot.set_node_defaults(shape="record")
    drawing = _Drawing(dot, pydot, show_shapes, show_layer_names, rankdir, expand_nested)
    if not model._is_graph_network:
        dot.add_node(pydot.Node(str(id(model)), label=model.name))
        return dot
    for layer in model._layers:
        drawing.add_layer(layer)
    for layer in model._layers:
        drawing.connect(model, layer)
    return dot


class _Drawing:
    """The boxes and arrows of a model."""

    def __init__(
        self,
        dot: Any,
        pydot: ModuleType,
        show_shapes: bool,
        show_layer_names: bool,
        rankdir: str,
        expand_nested: bool,
    ) -> None:
        self.dot, self.pydot = dot, pydot
        self.show_shapes, self.show_layer_names = show_shapes, show_layer_names
        self.rankdir, self.expand_nested = rankdir, expand_nested
        self._first: dict[int, str] = {}
        self._last: dict[int, str] = {}

    def _expanded(self, layer: Any) -> Any:
        """The model in a layer that is drawn with its own layers, if there is one."""
        if not self.expand_nested:
            return None
        inner = layer.layer if is_wrapped_model(layer) else layer
        return inner if _is_network(inner) and inner._is_graph_network else None

    def add_layer(self, layer: Any) -> None:
        """Adds the box of a layer, or the drawing of a model in the place of one."""
        inner = self._expanded(layer)
        if inner is not None:
            part = model_to_dot(
                inner, self.show_shapes, self.show_layer_names, self.rankdir, self.expand_nested, subgraph=True
            )
            nodes = part.get_nodes()
            self._first[id(layer)], self._last[id(layer)] = nodes[0].get_name(), nodes[-1].get_name()
            self.dot.add_subgraph(part)
            return
        kind, name = type(layer).__name__, layer.name
        if _wraps(layer):
            child = layer.layer
            name = f"{layer.name}({child.name})"
            kind = f"{kind}({type(child).__name__})"
        label = f"{name}: {kind}" if self.show_layer_names else kind
        if self.show_shapes:
            label = f"{label}\n|{{input:|output:}}|{{{{{_shapes(layer, 'input')}}}|{{{_shapes(layer, 'output')}}}}}"
        self.dot.add_node(self.pydot.Node(str(id(layer)), label=label))

    def connect(self, model: Any, layer: Any) -> None:
        """Adds the arrows to a layer from those that it takes its inputs from."""
        own = model._network_nodes
        for index, node in enumerate(layer._inbound_nodes):
            if f"{layer.name}_ib-{index}" in own:
                for inbound in _inbound_layers(node):
                    source = self._last.get(id(inbound), str(id(inbound)))
                    add_edge(self.dot, source, self._first.get(id(layer), str(id(layer))))


def _inbound_layers(node: Node) -> list[Any]:
    return nest.flatten(node.inbound_layers)


def _shapes(layer: Any, side: str) -> str:
    try:
        shape = getattr(layer, f"{side}_shape")
    except AttributeError:
        found = [str(getattr(node, f"{side}_shapes")) for node in layer._inbound_nodes]
        return ", ".join(found).replace("None", "?") if found else ("multiple" if side == "output" else "?")
    return str(shape).replace("None", "?")


def plot_model(
    model: Any,
    to_file: str | os.PathLike[str] = "model.png",
    show_shapes: bool = False,
    show_layer_names: bool = True,
    rankdir: str = "TB",
    expand_nested: bool = False,
    dpi: int = 96,
) -> Any:
    """Draws a model into a file.

    Args:
        model: the model.
        to_file: the path of the drawing; its ending says the format.
        show_shapes, show_layer_names, rankdir, expand_nested, dpi: as in `model_to_dot`.

    Returns:
        in a notebook the image, otherwise None.

    Raises:
        ImportError: without pydot and graphviz.
    """
    dot = model_to_dot(model, show_shapes, show_layer_names, rankdir, expand_nested, dpi)
    path = os.fspath(to_file)
    if dot is None:
        return None
    form = os.path.splitext(path)[1].removeprefix(".") or "png"
    dot.write(path, format=form)
    if form == "pdf":
        return None
    try:
        display = importlib.import_module("IPython.display")
    except ImportError:
        return None
    return display.Image(filename=path)


__all__ = ["add_edge", "check_pydot", "is_wrapped_model", "model_to_dot", "plot_model"]

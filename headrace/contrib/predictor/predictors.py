"""Predictors: models as functions from dicts of arrays to dicts of arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from headrace.core.graph import Graph
from headrace.runtime.session import Session
from headrace.saved_model import names
from headrace.saved_model.loading import load, meta_graph_of_tags, parse_saved_model
from headrace.saved_model.signatures import get_tensor_from_tensor_info
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.typing import SessionLike
    from headrace.messages import protos


class Predictor:
    """A model in a session of its own.

    Args:
        graph: the graph.
        session: the session with the variables' values.
        feed_tensors, fetch_tensors: names to tensors.
    """

    def __init__(
        self, graph: Graph, session: SessionLike, feed_tensors: Mapping[str, Any], fetch_tensors: Mapping[str, Any]
    ) -> None:
        self._graph, self._session = graph, session
        self._feed_tensors, self._fetch_tensors = dict(feed_tensors), dict(fetch_tensors)

    @property
    def graph(self) -> Graph:
        """The graph."""
        return self._graph

    @property
    def session(self) -> Any:
        """The session."""
        return self._session

    @property
    def feed_tensors(self) -> dict[str, Any]:
        """What is fed, by name."""
        return self._feed_tensors

    @property
    def fetch_tensors(self) -> dict[str, Any]:
        """What is fetched, by name."""
        return self._fetch_tensors

    def __repr__(self) -> str:
        return f"{type(self).__name__} with feed tensors {self._feed_tensors} and fetch_tensors {self._fetch_tensors}"

    def __call__(self, input_dict: Mapping[str, Any]) -> dict[str, Any]:
        """The outputs for some inputs.

        Args:
            input_dict: names to arrays; names that are missing are not fed.

        Raises:
            ValueError: if a name is not one of the inputs; AttributeError for what is no mapping.
        """
        unknown = set(input_dict.keys()) - set(self._feed_tensors)
        if unknown:
            raise ValueError(f"Got unexpected keys in input_dict: {unknown}\nexpected: {set(self._feed_tensors)}")
        feeds = {tensor: input_dict[key] for key, tensor in self._feed_tensors.items() if key in input_dict}
        # A list is looked up faster than a dict, and this may be all the time that a small model takes.
        values = self._session.run(list(self._fetch_tensors.values()), feed_dict=feeds)
        return dict(zip(self._fetch_tensors, values, strict=True))


class SavedModelPredictor(Predictor):
    """A signature of a SavedModel; arguments as of `from_saved_model`."""

    def __init__(
        self,
        export_dir: str,
        signature_def_key: str | None = None,
        signature_def: Any = None,
        input_names: Mapping[str, str] | None = None,
        output_names: Mapping[str, str] | None = None,
        tags: str | None = None,
        graph: Graph | None = None,
        config: protos.ConfigProto | None = None,
    ) -> None:
        chosen = {
            "signature_def_key": signature_def_key,
            "signature_def": signature_def,
            "input_names": input_names,
            "output_names": output_names,
        }
        _check_choice(chosen)
        tag_set = (tags or names.SERVING).split(",")
        graph = graph or Graph()
        with graph.as_default():
            session = Session(graph=graph, config=config)
            load(session, tag_set, export_dir)
        if input_names is not None and output_names is not None:
            feeds: dict[str, Any] = {key: graph.get_tensor_by_name(name) for key, name in input_names.items()}
            fetches: dict[str, Any] = {key: graph.get_tensor_by_name(name) for key, name in output_names.items()}
        else:
            if signature_def is None:
                signature_def = _signature(export_dir, tag_set, signature_def_key)
            feeds = {k: get_tensor_from_tensor_info(v, graph) for k, v in signature_def.inputs.items()}
            fetches = {k: get_tensor_from_tensor_info(v, graph) for k, v in signature_def.outputs.items()}
        super().__init__(graph, session, feeds, fetches)


def _check_choice(chosen: Mapping[str, Any]) -> None:
    given = {name for name, value in chosen.items() if value is not None}
    if ("input_names" in given) != ("output_names" in given):
        raise ValueError("input_names and output_names must both be specified or both be unspecified.")
    if len(given - {"output_names"}) > 1:
        raise ValueError(
            "You must specify at most one of signature_def_key OR signature_def OR (input_names AND output_names)."
        )


def _signature(export_dir: str, tags: list[str], key: str | None) -> protos.SignatureDef:
    key = key or names.DEFAULT_SERVING_SIGNATURE_DEF_KEY
    meta_graph = meta_graph_of_tags(parse_saved_model(export_dir), tags)
    if key not in meta_graph.signature_def:
        there = "\n".join(sorted(meta_graph.signature_def))
        raise ValueError(f'Got signature_def_key "{key}". Available signatures are: \n{there}')
    tf_logging.debug("Using signature %s.", key)
    return meta_graph.signature_def[key]


def from_saved_model(
    export_dir: str,
    signature_def_key: str | None = None,
    signature_def: Any = None,
    input_names: Mapping[str, str] | None = None,
    output_names: Mapping[str, str] | None = None,
    tags: str | None = None,
    graph: Graph | None = None,
    config: protos.ConfigProto | None = None,
) -> Predictor:
    """A SavedModel as a function.

    Args:
        export_dir: the folder.
        signature_def_key: the signature; "serving_default" by default.
        signature_def: a signature itself.
        input_names, output_names: names to names of tensors, instead of a signature.
        tags: the tags of the graph, joined by commas; "serve" by default.
        graph: the graph to load it into; a new one by default.
        config: a `ConfigProto` for the session.

    Raises:
        ValueError: if more than one way to choose inputs and outputs is used, or there is no such signature.

    Example:
        >>> tf.saved_model.simple_save(sess, "model", {"x": x}, {"y": y})
        >>> predict = tf.contrib.predictor.from_saved_model("model")
        >>> predict({"x": np.ones([4, 3])})["y"].shape
        (4, 2)
    """
    return SavedModelPredictor(
        export_dir, signature_def_key, signature_def, input_names, output_names, tags, graph, config
    )

"""Signatures of session bundles: made, put beside a graph, and read again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from headrace.contrib.session_bundle import constants
from headrace.messages import session_bundle_protos

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.messages import protos


def regression_signature(input_tensor: Tensor, output_tensor: Tensor) -> Any:
    """A signature of a model that predicts a number for each input.

    Args:
        input_tensor: the inputs.
        output_tensor: the numbers.
    """
    signature = session_bundle_protos.Signature()
    signature.regression_signature.input.tensor_name = input_tensor.name
    signature.regression_signature.output.tensor_name = output_tensor.name
    return signature


def classification_signature(
    input_tensor: Tensor, classes_tensor: Tensor | None = None, scores_tensor: Tensor | None = None
) -> Any:
    """A signature of a model that tells the classes of inputs.

    Args:
        input_tensor: the inputs.
        classes_tensor: the classes, if the model gives them.
        scores_tensor: the scores of classes, if the model gives them.
    """
    signature = session_bundle_protos.Signature()
    signature.classification_signature.input.tensor_name = input_tensor.name
    if classes_tensor is not None:
        signature.classification_signature.classes.tensor_name = classes_tensor.name
    if scores_tensor is not None:
        signature.classification_signature.scores.tensor_name = scores_tensor.name
    return signature


def generic_signature(name_tensor_map: Mapping[str, Tensor]) -> Any:
    """A signature that gives tensors names.

    Args:
        name_tensor_map: tensors by name.
    """
    signature = session_bundle_protos.Signature()
    for name, tensor in name_tensor_map.items():
        signature.generic_signature.map[name].tensor_name = tensor.name
    return signature


def get_signatures(meta_graph_def: protos.MetaGraphDef) -> Any:
    """All signatures of a session bundle.

    Args:
        meta_graph_def: what `load_session_bundle_from_path` gives.

    Raises:
        RuntimeError: if there is not one message of signatures.
    """
    listed = meta_graph_def.collection_def
    found = listed[constants.SIGNATURES_KEY].any_list.value if constants.SIGNATURES_KEY in listed else []
    if len(found) != 1:
        raise RuntimeError(f"Expected exactly one signatures proto in : {constants.SIGNATURES_KEY}, got {len(found)}.")
    signatures = session_bundle_protos.Signatures()
    signatures.ParseFromString(found[0].value)
    return signatures


def _of_kind(signature: Any, kind: str) -> Any:
    if signature.WhichOneof("type") != kind:
        raise RuntimeError(f"Expected a {kind}, got {signature.WhichOneof('type') or 'none'}: {signature}")
    return getattr(signature, kind)


def get_classification_signature(meta_graph_def: protos.MetaGraphDef) -> Any:
    """The default signature, of classes; arguments as of `get_signatures`.

    Raises:
        RuntimeError: if it is of another kind.
    """
    return _of_kind(get_signatures(meta_graph_def).default_signature, constants.CLASSIFICATION_SIGNATURE)


def get_regression_signature(meta_graph_def: protos.MetaGraphDef) -> Any:
    """The default signature, of numbers; arguments as of `get_signatures`.

    Raises:
        RuntimeError: if it is of another kind.
    """
    return _of_kind(get_signatures(meta_graph_def).default_signature, constants.REGRESSION_SIGNATURE)


def get_named_signature(name: str, meta_graph_def: protos.MetaGraphDef) -> Any:
    """A signature by its name.

    Args:
        name: the name.
        meta_graph_def: what `load_session_bundle_from_path` gives.

    Raises:
        RuntimeError: if there is none of that name.
    """
    named = get_signatures(meta_graph_def).named_signatures
    if name not in named:
        raise RuntimeError(f"Missing signature named: {name}; there are {sorted(named)}.")
    return named[name]

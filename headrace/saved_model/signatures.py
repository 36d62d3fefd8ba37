"""Signatures: what a model takes and gives, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from headrace.core import nest
from headrace.core.composite import SparseTensor
from headrace.core.defaults import get_default_graph
from headrace.core.dtypes import as_dtype
from headrace.core.eager import executing_eagerly
from headrace.core.errors import NotFoundError
from headrace.core.operation import Operation
from headrace.core.shapes import as_dims
from headrace.core.tensor import Tensor
from headrace.functions.ragged.tensor import RaggedTensor
from headrace.messages import protos
from headrace.messages.node_def import shape_to_proto
from headrace.saved_model import names
from headrace.saved_model.structured_values import decoded, encoded

if TYPE_CHECKING:
    from headrace.core.graph import Graph
    from headrace.core.typing import TensorLike
    from headrace.state.variables import Variable


def build_tensor_info(tensor: SparseTensor | RaggedTensor | Tensor | Variable) -> protos.TensorInfo:
    """A `TensorInfo`: name, type and shape of a tensor, or of the parts of a sparse or ragged one.

    Args:
        tensor: a tensor or variable of a graph.

    Raises:
        RuntimeError: while executing eagerly, where tensors have no names.

    Example:
        >>> tf.saved_model.utils.build_tensor_info(x).name
        'x:0'
    """
    if executing_eagerly():
        raise RuntimeError("build_tensor_info is not supported in Eager mode.")
    info = protos.TensorInfo()
    if isinstance(tensor, RaggedTensor):
        # Its type and shape are those that the description holds.
        info.composite_tensor.type_spec.CopyFrom(encoded(tensor._type_spec).type_spec_value)
        parts = nest.flatten(tensor, expand_composites=True)
        info.composite_tensor.components.extend(map(build_tensor_info, parts))
        return info
    info.dtype = as_dtype(tensor.dtype).as_datatype_enum
    info.tensor_shape.CopyFrom(shape_to_proto(as_dims(tensor.get_shape())))
    if isinstance(tensor, SparseTensor):
        info.coo_sparse.values_tensor_name = tensor.values.name
        info.coo_sparse.indices_tensor_name = tensor.indices.name
        info.coo_sparse.dense_shape_tensor_name = tensor.dense_shape.name
    else:
        info.name = tensor.name
    return info


def build_tensor_info_from_op(op: Operation) -> protos.TensorInfo:
    """A `TensorInfo` that stands for an operation."""
    info = protos.TensorInfo(name=op.name, dtype=0)
    info.tensor_shape.unknown_rank = True
    return info


def get_element_from_tensor_info(
    tensor_info: protos.TensorInfo, graph: Graph | None = None, import_scope: str | None = None
) -> Operation | Tensor:
    """The operation or tensor that a `TensorInfo` names.

    Args:
        tensor_info: one with a name.
        graph: the graph; the default graph by default.
        import_scope: a scope before the name.

    Raises:
        KeyError: if the graph has neither of that name.
    """
    name = tensor_info.name
    return (graph or get_default_graph()).as_graph_element(f"{import_scope}/{name}" if import_scope else name)


def get_tensor_from_tensor_info(
    tensor_info: protos.TensorInfo, graph: Graph | None = None, import_scope: str | None = None
) -> Tensor | SparseTensor | RaggedTensor:
    """The tensor that a `TensorInfo` names.

    Args:
        tensor_info: a dense, sparse or ragged tensor's.
        graph: the graph; the default graph by default.
        import_scope: a scope before the names.

    Raises:
        KeyError: if the graph has none of that name.
        ValueError: for another kind of encoding.
    """
    graph = graph or get_default_graph()

    def named(name: str) -> Tensor:
        return graph.get_tensor_by_name(f"{import_scope}/{name}" if import_scope else name)

    encoding = tensor_info.WhichOneof("encoding")
    if encoding == "name":
        return named(tensor_info.name)
    if encoding == "coo_sparse":
        sparse = tensor_info.coo_sparse
        return SparseTensor(
            named(sparse.indices_tensor_name),
            named(sparse.values_tensor_name),
            named(sparse.dense_shape_tensor_name),
        )
    if encoding == "composite_tensor":
        described = protos.StructuredValue(type_spec_value=tensor_info.composite_tensor.type_spec)
        parts = [
            get_tensor_from_tensor_info(part, graph, import_scope) for part in tensor_info.composite_tensor.components
        ]
        return decoded(described)._from_components(parts)
    raise ValueError(f"Invalid TensorInfo.encoding: {encoding}")


def require_mapping(name: str, value: object) -> None:
    """Raises TypeError, or IndexError, for an argument that is neither None nor a mapping, unless it is empty."""
    if value is None or hasattr(value, "items"):
        return
    try:
        for key in value:  # type: ignore[attr-defined]  # what cannot be iterated over says so
            if not isinstance(key, str):
                raise TypeError(f"the name {key!r} is no text")
            value[key]  # type: ignore[index]  # as above
    except (TypeError, IndexError) as error:
        message = f"{name} must be a mapping from names, got {value!r} of type {type(value).__name__}."
        raise (IndexError if isinstance(error, IndexError) else TypeError)(message) from None


def build_signature_def(
    inputs: Mapping[str, protos.TensorInfo] | None = None,
    outputs: Mapping[str, protos.TensorInfo] | None = None,
    method_name: str | None = None,
) -> protos.SignatureDef:
    """A `SignatureDef`.

    Args:
        inputs, outputs: names to `TensorInfo`.
        method_name: what kind of signature it is, such as `PREDICT_METHOD_NAME`.

    Raises:
        TypeError: if `inputs` or `outputs` is no mapping.
    """
    require_mapping("inputs", inputs)
    require_mapping("outputs", outputs)
    made = protos.SignatureDef()
    for key, info in (inputs or {}).items():
        made.inputs[key].CopyFrom(info)
    for key, info in (outputs or {}).items():
        made.outputs[key].CopyFrom(info)
    if method_name is not None:
        made.method_name = method_name
    return made


def op_signature_def(op: Operation, key: str) -> protos.SignatureDef:
    """A `SignatureDef` with one output, which stands for an operation.

    Args:
        op: the operation.
        key: the output's name.
    """
    return build_signature_def(outputs={key: build_tensor_info_from_op(op)})


def load_op_from_signature_def(
    signature_def: protos.SignatureDef, key: str, import_scope: str | None = None
) -> Operation | Tensor:
    """The operation of the default graph that an output made by `op_signature_def` stands for.

    Args:
        signature_def: the signature.
        key: the output's name.
        import_scope: the scope that the graph was imported into.

    Raises:
        NotFoundError: if the graph has no such operation.
    """
    try:
        return get_element_from_tensor_info(signature_def.outputs[key], import_scope=import_scope)
    except KeyError as error:
        raise NotFoundError(
            None, None, f"The {key} could not be found in the graph, where its signature names it."
        ) from error


def predict_signature_def(
    inputs: Mapping[str, Tensor | SparseTensor], outputs: Mapping[str, Tensor | SparseTensor]
) -> protos.SignatureDef:
    """The signature of a model that takes and gives any tensors.

    Args:
        inputs, outputs: names to tensors.

    Raises:
        ValueError: if there are none.

    Example:
        >>> tf.saved_model.signature_def_utils.predict_signature_def({"x": x}, {"y": y})
    """
    if not inputs:
        raise ValueError("Prediction inputs cannot be None or empty.")
    if not outputs:
        raise ValueError("Prediction outputs cannot be None or empty.")
    return build_signature_def(
        {key: build_tensor_info(tensor) for key, tensor in inputs.items()},
        {key: build_tensor_info(tensor) for key, tensor in outputs.items()},
        names.PREDICT_METHOD_NAME,
    )


def regression_signature_def(examples: TensorLike, predictions: Tensor | None) -> protos.SignatureDef:
    """The signature of a model from serialized examples to numbers.

    Args:
        examples: a string tensor.
        predictions: a float32 tensor.

    Raises:
        ValueError: for missing or other tensors.
    """
    if examples is None:
        raise ValueError("Regression examples cannot be None.")
    if not isinstance(examples, Tensor):
        raise ValueError("Regression examples must be a string Tensor.")
    if predictions is None:
        raise ValueError("Regression predictions cannot be None.")
    taken = build_tensor_info(examples)
    if taken.dtype != protos.types_pb2.DT_STRING:
        raise ValueError("Regression examples must be a string Tensor.")
    given = build_tensor_info(predictions)
    if given.dtype != protos.types_pb2.DT_FLOAT:
        raise ValueError("Regression output must be a float Tensor.")
    return build_signature_def({names.REGRESS_INPUTS: taken}, {names.REGRESS_OUTPUTS: given}, names.REGRESS_METHOD_NAME)


def classification_signature_def(
    examples: Tensor, classes: Tensor | None, scores: Tensor | None
) -> protos.SignatureDef:
    """The signature of a model from serialized examples to classes or scores or both.

    Args:
        examples: a string tensor.
        classes: a string tensor or None.
        scores: a float32 tensor or None.

    Raises:
        ValueError: for missing or other tensors.
    """
    if examples is None:
        raise ValueError("Classification examples cannot be None.")
    if not isinstance(examples, Tensor):
        raise ValueError("Classification examples must be a string Tensor.")
    if classes is None and scores is None:
        raise ValueError("Classification classes and scores cannot both be None.")
    taken = build_tensor_info(examples)
    if taken.dtype != protos.types_pb2.DT_STRING:
        raise ValueError("Classification examples must be a string Tensor.")
    outputs = {}
    if classes is not None:
        outputs[names.CLASSIFY_OUTPUT_CLASSES] = build_tensor_info(classes)
        if outputs[names.CLASSIFY_OUTPUT_CLASSES].dtype != protos.types_pb2.DT_STRING:
            raise ValueError("Classification classes must be a string Tensor.")
    if scores is not None:
        outputs[names.CLASSIFY_OUTPUT_SCORES] = build_tensor_info(scores)
        if outputs[names.CLASSIFY_OUTPUT_SCORES].dtype != protos.types_pb2.DT_FLOAT:
            raise ValueError("Classification scores must be a float Tensor.")
    return build_signature_def({names.CLASSIFY_INPUTS: taken}, outputs, names.CLASSIFY_METHOD_NAME)


def supervised_signature_def(
    method_name: str,
    inputs: Mapping[str, Tensor | SparseTensor],
    loss: Mapping[str, Tensor] | None,
    predictions: Mapping[str, Tensor] | None = None,
    metrics: Mapping[str, Any] | None = None,
) -> protos.SignatureDef:
    """The signature of a model that is exported for training or evaluation.

    Args:
        method_name: `names.SUPERVISED_TRAIN_METHOD_NAME` or `names.SUPERVISED_EVAL_METHOD_NAME`.
        inputs: names to tensors.
        loss, predictions, metrics: what it gives, by name; values of metrics may be operations.

    Raises:
        ValueError: if there are no inputs.
    """
    if not inputs:
        raise ValueError(f"{method_name} inputs cannot be None or empty.")
    outputs = {**(loss or {}), **(predictions or {}), **(metrics or {})}
    return build_signature_def(
        {key: build_tensor_info(tensor) for key, tensor in inputs.items()},
        {
            key: build_tensor_info_from_op(value) if isinstance(value, Operation) else build_tensor_info(value)
            for key, value in outputs.items()
        },
        method_name,
    )


def supervised_train_signature_def(
    inputs: Mapping[str, Tensor | SparseTensor],
    loss: Mapping[str, Tensor] | None,
    predictions: Mapping[str, Tensor] | None = None,
    metrics: Mapping[str, Any] | None = None,
) -> protos.SignatureDef:
    """The signature of a step of training: `supervised_signature_def` with the name of its method."""
    return supervised_signature_def(names.SUPERVISED_TRAIN_METHOD_NAME, inputs, loss, predictions, metrics)


def supervised_eval_signature_def(
    inputs: Mapping[str, Tensor | SparseTensor],
    loss: Mapping[str, Tensor] | None,
    predictions: Mapping[str, Tensor] | None = None,
    metrics: Mapping[str, Any] | None = None,
) -> protos.SignatureDef:
    """The signature of a step of evaluation: `supervised_signature_def` with the name of its method."""
    return supervised_signature_def(names.SUPERVISED_EVAL_METHOD_NAME, inputs, loss, predictions, metrics)


def is_valid_signature(signature_def: protos.SignatureDef) -> bool:
    """Whether a signature has the inputs and outputs that TensorFlow Serving asks of its method."""
    if signature_def is None:
        return False
    method = signature_def.method_name
    if method == names.PREDICT_METHOD_NAME:
        return len(signature_def.inputs) >= 1 and len(signature_def.outputs) >= 1
    if method == names.REGRESS_METHOD_NAME:
        return _is_only(signature_def.inputs, names.REGRESS_INPUTS, "DT_STRING") and _is_only(
            signature_def.outputs, names.REGRESS_OUTPUTS, "DT_FLOAT"
        )
    if method == names.CLASSIFY_METHOD_NAME:
        kinds = {names.CLASSIFY_OUTPUT_CLASSES: "DT_STRING", names.CLASSIFY_OUTPUT_SCORES: "DT_FLOAT"}
        return (
            _is_only(signature_def.inputs, names.CLASSIFY_INPUTS, "DT_STRING")
            and 1 <= len(signature_def.outputs) <= 2
            and all(key in kinds and _has(signature_def.outputs, key, kinds[key]) for key in signature_def.outputs)
        )
    return False


def _is_only(infos: Mapping[str, protos.TensorInfo], key: str, dtype: str) -> bool:
    """Whether there is one tensor, of this name and type."""
    return len(infos) == 1 and _has(infos, key, dtype)


def _has(infos: Mapping[str, protos.TensorInfo], key: str, dtype: str) -> bool:
    """Whether there is a tensor of this name and of this type, named as in `types.proto`."""
    return key in infos and infos[key].dtype == getattr(protos.types_pb2, dtype)

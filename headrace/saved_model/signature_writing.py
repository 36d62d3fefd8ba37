"""1.x's `_SavedModelBuilder`: SavedModels whose operations to run are signatures, not collections."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from headrace.core.operation import Operation
from headrace.core.tensor import Tensor
from headrace.files.paths import as_path
from headrace.messages import protos
from headrace.saved_model import folders, names
from headrace.saved_model.writing import SavedModelBuilder, check_signatures, saver_or_default


class SignatureBuilder:
    """Writes a SavedModel as `SavedModelBuilder` does, with the operations to run under signatures of their own.

    Args:
        export_dir: the folder, which must be new or empty.

    Raises:
        AssertionError: if the folder has something in it.

    Example:
        >>> builder = SignatureBuilder("model")
        >>> builder.add_meta_graph_and_variables(sess, ["train"], train_op=tf.assign_add(global_step, 1))
        >>> path = builder.save()
    """

    def __init__(self, export_dir: str) -> None:
        self._writer = SavedModelBuilder(as_path(export_dir))

    def add_meta_graph_and_variables(
        self,
        sess: Any,
        tags: Iterable[str],
        signature_def_map: Mapping[str, Any] | None = None,
        assets_list: Iterable[Tensor] | None = None,
        clear_devices: bool = False,
        init_op: Operation | Tensor | None = None,
        train_op: Operation | Tensor | None = None,
        strip_default_attrs: bool = False,
        saver: Any = None,
    ) -> None:
        """Adds the default graph, and writes the variables' values; to be called once, first.

        Args:
            sess: the session with the values.
            tags: what the graph is for.
            signature_def_map: keys to signatures.
            assets_list: string constants with the paths of files that go with the model.
            clear_devices: leave out where nodes are placed.
            init_op: what to run when the model is loaded, after the variables are restored.
            train_op: what a step of training runs.
            strip_default_attrs: leave out attributes with their default values.
            saver: the saver to use; by default one for all variables.

        Raises:
            AssertionError: if it was called before, or a signature is incomplete.
            KeyError: if a signature has a name of these operations.
            TypeError: for assets that are no string constants; ValueError: for an empty path.
        """
        signatures = _with_operations(signature_def_map, init_op, train_op)
        assets = self._writer.begin_graph(signature_def_map, assets_list, is_first=True)
        saver = saver_or_default(saver)
        folders.get_or_create_variables_dir(self._writer.export_dir)
        path = folders.get_variables_path(self._writer.export_dir)
        saver.save(sess, path, write_meta_graph=False, write_state=False)
        self._writer.add_graph(saver, tags, signatures, clear_devices, strip_default_attrs, assets)

    def add_meta_graph(
        self,
        tags: Iterable[str],
        signature_def_map: Mapping[str, Any] | None = None,
        assets_list: Iterable[Tensor] | None = None,
        clear_devices: bool = False,
        init_op: Operation | Tensor | None = None,
        train_op: Operation | Tensor | None = None,
        saver: Any = None,
    ) -> None:
        """Adds the default graph, whose variables are those that were written; arguments as above.

        Raises:
            AssertionError: if no variables were written yet; else as above.
        """
        signatures = _with_operations(signature_def_map, init_op, train_op)
        assets = self._writer.begin_graph(signature_def_map, assets_list, is_first=False)
        self._writer.add_graph(saver_or_default(saver), tags, signatures, clear_devices, False, assets)

    def save(self, as_text: bool = False) -> bytes:
        """Writes the description of the model; as `SavedModelBuilder.save`."""
        return self._writer.save(as_text)


def _with_operations(
    signatures: Mapping[str, Any] | None, init_op: Operation | Tensor | None, train_op: Operation | Tensor | None
) -> dict[str, Any]:
    """The signatures with those of operations to run."""
    check_signatures(signatures)
    made = dict(signatures or {})
    for key, op in ((names.INIT_OP_SIGNATURE_KEY, init_op), (names.TRAIN_OP_SIGNATURE_KEY, train_op)):
        if op is not None:
            signature = protos.SignatureDef()
            signature.outputs[key].name = op.name
            signature.outputs[key].tensor_shape.unknown_rank = True
            made[key] = signature
    return made

"""Strings cut into parts: `tf.string_split` and `tf.strings.split`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.composite import SparseTensor
from headrace.core.composite_types import CompositeTensor
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.functions.ragged.strings import rows_of_sparse, split_rows
from headrace.kernels.renamed_arguments import first_given

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike
    from headrace.functions.ragged.tensor import RaggedTensor


def string_split(
    source: TensorLike,
    sep: TensorLike | None = None,
    skip_empty: bool = True,
    delimiter: TensorLike | None = None,
    result_type: str = "SparseTensor",
    name: str | None = None,
) -> Any:
    """Splits each string of a vector where one of the bytes of `sep` stands.

    Args:
        source: string vector.
        sep: string scalar, " " by default; an empty one splits into bytes.
        skip_empty: whether to leave out empty parts.
        delimiter: the older name of `sep`.
        result_type: "SparseTensor" or "RaggedTensor".
        name: a name for the operation.

    Returns:
        a `SparseTensor` or `RaggedTensor` of strings with a row for each string.

    Raises:
        ValueError: for another result_type.

    Example:
        >>> tf.string_split(["hello world", "a b c"]).get_shape().ndims
        2
    """
    _check_result(result_type)
    with name_scope(name, "StringSplit", [source]):
        mark = first_given("sep", sep, "delimiter", delimiter)
        mark = convert_to_tensor(" " if mark is None else mark, "string")
        source = convert_to_tensor(source, "string")
        parts = raw.StringSplit(source, mark, skip_empty=skip_empty)
        return rows_of_sparse(*parts) if result_type == "RaggedTensor" else SparseTensor(*parts)


def split(
    input: TensorLike | RaggedTensor | None = None,
    sep: TensorLike | None = None,
    maxsplit: int = -1,
    result_type: str = "SparseTensor",
    source: TensorLike | RaggedTensor | None = None,
    name: str | None = None,
) -> Any:
    """Splits each string of a vector at `sep`, as Python's `str.split` does: `tf.strings.split`.

    Args:
        input: string tensor, or ragged tensor.
        sep: string scalar; by default any whitespace separates.
        maxsplit: how many splits to make at most; -1 for no limit.
        result_type: "SparseTensor" or "RaggedTensor".
        source: the older name of `input`.
        name: a name for the operation.

    Returns:
        a `SparseTensor` or `RaggedTensor` of strings of one more dimension; a vector of the parts of a single string
        where a ragged result is asked for.

    Raises:
        ValueError: for another result_type.
        AttributeError: for a single string and a sparse result.
    """
    text = first_given("input", input, "source", source)
    _check_result(result_type)
    with name_scope(name, "StringSplit", [text]):
        if not isinstance(text, CompositeTensor):
            text = convert_to_tensor(text, "string", name="input")
        if result_type == "RaggedTensor" or text.shape.ndims != 1:
            rows = split_rows(text, sep, maxsplit)
            return rows if result_type == "RaggedTensor" else rows.to_sparse()
        mark = convert_to_tensor("" if sep is None else sep, "string", name="Const")
        return SparseTensor(*raw.StringSplitV2(text, mark, maxsplit=maxsplit))


def _check_result(result_type: str) -> None:
    if result_type not in ("RaggedTensor", "SparseTensor"):
        raise ValueError("result_type must be 'RaggedTensor' or 'SparseTensor'.")


def string_split_v2(source: TensorLike, sep: TensorLike | None = None, maxsplit: int = -1) -> SparseTensor:
    """`split` of a vector of strings into a SparseTensor, under the name that it has in 1.x's `string_ops`.

    Args:
        source: string vector.
        sep: string scalar; by default any whitespace separates.
        maxsplit: how many splits to make at most; -1 for no limit.

    Example:
        >>> string_split_v2(["a b", "c"]).dense_shape  # [2, 2]
    """
    mark = convert_to_tensor("" if sep is None else sep, "string")
    source = convert_to_tensor(source, "string")
    return SparseTensor(*raw.StringSplitV2(source, mark, maxsplit=maxsplit))

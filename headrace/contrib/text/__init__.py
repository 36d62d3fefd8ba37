"""tf.contrib.text: pairs of words that stand near each other."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import DType, as_dtype
from headrace.core.random_seed import get_seed
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.files.gfile import GFile
from headrace.functions.array.where import boolean_mask
from headrace.input_queues.batching import batch
from headrace.kernels.composing.shapes import shape
from headrace.lookup.initializers import TextFileInitializer
from headrace.lookup.tables import HashTable, InitializableLookupTableBase
from headrace.ops.math.cast import cast
from headrace.ops.math.comparison import greater_equal, less_equal, not_equal
from headrace.ops.math.logical import logical_and
from headrace.ops.math.unary import sqrt
from headrace.ops.random.uniform import random_uniform

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, TensorLike


def skip_gram_sample(
    input_tensor: TensorLike,
    min_skips: TensorLike = 1,
    max_skips: TensorLike = 5,
    start: TensorLike = 0,
    limit: TensorLike = -1,
    emit_self_as_target: TensorLike = False,
    vocab_freq_table: int | HashTable | None = None,
    vocab_min_count: float | None = None,
    vocab_subsampling: float | None = None,
    corpus_size: float | None = None,
    batch_size: int | None = None,
    batch_capacity: int | None = None,
    seed: int | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Each token with each that is at most some places away, how many being drawn anew for every token.

    Args:
        input_tensor: vector of tokens.
        min_skips, max_skips: between what the number of places lies.
        start: the first token to look at.
        limit: how many tokens to look at; all if negative.
        emit_self_as_target: whether a token stands near itself.
        vocab_freq_table: a table of how often each token occurs; those that it lacks are left out.
        vocab_min_count: tokens that occur less often are left out too.
        vocab_subsampling: below which part of the corpus a token is rare; the others are left out at random, the
            frequent ones more often (Mikolov et al., arXiv:1310.4546).
        corpus_size: how many tokens the corpus has, needed with `vocab_subsampling`.
        batch_size: puts the pairs into a queue and takes so many at a time from it, by `tf.train.batch`.
        batch_capacity: the size of the queue; a hundred batches by default.
        seed: the seed of the operations.
        name: a name scope.

    Returns:
        (the tokens, what stands near each), vectors of the same length.

    Raises:
        ValueError: if arguments that need one another are not given together.

    Example:
        >>> tokens, labels = tf.contrib.text.skip_gram_sample(tf.constant(["the", "quick", "fox"]), 1, 2)
    """
    if vocab_freq_table is None and not (vocab_min_count is None and vocab_subsampling is None and corpus_size is None):
        raise ValueError(
            f"vocab_freq_table is not provided, but vocab_min_count={vocab_min_count}, "
            f"vocab_subsampling={vocab_subsampling}, or corpus_size={corpus_size} is not None: they need it."
        )
    if (vocab_subsampling is None) != (corpus_size is None):
        raise ValueError(
            f"vocab_subsampling is {vocab_subsampling} while corpus_size is {corpus_size} - subsampling needs both."
        )
    with name_scope(name, "skip_gram_sample", [input_tensor, min_skips, max_skips, start, limit]):
        tokens = convert_to_tensor(input_tensor)
        tokens = filtered(tokens, vocab_freq_table, vocab_min_count, vocab_subsampling, corpus_size, seed)
        seed1, seed2 = get_seed(seed)
        pairs = raw.SkipGramGenerateCandidates(
            tokens, min_skips, max_skips, start, limit, emit_self_as_target, seed=seed1 or 0, seed2=seed2 or 0
        )
        if batch_size is not None and batch_size > 0:
            capacity = batch_capacity if batch_capacity is not None and batch_capacity > 0 else 100 * batch_size
            return batch(list(pairs), batch_size, capacity=capacity, enqueue_many=True)
        return pairs[0], pairs[1]


def skip_gram_sample_with_text_vocab(
    input_tensor: TensorLike,
    vocab_freq_file: str,
    vocab_token_index: int = 0,
    vocab_token_dtype: DTypeLike = "string",
    vocab_freq_index: int = 1,
    vocab_freq_dtype: DTypeLike = "float64",
    vocab_delimiter: str = ",",
    vocab_min_count: float | None = 0,
    vocab_subsampling: float | None = None,
    corpus_size: float | None = None,
    min_skips: TensorLike = 1,
    max_skips: TensorLike = 5,
    start: TensorLike = 0,
    limit: TensorLike = -1,
    emit_self_as_target: TensorLike = False,
    batch_size: int | None = None,
    batch_capacity: int | None = None,
    seed: int | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """`skip_gram_sample` with the table of a text file.

    Args:
        input_tensor: vector of tokens.
        vocab_freq_file: a file with a line for each token.
        vocab_token_index, vocab_token_dtype: the column with the token, and its type.
        vocab_freq_index, vocab_freq_dtype: the column with how often it occurs, and its type.
        vocab_delimiter: what stands between columns.
        corpus_size: how many tokens the corpus has; the sum of the file's by default.
        vocab_min_count, vocab_subsampling, min_skips, max_skips, start, limit, emit_self_as_target, batch_size,
            batch_capacity, seed, name: as in `skip_gram_sample`.

    Returns:
        as `skip_gram_sample`.

    Raises:
        ValueError: if the columns or the file's contents make no sense.
    """
    _check_columns(vocab_token_index, vocab_freq_index)
    frequencies = _frequencies(
        vocab_freq_file, max(vocab_token_index, vocab_freq_index), vocab_freq_index, vocab_freq_dtype, vocab_delimiter
    )
    total = sum(frequencies)
    if corpus_size and total - corpus_size > 1e-6:
        raise ValueError(
            f"`corpus_size`={corpus_size} must be greater than or equal to the sum of all the frequency counts ({total}) "
            f"of `vocab_freq_file` ({vocab_freq_file})."
        )
    table = HashTable(
        TextFileInitializer(
            filename=vocab_freq_file,
            key_dtype=as_dtype(vocab_token_dtype),
            key_index=vocab_token_index,
            value_dtype=as_dtype(vocab_freq_dtype),
            value_index=vocab_freq_index,
            vocab_size=len(frequencies),
            delimiter=vocab_delimiter,
        ),
        default_value=-1,
    )
    return skip_gram_sample(
        input_tensor,
        min_skips,
        max_skips,
        start,
        limit,
        emit_self_as_target,
        table,
        vocab_min_count,
        vocab_subsampling,
        None if vocab_subsampling is None else corpus_size or total,
        batch_size,
        batch_capacity,
        seed,
        name,
    )


def _check_columns(token: int, frequency: int) -> None:
    if token < 0 or frequency < 0:
        raise ValueError(f"vocab_token_index={token} and vocab_freq_index={frequency} must both be >= 0.")
    if token == frequency:
        raise ValueError(f"vocab_token_index and vocab_freq_index should be different, but are both {token}.")


def _frequencies(file: str, last: int, index: int, dtype: DTypeLike, delimiter: str) -> list[Any]:
    """The column `index` of a file whose lines have at least `last` + 1."""
    kind: DType = as_dtype(dtype)
    found = []
    with GFile(file, mode="r") as lines:
        for row in csv.reader(lines, delimiter=delimiter):
            if last >= len(row):
                raise ValueError(f"Row in vocab file only has {len(row)} columns, so column {last} is not there: {row}")
            found.append(kind.as_numpy_dtype(row[index]))
            if found[-1] < 0:
                raise ValueError(f"Row in vocab file has negative frequency of {found[-1]}. Row content: {row}")
    return found


def filtered(
    input_tensor: Tensor,
    vocab_freq_table: int | HashTable | None,
    vocab_min_count: float | None,
    vocab_subsampling: float | None,
    corpus_size: TensorLike | None,
    seed: int | None,
) -> Tensor:
    """The tokens that are frequent enough, and of the most frequent ones a part; arguments of `skip_gram_sample`."""
    tokens, table = input_tensor, vocab_freq_table
    if table is None:
        return tokens
    if not isinstance(table, InitializableLookupTableBase):
        raise ValueError(
            "vocab_freq_table must be a subclass of InitializableLookupTableBase (such as HashTable) instead of type "
            f"{type(table)}."
        )
    with name_scope("filter_vocab", values=[tokens]):
        frequency = table.lookup(tokens)
        kept = not_equal(frequency, table.default_value)
        if vocab_min_count is not None:
            kept = logical_and(kept, greater_equal(frequency, cast(vocab_min_count, frequency.dtype)))
        tokens, frequency = boolean_mask(tokens, kept), boolean_mask(frequency, kept)
    if not vocab_subsampling or corpus_size is None:
        return tokens
    if vocab_subsampling < 0 or vocab_subsampling > 1:
        raise ValueError(f"Invalid vocab_subsampling={vocab_subsampling} - it should be within range [0, 1].")
    with name_scope("subsample_vocab", values=[tokens, frequency]):
        rare = cast(vocab_subsampling, "float64") * cast(corpus_size, "float64")
        frequency = cast(frequency, "float64")
        probability = (sqrt(frequency / rare) + 1.0) * (rare / frequency)
        drawn = random_uniform(shape(frequency), minval=0, maxval=1, dtype="float64", seed=seed)
        return boolean_mask(tokens, less_equal(drawn, probability))

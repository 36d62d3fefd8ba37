"""`tf.random.experimental.Generator`: random numbers whose state is a variable of the program's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import as_dtype, float32, int32, int64, uint64
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.kernels import composing
from headrace.ops.random import stateful  # noqa: F401  (declared for `raw`)
from headrace.state.variables import Variable

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, IntLike, TensorLike


RNG_ALG_PHILOX = 1
RNG_ALG_THREEFRY = 2
DEFAULT_ALGORITHM = RNG_ALG_PHILOX
PHILOX_STATE_SIZE, THREEFRY_STATE_SIZE = 3, 2
# The element types of states, of seeds and of the numbers of algorithms.
STATE_TYPE = SEED_TYPE = ALGORITHM_TYPE = "int64"
# A seed that is drawn has so many words of so many bits, of which the first is the sign's.
SEED_SIZE = 16
SEED_TYPE_BITS = 64
UINT64_SPAN = SEED_UINT_SPAN = 2**SEED_TYPE_BITS
SEED_BIT_MASK = UINT64_SPAN - 1
MIN_INT64 = SEED_MIN = -(UINT64_SPAN // 2)
MAX_INT64 = SEED_MAX = UINT64_SPAN // 2 - 1
_STATE_SIZES = {RNG_ALG_PHILOX: PHILOX_STATE_SIZE, RNG_ALG_THREEFRY: THREEFRY_STATE_SIZE}


def _state_size(algorithm: int) -> int:
    if algorithm not in _STATE_SIZES:
        raise ValueError(f"Unsupported algorithm id: {algorithm}")
    return _STATE_SIZES[algorithm]


def _signed(number: IntLike) -> int:
    number = int(number)
    return number - UINT64_SPAN if number >= UINT64_SPAN // 2 else number


def create_rng_state(seed: int | Sequence[int], algorithm: int) -> np.ndarray:
    """The state that a seed stands for.

    Args:
        seed: an integer of any size, or a vector of integers.
        algorithm: 1 for Philox, 2 for ThreeFry.

    Returns:
        an int64 vector, of 3 elements for Philox and 2 for ThreeFry.

    Raises:
        ValueError: for another algorithm, or a seed of more dimensions.
    """
    size = _state_size(algorithm)
    if isinstance(seed, int):
        words: Sequence[Any] = [seed >> 64 * place & UINT64_SPAN - 1 for place in range(size)]
    else:
        words = list(seed)
    state = np.asarray([_signed(word) for word in words] if np.ndim(words) == 1 else words, np.int64)
    if state.ndim != 1:
        raise ValueError(f"seed should only have one dimension; got shape: {state.shape}")
    state = state[:size]
    # Short ones are the key, which is last, rather than where the counter begins.
    return np.concatenate([np.zeros(size - len(state), np.int64), state])


def _as_state(value: TensorLike) -> Tensor:
    if isinstance(value, list):
        value = [_signed(item) if isinstance(item, (int, np.integer)) else item for item in value]
    return convert_to_tensor(value, int64)


def _as_shape(shape: TensorLike) -> Tensor:
    return convert_to_tensor(shape, int64 if isinstance(shape, (tuple, list)) and not shape else None, name="shape")


class Generator:
    """Draws random numbers, and keeps where it is in a variable.

    Args:
        copy_from: a generator that begins where this one is.
        state: where to begin: an int64 vector.
        alg: the algorithm, 1 for Philox; with the 2 of ThreeFry there is a state, but nothing can be drawn, as on CPUs in
            TensorFlow.

    Example:
        >>> g = tf.random.experimental.Generator.from_seed(1234)
        >>> g.normal([2, 3])
    """

    def __init__(
        self, copy_from: Generator | None = None, state: TensorLike | None = None, alg: int | None = None
    ) -> None:
        if copy_from is not None:
            assert (alg or state) is None
            self._state_var: Variable = Variable(copy_from.state, dtype=int64, trainable=False, use_resource=True)
            self._alg_var = copy_from.algorithm
            return
        assert alg is not None
        assert state is not None
        state = _as_state(state)
        state.shape.assert_is_compatible_with([_state_size(alg)])
        self._state_var = Variable(state, dtype=int64, trainable=False, use_resource=True)
        self._alg_var = alg

    @classmethod
    def from_state(cls, state: Any, alg: int) -> Generator:
        """One with this state."""
        return cls(alg=alg, state=state)

    @classmethod
    def from_seed(cls, seed: int, alg: int | None = None) -> Generator:
        """One whose numbers a seed decides: an integer or a vector of them. The algorithm is Philox by default."""
        alg = RNG_ALG_PHILOX if alg is None else alg
        return cls(state=create_rng_state(seed, alg), alg=alg)

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> Generator:
        """One that begins somewhere else each time."""
        alg = RNG_ALG_PHILOX if alg is None else alg
        return cls(state=raw.NonDeterministicInts([_state_size(alg)], dtype=int64), alg=alg)

    @classmethod
    def from_key_counter(cls, key: int, counter: Sequence[int], alg: int) -> Generator:
        """One with this key, a scalar, and counter, a vector of 2 elements for Philox."""
        return cls(state=_joined(key, counter, alg), alg=alg)

    def reset(self, state: Any) -> None:
        """Goes on from another state."""
        state = _as_state(state)
        state.shape.assert_is_compatible_with([_state_size(self.algorithm)])
        self._state_var.assign(state)

    def reset_from_seed(self, seed: int) -> None:
        """Goes on as one made from this seed."""
        self._state_var.assign(create_rng_state(seed, self.algorithm))

    def reset_from_key_counter(self, key: Any, counter: Any) -> None:
        """Goes on as one made from this key and counter."""
        self._state_var.assign(_joined(key, counter, self.algorithm))

    @property
    def state(self) -> Any:
        """The variable with its state."""
        return self._state_var

    @property
    def _checkpoint_dependencies(self) -> list[tuple[str, Any]]:
        return [("_state_var", self._state_var)]

    @property
    def algorithm(self) -> int:
        """The number of its algorithm."""
        return self._alg_var

    @property
    def key(self) -> Tensor:
        """The key in its state."""
        _state_size(self.algorithm)
        key: Tensor = self._state_var[-1]
        return key

    def skip(self, delta: TensorLike) -> None:
        """Leaves out as many numbers."""
        raw.RngSkip(self.state.handle, self.algorithm, delta)

    def normal(
        self,
        shape: TensorLike,
        mean: TensorLike = 0.0,
        stddev: TensorLike = 1.0,
        dtype: DTypeLike = float32,
        name: str | None = None,
    ) -> Tensor:
        """Numbers of the normal distribution, a tensor of this shape and type."""
        with name_scope(name, "stateful_normal", [shape, mean, stddev]) as scope:
            drawn = raw.StatefulStandardNormalV2(self.state.handle, self.algorithm, _as_shape(shape), dtype=dtype)
            return _scaled(drawn, stddev, mean, dtype, scope)

    def truncated_normal(
        self,
        shape: TensorLike,
        mean: TensorLike = 0.0,
        stddev: TensorLike = 1.0,
        dtype: DTypeLike = float32,
        name: str | None = None,
    ) -> Tensor:
        """As `normal`, but what is more than two deviations from the mean is drawn again."""
        with name_scope(name, "truncated_normal", [shape, mean, stddev]) as scope:
            drawn = raw.StatefulTruncatedNormal(self.state.handle, self.algorithm, _as_shape(shape), dtype=dtype)
            return _scaled(drawn, stddev, mean, dtype, scope)

    def uniform(
        self,
        shape: TensorLike,
        minval: TensorLike = 0,
        maxval: TensorLike | None = None,
        dtype: DTypeLike = float32,
        name: str | None = None,
    ) -> Tensor:
        """Numbers uniform in [minval, maxval), a tensor of this shape and type; integers need a `maxval`.

        Raises:
            ValueError: if it is missing.
        """
        dtype = as_dtype(dtype)
        if maxval is None:
            if dtype.is_integer:
                raise ValueError(f"Must specify maxval for integer dtype {dtype!r}")
            maxval = 1
        with name_scope(name, "stateful_uniform", [shape, minval, maxval]) as scope:
            low, high = convert_to_tensor(minval, dtype, name="min"), convert_to_tensor(maxval, dtype, name="max")
            sizes = _as_shape(shape)
            if dtype.is_integer:
                drawn: Tensor = raw.StatefulUniformInt(self.state.handle, self.algorithm, sizes, low, high, name=scope)
                return drawn
            drawn = raw.StatefulUniform(self.state.handle, self.algorithm, sizes, dtype=dtype)
            return raw.Add(drawn * (high - low), low, name=scope)

    def uniform_full_int(self, shape: TensorLike, dtype: DTypeLike = uint64, name: str | None = None) -> Tensor:
        """Integers from the whole range of their type."""
        with name_scope(name, "stateful_uniform_full_int", [shape]) as scope:
            drawn: Tensor = raw.StatefulUniformFullInt(
                self.state.handle, self.algorithm, _as_shape(shape), dtype=as_dtype(dtype), name=scope
            )
            return drawn

    def binomial(
        self,
        shape: TensorLike,
        counts: TensorLike,
        probs: TensorLike,
        dtype: DTypeLike = int32,
        name: str | None = None,
    ) -> Tensor:
        """How many of `counts` trials succeed where each does so with a probability of `probs`.

        Args:
            shape: the shape of the result, of one dimension at least.
            counts, probs: a scalar, or a vector with an element for each row of the result; of one type.
            dtype: the type of the result.
            name: a name.
        """
        with name_scope(name, "binomial", [shape, counts, probs]) as scope:
            counts, probs = convert_to_tensor(counts, name="counts"), convert_to_tensor(probs, name="probs")
            drawn: Tensor = raw.StatefulRandomBinomial(
                self.state.handle,
                self.algorithm,
                _as_shape(shape),
                counts,
                probs,
                dtype=as_dtype(dtype),
                name=scope,
            )
            return drawn

    def make_seeds(self, count: int = 1) -> Tensor:
        """Pairs of seeds for the stateless random operations: an int64 tensor of shape [2, count]."""
        _state_size(self.algorithm)
        keys = self.uniform_full_int([count], int64)
        return composing.stack([keys, composing.zeros_like(keys)])

    def split(self, count: int = 1) -> list[Generator]:
        """Generators with keys of their own, whose numbers have nothing to do with those of this one."""
        size = _state_size(self.algorithm)
        keys = self.uniform_full_int([count], int64)
        zeros = [0] * (size - 1)
        return [Generator(state=[*zeros, key], alg=self.algorithm) for key in keys.numpy()]  # type: ignore[attr-defined]  # an EagerTensor


def _joined(key: Any, counter: Any, algorithm: int) -> Tensor:
    counter, key = _as_state(counter), _as_state(key)
    counter.shape.assert_is_compatible_with([_state_size(algorithm) - 1])
    key.shape.assert_is_compatible_with([])
    return composing.concat([counter, raw.Reshape(key, [1])], 0)


def _scaled(drawn: Tensor, by: TensorLike, plus: TensorLike, dtype: DTypeLike, name: str) -> Tensor:
    by, plus = convert_to_tensor(by, dtype, name="stddev"), convert_to_tensor(plus, dtype, name="mean")
    return raw.Add(drawn * by, plus, name=name)


_global: list[Generator] = []


def get_global_generator() -> Generator:
    """The generator that programs share, begun somewhere else in each process."""
    if not _global:
        _global.append(Generator.from_non_deterministic_state())
    return _global[0]


def set_global_generator(generator: Generator) -> None:
    """Makes `generator` the one that `get_global_generator` returns."""
    _global[:] = [generator]

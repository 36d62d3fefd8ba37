"""The hashes of `fingerprint` for many strings at once, in NumPy: the same numbers, word by word of all strings."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence

import numpy as np

from headrace.kernels.string.fingerprint import fingerprint64, hash64, siphash24

_K0 = np.uint64(0xC3A5C85C97CB3127)
_K1 = np.uint64(0xB492B66FBE98F273)
_K2 = np.uint64(0x9AE16A3B2F90404F)
_MURMUR = np.uint64(0xC6A4A7935BD1E995)
_HALF = np.uint64(0xFFFFFFFF)
_MURMUR_SEED = np.uint64(0xDECAFCAFFE)

# Fewer strings than this are hashed one after the other.
_MIN_STRINGS = 24
# Longer strings than this are hashed one after the other: the fingerprint has another form for them.
_MAX_LENGTH = 64

# So few words are faster gathered from where they lie than put together.
_FEW_WORDS = 1024

# As many at a time, so that what is computed stays in the nearest caches.
_AT_ONCE = 16384


def _shift(count: int) -> np.uint64:
    return np.uint64(count)


def _rotated(values: np.ndarray, count: int) -> np.ndarray:
    """To the right."""
    return (values >> _shift(count)) | (values << _shift(64 - count))


class _Strings:
    """Strings one after the other in one buffer, whose words of eight bytes can be read at any place."""

    def __init__(self, texts: Sequence[bytes]) -> None:
        # Where the separators are found again, they tell the sizes ten times as fast as asking each string.
        data = b"\0".join(texts)
        ends = np.flatnonzero(np.frombuffer(data, np.uint8) == 0)
        if len(ends) == len(texts) - 1:
            self.starts = np.concatenate(([0], ends + 1))
            self.sizes = np.append(ends, len(data)) - self.starts
        else:
            self.sizes = np.fromiter(map(len, texts), np.int64, len(texts))
            self.starts = np.cumsum(self.sizes + 1) - self.sizes - 1
        # Words that begin in the last string end behind it.
        self.data = data + bytes(16 - len(data) % 8)
        self.bytes = np.frombuffer(self.data, np.uint8)
        self._aligned = np.frombuffer(self.data, "<u8")
        self._at_odd_places: np.ndarray = np.ndarray((len(self.data) - 7,), "<u8", self.data, strides=(1,))

    def words(self, at: np.ndarray) -> np.ndarray:
        """The words of eight bytes that begin `at` those places.

        Put together from the two aligned words they lie in, which NumPy gathers faster than words at odd places.
        """
        if len(at) < _FEW_WORDS:
            return self._at_odd_places[at]
        index = at >> 3
        made = self._aligned.take(index, mode="clip")
        index += 1
        following = self._aligned.take(index, mode="clip")
        places = ((at & 7) << 3).view(np.uint64)
        made >>= places
        np.subtract(_shift(64), places, places)
        # A shift by all 64 places gives 0 in NumPy.
        following <<= places
        made |= following
        return made


def _in_batches(texts: Sequence[bytes], hashes: Callable[[_Strings, np.ndarray, np.ndarray], np.ndarray]) -> np.ndarray:
    """What `hashes` makes of the strings from their starts and sizes."""
    strings = _Strings(texts)
    out = np.empty(len(texts), np.uint64)
    for start in range(0, len(texts), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        out[part] = hashes(strings, strings.starts[part], strings.sizes[part])
    return out


def fingerprints(texts: Sequence[bytes]) -> np.ndarray:
    """`fingerprint64` of each string, uint64."""
    if len(texts) < _MIN_STRINGS:
        return _one_by_one(fingerprint64, texts)
    return _in_batches(texts, _fingerprints)


def _fingerprints(strings: _Strings, starts: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    least, most = int(sizes.min()), int(sizes.max())
    forms = [form for form in _FORMS if form[0] <= most and least <= form[1]]
    if len(forms) == 1 and forms[0][0] <= least and most <= forms[0][1]:
        return forms[0][2](strings, starts, sizes)
    out = np.full(len(sizes), _K2, np.uint64)
    for low, high, function in forms:
        chosen = np.flatnonzero((sizes >= low) & (sizes <= high))
        if len(chosen):
            out[chosen] = function(strings, starts[chosen], sizes[chosen])
    if most > _MAX_LENGTH:
        for i in np.flatnonzero(sizes > _MAX_LENGTH).tolist():
            out[i] = fingerprint64(strings.data[starts[i] : starts[i] + sizes[i]])
    return out


def _one_by_one(function: Callable[[bytes], int], texts: Sequence[bytes]) -> np.ndarray:
    return np.array([function(text) for text in texts], np.uint64)


def _mixed(values: np.ndarray) -> np.ndarray:
    return values ^ (values >> _shift(47))


def _joined(u: np.ndarray, v: np.ndarray, factor: np.ndarray) -> np.ndarray:
    a = _mixed((u ^ v) * factor)
    return _mixed((v ^ a) * factor) * factor


def _up_to_3(strings: _Strings, at: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    data = strings.bytes
    y = data[at].astype(np.uint64) + (data[at + (sizes >> 1)].astype(np.uint64) << _shift(8))
    z = sizes.astype(np.uint64) + (data[at + sizes - 1].astype(np.uint64) << _shift(2))
    return _mixed(y * _K2 ^ z * _K0) * _K2


def _factor(sizes: np.ndarray) -> np.ndarray:
    return _K2 + sizes.astype(np.uint64) * _shift(2)


def _up_to_7(strings: _Strings, at: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    first = (strings.words(at) & _HALF) << _shift(3)
    last = strings.words(at + (sizes - 4)) & _HALF
    return _joined(sizes.astype(np.uint64) + first, last, _factor(sizes))


def _up_to_16(strings: _Strings, at: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    factor = _factor(sizes)
    a = strings.words(at) + _K2
    b = strings.words(at + sizes - 8)
    return _joined(_rotated(b, 37) * factor + a, (_rotated(a, 25) + b) * factor, factor)


def _up_to_32(strings: _Strings, at: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    factor = _factor(sizes)
    a = strings.words(at) * _K1
    b = strings.words(at + 8)
    c = strings.words(at + sizes - 8) * factor
    d = strings.words(at + sizes - 16) * _K2
    first = _rotated(a + b, 43) + _rotated(c, 30) + d
    return _joined(first, a + _rotated(b + _K2, 18) + c, factor)


def _up_to_64(strings: _Strings, at: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    words, end = strings.words, at + sizes
    factor = _factor(sizes)
    a = words(at) * _K2
    b = words(at + 8)
    c = words(end - 8) * factor
    d = words(end - 16) * _K2
    y = _rotated(a + b, 43) + _rotated(c, 30) + d
    z = _joined(y, a + _rotated(b + _K2, 18) + c, factor)
    e = words(at + 16) * factor
    f = words(at + 24)
    g = (y + words(end - 32)) * factor
    h = (z + words(end - 24)) * factor
    first = _rotated(e + f, 43) + _rotated(g, 30) + h
    return _joined(first, e + _rotated(f + a, 18) + g, factor)


# The form of the fingerprint goes by the size.
_FORMS = ((1, 3, _up_to_3), (4, 7, _up_to_7), (8, 16, _up_to_16), (17, 32, _up_to_32), (33, _MAX_LENGTH, _up_to_64))


# The bytes of a word that belong to a string's last `i` bytes.
_TAIL_MASKS = np.array([(1 << 8 * i) - 1 for i in range(8)], np.uint64)


def _tails(strings: _Strings, at: np.ndarray, left: np.ndarray) -> np.ndarray:
    """The last `left` bytes (fewer than eight) of strings as words."""
    return strings.words(at) & _TAIL_MASKS.take(left, mode="clip")


def old_hashes(texts: Sequence[bytes]) -> np.ndarray:
    """`hash64` of each string, uint64."""
    if len(texts) < _MIN_STRINGS:
        return _one_by_one(hash64, texts)
    return _in_batches(texts, _old_hashes)


def _old_hashes(strings: _Strings, starts: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    out = _MURMUR_SEED ^ (sizes.astype(np.uint64) * _MURMUR)
    blocks = sizes >> 3
    active = np.flatnonzero(blocks > 0)
    block = 0
    while len(active):
        k = strings.words(starts[active] + 8 * block) * _MURMUR
        k = (k ^ (k >> _shift(47))) * _MURMUR
        out[active] = (out[active] ^ k) * _MURMUR
        block += 1
        active = active[blocks[active] > block]
    left = sizes & 7
    some = np.flatnonzero(left)
    out[some] = (out[some] ^ _tails(strings, starts[some] + 8 * blocks[some], left[some])) * _MURMUR
    out = (out ^ (out >> _shift(47))) * _MURMUR
    return out ^ (out >> _shift(47))


def keyed_hashes(texts: Sequence[bytes], key: tuple[int, int]) -> np.ndarray:
    """`siphash24` of each string under a key, uint64."""
    if len(texts) < _MIN_STRINGS:
        return _one_by_one(lambda text: siphash24(text, key), texts)
    return _in_batches(texts, functools.partial(_keyed_hashes, key))


# What SipHash's state is before the key goes in.
_INITIAL = (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)


def _keyed_hashes(key: tuple[int, int], strings: _Strings, starts: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    order, counts = _longest_first(sizes >> 3)
    starts, sizes = starts.take(order, mode="clip"), sizes.take(order, mode="clip")
    left = sizes & 7
    # The word that ends each string: what is left behind its whole words, and its size.
    ends = _tails(strings, starts + (sizes - left), left)
    ends |= sizes.view(np.uint64) << _shift(56)
    state: list[np.ndarray] = []
    for block in range(len(counts)):
        having, going_on = counts[block], counts[block + 1] if block + 1 < len(counts) else 0
        words = ends[:having].copy()
        words[:going_on] = strings.words(starts[:going_on] + 8 * block)
        if not state:
            state = _first_round(key, words)
            _round(state)
            state[0] ^= words
        else:
            part = [values[:having] for values in state]
            part[3] ^= words
            _round(part)
            _round(part)
            part[0] ^= words
    state[2] ^= _shift(0xFF)
    for _ in range(3):
        _round(state)
    out = np.empty(len(order), np.uint64)
    out[order] = _last_round(state)
    return out


# Up to as many different sizes, asking for each is faster than sorting.
_FEW_GROUPS = 8


def _longest_first(blocks: np.ndarray) -> tuple[np.ndarray, list[int]]:
    """An order of the strings by their whole words, most first, and how many have at least 0, 1, 2, ... of them."""
    most = int(blocks.max())
    if most > _FEW_GROUPS:
        order = np.argsort(-blocks, kind="stable")
        return order, np.searchsorted(-blocks[order], -np.arange(most + 1), side="right").tolist()
    groups = [np.flatnonzero(blocks == count) for count in range(most, -1, -1)]
    return np.concatenate(groups), list(itertools.accumulate(map(len, groups)))[::-1]


def _first_round(key: tuple[int, int], words: np.ndarray) -> list[np.ndarray]:
    """The state after the first of the two rounds of the first words: two of its four parts are numbers until then."""
    whole = 2**64 - 1
    k0, k1 = (part & whole for part in key)
    a, b, c, d = (part ^ start for part, start in zip((k0, k1, k0, k1), _INITIAL, strict=True))
    a = (a + b) & whole
    b = _rotated_number(b, 13) ^ a
    a = _rotated_number(a, 32)
    changing = words ^ np.uint64(d)
    first, second, third = (np.empty_like(words) for _ in range(3))
    np.add(changing, np.uint64(c), third)
    _rotate(changing, 48, first)
    changing ^= third
    np.add(changing, np.uint64(a), first)
    _rotate(changing, 43, second)
    changing ^= first
    third += np.uint64(b)
    np.bitwise_xor(third, np.uint64(_rotated_number(b, 17)), second)
    return [first, second, _rotate(third, 32, np.empty_like(words)), changing]


def _rotated_number(value: int, places: int) -> int:
    """To the left."""
    return (value << places | value >> (64 - places)) & (2**64 - 1)


_ROTATIONS = {places: (_shift(places), _shift(64 - places)) for places in (32, 43, 47, 48, 51)}


def _rotate(values: np.ndarray, places: int, scratch: np.ndarray) -> np.ndarray:
    """Rotates `values` to the right, in place; `scratch` is written over."""
    right, left = _ROTATIONS[places]
    np.right_shift(values, right, scratch)
    np.left_shift(values, left, values)
    return np.bitwise_or(values, scratch, values)


def _round(state: list[np.ndarray]) -> None:
    """Changes the four arrays of `state`."""
    a, b, c, d = state
    scratch = np.empty_like(a)
    a += b
    _rotate(b, 51, scratch)
    b ^= a
    _rotate(a, 32, scratch)
    c += d
    _rotate(d, 48, scratch)
    d ^= c
    a += d
    _rotate(d, 43, scratch)
    d ^= a
    c += b
    _rotate(b, 47, scratch)
    b ^= c
    _rotate(c, 32, scratch)


def _last_round(state: list[np.ndarray]) -> np.ndarray:
    """The parts of the state after a round, joined by exclusive or: what cancels out is not computed."""
    a, b, c, d = state
    scratch = np.empty_like(a)
    a += b
    _rotate(b, 51, scratch)
    b ^= a
    c += d
    _rotate(d, 48, scratch)
    d ^= c
    _rotate(d, 43, scratch)
    c += b
    _rotate(b, 47, scratch)
    d ^= b
    d ^= c
    d ^= _rotate(c, 32, scratch)
    return d

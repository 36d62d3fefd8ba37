"""Hashes of byte strings that give TensorFlow's numbers, so that buckets mean the same.

- `fingerprint64`: FarmHash, the function Hash64 of namespace farmhashna (G. Pike, github.com/google/farmhash).
- `hash64`: MurmurHash64A (A. Appleby, public domain) under TensorFlow's seed.
- `siphash24`: J.-P. Aumasson, D. Bernstein, "SipHash: a fast short-input PRF", INDOCRYPT 2012.
"""

from __future__ import annotations

import struct

_MASK = 2**64 - 1
_K0 = 0xC3A5C85C97CB3127
_K1 = 0xB492B66FBE98F273
_K2 = 0x9AE16A3B2F90404F

_word = struct.Struct("<Q").unpack_from
_half_word = struct.Struct("<I").unpack_from


def _rotate(value: int, shift: int) -> int:
    """To the right."""
    return (value >> shift | value << 64 - shift) & _MASK


def _mixed(value: int) -> int:
    return value ^ value >> 47


def _joined(u: int, v: int, factor: int) -> int:
    a = _mixed((u ^ v) * factor & _MASK)
    b = _mixed((v ^ a) * factor & _MASK)
    return b * factor & _MASK


def fingerprint64(text: bytes) -> int:
    """FarmHash's 64-bit fingerprint, an unsigned number.

    Example:
        >>> fingerprint64(b"a") % 10
        9
    """
    size = len(text)
    if size <= 16:
        return _up_to_16(text, size)
    if size <= 32:
        return _up_to_32(text, size)
    if size <= 64:
        return _up_to_64(text, size)
    return _long(text, size)


def _up_to_16(text: bytes, size: int) -> int:
    if size >= 8:
        factor = _K2 + size * 2
        a = _word(text)[0] + _K2 & _MASK
        b = _word(text, size - 8)[0]
        c = _rotate(b, 37) * factor + a & _MASK
        d = (_rotate(a, 25) + b) * factor & _MASK
        return _joined(c, d, factor)
    if size >= 4:
        return _joined(size + (_half_word(text)[0] << 3), _half_word(text, size - 4)[0], _K2 + size * 2)
    if size:
        y = text[0] + (text[size >> 1] << 8)
        z = size + (text[-1] << 2)
        return _mixed((y * _K2 ^ z * _K0) & _MASK) * _K2 & _MASK
    return _K2


def _up_to_32(text: bytes, size: int) -> int:
    factor = _K2 + size * 2
    a = _word(text)[0] * _K1 & _MASK
    b = _word(text, 8)[0]
    c = _word(text, size - 8)[0] * factor & _MASK
    d = _word(text, size - 16)[0] * _K2 & _MASK
    first = _rotate(a + b & _MASK, 43) + _rotate(c, 30) + d & _MASK
    second = a + _rotate(b + _K2 & _MASK, 18) + c & _MASK
    return _joined(first, second, factor)


def _up_to_64(text: bytes, size: int) -> int:
    factor = _K2 + size * 2
    a = _word(text)[0] * _K2 & _MASK
    b = _word(text, 8)[0]
    c = _word(text, size - 8)[0] * factor & _MASK
    d = _word(text, size - 16)[0] * _K2 & _MASK
    y = _rotate(a + b & _MASK, 43) + _rotate(c, 30) + d & _MASK
    z = _joined(y, a + _rotate(b + _K2 & _MASK, 18) + c & _MASK, factor)
    e = _word(text, 16)[0] * factor & _MASK
    f = _word(text, 24)[0]
    g = (y + _word(text, size - 32)[0]) * factor & _MASK
    h = (z + _word(text, size - 24)[0]) * factor & _MASK
    first = _rotate(e + f & _MASK, 43) + _rotate(g, 30) + h & _MASK
    second = e + _rotate(f + a & _MASK, 18) + g & _MASK
    return _joined(first, second, factor)


def _weak(text: bytes, at: int, a: int, b: int) -> tuple[int, int]:
    """Two numbers out of 32 bytes and two seeds."""
    w, x, y, z = struct.unpack_from("<4Q", text, at)
    a += w
    b = _rotate(b + a + z & _MASK, 21)
    c = a
    a = a + x + y & _MASK
    b += _rotate(a, 44)
    return a + z & _MASK, b + c & _MASK


def _long(text: bytes, size: int) -> int:
    x = 81
    y = 81 * _K1 + 113 & _MASK
    z = _mixed(y * _K2 + 113 & _MASK) * _K2 & _MASK
    v, w = (0, 0), (0, 0)
    x = x * _K2 + _word(text)[0] & _MASK
    factor = _K1
    # All whole blocks but the last, which counts as the end even where it is whole.
    for at in range(0, (size - 1) // 64 * 64, 64):
        x = _rotate(x + y + v[0] + _word(text, at + 8)[0] & _MASK, 37) * factor & _MASK
        y = _rotate(y + v[1] + _word(text, at + 48)[0] & _MASK, 42) * factor & _MASK
        x ^= w[1]
        y = y + v[0] + _word(text, at + 40)[0] & _MASK
        z = _rotate(z + w[0] & _MASK, 33) * factor & _MASK
        v = _weak(text, at, v[1] * factor & _MASK, x + w[0] & _MASK)
        w = _weak(text, at + 32, z + w[1] & _MASK, y + _word(text, at + 16)[0] & _MASK)
        z, x = x, z
    # The last 64 bytes, which may overlap the block before, with other factors.
    at = size - 64
    factor = _K1 + ((z & 0xFF) << 1) & _MASK
    w = w[0] + (size - 1 & 63) & _MASK, w[1]
    v = v[0] + w[0] & _MASK, v[1]
    w = w[0] + v[0] & _MASK, w[1]
    x = _rotate(x + y + v[0] + _word(text, at + 8)[0] & _MASK, 37) * factor & _MASK
    y = _rotate(y + v[1] + _word(text, at + 48)[0] & _MASK, 42) * factor & _MASK
    x ^= w[1] * 9 & _MASK
    y = y + v[0] * 9 + _word(text, at + 40)[0] & _MASK
    z = _rotate(z + w[0] & _MASK, 33) * factor & _MASK
    v = _weak(text, at, v[1] * factor & _MASK, x + w[0] & _MASK)
    w = _weak(text, at + 32, z + w[1] & _MASK, y + _word(text, at + 16)[0] & _MASK)
    z, x = x, z
    first = _joined(v[0], w[0], factor) + _mixed(y) * _K0 + z & _MASK
    second = _joined(v[1], w[1], factor) + x & _MASK
    return _joined(first, second, factor)


def hash64(text: bytes) -> int:
    """MurmurHash64A with the seed TensorFlow gives it, an unsigned number."""
    factor = 0xC6A4A7935BD1E995
    size = len(text)
    result = 0xDECAFCAFFE ^ size * factor & _MASK
    whole = size - size % 8
    for (word,) in struct.iter_unpack("<Q", text[:whole]):
        word = _mixed(word * factor & _MASK) * factor & _MASK
        result = (result ^ word) * factor & _MASK
    if size > whole:
        result = (result ^ int.from_bytes(text[whole:], "little")) * factor & _MASK
    return _mixed(_mixed(result) * factor & _MASK)


def siphash24(text: bytes, key: tuple[int, int]) -> int:
    """SipHash with two rounds a word and four at the end, an unsigned number.

    Args:
        text: what to hash.
        key: two 64-bit numbers.
    """
    k0, k1 = (part & _MASK for part in key)
    state = (k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D, k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573)
    whole = len(text) - len(text) % 8
    words = [word for (word,) in struct.iter_unpack("<Q", text[:whole])]
    words.append(int.from_bytes(text[whole:], "little") | (len(text) & 0xFF) << 56)
    a, b, c, d = state
    for word in words:
        a, b, c, d = _sip_round(*_sip_round(a, b, c, d ^ word))
        a ^= word
    c ^= 0xFF
    for _ in range(4):
        a, b, c, d = _sip_round(a, b, c, d)
    return a ^ b ^ c ^ d


def _sip_round(a: int, b: int, c: int, d: int) -> tuple[int, int, int, int]:
    a = a + b & _MASK
    c = c + d & _MASK
    b = _rotate(b, 51) ^ a
    d = _rotate(d, 48) ^ c
    a = _rotate(a, 32)
    c = c + b & _MASK
    a = a + d & _MASK
    b = _rotate(b, 47) ^ c
    d = _rotate(d, 43) ^ a
    return a, b, _rotate(c, 32), d

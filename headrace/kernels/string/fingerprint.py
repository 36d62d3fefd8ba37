"""Hashes of byte strings that give TensorFlow's numbers, so that buckets mean the same.

- `fingerprint64`: FarmHash, the function Hash64 of namespace farmhashna (G. Pike, github.com/google/farmhash).
- `hash64`: MurmurHash64A (A. Appleby, public domain) under TensorFlow's seed.
- `siphash24`: J.-P. Aumasson, D. Bernstein, "SipHash: a fast short-input PRF", INDOCRYPT 2012.
"""

from __future__ import annotations

import struct

MASK = 2**64 - 1
K0 = 0xC3A5C85C97CB3127
K1 = 0xB492B66FBE98F273
_K2 = 0x9AE16A3B2F90404F

word = struct.Struct("<Q").unpack_from
_half_word = struct.Struct("<I").unpack_from


def rotate(value: int, shift: int) -> int:
    """To the right."""
    return (value >> shift | value << 64 - shift) & MASK


def mixed(value: int) -> int:
    return value ^ value >> 47


def joined(u: int, v: int, factor: int) -> int:
    a = mixed((u ^ v) * factor & MASK)
    b = mixed((v ^ a) * factor & MASK)
    return b * factor & MASK


def fingerprint64(text: bytes) -> int:
    """FarmHash's 64-bit fingerprint, an unsigned number.

    Example:
        >>> fingerprint64(b"a") % 10
        9
    """
    size = len(text)
    if size <= 16:
        return up_to_16(text, size)
    if size <= 32:
        return _up_to_32(text, size)
    if size <= 64:
        return _up_to_64(text, size)
    return _long(text, size)


def up_to_16(text: bytes, size: int) -> int:
    if size >= 8:
        factor = _K2 + size * 2
        a = word(text)[0] + _K2 & MASK
        b = word(text, size - 8)[0]
        c = rotate(b, 37) * factor + a & MASK
        d = (rotate(a, 25) + b) * factor & MASK
        return joined(c, d, factor)
    if size >= 4:
        return joined(size + (_half_word(text)[0] << 3), _half_word(text, size - 4)[0], _K2 + size * 2)
    if size:
        y = text[0] + (text[size >> 1] << 8)
        z = size + (text[-1] << 2)
        return mixed((y * _K2 ^ z * K0) & MASK) * _K2 & MASK
    return _K2


def _up_to_32(text: bytes, size: int) -> int:
    factor = _K2 + size * 2
    a = word(text)[0] * K1 & MASK
    b = word(text, 8)[0]
    c = word(text, size - 8)[0] * factor & MASK
    d = word(text, size - 16)[0] * _K2 & MASK
    first = rotate(a + b & MASK, 43) + rotate(c, 30) + d & MASK
    second = a + rotate(b + _K2 & MASK, 18) + c & MASK
    return joined(first, second, factor)


def _up_to_64(text: bytes, size: int) -> int:
    factor = _K2 + size * 2
    a = word(text)[0] * _K2 & MASK
    b = word(text, 8)[0]
    c = word(text, size - 8)[0] * factor & MASK
    d = word(text, size - 16)[0] * _K2 & MASK
    y = rotate(a + b & MASK, 43) + rotate(c, 30) + d & MASK
    z = joined(y, a + rotate(b + _K2 & MASK, 18) + c & MASK, factor)
    e = word(text, 16)[0] * factor & MASK
    f = word(text, 24)[0]
    g = (y + word(text, size - 32)[0]) * factor & MASK
    h = (z + word(text, size - 24)[0]) * factor & MASK
    first = rotate(e + f & MASK, 43) + rotate(g, 30) + h & MASK
    second = e + rotate(f + a & MASK, 18) + g & MASK
    return joined(first, second, factor)


def weak(text: bytes, at: int, a: int, b: int) -> tuple[int, int]:
    """Two numbers out of 32 bytes and two seeds."""
    w, x, y, z = struct.unpack_from("<4Q", text, at)
    a += w
    b = rotate(b + a + z & MASK, 21)
    c = a
    a = a + x + y & MASK
    b += rotate(a, 44)
    return a + z & MASK, b + c & MASK


def _long(text: bytes, size: int) -> int:
    x = 81
    y = 81 * K1 + 113 & MASK
    z = mixed(y * _K2 + 113 & MASK) * _K2 & MASK
    v, w = (0, 0), (0, 0)
    x = x * _K2 + word(text)[0] & MASK
    factor = K1
    # All whole blocks but the last, which counts as the end even where it is whole.
    for at in range(0, (size - 1) // 64 * 64, 64):
        x = rotate(x + y + v[0] + word(text, at + 8)[0] & MASK, 37) * factor & MASK
        y = rotate(y + v[1] + word(text, at + 48)[0] & MASK, 42) * factor & MASK
        x ^= w[1]
        y = y + v[0] + word(text, at + 40)[0] & MASK
        z = rotate(z + w[0] & MASK, 33) * factor & MASK
        v = weak(text, at, v[1] * factor & MASK, x + w[0] & MASK)
        w = weak(text, at + 32, z + w[1] & MASK, y + word(text, at + 16)[0] & MASK)
        z, x = x, z
    # The last 64 bytes, which may overlap the block before, with other factors.
    at = size - 64
    factor = K1 + ((z & 0xFF) << 1) & MASK
    w = w[0] + (size - 1 & 63) & MASK, w[1]
    v = v[0] + w[0] & MASK, v[1]
    w = w[0] + v[0] & MASK, w[1]
    x = rotate(x + y + v[0] + word(text, at + 8)[0] & MASK, 37) * factor & MASK
    y = rotate(y + v[1] + word(text, at + 48)[0] & MASK, 42) * factor & MASK
    x ^= w[1] * 9 & MASK
    y = y + v[0] * 9 + word(text, at + 40)[0] & MASK
    z = rotate(z + w[0] & MASK, 33) * factor & MASK
    v = weak(text, at, v[1] * factor & MASK, x + w[0] & MASK)
    w = weak(text, at + 32, z + w[1] & MASK, y + word(text, at + 16)[0] & MASK)
    z, x = x, z
    first = joined(v[0], w[0], factor) + mixed(y) * K0 + z & MASK
    second = joined(v[1], w[1], factor) + x & MASK
    return joined(first, second, factor)


def hash64(text: bytes) -> int:
    """MurmurHash64A with the seed TensorFlow gives it, an unsigned number."""
    factor = 0xC6A4A7935BD1E995
    size = len(text)
    result = 0xDECAFCAFFE ^ size * factor & MASK
    whole = size - size % 8
    for (word,) in struct.iter_unpack("<Q", text[:whole]):
        word = mixed(word * factor & MASK) * factor & MASK
        result = (result ^ word) * factor & MASK
    if size > whole:
        result = (result ^ int.from_bytes(text[whole:], "little")) * factor & MASK
    return mixed(mixed(result) * factor & MASK)


def siphash24(text: bytes, key: tuple[int, int]) -> int:
    """SipHash with two rounds a word and four at the end, an unsigned number.

    Args:
        text: what to hash.
        key: two 64-bit numbers.
    """
    k0, k1 = (part & MASK for part in key)
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
    a = a + b & MASK
    c = c + d & MASK
    b = rotate(b, 51) ^ a
    d = rotate(d, 48) ^ c
    a = rotate(a, 32)
    c = c + b & MASK
    a = a + d & MASK
    b = rotate(b, 47) ^ c
    d = rotate(d, 43) ^ a
    return a, b, rotate(c, 32), d

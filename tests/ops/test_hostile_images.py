"""Images whose headers claim more than their files hold, and files that hold more than their headers claim."""

from __future__ import annotations

import io
import struct
import tracemalloc
import zlib

import numpy as np
import pytest

import headrace as tf

Image = pytest.importorskip("PIL.Image")


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, depth, kind, stream, end=(0, 0, 0)):
    header = struct.pack(">IIBBBBB", width, height, depth, kind, *end)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", stream) + chunk(b"IEND", b"")


def gif(width, height, first, frames):
    """A picture that fills the canvas, and more of a pixel each, all black."""
    pixel = b"\x2c" + struct.pack("<HHHHB", 0, 0, 1, 1, 0) + b"\x02\x02\x44\x01\x00"
    head = b"GIF89a" + struct.pack("<HHBBB", width, height, 0x80, 0, 0) + b"\0\0\0\xff\xff\xff"
    return head + b"\x2c" + struct.pack("<HHHHB", 0, 0, width, height, 0) + first + pixel * frames + b"\x3b"


def decoded(data, decode=tf.image.decode_png, **how):
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(decode(data, **how))


NOTHING = zlib.compress(b"")


# As TensorFlow 1.15.5 says.
@pytest.mark.parametrize(
    ("data", "message"),
    [
        (png(2**31 - 1, 2**31 - 1, 16, 2, NOTHING), "Invalid PNG header"),
        (png(1_000_001, 1, 8, 0, NOTHING), "Invalid PNG header"),
        (png(0, 5, 8, 0, NOTHING), "Invalid PNG header"),
        (png(5, 0, 16, 6, NOTHING), "Invalid PNG header"),
        (png(1, 1, 77, 2, NOTHING), "Invalid PNG header"),
        (png(1, 1, 16, 5, NOTHING), "Invalid PNG header"),
        (png(1, 1, 16, 3, NOTHING), "Invalid PNG header"),
        (png(1, 1, 8, 0, NOTHING, (0, 0, 2)), "Invalid PNG header"),
        (png(30000, 20000, 16, 2, NOTHING), "PNG size too large for int: 30000 by 20000"),
        (png(30000, 20000, 8, 2, NOTHING), "PNG size too large for int: 30000 by 20000"),
        (png(20000, 20000, 8, 0, NOTHING), "Invalid PNG data"),
        (png(20000, 20000, 16, 2, NOTHING), "Invalid PNG data"),
        (png(4, 4, 16, 2, zlib.compress(b"\0" * 20)), "Invalid PNG data"),
        (png(1, 1, 16, 2, zlib.compress(b"\0" * 7)[:-4]), "Invalid PNG data"),
        (png(1, 1, 16, 2, zlib.compress(b"\0" * 7)[:-1] + b"x"), "Invalid PNG data"),
    ],
)
def test_headers_of_png_files(data, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        decoded(data)


@pytest.mark.parametrize("more", [zlib.compress(b"\0" * 20), zlib.compress(b"\0" * 7) + b"junk"])
def test_what_follows_the_pixels_is_left_out(more):
    assert decoded(png(1, 1, 16, 2, more)).tolist() == [[[0, 0, 0]]]


def test_no_more_is_inflated_than_the_pixels_need():
    bomb = zlib.compress(b"\0" * (1 << 26))
    tracemalloc.start()
    try:
        assert decoded(png(1, 1, 16, 2, bomb)).shape == (1, 1, 3)
        assert tracemalloc.get_traced_memory()[1] < 1 << 25
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("interlaced", [0, 1])
@pytest.mark.parametrize("size", [(1, 1), (3, 5), (9, 8)])
def test_pixels_of_sixteen_bits_come_whole(interlaced, size):
    width, height = size
    pixels = np.random.default_rng(0).integers(0, 1 << 16, (height, width, 3)).astype(">u2")
    passes = [(0, 0, 1, 1)]
    if interlaced:
        # The seven passes of Adam7, as the standard has them.
        passes = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
    parts = [pixels[y::dy, x::dx] for x, y, dx, dy in passes]
    rows = b"".join(b"\0" + row.tobytes() for part in parts if part.size for row in part)
    found = decoded(png(width, height, 16, 2, zlib.compress(rows), (0, 0, interlaced)), dtype=tf.uint16)
    np.testing.assert_array_equal(found, pixels.astype(np.uint16))


def test_a_png_file_larger_than_pillows_limit():
    side = 13500
    assert side * side > 2 * (Image.MAX_IMAGE_PIXELS or 0)
    rows = zlib.compress(b"\0" * ((side + 7) // 8 + 1) * side)
    assert decoded(png(side, side, 1, 0, rows)).shape == (side, side, 1)


@pytest.mark.parametrize("size", [(3000, 3000), (65535, 65535)])
def test_a_gif_file_whose_first_frame_is_cut_short(size):
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid GIF data"):
        decoded(gif(*size, b"\x02\x02\x44\x01\x00", 400), tf.image.decode_gif)


def test_an_animation_is_refused_before_its_frames_take_memory():
    file = io.BytesIO()
    Image.new("L", (1500, 1500)).save(file, "GIF")
    still = file.getvalue()
    end = still.rindex(b"\x2c" + struct.pack("<HHHH", 0, 0, 1500, 1500))
    pixel = b"\x2c" + struct.pack("<HHHHB", 0, 0, 1, 1, 0) + b"\x08\x03\x00\x03\x04\x00"
    data = still[:-1] + pixel * 40 + b"\x3b"
    assert end > 0
    tracemalloc.start()
    try:
        with pytest.raises(tf.errors.InvalidArgumentError, match="Got 41 frames"):
            decoded(data)
        assert tracemalloc.get_traced_memory()[1] < 1 << 26
    finally:
        tracemalloc.stop()
    assert decoded(still, tf.image.decode_gif).shape == (1, 1500, 1500, 3)


@pytest.mark.parametrize("recover", [False, True])
@pytest.mark.parametrize("size", [(14000, 14000), (30000, 20000), (65500, 65500)])
def test_a_jpeg_file_that_claims_more_than_tensorflow_takes(size, recover):
    with tf.Graph().as_default(), tf.Session() as session:
        small = session.run(tf.image.encode_jpeg(np.zeros((16, 16, 3), np.uint8)))
    at = small.index(b"\xff\xc0")
    data = small[: at + 5] + struct.pack(">HH", *size) + small[at + 9 :]
    tracemalloc.start()
    try:
        with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid JPEG data"):
            decoded(data, tf.image.decode_jpeg, try_recover_truncated=recover)
        assert tracemalloc.get_traced_memory()[1] < 1 << 25
    finally:
        tracemalloc.stop()


def test_texts_and_profiles_of_png_files_are_passed_over():
    whole = png(2, 1, 8, 2, zlib.compress(b"\0" + bytes(range(6))))
    bomb = zlib.compress(b"\0" * (1 << 26))
    end = whole.index(b"IDAT") - 4
    with_texts = whole[:end] + chunk(b"zTXt", b"a\0\0" + bomb) + chunk(b"iCCP", b"a\0\0" + bomb) + whole[end:]
    tracemalloc.start()
    try:
        assert decoded(with_texts).tolist() == [[[0, 1, 2], [3, 4, 5]]]
        assert tracemalloc.get_traced_memory()[1] < 1 << 23
    finally:
        tracemalloc.stop()


def test_many_rows_of_png_files_are_all_there():
    rows = np.arange(600 * 5 * 3, dtype=np.uint32).astype(np.uint8).reshape(600, 15)
    stream = zlib.compress(np.insert(rows, 0, 0, axis=1).tobytes())
    assert (decoded(png(5, 600, 8, 2, stream)).reshape(600, 15) == rows).all()
    wide = decoded(png(5, 600, 8, 2, stream), dtype=tf.uint16).reshape(600, 15)
    assert (wide == rows.astype(np.uint16) * 257).all()


def test_a_jpeg_file_that_is_too_short_for_its_blocks_takes_no_memory():
    file = io.BytesIO()
    Image.new("RGB", (4000, 4000)).save(file, "JPEG")
    tracemalloc.start()
    try:
        with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid JPEG data"):
            decoded(file.getvalue()[:2000], tf.image.decode_jpeg)
        assert tracemalloc.get_traced_memory()[1] < 1 << 22
    finally:
        tracemalloc.stop()
    assert decoded(file.getvalue()[:2000], tf.image.decode_jpeg, try_recover_truncated=True).shape == (4000, 4000, 3)


@pytest.mark.parametrize("mode", ["L", "RGB"])
@pytest.mark.parametrize("sampling", [0, 1, 2])
@pytest.mark.parametrize("size", [(8, 8), (4096, 3), (1000, 999)])
def test_the_smallest_jpeg_files_are_taken(mode, sampling, size):
    file = io.BytesIO()
    Image.new(mode, size).save(file, "JPEG", optimize=True, subsampling=sampling, quality=1)
    assert decoded(file.getvalue(), tf.image.decode_jpeg).shape[:2] == size[::-1]


# ---- large files, which are decoded in strips ----


def picture(mode):
    noise = np.random.RandomState(3).randint(0, 256, (23, 17, 4)).astype(np.uint8)
    smooth = np.add.outer(np.arange(23), 2 * np.arange(17)).astype(np.uint8)[..., None] + noise // 64
    if mode == "P":
        return Image.fromarray(smooth[..., 0], "L").convert("P")
    return Image.fromarray(np.ascontiguousarray(smooth[..., : len(mode)]), mode)


def written(mode, **how):
    file = io.BytesIO()
    picture(mode).save(file, "PNG", **how)
    return file.getvalue()


STRIPPED = [
    written("RGB"),
    written("RGB", transparency=(3, 4, 5)),
    written("RGBA"),
    written("LA"),
    written("P"),
    written("P", transparency=7),
]


@pytest.fixture
def _small_strips(monkeypatch):
    monkeypatch.setattr("headrace.kernels.image.decode_png._LARGE", 10)
    monkeypatch.setattr("headrace.kernels.image.decode_png._MOST_AT_ONCE", 200)
    monkeypatch.setattr("headrace.kernels.image.decode_png._PIECE", 7)


@pytest.mark.parametrize("data", STRIPPED)
@pytest.mark.parametrize("channels", [0, 3, 4])
@pytest.mark.usefixtures("_small_strips")
def test_strips_make_the_picture(data, channels):
    with Image.open(io.BytesIO(data)) as image:
        wide = np.asarray(image.convert("RGBA"))
    found = decoded(data, channels=channels)
    if found.shape[2] == 2:
        np.testing.assert_array_equal(found, wide[..., 2:])
    elif channels == 3 or found.shape[2] == 3:
        np.testing.assert_array_equal(found, wide[..., :3])
    else:
        np.testing.assert_array_equal(found, wide)


@pytest.mark.parametrize("data", STRIPPED[::2])
@pytest.mark.usefixtures("_small_strips")
def test_strips_of_damaged_files(data):
    at = data.index(b"IDAT")
    (size,) = struct.unpack(">I", data[at - 4 : at])
    body = data[at + 4 : at + 4 + size]
    plain = zlib.decompress(body)

    def with_body(body):
        return data[: at - 4] + chunk(b"IDAT", body) + chunk(b"IEND", b"")

    assert decoded(with_body(zlib.compress(plain))).shape[:2] == (23, 17)
    for damaged in (
        with_body(zlib.compress(plain[:-1])),
        with_body(body[:-4]),
        with_body(body[:20] + b"\xff\xff" + body[22:]),
        data[: at + 4 + size] + b"\0\0\0\0" + chunk(b"IEND", b""),
        data[: at + 40],
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid PNG data"):
            decoded(damaged)

"""How large the frames of GIF files are, whatever size the files claim."""

import struct

import tensorflow as tf

results = {}


def picture(width, height, frames):
    """A file whose frames, each (left, top, width, height), have pixels of two colours in turn."""
    made = b"GIF89a" + struct.pack("<HHBBB", width, height, 0x80, 0, 0) + b"\1\2\3\xff\xfe\xfd"
    for left, top, wide, high in frames:
        codes = []
        for i in range(wide * high):
            # The code that clears the table before each pair: codes stay three bits wide.
            codes += [4, 0] if i % 2 == 0 else [1]
        bits = "".join(format(code, "03b")[::-1] for code in codes + [5])
        bits += "0" * (-len(bits) % 8)
        data = bytes(int(bits[i : i + 8][::-1], 2) for i in range(0, len(bits), 8))
        made += b"\x2c" + struct.pack("<HHHHB", left, top, wide, high, 0)
        made += b"\x02" + struct.pack("B", len(data)) + data + b"\0"
    return made + b";"


FILES = {
    "smaller": (5, 4, [(0, 0, 3, 2)]),
    "larger": (2, 2, [(0, 0, 3, 3)]),
    "huge": (65535, 65535, [(0, 0, 3, 2), (0, 0, 2, 2)]),
    "none": (0, 0, [(0, 0, 2, 2)]),
    "wider later": (5, 4, [(0, 0, 3, 2), (0, 0, 4, 2)]),
    "higher later": (5, 4, [(0, 0, 3, 2), (0, 0, 2, 3)]),
    "inside": (5, 4, [(0, 0, 3, 2), (1, 1, 2, 1)]),
    "across the edge": (5, 4, [(0, 0, 3, 2), (2, 1, 3, 2)]),
    "outside": (5, 4, [(0, 0, 3, 3), (4, 3, 2, 2)]),
    "moved": (5, 4, [(1, 1, 3, 2)]),
}
for name in sorted(FILES):
    with tf.Graph().as_default(), tf.Session() as sess:
        try:
            results[name] = sess.run(tf.image.decode_gif(picture(*FILES[name])))
        except tf.errors.InvalidArgumentError as error:
            results[name] = str(error).split("\n")[0]

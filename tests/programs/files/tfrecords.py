"""TFRecord files: what is written, what is read, and what is said of damaged files."""

import os
import shutil
import tempfile

import tensorflow as tf

results = {}
io = tf.python_io
folder = tempfile.mkdtemp()


def path(name):
    return os.path.join(folder, name)


def attempt(function):
    try:
        return function()
    except Exception as error:
        return [type(error).__name__, str(error).replace(folder, "FOLDER").split(" (file:")[0].split(":")[0]]


def contents(name):
    with open(path(name), "rb") as file:
        return file.read()


def put(name, data):
    with open(path(name), "wb") as file:
        file.write(data)


def read(name, options=None):
    records = []
    try:
        for record in io.tf_record_iterator(path(name), options):
            records.append(record.decode("latin-1"))
    except tf.errors.OpError as error:
        records.append([type(error).__name__, error.message.split(" (file:")[0].split(":")[0][:24]])
    return records


samples = [b"", b"a", b"first record", b"\x00\xff" * 40, b"last"]
with io.TFRecordWriter(path("plain")) as writer:
    for sample in samples:
        writer.write(sample)
    writer.flush()
plain = contents("plain")
results["bytes"] = plain.decode("latin-1")
results["read"] = read("plain")

example = tf.train.Example()
example.features.feature["label"].int64_list.value.append(7)
example.features.feature["pixels"].float_list.value.extend([0.5, 1.5])
example.features.feature["name"].bytes_list.value.append(b"seven")
with tf.io.TFRecordWriter(path("examples")) as writer:
    writer.write(example.SerializeToString())
back = tf.train.Example.FromString(next(tf.io.tf_record_iterator(path("examples"))))
results["example"] = [
    list(back.features.feature["label"].int64_list.value),
    list(back.features.feature["pixels"].float_list.value),
    back.features.feature["name"].bytes_list.value[0].decode(),
]

for kind in ("GZIP", "ZLIB"):
    for given in (kind, io.TFRecordOptions(kind), io.TFRecordOptions(getattr(io.TFRecordCompressionType, kind))):
        with io.TFRecordWriter(path("packed"), given) as writer:
            for sample in samples:
                writer.write(sample)
        results.setdefault(kind, []).append([read("packed", given), len(contents("packed")) < len(plain)])
    packed = contents("packed")
    put("cut", packed[: len(packed) // 2])
    results[kind + " cut"] = read("cut", kind)[-1]
    put("changed", packed[:-6] + bytes(bytearray([packed[-6] ^ 1])) + packed[-5:])
    results[kind + " changed"] = read("changed", kind)[-1]
    results[kind + " of plain"] = read("plain", kind)
    results[kind + " as plain"] = read("packed")

for length in range(0, len(plain), 7):
    put("cut", plain[:length])
    results["cut at {}".format(length)] = read("cut")
for place in range(0, len(plain), 5):
    damaged = bytearray(plain)
    damaged[place] ^= 4
    put("damaged", bytes(damaged))
    results["damaged at {}".format(place)] = read("damaged")

opened = io.TFRecordWriter(path("opened"))
closed = io.TFRecordWriter(path("closed"))
closed.close()
results["twice"] = closed.close()
results["refusals"] = [
    attempt(lambda: closed.write(b"x")),
    attempt(lambda: closed.flush()),
    attempt(lambda: opened.write("text")),
    attempt(lambda: opened.write(3)),
    attempt(lambda: io.TFRecordWriter(path("no/such/folder"))),
    attempt(lambda: io.TFRecordWriter(path("kind"), "LZMA")),
    attempt(lambda: io.TFRecordOptions(7)),
    attempt(lambda: list(io.tf_record_iterator(path("missing")))),
    attempt(lambda: list(io.tf_record_iterator(folder))),
    attempt(lambda: list(io.tf_record_iterator(path("plain"), "LZMA"))),
]
results["kinds"] = [
    io.TFRecordOptions.get_compression_type_string(kind)
    for kind in (None, "", "GZIP", 0, 1, 2, io.TFRecordOptions("ZLIB"), io.TFRecordOptions())
]
opened.close()
shutil.rmtree(folder)

"""Readers: keys, values, counts, states and errors; whole files."""

import os
import tempfile
import zlib

import tensorflow as tf

results = {}
folder = tempfile.mkdtemp()
body = b"HH" + bytes(range(65, 76)) + b"F"
for name, data in [
    ("a.txt", b"h1\r\nl1\n\nl3"),
    ("b.txt", b"h2"),
    ("empty.txt", b""),
    ("f.bin", body),
    ("z.bin", zlib.compress(body)),
]:
    with open(os.path.join(folder, name), "wb") as f:
        f.write(data)
with tf.python_io.TFRecordWriter(os.path.join(folder, "r.rec")) as writer:
    for record in (b"abc", b"", b"defghi"):
        writer.write(record)
with open(os.path.join(folder, "r.rec"), "rb") as f:
    whole = f.read()
with open(os.path.join(folder, "cut.rec"), "wb") as f:
    f.write(whole[:-3])


def short(value):
    return value.replace(folder.encode() + b"/", b"").decode("latin1")


def message(error):
    return error.message.split("\n")[0].replace(folder + "/", "").split(" (file:")[0].split(" '_")[0]


def negative():
    return tf.FixedLengthRecordReader(-3)


def drained(label, make, names, count=None):
    with tf.Graph().as_default(), tf.Session() as sess:
        queue = tf.FIFOQueue(9, tf.string, shapes=[()])
        reader = make()
        parts = reader.read(queue) if count is None else reader.read_up_to(queue, count)
        counts = [reader.num_records_produced(), reader.num_work_units_completed()]
        results[label + " names"] = [t.name for t in parts] + [str(t.shape) for t in parts] + [t.name for t in counts]
        results[label + " handle"] = [reader.reader_ref.name, reader.supports_serialize]
        rows = []
        try:
            sess.run(queue.enqueue_many([[os.path.join(folder, n) for n in names]]))
            sess.run(queue.close())
            while len(rows) < 20:
                row = sess.run(list(parts))
                rows.append([short(v) if count is None else [short(x) for x in v] for v in row])
        except tf.errors.OpError as error:
            rows.append([type(error).__name__, message(error)])
        results[label] = rows
        if make is not negative:
            results[label + " counts"] = sess.run(counts)


drained("lines", tf.TextLineReader, ["a.txt", "empty.txt", "b.txt"])
drained("headers", lambda: tf.TextLineReader(skip_header_lines=1), ["a.txt", "b.txt", "a.txt"])
drained("three lines", tf.TextLineReader, ["a.txt", "b.txt"], 3)
drained("missing", tf.TextLineReader, ["none.txt"])
drained("fixed", lambda: tf.FixedLengthRecordReader(3, header_bytes=2, footer_bytes=1), ["f.bin", "f.bin"])
drained("hops", lambda: tf.FixedLengthRecordReader(3, 2, 1, hop_bytes=2, name="hops"), ["f.bin"])
drained("wide hops", lambda: tf.FixedLengthRecordReader(3, 2, 1, hop_bytes=4), ["f.bin"], 2)
drained("zipped", lambda: tf.FixedLengthRecordReader(3, 2, 1, encoding="ZLIB"), ["z.bin"])
drained("negative", negative, ["f.bin"])
drained("files", tf.WholeFileReader, ["a.txt", "b.txt"])
drained("identity", tf.IdentityReader, ["x", "y"], 3)
drained("records", tf.TFRecordReader, ["r.rec"])
drained("two records", tf.TFRecordReader, ["r.rec", "r.rec"], 2)
drained("cut", tf.TFRecordReader, ["cut.rec"])


def states(make):
    with tf.Graph().as_default(), tf.Session() as sess:
        queue = tf.FIFOQueue(9, tf.string, shapes=[()])
        reader = make()
        key = reader.read(queue).key
        state, saved = reader.serialize_state(), tf.placeholder(tf.string, [])
        restore, reset, count = reader.restore_state(saved), reader.reset(), reader.num_records_produced()
        sess.run(queue.enqueue_many([[os.path.join(folder, n) for n in ("a.txt", "b.txt")]]))
        rows = [state.name, restore.name, reset.name, short(sess.run(key))]
        for step in (
            lambda: short(sess.run(state)[: -2 - len(folder) - 6]),
            lambda: sess.run(restore, {saved: sess.run(state)}),
            lambda: sess.run(restore, {saved: b"\x08\xff"}),
            lambda: sess.run(count),
            lambda: sess.run(reset),
            lambda: sess.run(count),
        ):
            try:
                rows.append(step())
            except tf.errors.OpError as error:
                rows.append([type(error).__name__, message(error)[:60]])
        results[make.__name__ + " state"] = rows


for kind in (tf.IdentityReader, tf.WholeFileReader, tf.TextLineReader):
    states(kind)

with tf.Session() as sess:
    path = os.path.join(folder, "deep", "er", "w.txt")
    sess.run(tf.write_file(path, "hello"))
    results["read"] = sess.run(tf.read_file(path))
    pattern = tf.placeholder(tf.string)
    found = tf.matching_files(pattern)
    for label, patterns in [("one", folder + "/*.txt"), ("several", [folder + "/[fz].bin", folder + "/a*"])]:
        results["found " + label] = [short(n) for n in sess.run(found, {pattern: patterns})]
    try:
        sess.run(tf.read_file(os.path.join(folder, "none")))
    except tf.errors.OpError as error:
        results["no file"] = [type(error).__name__, message(error)]

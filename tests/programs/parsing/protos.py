"""decode_proto and encode_proto: all types of fields, defaults, sources of descriptors, text, mistakes."""

import os
import tempfile

import numpy as np
import tensorflow as tf
from google.protobuf import descriptor_pb2

results = {}
Field = descriptor_pb2.FieldDescriptorProto
KINDS = [
    ("double", tf.float64, [1.5, -2.0, 3e300]),
    ("float", tf.float32, [1.5, -2.0, 0.1]),
    ("int64", tf.int64, [-5, 1 << 40, 3]),
    ("uint64", tf.uint64, [(1 << 64) - 1, 2, 3]),
    ("int32", tf.int32, [-7, 8, 9]),
    ("fixed64", tf.uint64, [1, 2, 1 << 63]),
    ("fixed32", tf.uint32, [(1 << 32) - 2, 2, 3]),
    ("bool", tf.bool, [True, False, True]),
    ("string", tf.string, [b"a", b"", b"long\xff"]),
    ("bytes", tf.string, [b"\xff\x00", b"x", b""]),
    ("uint32", tf.uint32, [(1 << 32) - 1, 0, 5]),
    ("sfixed32", tf.int32, [-1, 2, 3]),
    ("sfixed64", tf.int64, [-1, 2, 3]),
    ("sint32", tf.int32, [-3, 4, 5]),
    ("sint64", tf.int64, [-4, 5, 6]),
    ("enum", tf.int32, [7, 0, 7]),
    ("message", tf.string, [b"", b"\x08\x01", b"\x08\x02"]),
]

described = descriptor_pb2.FileDescriptorProto(name="kinds.proto", package="kinds")
color = described.enum_type.add(name="Color")
color.value.add(name="RED", number=0)
color.value.add(name="BLUE", number=7)
described.message_type.add(name="Inner").field.add(name="x", number=1, type=Field.TYPE_INT32, label=1)
message = described.message_type.add(name="All")
number = 0
for kind, _, _ in KINDS:
    for prefix, label in (("one", 1), ("many", 3), ("packed", 3)):
        if prefix == "packed" and kind in ("string", "bytes", "message"):
            continue
        number += 1
        field = message.field.add(
            name="%s_%s" % (prefix, kind), number=number, type=getattr(Field, "TYPE_" + kind.upper()), label=label
        )
        if kind in ("enum", "message"):
            field.type_name = ".kinds.Color" if kind == "enum" else ".kinds.Inner"
        if prefix == "packed":
            field.options.packed = True
message.field.add(name="default_int", number=90, type=Field.TYPE_INT32, label=1, default_value="42")
message.field.add(name="default_text", number=91, type=Field.TYPE_STRING, label=1, default_value="hey")
message.field.add(name="default_bool", number=92, type=Field.TYPE_BOOL, label=1, default_value="true")
message.extension_range.add(start=1000, end=2000)
described.extension.add(name="more", number=1001, type=Field.TYPE_INT32, label=3, extendee=".kinds.All")
three = descriptor_pb2.FileDescriptorProto(
    name="three.proto", package="three", syntax="proto3", dependency=["kinds.proto"]
)
three.message_type.add(name="Packed").field.add(name="n", number=1, type=Field.TYPE_INT32, label=3)
kinds_set = descriptor_pb2.FileDescriptorSet()
kinds_set.file.add().CopyFrom(described)
kinds_set.file.add().CopyFrom(three)
source = b"bytes://" + kinds_set.SerializeToString()


def attempt(function):
    with tf.Graph().as_default(), tf.Session() as sess:
        try:
            found = sess.run(function())
            return list(found) if isinstance(found, tuple) else found
        except Exception as error:
            return type(error).__name__


def encoded(names, dtypes, rows, sizes, message="kinds.All", given=source):
    def build():
        values = [tf.constant(np.array(row, dtype.as_numpy_dtype), dtype) for dtype, row in zip(dtypes, rows)]
        return tf.io.encode_proto(sizes, values, names, message, given)

    return attempt(build)


def decoded(data, names, dtypes, message="kinds.All", given=source, **keywords):
    def build():
        return tf.io.decode_proto(data, message, names, dtypes, given, **keywords)

    return attempt(build)


names, dtypes, rows, counts = [], [], [], []
for kind, dtype, values in KINDS:
    for prefix in ("one", "many", "packed"):
        if prefix == "packed" and kind in ("string", "bytes", "message"):
            continue
        names.append("%s_%s" % (prefix, kind))
        dtypes.append(dtype)
        rows.append([values, values])
        counts.append(1 if prefix == "one" else 2 + len(names) % 2)
order = list(range(len(names)))
order = order[::2] + order[1::2]
names, dtypes, rows, counts = ([part[i] for i in order] for part in (names, dtypes, rows, counts))
bytes_of_all = encoded(names, dtypes, rows, [counts, [min(1, n) for n in counts]])
results["encoded"] = bytes_of_all
data = list(bytes_of_all)
# Elements that nothing is written to, of enumerations, TensorFlow leaves as they are in memory.
results["decoded"] = decoded(data, names, dtypes)[:1]
whole = decoded(data[:1], names, dtypes)
results["values"] = whole[1]
results["encoded again"] = encoded(names, dtypes, [list(v) for v in whole[1]], whole[0]) == bytes_of_all[:1]
results["scalar"] = decoded(data[0], ["one_double", "many_int64"], [tf.float64, tf.int64])
results["matrix"] = decoded([[data[0]], [b""]], ["many_int64"], [tf.int64])
results["absent"] = decoded([b"", b"\xd0\x05\x03"], ["default_int", "default_text", "default_bool", "many_int32"],
                            [tf.int32, tf.string, tf.bool, tf.int32])  # fmt: skip
results["extension"] = decoded([b"\xc8>\x05\xc8>\x06"], ["kinds.more"], [tf.int32])
results["last"] = decoded([b"\x69\x01\x00\x00\x00\x00\x00\x00\x00", b""], ["one_int32"], [tf.int32])
results["sanitized"] = decoded(data, ["many_int32", "one_message"], [tf.int32, tf.string], sanitize=True)
results["text"] = decoded(
    ["one_int32: 3 many_double: [1.5, 2]", "one_message { x: 4 } one_enum: BLUE"],
    ["one_int32", "many_double", "one_message", "one_string"],
    [tf.int32, tf.float64, tf.string, tf.string],
    message_format="text",
)
results["wider"] = decoded(data[:1], ["one_int32", "one_uint32", "one_float"], [tf.int64, tf.uint64, tf.float64])
results["named twice"] = decoded(data[:1], ["one_int32", "one_int32"], [tf.int32, tf.int32])
results["wrong wire"] = decoded([b"\x6d\x01\x02\x03\x04"], ["one_int32"], [tf.int32])
results["proto3"] = encoded(["n"], [tf.int32], [[[1, 300]]], [[2]], "three.Packed")
results["proto3 decoded"] = decoded([b"\x0a\x03\x01\xac\x02"], ["n"], [tf.int32], "three.Packed")
path = os.path.join(tempfile.mkdtemp(), "set.bin")
with open(path, "wb") as file:
    file.write(kinds_set.SerializeToString())
results["file"] = decoded(data, ["one_int32"], [tf.int32], given=path)

example = tf.train.Example(
    features=tf.train.Features(feature={"k": tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2]))})
)
for given in ("", "local://"):
    results["local " + given] = decoded(
        [example.SerializeToString()], ["features"], [tf.string], "tensorflow.Example", given
    )
summary = tf.Summary(value=[tf.Summary.Value(tag="a", simple_value=2.5), tf.Summary.Value(tag="b")])
results["nested"] = decoded([summary.SerializeToString()], ["value"], [tf.string], "tensorflow.Summary", "")
results["inner"] = decoded(
    [v.SerializeToString() for v in summary.value], ["tag", "simple_value"], [tf.string, tf.float32],
    "tensorflow.Summary.Value", "",
)  # fmt: skip
results["local encoded"] = encoded(["value"], [tf.string], [[["a", "b"]]], [[2]], "tensorflow.BytesList", "")

results["cut"] = encoded(["one_int32"], [tf.int64], [[[(1 << 33) + 5]]], [[1]])
results["many for one"] = encoded(["one_int32"], [tf.int32], [[[5, 6]]], [[2]])
results["twice"] = encoded(["one_int32", "one_int32"], [tf.int32] * 2, [[[5]], [[6]]], [[1, 1]])
results["less than none"] = encoded(["one_int32"], [tf.int32], [[[5]]], [[-1]])
results["unknown enum"] = encoded(["one_enum"], [tf.int32], [[[99]]], [[1]])
results["deeper"] = encoded(["one_int32"], [tf.int32], [[[[5], [6]]]], [[[1], [1]]])
results["none"] = encoded(["one_int32"], [tf.int32], [np.zeros([0, 1])], np.zeros([0, 1], np.int32))

one = (["one_int32"], [tf.int32])
results["mistakes"] = {
    "field": decoded(data, ["no"], [tf.int32]),
    "type": decoded(data, ["one_int32"], [tf.float32]),
    "narrow": decoded(data, ["one_int64"], [tf.int32]),
    "signed": decoded(data, ["one_uint64"], [tf.int64]),
    "message": decoded(data, *one, message="kinds.None"),
    "format": decoded(data, *one, message_format="json"),
    "lengths": decoded(data, ["one_int32", "one_bool"], [tf.int32]),
    "bytes": decoded([b"\xff\xff\xff"], *one),
    "cut off": decoded([data[0][:-1]], *one),
    "text": decoded(["no: 3"], *one, message_format="text"),
    "sanitized": decoded([b"\xff"], *one, sanitize=True),
    "no messages": decoded(np.array([], str), *one),
    "no file": decoded(data, *one, given="/no/such/file"),
    "no set": decoded(data, *one, given=b"bytes://\xff\xff"),
    "not local": decoded(data, *one, given="local://"),
    "encoded field": encoded(["no"], [tf.int32], [[[5]]], [[1]]),
    "encoded type": encoded(["one_int32"], [tf.float32], [[[5]]], [[1]]),
    "encoded double": encoded(["one_double"], [tf.float32], [[[5]]], [[1]]),
    "encoded extension": encoded(["kinds.more"], [tf.int32], [[[5]]], [[1]]),
    "encoded too many": encoded(["many_int32"], [tf.int32], [[[5]]], [[2]]),
    "encoded sizes": encoded(["many_int32"], [tf.int32], [[[5]]], [[1], [1]]),
    "encoded more sizes": encoded(["many_int32"], [tf.int32], [[[5]]], [[1, 1]]),
    "encoded batches": encoded(["many_int32"] * 2, [tf.int32] * 2, [[[5]], [[5], [6]]], [[1, 1]]),
    "encoded scalar": encoded(["many_int32"], [tf.int32], [[5]], [1]),
    "encoded lengths": encoded(["many_int32", "one_bool"], [tf.int32], [[[5]]], [[1]]),
    "encoded nothing": encoded([], [], [], np.zeros([1, 0], np.int32)),
}
some = tf.io.decode_proto(tf.placeholder(tf.string, [None, 3]), "kinds.All", ["one_int32"], [tf.int32], source)
none = tf.io.decode_proto(tf.placeholder(tf.string), "kinds.All", ["one_int32"], [tf.int32], source)
results["shapes"] = [
    some.sizes.shape.as_list(),
    some.values[0].shape.as_list(),
    none.sizes.shape.ndims,
    some.sizes.name,
    tf.contrib.proto.decode_proto is tf.io.decode_proto,
    tf.contrib.proto.encode_proto is tf.io.encode_proto,
]

"""CSV lines, serialized tensors, JSON examples, compressed and raw bytes."""

import gzip
import io
import zlib

import numpy as np
import tensorflow as tf

results = {}


def outcome(name, make, names=False, words=True):
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        try:
            made = make()
            found = [sess.run(made), [str(t.get_shape()) for t in (made if isinstance(made, list) else [made])]]
            if names:
                found.append([[op.name, op.type] for op in graph.get_operations()])
        except tf.errors.OpError as error:
            found = [type(error).__name__] + [error.message.split("\n")[0].split(" [[")[0]] * words
        except (ValueError, TypeError) as error:
            found = [type(error).__name__]
        results[name] = found


csv = tf.decode_csv
none = tf.constant([], tf.int32)
two = [[""], [""]]
numbers = [[0], [0]]
lines = {
    "a line": ("1,2.5,abc", [[0], [0.0], [""]], {}),
    "lines": (["1,2.5,abc", '3,4,"d,e"'], [[0], [0.0], [""]], {}),
    "a matrix": ([["1,2"], ["3,4"]], numbers, {}),
    "quotes": (['"a""b",c', '"",x'], two, {}),
    "a quote within": (['a"b,c'], two, {}),
    "after a quote": (['"a"b,c'], two, {}),
    "an open quote": (['"a,c'], two, {}),
    "a quoted line end": (['"a\nb",c'], two, {}),
    "a line end": (["a,c\n"], two, {}),
    "a Windows line end": (["a,c\r\n"], two, {}),
    "no quotes": (['"a",c"d'], two, {"use_quote_delim": False}),
    "no quotes, line end": (["a\n,c"], two, {"use_quote_delim": False}),
    "bars": (["a|c"], two, {"field_delim": "|"}),
    "two bars": (["a|c"], two, {"field_delim": "||"}),
    "quotes between": (['a"c'], two, {"field_delim": '"'}),
    "too few": (["1,2", "1"], numbers, {}),
    "too many": (["1,2", "1,2,3"], numbers, {}),
    "defaults": ([",2", "1,"], [[7], [8]], {}),
    "scalar defaults": ([",2"], [7, 8], {}),
    "required": (["1,", ",2"], [[7], none], {}),
    "two required": (["1,2", ",2"], [tf.float32, none], {}),
    "two defaults": ([",2"], [[7, 8], [8]], {}),
    "a matrix of defaults": ([",2"], [[[7]], [8]], {}),
    "missing": (["NA,2", "1,NA"], [[7], [8]], {"na_value": "NA"}),
    "missing text": (['"NA",2', "x,NA", "2,"], [["d"], [8]], {"na_value": "NA"}),
    "quoted nothing": (['"",2'], [[5], [8]], {}),
    "selected": (["1,2,3", "4,5,6"], numbers, {"select_cols": [0, 2]}),
    "selected, too few": (["1,2", "4,5,6"], numbers, {"select_cols": [0, 2]}),
    "selected, more": (["1,2,3,4"], numbers, {"select_cols": [0, 2]}),
    "selected, bad before": (['1,a"b,3'], numbers, {"select_cols": [0, 2]}),
    "selected, bad after": (['1,3,a"b'], numbers, {"select_cols": [0, 1]}),
    "selected, quoted between": (['1,"a,b",3'], numbers, {"select_cols": [0, 2]}),
    "selected backwards": (["1,2,3"], numbers, {"select_cols": [2, 0]}),
    "selected below": (["1,2,3"], numbers, {"select_cols": [-1, 0]}),
    "too few selected": (["1,2,3"], numbers, {"select_cols": [1]}),
    "no int": (["1,x"], numbers, {}),
    "no float": (["1,x"], [[0], [0.0]], {}),
    "overflow": (["99999999999"], [[0]], {}),
    "a fraction": (["1.5"], [[0]], {}),
    "blanks": ([" 1 , 2.5 , a "], [[0], [0.0], [""]], {}),
    "a blank": ([" "], [[0]], {}),
    "odd floats": (["1e3,inf,nan,0x10"], [[0.0]] * 4, {}),
    "plus": (["+5"], [[0]], {}),
    "an empty line": ([""], [[9]], {}),
    "the first bad record": (["x,1", "1"], numbers, {}),
    "the first bad field": (["1,1", ",x"], [none, [0]], {}),
    "a type that is none": (["1"], [[True]], {}),
    "no columns": (["1"], [], {}),
    "accents": (['\u00e9,"\u00fc"'.encode("utf8")], two, {}),
    "an empty end": (["a,"], [[""], ["z"]], {}),
    "a blank after quotes": (['"a" ,b'], two, {}),
    "zero bytes": ([b"a\x00b,c"], two, {}),
}
for name, (records, defaults, options) in lines.items():

    def decode(records=records, defaults=defaults, options=options):
        # Tensors belong to the graph of each case.
        made = [tf.constant([], d) if isinstance(d, tf.DType) else d for d in defaults]
        made = [tf.constant([], tf.int32) if d is none else d for d in made]
        return csv(records, made, **options)

    outcome("csv, " + name, decode, names=name in ("a line", "lines"))
outcome("csv, no lines", lambda: csv(tf.constant([], tf.string), numbers))
outcome("csv, late", lambda: csv(tf.placeholder_with_default("1,2", None), numbers))
outcome(
    "csv, types",
    lambda: csv(["1,2,3,4,5"], [[0], tf.constant([0], tf.int64), [0.0], tf.constant([0], tf.float64), [""]]),
)
random = np.random.RandomState(3)
many = [b"%d,%r,%.7g,%s" % (random.randint(-99999, 99999), random.randn() * 10.0 ** random.randint(-9, 9), random.randn(),
                           random.choice([b"a", b'"b,""c"', b"", b'""'])) for _ in range(200)]  # fmt: skip
outcome("csv, many", lambda: csv(many, [[0], tf.constant([0.0], tf.float64), [0.0], ["-"]]))

values = [
    np.arange(6.0).reshape(2, 3),
    np.array([1, 2], np.int32),
    np.array([b"a", b"b"], object),
    np.array(True),
    np.array([1 + 2j], np.complex64),
    np.zeros([0, 2], np.float32),
    np.array([1.5], np.float16),
]
for i, value in enumerate(values):
    outcome("serialized, %d" % i, lambda value=value: tf.serialize_tensor(tf.constant(value)), names=True)
    outcome(
        "back, %d" % i,
        lambda value=value: tf.parse_tensor(tf.io.serialize_tensor(tf.constant(value)), tf.constant(value).dtype),
    )
outcome("no tensor", lambda: tf.parse_tensor("garbage", tf.int32))
outcome("another type", lambda: tf.parse_tensor(tf.serialize_tensor(1), tf.float32))
outcome("not one tensor", lambda: tf.parse_tensor(["a"], tf.float32))

text = b"hello world" * 5
packed = io.BytesIO()
with gzip.GzipFile(fileobj=packed, mode="wb") as stream:
    stream.write(text)
decompress = tf.io.decode_compressed
outcome("zlib", lambda: decompress(zlib.compress(text), "ZLIB"), names=True)
outcome("gzip", lambda: decompress([packed.getvalue(), packed.getvalue()], "GZIP"))
outcome("plain", lambda: decompress([text]))
outcome("no gzip", lambda: decompress([text], "GZIP"))
outcome("no zlib", lambda: decompress([text], "ZLIB"))
outcome("no such compression", lambda: decompress([text], "BZIP"))
outcome("half", lambda: decompress([zlib.compress(text)[:10]], "ZLIB"))

json = (
    '{"features": {"feature": {"a": {"int64List": {"value": ["1", 2]}}, "b": {"floatList": {"value": [1.5]}}, '
    '"c": {"bytesList": {"value": ["YWJj"]}}}}}'
)


def from_json(text, key, dtype):
    return tf.parse_single_example(tf.decode_json_example(text), {key: tf.VarLenFeature(dtype)})[key].values


outcome("json, ints", lambda: from_json(json, "a", tf.int64), names=True)
outcome("json, floats", lambda: from_json(json, "b", tf.float32))
outcome("json, bytes", lambda: from_json(json, "c", tf.string))
outcome("json, field names", lambda: from_json(json.replace("int64List", "int64_list"), "a", tf.int64))
outcome("json, broken", lambda: tf.decode_json_example(["{bad"]), words=False)
outcome("json, no example", lambda: tf.decode_json_example(['{"x": 1}']), words=False)
outcome("json, empty", lambda: tf.decode_json_example(["{}"]))

for i, (strings, length, dtype) in enumerate(
    [
        (["abcd", "ab", "abcdefgh"], 4, tf.uint8),
        (["abcd"], 4, tf.int32),
        (["a"], 3, tf.int16),
        (["a"], 0, tf.int8),
    ]
):
    outcome(
        "padded raw, %d" % i,
        lambda s=strings, n=length, d=dtype: tf.raw_ops.DecodePaddedRaw(input_bytes=s, fixed_length=n, out_type=d),
        words=False,
    )

"""The string ops: values, static shapes, names of operations, and errors."""

import numpy as np
import tensorflow as tf

results = {}


def outcome(make):
    """The value and static shape of a tensor, or the class and message of the error."""
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        try:
            made = make()
            if isinstance(made, tf.SparseTensor):
                value = list(sess.run(made))
                shape = [str(t.get_shape()) for t in (made.indices, made.values, made.dense_shape)]
            else:
                value, shape = sess.run(made), str(made.get_shape())
            names = [[op.name, op.type, [t.name for t in op.inputs]] for op in graph.get_operations()]
            return [value, shape, names]
        except tf.errors.OpError as error:
            return [type(error).__name__, error.message.split("\n\t")[0]]
        except (ValueError, TypeError) as error:
            return [type(error).__name__]


def late(value):
    """A value of which nothing is known while the graph is built."""
    return tf.placeholder_with_default(tf.constant(value), None)


accented = "AbC \u00c9\u00e9\u00df"
table = [["a", "b"], ["c", "d"]]
cases = {
    "join": lambda: tf.string_join(["a", ["b", "c"], "d"], "-"),
    "join, 2-D": lambda: tf.strings.join([[["a"]], [["b"]]]),
    "join, one": lambda: tf.string_join(["a"]),
    "join, mismatch": lambda: tf.string_join([["a"], ["b", "c"]]),
    "join, late mismatch": lambda: tf.string_join([late(["a", "e"]), late("x"), late(["b", "c"])]),
    "length": lambda: tf.strings.length(["a", accented, ""]),
    "length, characters": lambda: tf.strings.length(["a", accented, ""], unit="UTF8_CHAR"),
    "lower": lambda: tf.strings.lower([accented]),
    "lower, utf-8": lambda: tf.strings.lower([accented], encoding="utf-8"),
    "upper": lambda: tf.strings.upper([accented]),
    "upper, utf-8": lambda: tf.strings.upper([accented], encoding="utf-8"),
    "lower, other encoding": lambda: tf.strings.lower(["a"], encoding="latin"),
    "strip": lambda: tf.string_strip(["  a b\n\t ", " \v\f x", "\x1fx\x1f", ""]),
    "substr": lambda: tf.substr(["hello", "world"], 1, 3),
    "substr, by element": lambda: tf.substr(["hello", "world"], [1, 2], [3, 10]),
    "substr, from the end": lambda: tf.substr("hello", -3, 2),
    "substr, at the end": lambda: tf.substr("hello", 5, 1),
    "substr, beyond": lambda: tf.substr("hello", 6, 1),
    "substr, before": lambda: tf.substr("hello", -6, 1),
    "substr, many of one": lambda: tf.substr("hello", [1, 2], [1, 2]),
    "substr, rows": lambda: tf.substr([["abc", "def"]], [[1, 2]], [[1, 1]]),
    "substr, characters": lambda: tf.strings.substr(accented, 3, 3, unit="UTF8_CHAR"),
    "substr, mismatch": lambda: tf.substr(["abc", "def", "ghi"], [1, 2], [1, 2]),
    "split": lambda: tf.string_split(["a b", "c  d e"]),
    "split, keep empty": lambda: tf.string_split(["a b", "c  d e", ""], skip_empty=False),
    "split, many delimiters": lambda: tf.string_split(["a,b;c", ";"], ",;"),
    "split, bytes": lambda: tf.string_split(["abc", ""], ""),
    "split, old name": lambda: tf.string_split(["a-b"], delimiter="-"),
    "split, a scalar": lambda: tf.string_split("a b"),
    "split, nothing": lambda: tf.string_split(tf.constant([], tf.string)),
    "split v2": lambda: tf.strings.split(["a b", " c  d e "]),
    "split v2, separator": lambda: tf.strings.split(["a<>b<><>c"], "<>"),
    "split v2, empty": lambda: tf.strings.split(["", "a--"], "-"),
    "split v2, at most": lambda: tf.strings.split(["a<>b<>c"], "<>", 1),
    "split v2, whitespace at most": lambda: tf.strings.split(["a b  c "], maxsplit=1),
    "reduce join, an empty row": lambda: tf.reduce_join(tf.constant([], tf.string, [2, 0]), 1),
    "reduce join, out of range": lambda: tf.reduce_join(table, 2),
    "reduce join, twice the same": lambda: tf.reduce_join(table, [0, 0]),
    "reduce join, rank unknown": lambda: tf.reduce_join(late(table)),
    "reduce join, axis unknown": lambda: tf.reduce_join(table, late(1)),
    "reduce join, scalar": lambda: tf.reduce_join("a"),
    "reduce join, both names": lambda: tf.reduce_join(table, axis=0, reduction_indices=0),
    "replace": lambda: tf.regex_replace(["abc abc", "xyz"], "b(.)", r"[\1\0\\]"),
    "replace, first": lambda: tf.strings.regex_replace(["abc abc"], "b", "X", replace_global=False),
    "replace, no such group": lambda: tf.regex_replace(["abc"], "a", r"\2"),
    "replace, class": lambda: tf.regex_replace(["a1 b22"], "[[:digit:]]+", "N"),
    "replace, negated class": lambda: tf.regex_replace(["a1 b22[]"], "[^[:alnum:]\\]]", "_"),
    "replace, character": lambda: tf.regex_replace(["h\u00e9llo"], "h.l", "X"),
    "replace, line break": lambda: tf.regex_replace(["a\nb"], "a.b", "X"),
    "replace, end": lambda: tf.regex_replace(["ab\n", "ab"], "b$", "X"),
    "replace, nothing": lambda: tf.regex_replace(["abc"], "", "-"),
    "replace, ascii words": lambda: tf.regex_replace(["x\u00e9"], "\\w+", "W"),
    "replace, letters": lambda: tf.regex_replace(["x\u00e9 1"], "\\pL+", "W"),
    "replace, case": lambda: tf.regex_replace(["aAb"], "(?i)a", "x"),
    "replace, no pattern": lambda: tf.regex_replace(["abc"], "(", ""),
    "replace, tensors": lambda: tf.regex_replace(late(["abc"]), late("a"), late("b")),
    "match": lambda: tf.strings.regex_full_match(["abc", "abcd", "a|b"], "a.c|a\\|b"),
    "match, tensor": lambda: tf.strings.regex_full_match(["abc", "b"], tf.constant("a.c")),
    "to number, int32": lambda: tf.string_to_number(["1", " 2 ", "-2147483648", "-0", "007", "\n4"], tf.int32),
    "to number, int64": lambda: tf.strings.to_number(["99999999999"], tf.int64),
    "decode": lambda: tf.decode_raw(["abcd", "efgh"], tf.uint8),
    "decode, int16": lambda: tf.decode_raw("abcd", tf.int16),
    "decode, big endian": lambda: tf.decode_raw("abcd", tf.int16, little_endian=False),
    "decode, half": lambda: tf.decode_raw(b"\x00\x3c", tf.float16),
    "decode, bool": lambda: tf.decode_raw(b"\x01\x00", tf.bool),
    "decode, lengths differ": lambda: tf.decode_raw(["abcd", "efg"], tf.uint8),
    "decode, no multiple": lambda: tf.decode_raw(["abc"], tf.float32),
    "decode, empty": lambda: tf.decode_raw(["", ""], tf.float32),
    "decode, none": lambda: tf.decode_raw(tf.constant([], tf.string), tf.float32),
    "base 64": lambda: tf.encode_base64(["a", "ab", "abc", b"\xff\xfe"]),
    "base 64, padded": lambda: tf.encode_base64(["a", "ab", "abc"], pad=True),
    "base 64, back": lambda: tf.decode_base64(["YQ", "YQ==", "YWI", "_-8"]),
    "base 64, length": lambda: tf.decode_base64(["Y"]),
    "base 64, alphabet": lambda: tf.decode_base64(["+/8"]),
    "base 64, padding": lambda: tf.decode_base64(["YQ="]),
    "hash strong": lambda: tf.string_to_hash_bucket_strong(["", "a", "abcdefgh", "x" * 70], 2**62, [1, 2]),
    "hash strong, key": lambda: tf.string_to_hash_bucket_strong(["a"], 10, [1]),
    "hash, no buckets": lambda: tf.string_to_hash_bucket_fast(["a"], 0),
    "hash, 2-D": lambda: tf.strings.to_hash_bucket_fast(table, 10),
    "format": lambda: tf.strings.format("x: {}, y: {}", [tf.constant([1, 2]), tf.constant("a")]),
    "format, count": lambda: tf.strings.format("{}", [tf.constant(1), tf.constant(2)]),
    "format, placeholder": lambda: tf.strings.format("%% {}", tf.constant(1.5), placeholder="%%"),
}
for name, axis in [("all", None), ("0", 0), ("1", 1), ("01", [0, 1]), ("10", [1, 0]), ("none", []), ("-10", [-1, 0])]:
    cases["reduce join, " + name] = lambda axis=axis: tf.reduce_join(table, axis)
    cases["reduce join, kept, " + name] = lambda axis=axis: tf.reduce_join(table, axis, keep_dims=True, separator="-")
for name, make in cases.items():
    results[name] = outcome(make)

numbers = ["1.5", " 2 ", "", "abc", "0x1A", "1e400", "-inf", "NaN", "infinity", "1_0", "1.5abc", "+3", "1e-50", ".5"]
numbers += ["5.", "1e", "- 1", "2\n", "\t2", "inf ", "1.4e-45", "3.5e38", "1d5", "99999999999", "-", "0.1", "16777217"]
for dtype in (tf.float32, tf.float64, tf.int32, tf.int64):
    for text in numbers:
        found = outcome(lambda text=text, dtype=dtype: tf.string_to_number(np.array([text]), dtype))
        results["to number, %s, %r" % (dtype.name, text)] = found[:1] if found[0] is None else found[:2]

formats = [
    {},
    {"precision": 2},
    {"scientific": True},
    {"shortest": True},
    {"width": 10},
    {"width": 10, "fill": "0"},
    {"width": 8, "fill": "-", "precision": 1},
    {"fill": "x"},
    {"fill": "00"},
    {"scientific": True, "shortest": True},
    {"width": 6, "fill": "+"},
    {"width": 6, "fill": " "},
]
values = [
    np.array([1.5, -2.25, 1e10, np.nan, np.inf], np.float32),
    np.array([1.0 / 3]),
    np.array([1, -22], np.int32),
    np.array([3], np.int8),
    np.array([2**40]),
    np.array([True, False]),
    np.array([1 + 2j], np.complex64),
]
for i, arguments in enumerate(formats):
    for value in values:
        name = "as string, %d, %s" % (i, value.dtype)
        results[name] = outcome(lambda value=value, arguments=arguments: tf.as_string(value, **arguments))[:2]

texts = ["", "a", "ab", "abc", "abcd", "hello world", "x" * 16, "x" * 17, "x" * 20, "y" * 32, "y" * 33, "z" * 40]
texts += ["v" * 64, "u" * 65, "w" * 127, "w" * 128, "w" * 129, "w" * 130, "q" * 500, b"\xff\x80\x00"]
with tf.Session() as sess:
    for name, bucket in (("fast", tf.string_to_hash_bucket_fast), ("old", tf.string_to_hash_bucket)):
        results["hash " + name] = sess.run(bucket(texts, 2**62))
    shown = [
        1.5,
        np.float32(0.1),
        np.float64(1) / 3,
        123456789.0,
        7,
        True,
        b'a "quoted"\n\xff',
        [1, 2, 3, 4, 5, 6, 7],
        [[1, 2], [3, 4], [5, 6]],
        [1.0, 2.5, 1e10, np.nan, -np.inf],
        np.arange(24).reshape(2, 3, 4),
        [b"a", b"b c"],
        np.zeros([0]),
        np.zeros([2, 0]),
        np.arange(16).reshape(2, 2, 2, 2),
        np.array([1 + 2j]),
        np.array([1.5], np.float16),
        np.array([200], np.uint8),
    ]
    for i, value in enumerate(shown):
        results["shown %d" % i] = [
            sess.run(tf.strings.format("{}", tf.constant(value), summarize=ends)) for ends in (3, 1, -1, 0)
        ]

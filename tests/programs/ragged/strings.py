"""Strings whose parts are ragged: bytes, parts, n-grams, characters; encodings; joined segments."""

import tensorflow as tf

results = {}
S = tf.strings


def plain(value):
    if isinstance(value, tf.ragged.RaggedTensorValue):
        return ["ragged", value.to_list(), str(value.row_splits.dtype)]
    if isinstance(value, tf.SparseTensorValue):
        return ["sparse"] + list(value)
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def outcome(make):
    with tf.Graph().as_default(), tf.Session() as sess:
        try:
            return plain(sess.run(make()))
        except (ValueError, TypeError, AttributeError, tf.errors.OpError) as error:
            return type(error).__name__


def long(values):
    return tf.constant(values, tf.int64)


bad = [
    b"a\xffb",
    b"\xe2\x82",
    b"\xed\xa0\x80",
    b"\xf0\x9f\x98",
    b"\xc0\x80",
    b"ab\x01\x1f\x7f\x80",
    b"\xf4\x90\x80\x80",
]
bad += [b"\xe2\x28\xa1", "\u00e9\U0001f600".encode("utf-8"), b""]
face = "\u00e9\U0001f600"
wide = [face.encode("utf-16-be"), b"\xd8\x00\x00a", b"a"]
wider = [face.encode("utf-32-be"), b"\x00\x11\x00\x00", b"a"]
codes = [[97, 0xD800, 0xDC00, 0xFFFE, 0x110000, -1, 0xFDD0, 0x1F600, 0xD800]]
scripts = list(range(0, 0x3000, 7)) + [-1, 0x110000, 0xD800, 0x20000, 0x1F600]


def full():
    return tf.ragged.constant([["a", "b", "c"], ["d"]])


def runs():
    return tf.ragged.constant([["a", "b", "c"], [], ["d"]])


cases = {
    "decode": lambda: S.unicode_decode_with_offsets(bad, "UTF-8"),
    "decode ignore": lambda: S.unicode_decode(bad, "UTF-8", errors="ignore"),
    "decode strict": lambda: S.unicode_decode(bad, "UTF-8", errors="strict"),
    "decode control": lambda: S.unicode_decode(bad, "UTF-8", replacement_char=65, replace_control_characters=True),
    "decode 16": lambda: S.unicode_decode_with_offsets(wide, "UTF-16-BE"),
    "decode 32": lambda: S.unicode_decode_with_offsets(wider, "UTF-32-BE"),
    "decode latin": lambda: S.unicode_decode_with_offsets([b"\xe9a"], "ISO-8859-1"),
    "decode jis": lambda: S.unicode_decode_with_offsets([b"\x82\xa0a\xff"], "SHIFT-JIS"),
    "decode one": lambda: S.unicode_decode_with_offsets(face.encode("utf-8"), "UTF-8"),
    "decode deep": lambda: S.unicode_decode([[face.encode("utf-8"), b"a"], [b"", b"bc"]], "UTF-8"),
    "decode ragged": lambda: S.unicode_decode(runs(), "UTF-8"),
    "decode unknown": lambda: S.unicode_decode(["a"], "nope"),
    "decode rank": lambda: S.unicode_decode(tf.placeholder_with_default(tf.constant("a"), None), "UTF-8"),
    "decode replacement": lambda: S.unicode_decode(["a"], "UTF-8", replacement_char=0x110000),
    "decode errors": lambda: S.unicode_decode(["a"], "UTF-8", errors="x"),
    "encode late": lambda: S.unicode_encode([97, 0x1F600], "UTF-16-BE"),
    "encode 32": lambda: S.unicode_encode([97, 0x1F600], "UTF-32-BE"),
    "encode deep": lambda: S.unicode_encode([[[97], [98]], [[99], [100]]], "UTF-8"),
    "encode ragged": lambda: S.unicode_encode(tf.ragged.constant([[[97, 98], []], [[99]]]), "UTF-8"),
    "encode rank": lambda: S.unicode_encode(5, "UTF-8"),
    "encode encoding": lambda: S.unicode_encode([97], "latin1"),
    "encode replacement": lambda: S.unicode_encode([[97]], "UTF-8", replacement_char=0x110000),
    "transcode control": lambda: S.unicode_transcode(
        bad, "UTF-8", "UTF-8", replace_control_characters=True, replacement_char=63
    ),
    "transcode unknown": lambda: S.unicode_transcode("a", "nope", "UTF-8"),
    "script": lambda: S.unicode_script(scripts),
    "script ragged": lambda: S.unicode_script(tf.ragged.constant([[97], [0x430, 0x4E00]])),
    "split characters": lambda: S.unicode_split([face.encode("utf-8"), b"a"], "UTF-8"),
    "split characters, offsets": lambda: S.unicode_split_with_offsets(face.encode("utf-8"), "UTF-8"),
    "split characters, deep": lambda: S.unicode_split([[face.encode("utf-8"), b"a"]], "UTF-8"),
    "bytes": lambda: S.bytes_split(["hello", ""]),
    "bytes of one": lambda: S.bytes_split("hello"),
    "bytes deep": lambda: S.bytes_split([["a", "bc"]]),
    "bytes ragged": lambda: S.bytes_split(tf.ragged.constant([["ab"], []])),
    "split": lambda: S.split(["a b", "c", ""], result_type="RaggedTensor"),
    "split one": lambda: S.split("a b c", result_type="RaggedTensor"),
    "split deep": lambda: S.split([["a b", "c"]], result_type="RaggedTensor"),
    "split ragged": lambda: S.split(tf.ragged.constant([["a,b", "c"], []]), ",", result_type="RaggedTensor"),
    "split deep sparse": lambda: S.split([["a b", "c"]]),
    "split one sparse": lambda: S.split("a b"),
    "split most": lambda: S.split(["a b c"], maxsplit=1, result_type="RaggedTensor"),
    "string_split": lambda: tf.string_split(["a b", "c"], result_type="RaggedTensor"),
    "string_split other": lambda: tf.string_split(["a b", "c"], result_type="x"),
    "join": lambda: S.unsorted_segment_join(["a", "b", "c"], [0, 1, 0], 3, "-"),
    "join rows": lambda: S.unsorted_segment_join([["a", "b"], ["c", "d"]], [0, 0], 1, "-"),
    "join all": lambda: S.unsorted_segment_join([["a", "b"], ["c", "d"]], [[0, 1], [1, 1]], 2),
    "join negative": lambda: S.unsorted_segment_join(["a", "b", "c"], [0, -1, 0], 3),
    "join far": lambda: S.unsorted_segment_join(["a", "b", "c"], [0, 3, 0], 3),
    "join shape": lambda: S.unsorted_segment_join(["a", "b", "c"], [0, 1], 3),
    "join count": lambda: S.unsorted_segment_join(["a", "b", "c"], [0, 1, 1], -1),
    "join scalar": lambda: S.unsorted_segment_join("a", 0, 1),
    "ngrams vector": lambda: S.ngrams(["a", "b", "c"], 2, separator="+"),
    "ngrams matrix": lambda: S.ngrams([["a", "b", "c"], ["d", "e", "f"]], 2),
    "ngrams scalar": lambda: S.ngrams("a", 2),
    "ngrams deep": lambda: S.ngrams(tf.ragged.constant([[["a", "b"], ["c"]], [["d", "e", "f"]]]), 2),
    "ngrams raw": lambda: tf.raw_ops.StringNGrams(
        data=["a", "b"],
        data_splits=long([0, 3]),
        separator="-",
        ngram_widths=[2],
        left_pad="",
        right_pad="",
        pad_width=0,
        preserve_short_sequences=False,
    ),
}
options = [
    {"ngram_width": 2},
    {"ngram_width": [1, 3]},
    {"ngram_width": 3, "pad_values": "|"},
    {"ngram_width": 3, "pad_values": ("<", ">"), "padding_width": 1},
    {"ngram_width": 4, "preserve_short_sequences": True},
    {"ngram_width": 6, "pad_values": ("<", ">"), "padding_width": 1, "preserve_short_sequences": True},
    {"ngram_width": 0},
    {"ngram_width": 2, "padding_width": 0},
    {"ngram_width": 2, "padding_width": 1},
    {"ngram_width": 2, "pad_values": 5},
]
for i, option in enumerate(options):
    cases["ngrams %d" % i] = lambda option=option: S.ngrams(full() if "pad_values" in option else runs(), **option)
for errors in ("replace", "ignore", "strict"):
    cases["transcode " + errors] = lambda errors=errors: S.unicode_transcode(bad, "UTF-8", "UTF-16-BE", errors=errors)
    for encoding in ("UTF-8", "UTF-16-BE"):
        cases["encode %s %s" % (errors, encoding)] = lambda errors=errors, encoding=encoding: S.unicode_encode(
            codes, encoding, errors=errors, replacement_char=65
        )
for name in sorted(cases):
    results[name] = outcome(cases[name])

"""RE2's expressions over many strings at once: ends of texts, bytes that are no text, rewrites that are none, refusals."""

import numpy as np
import tensorflow as tf

results = {}
session = tf.Session()
text = tf.placeholder(tf.string)
pattern = tf.placeholder(tf.string)
rewrite = tf.placeholder(tf.string)
every = tf.raw_ops.RegexReplace(input=text, pattern=pattern, rewrite=rewrite)
first = tf.raw_ops.RegexReplace(input=text, pattern=pattern, rewrite=rewrite, replace_global=False)
whole = tf.raw_ops.RegexFullMatch(input=text, pattern=pattern)


def outcome(fetches, feeds):
    try:
        return [np.array(value).tolist() for value in session.run(fetches, feeds)]
    except tf.errors.OpError as error:
        return type(error).__name__ + ": " + error.message.partition("\n\t")[0]


TEXTS = [
    b"abc",
    b"",
    b"ab ab",
    "na\u00efve \u6f22\u5b57".encode("utf-8"),
    b"a\xff\xc3b",
    b"K1_k",
    b"  a-b ",
    b"\x00a\x00",
]
LINES = [b"a\nb", b"\n", b"ab\n", b"\nab"]
for expression in [
    "", "a", "ab", "^", "$", "^a", "b$", "^$", r"\A", r"\z", r"\Aa|b\z", "(?m)^", "(?m)b$", r"\b", r"\B", r"\C", "(?s).", ".",
    "[^a]", "[^ab]+", "([ab]+)", r"(\w)", r"\W+", r"[\s\S]", r"[^\n]*", r"\n", "(?i)K", "[k]", "a*", "(a|ab)(c|bcd)?",
    r"\pL+", r"[\x00-\x20]", r"\.", r"[.\-]", r"[^\w\s]", "(?:[^a])", r"(?-s:.)+", "a.b|a", "b|", "(?U)a.*b", r"\Qa", r"\Q-\E|a",
    "\u00ef", "[\u00ef\u6f22]", "x??", "(?:a|b)+?", r"[[:^alpha:]]", r"a\C", r"^a?b?c?$", r"[^\x00-\x7f]", "((?i)AB) ?",
]:  # fmt: skip
    for name, texts in [("texts", TEXTS), ("lines", TEXTS + LINES), ("few", TEXTS[:2])]:
        feeds = {text: texts, pattern: expression, rewrite: r"<\0\1>"}
        results[name + " " + expression] = outcome([every, first, whole], feeds)
        results[name + " emptied " + expression] = outcome([every, first], {**feeds, rewrite: ""})

for form in [
    r"\1",
    r"\2\1",
    r"\0\0",
    r"\9",
    r"\10",
    r"\\",
    "\\",
    r"x\qy",
    r"\1\q",
    "\n",
    "$1",
    "a\0",
    b"\xff\\0",
    r"\\1",
]:
    for expression in ["b", "(b)", "(?:b)", "(a)|(b)", "()"]:
        feeds = {text: [b"ab", b"b", b"", b"bb a", b"\xffb", b"b\n"], pattern: expression, rewrite: form}
        results["put %r for %r" % (form, expression)] = outcome([every, first], feeds)

for refused in [
    "(", ")", "a)", "(a", "[",
    "[z-a]", "*", "a**", "a{2}{3}", "a{1001}", "a{2,1}", "(a{1000}){2}", r"(\pL{30}){30}", r"\8", r"\y",
    "\\", r"\pX", r"\p{Nope}", "(?i", "(?P<a", "(?P<a b>x)", "(?P<x>a)(?P<x>b)", "(?P=x)", "(?=a)", "(?#a)",
    r"\x{110000}", "a{1000}{1000}", "((a{100}){100}){100}",
]:  # fmt: skip
    results["refused " + refused] = outcome([whole], {text: ["a"], pattern: refused})
    results["refused for nothing " + refused] = outcome([every], {text: [], pattern: refused, rewrite: ""})

for shape in ["a", ["a"], [], [["a", "b"], ["ab", ""]], [[], []]]:
    results["shape %r" % (shape,)] = outcome([every, whole], {text: shape, pattern: "a", rewrite: "b"})
results["patterns"] = outcome([whole], {text: ["a"], pattern: ["a", "b"]})
results["rewrites"] = outcome([every], {text: ["a"], pattern: "a", rewrite: [["a"]]})
results["long"] = outcome([every, whole], {text: ["a" * 1000 + "b"] * 6, pattern: "(a+)+$", rewrite: "c"})
results["slow"] = outcome([whole], {text: ["x" * 5000] * 6, pattern: "(x+x+)+y"})

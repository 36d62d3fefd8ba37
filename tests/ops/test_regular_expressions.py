"""RE2's expressions over many strings: as over each alone, in linear time, and without a word on stderr."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import headrace as tf
from headrace.kernels.string.patterns import Pattern, cached_pattern
from headrace.kernels.string.rewrites import Rewrite

ATOMS = [
    "a", "b", "k", "é", ".", "^", "$", r"\A", r"\z", r"\b", r"\B", r"\w", r"\W", r"\s", r"\S", r"\n", r"\.", "[ab]", "[^a]",
    r"[^\w\s]", r"[\x00-\x20]", r"\pL", r"\PL", r"\C", "(?m:^)", "(?i:k)", "(?s:.)", "[[:alpha:]]", r"\x{e9}", "[é]", r"\Qa\E",
]  # fmt: skip
PATTERNS = st.recursive(
    st.sampled_from(ATOMS),
    lambda inner: (
        st.tuples(inner, inner).map("".join)
        | st.tuples(inner, inner).map("|".join)
        | inner.map("({})".format)
        | st.tuples(inner, st.sampled_from(["*", "+", "?", "*?", "+?", "{1,2}"])).map(
            lambda both: "({}){}".format(*both)
        )
        | st.tuples(st.sampled_from(["(?i)", "(?m)", "(?s)", "(?U)", "(?-s)"]), inner).map("".join)
    ),
    max_leaves=5,
)
BYTES = st.lists(st.sampled_from([*b"abkK1 .-_\n\x00\xff\xc3\xa9\x80"]), max_size=6).map(bytes)
WORDS = st.lists(st.sampled_from("abkK1 .-_éſ漢"), max_size=6).map("".join).map(str.encode)
REWRITES = st.sampled_from([b"", b"x", rb"<\0>", rb"\1\1", rb"\2-\0", b"\n", rb"a\q", b"\\\\"])


@settings(max_examples=300, deadline=None)
@given(
    PATTERNS, st.lists(BYTES, min_size=5, max_size=9) | st.lists(WORDS, min_size=5, max_size=9), REWRITES, st.booleans()
)
@example("", [b"", b"a", "é".encode(), b"\xc3", b"ab"], b"-", True)
@example("^a|b$", [b"ab", b"", b"ba", b"aab", b"bb"], rb"<\0>", False)
def test_many_texts_are_as_each_alone(pattern, texts, rewrite, everywhere):
    many, alone = Pattern(pattern.encode()), Pattern(pattern.encode())
    assert many.full_matches(texts).tolist() == [alone.full_matches([text]).item() for text in texts]
    put = Rewrite(rewrite)
    expected = [text for one in texts for text in alone.replaced([one], put, everywhere)]
    assert list(many.replaced(texts, put, everywhere)) == expected


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(["[^a]", "[ab]", r"[^\w\s]", r"[\D]", r"\W", r"\d", r"\s", r"[\x00-\x7f]", r"[^\x00-\x7f]", r"[.\-]", r"\."]),
    st.booleans(),
    st.lists(BYTES | WORDS, min_size=1, max_size=7),
    st.sampled_from([b"", b"x", rb"<\0>", rb"\1-", b"\\\\", b"\xff", rb"\\1"]),
    st.booleans(),
)  # fmt: skip
def test_classes_are_as_re2_has_them(one, run, texts, rewrite, everywhere):
    # RE2 itself is asked for the second pattern, which is no class for us.
    text = one + "+" * run
    found = Pattern(f"({text})".encode()).replaced(texts, Rewrite(rewrite), everywhere)
    assert list(found) == list(Pattern(f"((?:{text}))".encode()).replaced(texts, Rewrite(rewrite), everywhere))


def test_many_more_texts_than_are_taken_at_once():
    texts = [b"%d" % i for i in range(10_000)]
    texts[5000] = b"5\n"
    assert Pattern(rb"\d*7").full_matches(texts).tolist() == [text.endswith(b"7") for text in texts]
    expected = [re.sub(rb"(\d)7", rb"\1.", text) for text in texts]
    assert Pattern(rb"(\d)7").replaced(texts, Rewrite(rb"\1.")) == expected


@pytest.mark.parametrize(
    "pattern",
    ["(a+)+$", "(a|a)*$", "(a*)*b", "(a|aa)+$", "^(([a-z])+.)+[A-Z]([a-z])+$", "(?:a?){200}a{200}$", r"(\w+\s?)+$"],
)
def test_long_texts_take_linear_time(pattern):
    # An expression that tries one way after the other would not come back.
    texts = np.array([b"a" * 20_000 + b"!"] * 6, object)
    with tf.Graph().as_default(), tf.Session() as session:
        whole, other = (
            tf.strings.regex_full_match(texts, pattern),
            tf.strings.regex_full_match(texts[:1], tf.identity(pattern)),
        )
        replaced = tf.strings.regex_replace(texts, pattern, r"<\1>")
        assert not session.run(whole).any()
        assert not session.run(other).any()
        assert session.run(replaced).shape == (6,)


def test_nothing_is_said_on_stderr(capfd):
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Invalid pattern: \(, error: missing \): \("):
        Pattern(b"(")
    # More states than RE2 keeps.
    Pattern(rb"((\pL|[^a]){1,40}.{0,300}b){1,3}").full_matches([b"ab" * 3000] * 6)
    assert Pattern(b"a").replaced([b"aa"], Rewrite(rb"x\q")) == [b"xx"]
    assert capfd.readouterr() == ("", "")


def test_few_patterns_are_kept():
    for i in range(100):
        cached_pattern(b"%d" % i)
    assert cached_pattern.cache_info().currsize <= 16


@pytest.mark.parametrize("pattern", [b"\xff", b"a\xc3", b"[\xff]", rb"\x{"])
def test_patterns_that_are_no_text(pattern):
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid pattern"):
        Pattern(pattern)

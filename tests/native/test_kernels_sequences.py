"""SequenceExamples that the runner reads: beside what is read through their messages."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import headrace as tf
from headrace import native
from headrace.native.direct import direct_call
from headrace.ops.parsing import sequence_example

pytestmark = pytest.mark.skipif(not native.available(), reason="the native runner is not built")

INTS, FLOATS = st.integers(-(2**63), 2**63 - 1), st.floats(width=32, allow_nan=False)
CONTEXT = {
    "a": tf.VarLenFeature(tf.int64),
    "size": tf.FixedLenFeature([], tf.int64),
    "pair": tf.FixedLenFeature([2], tf.float32, default_value=[0.5, 1.5]),
    "title": tf.FixedLenFeature([1], tf.string, default_value=["none"]),
}
LISTS = {
    "a": tf.VarLenFeature(tf.string),
    "tokens": tf.FixedLenSequenceFeature([], tf.int64),
    "points": tf.FixedLenSequenceFeature([1, 2], tf.float32, allow_missing=True),
    "words": tf.FixedLenSequenceFeature([1], tf.string, allow_missing=True),
    "": tf.VarLenFeature(tf.float32),
}


def of_kind(kind, values, **sizes):
    return st.lists(values, **sizes).map(lambda found: (kind, found))


def exactly(kind, values, count):
    return of_kind(kind, values, min_size=count, max_size=count)


ANY = st.one_of(
    of_kind("int64_list", INTS, max_size=3),
    of_kind("float_list", FLOATS, max_size=3),
    of_kind("bytes_list", st.binary(max_size=5), max_size=3),
    st.just((None, [])),
)
# As the features want them: most records are such.
FITTING = st.tuples(
    st.fixed_dictionaries(
        {"size": exactly("int64_list", INTS, 1)},
        optional={
            "a": st.one_of(of_kind("int64_list", INTS, max_size=4), st.just((None, []))),
            "pair": exactly("float_list", FLOATS, 2),
            "title": exactly("bytes_list", st.binary(max_size=200), 1),
            "other": ANY,
        },
    ),
    st.fixed_dictionaries(
        {"tokens": st.lists(exactly("int64_list", INTS, 1), max_size=6)},
        optional={
            "a": st.lists(
                st.one_of(of_kind("bytes_list", st.binary(max_size=9), max_size=3), st.just((None, []))), max_size=4
            ),
            "points": st.lists(exactly("float_list", FLOATS, 2), max_size=3),
            "words": st.lists(exactly("bytes_list", st.binary(max_size=9), 1), max_size=3),
            "": st.lists(of_kind("float_list", FLOATS, max_size=3), max_size=3),
            "other": st.lists(ANY, max_size=3),
        },
    ),
)
# Records that fit, but for some of their features.
NEARLY = st.tuples(
    FITTING,
    st.dictionaries(st.sampled_from([*CONTEXT, *LISTS]), ANY, max_size=1),
    st.dictionaries(st.sampled_from([*CONTEXT, *LISTS]), st.lists(ANY, max_size=2), max_size=1),
).map(lambda parts: ({**parts[0][0], **parts[1]}, {**parts[0][1], **parts[2]}))


def fill(feature, kind, values):
    if kind is not None:
        getattr(feature, kind).SetInParent()
        getattr(feature, kind).value.extend(values)


def record_of(parts):
    context, lists = parts
    example = tf.train.SequenceExample()
    for key, (kind, values) in context.items():
        fill(example.context.feature[key], kind, values)
    for key, items in lists.items():
        made = example.feature_lists.feature_list[key]
        for kind, values in items:
            fill(made.feature.add(), kind, values)
    return example.SerializeToString()


def shown(part):
    """A value with its type and shape; texts as they are."""
    if isinstance(part, dict):
        return {key: shown(each) for key, each in part.items()}
    if isinstance(part, tuple):
        return [shown(each) for each in part]
    array = np.asarray(part)
    # As text: what is no number, which damage makes, is not equal to itself.
    return str(array.dtype) if array.dtype != object else "texts", array.shape, repr(array.tolist())


def parsed(records, monkeypatch, by_runner, context=CONTEXT, lists=LISTS):
    """What the functions give of all records and of the first, or the errors; and whether the runner found it."""
    found = []

    def ask(*args):
        made = direct_call("features_of_sequences")(*args)
        found.append(made is not None)
        return made

    monkeypatch.setattr(sequence_example, "direct_call", lambda name: ask if by_runner else None)
    results = []
    given_records = np.empty(len(records), object)
    given_records[:] = records
    with tf.Graph().as_default(), tf.Session() as session:
        fetches = [tf.io.parse_sequence_example(given_records, context, lists)]
        if records:
            fetches.append(
                tf.parse_single_sequence_example(tf.constant(records[0]), context, lists, example_name="one")
            )
        for fetch in fetches:
            try:
                results.append(shown(session.run(fetch)))
            except tf.errors.InvalidArgumentError as error:
                results.append(error.message)
    return results, found


def varint(number):
    written = bytearray()
    while number > 127:
        written.append(number & 127 | 128)
        number >>= 7
    return bytes([*written, number])


def field(number, contents):
    return bytes([number << 3 | 2]) + varint(len(contents)) + contents


def entry(key, value):
    return field(1, field(1, key) + field(2, value))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(records=st.lists(FITTING.map(record_of), max_size=5))
def test_features_of_records(records, monkeypatch):
    expected, _ = parsed(records, monkeypatch, by_runner=False)
    made, found = parsed(records, monkeypatch, by_runner=True)
    assert made == expected
    assert all(found)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    parts=st.lists(NEARLY, min_size=1, max_size=3),
    damage=st.lists(st.tuples(st.integers(0, 2**16), st.integers(0, 255)), max_size=2),
    ends=st.integers(0, 2**16),
)
def test_wrong_and_damaged_records(parts, damage, ends, monkeypatch):
    records = [record_of(each) for each in parts]
    if damage:
        broken = bytearray(records[-1])
        for place, value in damage:
            broken[place % len(broken)] = value
        records[-1] = bytes(broken[: ends % len(broken) + 1] if ends % 3 == 0 else broken)
    assert parsed(records, monkeypatch, True)[0] == parsed(records, monkeypatch, False)[0]


SIZE = field(1, entry(b"size", field(3, field(1, b"\x05"))))
TOKENS = entry(b"tokens", field(1, field(3, field(1, b"\x07"))))
WRITTEN = {
    "the usual way": (SIZE + field(2, TOKENS), True),
    "numbers one by one": (SIZE + field(2, entry(b"tokens", field(1, field(3, b"\x08\x07")) * 2)), True),
    "steps without numbers": (SIZE + field(2, entry(b"tokens", b"")), True),
    "the lists first": (field(2, TOKENS) + SIZE, False),
    "lists in two parts": (SIZE + field(2, TOKENS) + field(2, entry(b"words", b"")), False),
    "a key twice": (SIZE + field(2, TOKENS + TOKENS), False),
    "a value before its key": (SIZE + field(2, field(1, field(2, b"") + field(1, b"tokens"))), False),
    "an unknown field": (SIZE + field(2, TOKENS) + field(7, b"?"), False),
    "an unknown field of another list": (SIZE + field(2, TOKENS + entry(b"other", field(7, b"?"))), False),
    "a step that is none": (SIZE + field(2, entry(b"tokens", field(1, b""))), False),
    "two numbers in a step": (SIZE + field(2, entry(b"tokens", field(1, field(3, field(1, b"\x07\x08"))))), False),
    "no tokens": (SIZE, False),
    "a size of two": (field(1, entry(b"size", field(3, field(1, b"\x05\x06")))) + field(2, TOKENS), False),
}


@pytest.mark.parametrize("name", sorted(WRITTEN))
def test_records_of_other_writers(name, monkeypatch):
    record, read = WRITTEN[name]
    made, found = parsed([record, WRITTEN["the usual way"][0]], monkeypatch, True)
    assert made == parsed([record, WRITTEN["the usual way"][0]], monkeypatch, False)[0]
    assert found == [read, read]


@pytest.mark.parametrize("by_runner", [True, False])
def test_steps_of_no_elements(by_runner, monkeypatch):
    of_no_values = ("int64_list", [])
    records = [record_of(({"c": of_no_values}, {"x": [of_no_values] * count})) for count in (2, 0)]
    context, lists = {"c": tf.FixedLenFeature([0], tf.int64)}, {"x": tf.FixedLenSequenceFeature([0], tf.int64)}
    (batch, single), _ = parsed(records, monkeypatch, by_runner, context, lists)
    found, steps, lengths = batch
    assert (found["c"][1], steps["x"][1], lengths["x"][2]) == ((2, 0), (2, 2, 0), "[2, 0]")
    assert (single[0]["c"][1], single[1]["x"][1]) == ((0,), (2, 0))


def test_others_are_not_read():
    ask = direct_call("features_of_sequences")
    column = (b"a", 2, False, None, True)
    assert ask([], ()) == ()
    assert ask([b"", None], (column,)) is None
    assert ask("text", (column,)) is None
    assert ask(b"", [column]) is None
    assert ask(b"", (column[:4],)) is None
    assert ask(b"", (("a", *column[1:]),)) is None
    assert ask(b"", ((b"a", 3, *column[2:]),)) is None
    assert ask(b"", ((b"a", 2, True, (2,) * 13, True),)) is None
    assert ask(b"", ((b"a", 2, True, (-1,), True),)) is None
    assert ask(b"", ((b"a", 2, True, (2**40, 2**40), True),)) is None
    with pytest.raises(TypeError, match="takes 2 arguments, got 1"):
        ask(b"")

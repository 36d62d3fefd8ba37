"""Features of Examples that the runner reads: beside what is read through their messages."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import headrace as tf
from headrace import native
from headrace.kernels.parsing import batches
from headrace.native.direct import direct_call

pytestmark = pytest.mark.skipif(not native.available(), reason="the native runner is not built")

KEYS = ["a", "b", "long key", ""]
FEATURES = {
    "a": tf.VarLenFeature(tf.int64),
    "b": tf.VarLenFeature(tf.string),
    "long key": tf.VarLenFeature(tf.float32),
    "": tf.FixedLenSequenceFeature([2], tf.int64, allow_missing=True),
}
LISTS = st.one_of(
    st.tuples(st.just("int64_list"), st.lists(st.integers(-(2**63), 2**63 - 1), max_size=5)),
    st.tuples(st.just("float_list"), st.lists(st.floats(width=32, allow_nan=False), max_size=5)),
    st.tuples(st.just("bytes_list"), st.lists(st.binary(max_size=5), max_size=5)),
    st.just((None, [])),
)
# As the features want them: most records are such.
FITTING = st.fixed_dictionaries(
    {},
    optional={
        "a": st.lists(st.integers(-(2**63), 2**63 - 1), max_size=5).map(lambda v: ("int64_list", v)),
        "b": st.lists(st.binary(max_size=200), max_size=3).map(lambda v: ("bytes_list", v)),
        "long key": st.lists(st.floats(width=32, allow_nan=False), max_size=40).map(lambda v: ("float_list", v)),
        "": st.lists(st.integers(0, 300), max_size=2).map(lambda v: ("int64_list", 2 * v)),
        "other": LISTS,
    },
)


def varint(number):
    written = bytearray()
    while number > 127:
        written.append(number & 127 | 128)
        number >>= 7
    return bytes([*written, number])


def field(tag, contents):
    return bytes([tag << 3 | 2]) + varint(len(contents)) + contents


def record_of(features):
    example = tf.train.Example()
    for key, (kind, values) in features.items():
        feature = example.features.feature[key]
        if kind is not None:
            getattr(feature, kind).SetInParent()
            getattr(feature, kind).value.extend(values)
    return example.SerializeToString()


def parsed(records, features, monkeypatch, by_runner):
    """What `parse_example` gives of records, and `parse_single_example` of the first, or the errors; and whether it was asked."""
    asked = []

    def ask(*args):
        made = direct_call("features_of_examples")(*args)
        asked.append(made is not None)
        return made

    monkeypatch.setattr(batches, "direct_call", lambda name: ask if by_runner else None)
    results = []
    given_records = np.empty(len(records), object)
    given_records[:] = records
    with tf.Graph().as_default(), tf.Session() as session:
        fetches = [tf.parse_example(given_records, features)]
        if len(records):
            fetches.append(tf.parse_single_example(tf.constant(records[0]), features))
        for fetch in fetches:
            try:
                made = session.run(fetch)
            except tf.errors.InvalidArgumentError as error:
                results.append(error.message)
            else:
                results.append({key: repr(part) for key, part in made.items()})
    return results, asked


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(records=st.lists(FITTING.map(record_of), max_size=8))
def test_features_of_records(records, monkeypatch):
    expected, _ = parsed(records, FEATURES, monkeypatch, by_runner=False)
    made, asked = parsed(records, FEATURES, monkeypatch, by_runner=True)
    assert made == expected
    assert all(asked)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    features=st.lists(st.dictionaries(st.sampled_from([*KEYS, "other"]), LISTS, max_size=4), min_size=1, max_size=3),
    damage=st.lists(st.tuples(st.integers(0, 2**16), st.integers(0, 255)), max_size=2),
    ends=st.integers(0, 2**16),
)
def test_wrong_and_damaged_records(features, damage, ends, monkeypatch):
    records = [record_of(each) for each in features]
    if damage and records[-1]:
        broken = bytearray(records[-1])
        for place, value in damage:
            broken[place % len(broken)] = value
        records[-1] = bytes(broken[: ends % len(broken) + 1] if ends % 3 == 0 else broken)
    assert parsed(records, FEATURES, monkeypatch, True)[0] == parsed(records, FEATURES, monkeypatch, False)[0]


def entry(key, feature):
    return field(1, field(1, key) + field(2, feature))


UNUSUAL = {
    "numbers one by one": (
        entry(b"a", field(3, b"\x08\x05\x08\xac\x02")) + entry(b"long key", field(2, b"\x0d\0\0\x80?")),
        True,
    ),
    "packed in parts": (entry(b"a", field(3, field(1, b"\x05") + b"\x08\x07" + field(1, b"\xac\x02"))), True),
    "a key twice": (entry(b"a", field(3, field(1, b"\x05"))) + entry(b"a", field(3, field(1, b"\x06"))), False),
    "the value before the key": (field(1, field(2, field(3, field(1, b"\x05"))) + field(1, b"a")), False),
    "an unknown field": (entry(b"a", field(3, field(1, b"\x05"))) + field(7, b"?"), False),
    "a number that does not end": (entry(b"a", field(3, field(1, b"\x85"))), False),
    "a number that is too long": (entry(b"a", field(3, field(1, b"\x85" * 11 + b"\x01"))), False),
    "a number of another type": (entry(b"a", field(2, b"")), False),
    "no whole float": (entry(b"long key", field(2, field(1, b"abc"))), False),
    "a key that is no text": (entry(b"\xff", field(3, b"")), False),
    "a key beyond ASCII": (entry("ä".encode(), field(3, b"")), False),
}


@pytest.mark.parametrize("name", sorted(UNUSUAL))
def test_records_of_other_writers(name, monkeypatch):
    features, read = UNUSUAL[name]
    records = [field(1, features), b""]
    made, asked = parsed(records, FEATURES, monkeypatch, True)
    assert made == parsed(records, FEATURES, monkeypatch, False)[0]
    assert asked == [read, read]


def test_two_columns_of_a_key_and_many_columns():
    ask = direct_call("features_of_examples")
    record = record_of({f"k{i}": ("int64_list", [i]) for i in range(300)})
    keys = tuple(f"k{i}".encode() for i in (*range(299, -1, -1), 7))
    made = ask([record, b""], keys, (2,) * len(keys))
    assert [values.tolist() for values, _, _ in made] == [[i] for i in (*range(299, -1, -1), 7)]
    assert {(tuple(counts.tolist()), tuple(missing)) for _, counts, missing in made} == {((1, 0), (1,))}


def test_others_are_not_read():
    ask = direct_call("features_of_examples")
    assert ask((b"",), (b"a",), (0,)) is None
    assert ask([b"", None], (b"a",), (0,)) is None
    assert ask([b""], ("a",), (0,)) is None
    assert ask([b""], (b"a",), (3,)) is None
    assert ask([b""], (b"a",), ()) is None
    assert ask([], (), ()) == ()

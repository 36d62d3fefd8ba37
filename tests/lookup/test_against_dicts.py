"""Tables against Python's dicts: what is inserted is found, what is not has the default, and what is saved comes back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import headrace as tf

drawn = settings(max_examples=20, deadline=None)
PAIRS = st.dictionaries(st.integers(-5, 20), st.integers(-100, 100), min_size=1, max_size=8)
MAKERS = {
    "hashed": lambda: tf.contrib.lookup.MutableHashTable(tf.int64, tf.int64, -1),
    "dense": lambda: tf.contrib.lookup.MutableDenseHashTable(
        tf.int64, tf.int64, -1, empty_key=-99, deleted_key=-98, initial_num_buckets=4
    ),
}


@pytest.mark.parametrize("kind", MAKERS)
@drawn
@given(inserts=st.lists(PAIRS, min_size=1, max_size=4), asked=st.lists(st.integers(-5, 20), max_size=6))
def test_mutable_tables_are_dicts(kind, inserts, asked):
    model: dict[int, int] = {}
    with tf.Graph().as_default(), tf.Session() as session:
        table = MAKERS[kind]()
        keys, values = tf.placeholder(tf.int64, [None]), tf.placeholder(tf.int64, [None])
        insert, found, exported = table.insert(keys, values), table.lookup(keys), table.export()
        for pairs in inserts:
            model.update(pairs)
            session.run(insert, {keys: list(pairs), values: list(pairs.values())})
            assert session.run(table.size()) == len(model)
        assert session.run(found, {keys: asked}).tolist() == [model.get(key, -1) for key in asked]
        got = dict(zip(*(part.ravel().tolist() for part in session.run(exported)), strict=True))
    assert {key: value for key, value in got.items() if key in model} == model


@drawn
@given(
    words=st.lists(st.text("abcd", min_size=1, max_size=4), unique=True, min_size=1, max_size=8),
    buckets=st.integers(1, 5),
)
def test_an_index_and_its_inverse(words, buckets):
    asked = [*words, "not there", "nor there"]
    with tf.Graph().as_default(), tf.Session() as session:
        index = tf.contrib.lookup.index_table_from_tensor(words, num_oov_buckets=buckets)
        back = tf.contrib.lookup.index_to_string_table_from_tensor(words, default_value="?")
        ids = index.lookup(tf.constant(asked))
        session.run(tf.tables_initializer())
        numbers, texts, size = session.run([ids, back.lookup(ids), index.size()])
    assert numbers[: len(words)].tolist() == list(range(len(words)))
    assert all(len(words) <= number < len(words) + buckets for number in numbers[len(words) :])
    assert [text.decode() for text in texts] == [*words, "?", "?"]
    assert size == len(words) + buckets


def test_files_and_tensors_make_the_same_table(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("red\ngreen\nblue\n")
    from_file = tf.contrib.lookup.index_table_from_file(str(path), default_value=7)
    from_tensor = tf.contrib.lookup.index_table_from_tensor(["red", "green", "blue"], default_value=7)
    asked = tf.constant(["blue", "yellow", "red"])
    with tf.Session() as session:
        session.run(tf.tables_initializer())
        assert [x.tolist() for x in session.run([from_file.lookup(asked), from_tensor.lookup(asked)])] == [
            [2, 7, 0]
        ] * 2


def test_a_checkpoint_holds_a_table(tmp_path):
    table = tf.contrib.lookup.MutableHashTable(tf.string, tf.float32, [0.0, 0.0], checkpoint=True, name="kept")
    insert = table.insert(["a", "b"], [[1.0, 2.0], [3.0, 4.0]])
    found, saver = table.lookup(["b", "c"]), tf.train.Saver()
    with tf.Session() as session:
        session.run(insert)
        path = saver.save(session, str(tmp_path / "model"))
    with tf.Session() as session:
        saver.restore(session, path)
        np.testing.assert_array_equal(session.run(found), [[3, 4], [0, 0]])


def test_keys_of_another_type_and_tables_not_filled_are_refused():
    table = tf.contrib.lookup.HashTable(tf.contrib.lookup.KeyValueTensorInitializer(["a"], [1]), -1)
    with pytest.raises(TypeError, match="Signature mismatch"):
        table.lookup(tf.constant([1]))
    with tf.Session() as session, pytest.raises(tf.errors.FailedPreconditionError, match="Table not initialized"):
        session.run(table.lookup(tf.constant(["a"])))

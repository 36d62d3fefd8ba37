"""Words that a vocabulary has are not hashed."""

import numpy as np
import pytest

import headrace as tf

pytestmark = pytest.mark.usefixtures("plain_calls")


@pytest.mark.parametrize("fetch_hash", [False, True])
def test_only_missing_words_are_hashed(fetch_hash):
    with tf.Graph().as_default(), tf.Session() as sess:
        words = tf.placeholder(tf.string, [None])
        table = tf.contrib.lookup.index_table_from_tensor(["a", "b"], num_oov_buckets=3)
        ids = table.lookup(words)
        sess.run(tf.tables_initializer())
        hashed = next(op for op in tf.get_default_graph().get_operations() if op.type == "StringToHashBucketFast")
        fetches = [ids, hashed.outputs[0]] if fetch_hash else [ids]
        given = np.array([b"b", b"x", b"a", b"yy"], object)
        found = sess.run(fetches, {words: given})
        buckets = sess.run(tf.string_to_hash_bucket_fast(words, 3), {words: given})
        assert ("OfMissing" in sess.plan_for(fetches, [words]).source) is not fetch_hash
        np.testing.assert_array_equal(found[0], [1, 2 + buckets[1], 0, 2 + buckets[3]])
        if fetch_hash:
            np.testing.assert_array_equal(found[1], buckets)

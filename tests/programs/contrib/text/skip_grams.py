"""Pairs of words near each other, with tf.contrib.text."""

import os
import tempfile

import tensorflow as tf
from tensorflow.contrib import text

results = {}
tf.set_random_seed(7)
words = tf.constant(["the", "quick", "brown", "fox", "jumps", "over", "the", "lazy", "dog"])
folder = tempfile.mkdtemp()
vocabulary = os.path.join(folder, "words.csv")
with open(vocabulary, "w") as file:
    file.write("the,300\nfox,8\njumps,3\nover,40\nlazy,2\ndog,20\n")


def error_of(function, *args, **kwargs):
    try:
        function(*args, **kwargs)
    except (ValueError, tf.errors.OpError) as error:
        return type(error).__name__
    return None


pairs = {
    "two": text.skip_gram_sample(words, 2, 2),
    "part": text.skip_gram_sample(words, 1, 1, start=2, limit=4),
    "beyond": text.skip_gram_sample(words, 1, 1, start=20),
    "more": text.skip_gram_sample(words, 1, 1, start=7, limit=50),
    "itself": text.skip_gram_sample(words, 1, 1, emit_self_as_target=True),
    "none": text.skip_gram_sample(words, 0, 0),
    "drawn": text.skip_gram_sample(words, 1, 4, seed=3),
    "numbers": text.skip_gram_sample(tf.range(6), 1, 1),
    "file": text.skip_gram_sample_with_text_vocab(words, vocabulary, vocab_min_count=3, min_skips=1, max_skips=1),
    "subsampled": text.skip_gram_sample_with_text_vocab(
        words, vocabulary, vocab_subsampling=0.05, min_skips=1, max_skips=1, seed=5
    ),
}
results["names"] = [pairs["two"][0].name, pairs["drawn"][1].name, pairs["two"][0].shape.as_list()]
with tf.Session() as sess:
    sess.run(tf.tables_initializer())
    for name in sorted(pairs):
        results[name] = [[list(part) for part in sess.run(pairs[name])] for _ in range(2)]
    results["run_errors"] = [
        error_of(sess.run, text.skip_gram_sample(words, 3, 1)),
        error_of(sess.run, text.skip_gram_sample(words, -1)),
    ]
results["errors"] = [
    error_of(text.skip_gram_sample, words, vocab_min_count=3),
    error_of(text.skip_gram_sample, words, vocab_freq_table=3),
    error_of(text.skip_gram_sample, words, vocab_freq_table=3, corpus_size=3),
    error_of(text.skip_gram_sample_with_text_vocab, words, vocabulary, vocab_freq_index=0),
    error_of(text.skip_gram_sample_with_text_vocab, words, vocabulary, vocab_freq_index=4),
    error_of(text.skip_gram_sample_with_text_vocab, words, vocabulary, vocab_freq_index=-1),
    error_of(text.skip_gram_sample_with_text_vocab, words, vocabulary, corpus_size=5),
]

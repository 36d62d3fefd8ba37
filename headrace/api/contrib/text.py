"""tf.contrib.text: pairs of words that stand near each other."""

HOMES = {"contrib.text": "skip_gram_sample skip_gram_sample_with_text_vocab"}

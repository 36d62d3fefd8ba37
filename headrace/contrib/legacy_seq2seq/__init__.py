"""The sequence to sequence models of unrolled networks that came before `tf.contrib.seq2seq`."""

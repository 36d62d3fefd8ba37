"""tf.contrib.recurrent."""

HOMES = {
    "contrib.recurrent.functional_rnn": "bidirectional_functional_rnn functional_rnn",
    "contrib.recurrent.recurrent": "Recurrent",
}

"""tf.contrib.legacy_seq2seq."""

HOMES: dict[str, str] = {
    "contrib.legacy_seq2seq.losses": "model_with_buckets sequence_loss sequence_loss_by_example",
    "contrib.legacy_seq2seq.models": "basic_rnn_seq2seq embedding_attention_seq2seq embedding_rnn_seq2seq "
    "embedding_tied_rnn_seq2seq one2many_rnn_seq2seq tied_rnn_seq2seq",
    "contrib.legacy_seq2seq.seq2seq": "attention_decoder embedding_attention_decoder embedding_rnn_decoder rnn_decoder",
}

"""tf.contrib.ctc: connectionist temporal classification, where it was before 0.9."""

HOMES: dict[str, str] = {
    "contrib.ctc": "ctc_loss",
    "ops.nn.ctc_decoding": "ctc_beam_search_decoder ctc_greedy_decoder",
}

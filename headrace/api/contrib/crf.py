"""tf.contrib.crf."""

HOMES: dict[str, str] = {
    "contrib.crf.cells": "CrfDecodeBackwardRnnCell CrfDecodeForwardRnnCell CrfForwardRnnCell",
    "contrib.crf.crf": "crf_binary_score crf_decode crf_log_likelihood crf_log_norm crf_multitag_sequence_score "
    "crf_sequence_score crf_unary_score viterbi_decode",
}

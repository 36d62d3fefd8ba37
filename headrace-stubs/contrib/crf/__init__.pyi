# Made by tools/make_stubs.py.

__all__ = ['CrfDecodeBackwardRnnCell', 'CrfDecodeForwardRnnCell', 'CrfForwardRnnCell', 'crf_binary_score', 'crf_decode', 'crf_log_likelihood', 'crf_log_norm', 'crf_multitag_sequence_score', 'crf_sequence_score', 'crf_unary_score', 'viterbi_decode']
from headrace.contrib.crf.cells import CrfDecodeBackwardRnnCell as CrfDecodeBackwardRnnCell
from headrace.contrib.crf.cells import CrfDecodeForwardRnnCell as CrfDecodeForwardRnnCell
from headrace.contrib.crf.cells import CrfForwardRnnCell as CrfForwardRnnCell
from headrace.contrib.crf.crf import crf_binary_score as crf_binary_score
from headrace.contrib.crf.crf import crf_decode as crf_decode
from headrace.contrib.crf.crf import crf_log_likelihood as crf_log_likelihood
from headrace.contrib.crf.crf import crf_log_norm as crf_log_norm
from headrace.contrib.crf.crf import crf_multitag_sequence_score as crf_multitag_sequence_score
from headrace.contrib.crf.crf import crf_sequence_score as crf_sequence_score
from headrace.contrib.crf.crf import crf_unary_score as crf_unary_score
from headrace.contrib.crf.crf import viterbi_decode as viterbi_decode

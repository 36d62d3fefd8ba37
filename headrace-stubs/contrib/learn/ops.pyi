# Made by tools/make_stubs.py.

__all__ = ['batch_normalize', 'categorical_variable', 'conv2d', 'dnn', 'dropout', 'embedding_lookup', 'expand_concat', 'mean_squared_error_regressor', 'one_hot_matrix', 'rnn_decoder', 'rnn_seq2seq', 'seq2seq_inputs', 'sequence_classifier', 'softmax_classifier', 'split_squeeze']
from headrace.contrib.learn.network_ops import batch_normalize as batch_normalize
from headrace.contrib.learn.classifier_ops import categorical_variable as categorical_variable
from headrace.contrib.learn.network_ops import conv2d as conv2d
from headrace.contrib.learn.network_ops import dnn as dnn
from headrace.contrib.learn.network_ops import dropout as dropout
from headrace.contrib.learn.classifier_ops import embedding_lookup as embedding_lookup
from headrace.contrib.learn.network_ops import expand_concat as expand_concat
from headrace.contrib.learn.classifier_ops import mean_squared_error_regressor as mean_squared_error_regressor
from headrace.contrib.learn.classifier_ops import one_hot_matrix as one_hot_matrix
from headrace.contrib.learn.seq2seq_ops import rnn_decoder as rnn_decoder
from headrace.contrib.learn.seq2seq_ops import rnn_seq2seq as rnn_seq2seq
from headrace.contrib.learn.seq2seq_ops import seq2seq_inputs as seq2seq_inputs
from headrace.contrib.learn.seq2seq_ops import sequence_classifier as sequence_classifier
from headrace.contrib.learn.classifier_ops import softmax_classifier as softmax_classifier
from headrace.contrib.learn.network_ops import split_squeeze as split_squeeze

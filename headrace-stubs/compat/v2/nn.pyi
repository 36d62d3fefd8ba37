# Made by tools/make_stubs.py.
from typing import Any

__all__ = ['all_candidate_sampler', 'atrous_conv2d', 'atrous_conv2d_transpose', 'avg_pool', 'avg_pool1d', 'avg_pool2d', 'avg_pool3d', 'batch_norm_with_global_normalization', 'batch_normalization', 'bias_add', 'collapse_repeated', 'compute_accidental_hits', 'compute_average_loss', 'conv1d', 'conv1d_transpose', 'conv2d', 'conv2d_transpose', 'conv3d', 'conv3d_transpose', 'conv_transpose', 'convolution', 'crelu', 'ctc_beam_search_decoder', 'ctc_greedy_decoder', 'ctc_loss', 'ctc_unique_labels', 'depth_to_space', 'depthwise_conv2d', 'depthwise_conv2d_backprop_filter', 'depthwise_conv2d_backprop_input', 'dilation2d', 'dropout', 'elu', 'embedding_lookup', 'embedding_lookup_sparse', 'erosion2d', 'fixed_unigram_candidate_sampler', 'fractional_avg_pool', 'fractional_max_pool', 'in_top_k', 'l2_loss', 'l2_normalize', 'leaky_relu', 'learned_unigram_candidate_sampler', 'local_response_normalization', 'log_poisson_loss', 'log_softmax', 'lrn', 'max_pool', 'max_pool1d', 'max_pool2d', 'max_pool3d', 'max_pool_with_argmax', 'moments', 'nce_loss', 'normalize_moments', 'pool', 'relu', 'relu6', 'safe_embedding_lookup_sparse', 'sampled_softmax_loss', 'scale_regularization_loss', 'selu', 'separable_conv2d', 'sigmoid', 'sigmoid_cross_entropy_with_logits', 'softmax', 'softmax_cross_entropy_with_logits', 'softplus', 'softsign', 'space_to_batch', 'space_to_depth', 'sparse_softmax_cross_entropy_with_logits', 'sufficient_statistics', 'swish', 'tanh', 'top_k', 'weighted_cross_entropy_with_logits', 'weighted_moments', 'with_space_to_batch', 'zero_fraction']
from headrace.nn import all_candidate_sampler as all_candidate_sampler
from headrace.nn import atrous_conv2d as atrous_conv2d
from headrace.nn import atrous_conv2d_transpose as atrous_conv2d_transpose
from headrace.nn import avg_pool_v2 as avg_pool
from headrace.nn import avg_pool1d as avg_pool1d
avg_pool2d: Any
from headrace.nn import avg_pool3d as avg_pool3d
batch_norm_with_global_normalization: Any
from headrace.nn import batch_normalization as batch_normalization
from headrace.nn import bias_add as bias_add
from headrace.nn import collapse_repeated as collapse_repeated
from headrace.nn import compute_accidental_hits as compute_accidental_hits
from headrace.nn import compute_average_loss as compute_average_loss
conv1d: Any
from headrace.nn import conv1d_transpose as conv1d_transpose
conv2d: Any
conv2d_transpose: Any
conv3d: Any
conv3d_transpose: Any
from headrace.nn import conv_transpose as conv_transpose
convolution: Any
crelu: Any
ctc_beam_search_decoder: Any
from headrace.nn import ctc_greedy_decoder as ctc_greedy_decoder
from headrace.nn import ctc_loss_v2 as ctc_loss
from headrace.nn import ctc_unique_labels as ctc_unique_labels
depth_to_space: Any
depthwise_conv2d: Any
from headrace.nn import depthwise_conv2d_backprop_filter as depthwise_conv2d_backprop_filter
from headrace.nn import depthwise_conv2d_backprop_input as depthwise_conv2d_backprop_input
from headrace.ops.nn.dilation import dilation2d_v2 as dilation2d
dropout: Any
from headrace.nn import elu as elu
embedding_lookup: Any
embedding_lookup_sparse: Any
from headrace.ops.nn.dilation import erosion2d_v2 as erosion2d
from headrace.nn import fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler
from headrace.ops.nn.fractional_pooling import fractional_avg_pool_v2 as fractional_avg_pool
from headrace.ops.nn.fractional_pooling import fractional_max_pool_v2 as fractional_max_pool
in_top_k: Any
from headrace.nn import l2_loss as l2_loss
l2_normalize: Any
from headrace.nn import leaky_relu as leaky_relu
from headrace.nn import learned_unigram_candidate_sampler as learned_unigram_candidate_sampler
from headrace.nn import local_response_normalization as local_response_normalization
from headrace.nn import log_poisson_loss as log_poisson_loss
log_softmax: Any
from headrace.nn import lrn as lrn
from headrace.nn import max_pool_v2 as max_pool
from headrace.nn import max_pool1d as max_pool1d
from headrace.nn import max_pool2d as max_pool2d
from headrace.nn import max_pool3d as max_pool3d
from headrace.functions.nn.pooling_functions import max_pool_with_argmax_v2 as max_pool_with_argmax
moments: Any
nce_loss: Any
from headrace.nn import normalize_moments as normalize_moments
pool: Any
from headrace.nn import relu as relu
from headrace.nn import relu6 as relu6
safe_embedding_lookup_sparse: Any
sampled_softmax_loss: Any
from headrace.nn import scale_regularization_loss as scale_regularization_loss
from headrace.nn import selu as selu
separable_conv2d: Any
from headrace.nn import sigmoid as sigmoid
sigmoid_cross_entropy_with_logits: Any
softmax: Any
softmax_cross_entropy_with_logits: Any
from headrace.nn import softplus as softplus
from headrace.nn import softsign as softsign
space_to_batch: Any
space_to_depth: Any
sparse_softmax_cross_entropy_with_logits: Any
sufficient_statistics: Any
from headrace.nn import swish as swish
from headrace.nn import tanh as tanh
from headrace.nn import top_k as top_k
weighted_cross_entropy_with_logits: Any
weighted_moments: Any
from headrace.nn import with_space_to_batch as with_space_to_batch
from headrace.nn import zero_fraction as zero_fraction

# Made by tools/make_stubs.py.

__all__ = ['MaskedBasicLSTMCell', 'MaskedLSTMCell', 'Pruning', 'apply_mask', 'get_masked_weights', 'get_masks', 'get_pruning_hparams', 'get_thresholds', 'get_weight_sparsity', 'get_weights', 'graph_def_from_checkpoint', 'masked_conv2d', 'masked_convolution', 'masked_fully_connected', 'strip_pruning_vars_fn', 'train']
from headrace.contrib.model_pruning.rnn_cells import MaskedBasicLSTMCell as MaskedBasicLSTMCell
from headrace.contrib.model_pruning.rnn_cells import MaskedLSTMCell as MaskedLSTMCell
from headrace.contrib.model_pruning.pruning import Pruning as Pruning
from headrace.contrib.model_pruning.masks import apply_mask as apply_mask
from headrace.contrib.model_pruning.masks import get_masked_weights as get_masked_weights
from headrace.contrib.model_pruning.masks import get_masks as get_masks
from headrace.contrib.model_pruning.pruning import get_pruning_hparams as get_pruning_hparams
from headrace.contrib.model_pruning.masks import get_thresholds as get_thresholds
from headrace.contrib.model_pruning.masks import get_weight_sparsity as get_weight_sparsity
from headrace.contrib.model_pruning.masks import get_weights as get_weights
from headrace.contrib.model_pruning.stripping import graph_def_from_checkpoint as graph_def_from_checkpoint
from headrace.contrib.model_pruning.layers import masked_conv2d as masked_conv2d
from headrace.contrib.model_pruning.layers import masked_convolution as masked_convolution
from headrace.contrib.model_pruning.layers import masked_fully_connected as masked_fully_connected
from headrace.contrib.model_pruning.stripping import strip_pruning_vars_fn as strip_pruning_vars_fn
from headrace.contrib.model_pruning.learning import train as train

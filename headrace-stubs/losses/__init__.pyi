# Made by tools/make_stubs.py.

__all__ = ['Reduction', 'absolute_difference', 'add_loss', 'compute_weighted_loss', 'cosine_distance', 'get_losses', 'get_regularization_loss', 'get_regularization_losses', 'get_total_loss', 'hinge_loss', 'huber_loss', 'log_loss', 'mean_pairwise_squared_error', 'mean_squared_error', 'sigmoid_cross_entropy', 'softmax_cross_entropy', 'sparse_softmax_cross_entropy']
from headrace.losses.weighting import Reduction as Reduction
from headrace.losses.supervised import absolute_difference as absolute_difference
from headrace.losses.collecting import add_loss as add_loss
from headrace.losses.weighting import compute_weighted_loss as compute_weighted_loss
from headrace.losses.supervised import cosine_distance as cosine_distance
from headrace.losses.collecting import get_losses as get_losses
from headrace.losses.collecting import get_regularization_loss as get_regularization_loss
from headrace.losses.collecting import get_regularization_losses as get_regularization_losses
from headrace.losses.collecting import get_total_loss as get_total_loss
from headrace.losses.supervised import hinge_loss as hinge_loss
from headrace.losses.supervised import huber_loss as huber_loss
from headrace.losses.supervised import log_loss as log_loss
from headrace.losses.supervised import mean_pairwise_squared_error as mean_pairwise_squared_error
from headrace.losses.supervised import mean_squared_error as mean_squared_error
from headrace.losses.supervised import sigmoid_cross_entropy as sigmoid_cross_entropy
from headrace.losses.supervised import softmax_cross_entropy as softmax_cross_entropy
from headrace.losses.supervised import sparse_softmax_cross_entropy as sparse_softmax_cross_entropy

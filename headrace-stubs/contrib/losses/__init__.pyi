# Made by tools/make_stubs.py.

__all__ = ['absolute_difference', 'add_loss', 'compute_weighted_loss', 'cosine_distance', 'get_losses', 'get_regularization_losses', 'get_total_loss', 'hinge_loss', 'log_loss', 'mean_pairwise_squared_error', 'mean_squared_error', 'metric_learning', 'sigmoid_cross_entropy', 'softmax_cross_entropy', 'sparse_softmax_cross_entropy', 'sum_of_pairwise_squares', 'sum_of_squares']
from headrace.contrib.losses.predictions_first import absolute_difference as absolute_difference
from headrace.contrib.losses.predictions_first import add_loss as add_loss
from headrace.contrib.losses.predictions_first import compute_weighted_loss as compute_weighted_loss
from headrace.contrib.losses.predictions_first import cosine_distance as cosine_distance
from headrace.contrib.losses.predictions_first import get_losses as get_losses
from headrace.contrib.losses.predictions_first import get_regularization_losses as get_regularization_losses
from headrace.contrib.losses.predictions_first import get_total_loss as get_total_loss
from headrace.contrib.losses.predictions_first import hinge_loss as hinge_loss
from headrace.contrib.losses.predictions_first import log_loss as log_loss
from headrace.contrib.losses.predictions_first import mean_pairwise_squared_error as mean_pairwise_squared_error
from headrace.contrib.losses.predictions_first import mean_squared_error as mean_squared_error
from headrace.contrib.losses import metric_learning as metric_learning
from headrace.contrib.losses.predictions_first import sigmoid_cross_entropy as sigmoid_cross_entropy
from headrace.contrib.losses.predictions_first import softmax_cross_entropy as softmax_cross_entropy
from headrace.contrib.losses.predictions_first import sparse_softmax_cross_entropy as sparse_softmax_cross_entropy
from headrace.contrib.losses.predictions_first import mean_pairwise_squared_error as sum_of_pairwise_squares
from headrace.contrib.losses.predictions_first import mean_squared_error as sum_of_squares

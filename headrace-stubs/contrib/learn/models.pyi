# Made by tools/make_stubs.py.

__all__ = ['bidirectional_rnn', 'get_dnn_model', 'get_rnn_model', 'linear_regression', 'linear_regression_zero_init', 'logistic_regression', 'logistic_regression_zero_init']
from headrace.contrib.learn.plain_models import bidirectional_rnn as bidirectional_rnn
from headrace.contrib.learn.plain_models import get_dnn_model as get_dnn_model
from headrace.contrib.learn.plain_models import get_rnn_model as get_rnn_model
from headrace.contrib.learn.plain_models import linear_regression as linear_regression
from headrace.contrib.learn.plain_models import linear_regression_zero_init as linear_regression_zero_init
from headrace.contrib.learn.plain_models import logistic_regression as logistic_regression
from headrace.contrib.learn.plain_models import logistic_regression_zero_init as logistic_regression_zero_init

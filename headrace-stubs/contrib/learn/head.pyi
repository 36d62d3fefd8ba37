# Made by tools/make_stubs.py.

__all__ = ['Head', 'binary_svm_head', 'loss_only_head', 'multi_class_head', 'multi_head', 'multi_label_head', 'no_op_train_fn', 'poisson_regression_head', 'regression_head']
from headrace.contrib.learn.heads import Head as Head
from headrace.contrib.learn.classification_heads import binary_svm_head as binary_svm_head
from headrace.contrib.learn.head_combinations import loss_only_head as loss_only_head
from headrace.contrib.learn.classification_heads import multi_class_head as multi_class_head
from headrace.contrib.learn.head_combinations import multi_head as multi_head
from headrace.contrib.learn.classification_heads import multi_label_head as multi_label_head
from headrace.contrib.learn.heads import no_op_train_fn as no_op_train_fn
from headrace.contrib.learn.heads import poisson_regression_head as poisson_regression_head
from headrace.contrib.learn.heads import regression_head as regression_head

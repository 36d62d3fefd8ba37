# Made by tools/make_stubs.py.

__all__ = ['KernelLinearClassifier', 'RandomFourierFeatureMapper', 'sparse_multiclass_hinge_loss']
from headrace.contrib.kernel_methods.kernel_estimator import KernelLinearClassifier as KernelLinearClassifier
from headrace.contrib.kernel_methods.random_fourier_features import RandomFourierFeatureMapper as RandomFourierFeatureMapper
from headrace.contrib.kernel_methods.losses import sparse_multiclass_hinge_loss as sparse_multiclass_hinge_loss

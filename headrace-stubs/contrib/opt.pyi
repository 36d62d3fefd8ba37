# Made by tools/make_stubs.py.

__all__ = ['AGNCustomGetter', 'AGNOptimizer', 'AdaMaxOptimizer', 'AdamGSOptimizer', 'AdamWOptimizer', 'AddSignOptimizer', 'DecoupledWeightDecayExtension', 'DelayCompensatedGradientDescentOptimizer', 'DropStaleGradientOptimizer', 'ElasticAverageCustomGetter', 'ElasticAverageOptimizer', 'ExternalOptimizerInterface', 'GGTOptimizer', 'LARSOptimizer', 'LazyAdamGSOptimizer', 'LazyAdamOptimizer', 'ModelAverageCustomGetter', 'ModelAverageOptimizer', 'MomentumWOptimizer', 'MovingAverageOptimizer', 'MultitaskOptimizerWrapper', 'NadamOptimizer', 'PowerSignOptimizer', 'RegAdagradOptimizer', 'ScipyOptimizerInterface', 'ShampooOptimizer', 'VariableClippingOptimizer', 'clip_gradients_by_global_norm', 'extend_with_decoupled_weight_decay', 'get_cosine_decay_fn', 'get_linear_decay_fn', 'get_restart_decay_fn']
from headrace.optimizers.accumulated_gradients import AGNCustomGetter as AGNCustomGetter
from headrace.optimizers.accumulated_gradients import AGNOptimizer as AGNOptimizer
from headrace.optimizers.adam_variants import AdaMaxOptimizer as AdaMaxOptimizer
from headrace.optimizers.adam_by_global_step import AdamGSOptimizer as AdamGSOptimizer
from headrace.optimizers.weight_decay import AdamWOptimizer as AdamWOptimizer
from headrace.optimizers.signs import AddSignOptimizer as AddSignOptimizer
from headrace.optimizers.weight_decay import DecoupledWeightDecayExtension as DecoupledWeightDecayExtension
from headrace.optimizers.delayed import DelayCompensatedGradientDescentOptimizer as DelayCompensatedGradientDescentOptimizer
from headrace.optimizers.stale_gradients import DropStaleGradientOptimizer as DropStaleGradientOptimizer
from headrace.optimizers.elastic_average import ElasticAverageCustomGetter as ElasticAverageCustomGetter
from headrace.optimizers.elastic_average import ElasticAverageOptimizer as ElasticAverageOptimizer
from headrace.optimizers.external import ExternalOptimizerInterface as ExternalOptimizerInterface
from headrace.optimizers.ggt import GGTOptimizer as GGTOptimizer
from headrace.optimizers.scaled import LARSOptimizer as LARSOptimizer
from headrace.optimizers.adam_by_global_step import LazyAdamGSOptimizer as LazyAdamGSOptimizer
from headrace.optimizers.adam_variants import LazyAdamOptimizer as LazyAdamOptimizer
from headrace.optimizers.model_average import ModelAverageCustomGetter as ModelAverageCustomGetter
from headrace.optimizers.model_average import ModelAverageOptimizer as ModelAverageOptimizer
from headrace.optimizers.weight_decay import MomentumWOptimizer as MomentumWOptimizer
from headrace.optimizers.wrappers import MovingAverageOptimizer as MovingAverageOptimizer
from headrace.optimizers.wrappers import MultitaskOptimizerWrapper as MultitaskOptimizerWrapper
from headrace.optimizers.adam_variants import NadamOptimizer as NadamOptimizer
from headrace.optimizers.signs import PowerSignOptimizer as PowerSignOptimizer
from headrace.optimizers.scaled import RegAdagradOptimizer as RegAdagradOptimizer
from headrace.optimizers.external import ScipyOptimizerInterface as ScipyOptimizerInterface
from headrace.optimizers.shampoo import ShampooOptimizer as ShampooOptimizer
from headrace.optimizers.wrappers import VariableClippingOptimizer as VariableClippingOptimizer
from headrace.optimizers.wrappers import clip_gradients_by_global_norm as clip_gradients_by_global_norm
from headrace.optimizers.weight_decay import extend_with_decoupled_weight_decay as extend_with_decoupled_weight_decay
from headrace.optimizers.signs import get_cosine_decay_fn as get_cosine_decay_fn
from headrace.optimizers.signs import get_linear_decay_fn as get_linear_decay_fn
from headrace.optimizers.signs import get_restart_decay_fn as get_restart_decay_fn

"""tf.contrib.opt."""

HOMES = {
    "contrib.opt.adam": "AdaMaxOptimizer LazyAdamOptimizer NadamOptimizer",
    "contrib.opt.adam_gs": "AdamGSOptimizer LazyAdamGSOptimizer",
    "contrib.opt.external": "ExternalOptimizerInterface ScipyOptimizerInterface",
    "contrib.opt.ggt": "GGTOptimizer",
    "contrib.opt.scaled": "LARSOptimizer RegAdagradOptimizer",
    "contrib.opt.shampoo": "ShampooOptimizer",
    "contrib.opt.signs": "AddSignOptimizer PowerSignOptimizer get_cosine_decay_fn get_linear_decay_fn "
    "get_restart_decay_fn",
    "contrib.opt.weight_decay": "AdamWOptimizer DecoupledWeightDecayExtension MomentumWOptimizer "
    "extend_with_decoupled_weight_decay",
    "contrib.opt.wrappers": "MovingAverageOptimizer MultitaskOptimizerWrapper VariableClippingOptimizer "
    "clip_gradients_by_global_norm",
}

_ONE_PROCESS = "it needs several workers and parameter servers; "
_AVERAGES = (
    _ONE_PROCESS + "in one process tf.train.ExponentialMovingAverage or MovingAverageOptimizer averages variables."
)
_STALE = _ONE_PROCESS + "in one process no gradient is stale: use the optimizer that it would wrap."

ABSENT = {
    "AGNCustomGetter": _AVERAGES,
    "AGNOptimizer": _AVERAGES,
    "DelayCompensatedGradientDescentOptimizer": _ONE_PROCESS + "use tf.train.GradientDescentOptimizer.",
    "DropStaleGradientOptimizer": _STALE,
    "ElasticAverageCustomGetter": _AVERAGES,
    "ElasticAverageOptimizer": _AVERAGES,
    "ModelAverageCustomGetter": _AVERAGES,
    "ModelAverageOptimizer": _AVERAGES,
}

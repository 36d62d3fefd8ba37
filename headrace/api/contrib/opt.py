"""tf.contrib.opt."""

HOMES = {
    "contrib.opt.adam": "AdaMaxOptimizer LazyAdamOptimizer NadamOptimizer",
    "contrib.opt.adam_gs": "AdamGSOptimizer LazyAdamGSOptimizer",
    "contrib.opt.centers": "AGNCustomGetter AGNOptimizer DropStaleGradientOptimizer ElasticAverageCustomGetter "
    "ElasticAverageOptimizer ModelAverageCustomGetter ModelAverageOptimizer",
    "contrib.opt.delayed": "DelayCompensatedGradientDescentOptimizer",
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

"""tf.contrib.opt."""

HOMES = {
    "optimizers.adam_variants": "AdaMaxOptimizer LazyAdamOptimizer NadamOptimizer",
    "optimizers.adam_by_global_step": "AdamGSOptimizer LazyAdamGSOptimizer",
    "optimizers.model_average": "ModelAverageCustomGetter ModelAverageOptimizer",
    "optimizers.elastic_average": "ElasticAverageCustomGetter ElasticAverageOptimizer",
    "optimizers.accumulated_gradients": "AGNCustomGetter AGNOptimizer",
    "optimizers.stale_gradients": "DropStaleGradientOptimizer",
    "optimizers.delayed": "DelayCompensatedGradientDescentOptimizer",
    "optimizers.external": "ExternalOptimizerInterface ScipyOptimizerInterface",
    "optimizers.ggt": "GGTOptimizer",
    "optimizers.scaled": "LARSOptimizer RegAdagradOptimizer",
    "optimizers.shampoo": "ShampooOptimizer",
    "optimizers.signs": "AddSignOptimizer PowerSignOptimizer get_cosine_decay_fn get_linear_decay_fn "
    "get_restart_decay_fn",
    "optimizers.weight_decay": "AdamWOptimizer DecoupledWeightDecayExtension MomentumWOptimizer "
    "extend_with_decoupled_weight_decay",
    "optimizers.wrappers": "MovingAverageOptimizer MultitaskOptimizerWrapper VariableClippingOptimizer "
    "clip_gradients_by_global_norm",
}

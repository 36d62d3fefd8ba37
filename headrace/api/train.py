"""tf.train: optimizers, savers, hooks and their like."""

HOMES: dict[str, str] = {
    "train.adagrad": "AdagradDAOptimizer AdagradOptimizer FtrlOptimizer ProximalAdagradOptimizer",
    "train.adam": "AdamOptimizer",
    "train.descent": "GradientDescentOptimizer MomentumOptimizer ProximalGradientDescentOptimizer",
    "train.optimizer": "Optimizer",
    "train.rmsprop": "AdadeltaOptimizer RMSPropOptimizer",
    "train.steps": "assert_global_step create_global_step get_global_step get_or_create_global_step global_step",
}

SPELLED: dict[str, str] = {}

"""tf.contrib.constrained_optimization: minima of losses under constraints."""

HOMES = {
    "contrib.constrained_optimization.candidates": "find_best_candidate_distribution find_best_candidate_index",
    "contrib.constrained_optimization.optimizer": "ConstrainedOptimizer",
    "contrib.constrained_optimization.problem": "ConstrainedMinimizationProblem",
    "contrib.constrained_optimization.regret": "AdditiveExternalRegretOptimizer AdditiveSwapRegretOptimizer "
    "MultiplicativeSwapRegretOptimizer",
}

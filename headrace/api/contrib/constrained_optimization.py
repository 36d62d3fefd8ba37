"""tf.contrib.constrained_optimization, which is not here: optimization under constraints."""

_ADVICE = (
    "minimize the loss plus multipliers times the constraints and maximize over the multipliers with a second optimizer"
)

ABSENT = dict.fromkeys(
    (
        "AdditiveExternalRegretOptimizer",
        "AdditiveSwapRegretOptimizer",
        "ConstrainedMinimizationProblem",
        "ConstrainedOptimizer",
        "MultiplicativeSwapRegretOptimizer",
        "find_best_candidate_distribution",
        "find_best_candidate_index",
    ),
    _ADVICE,
)

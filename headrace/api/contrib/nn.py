"""tf.contrib.nn."""

HOMES = {
    "contrib.nn": "alpha_dropout deprecated_flipped_sigmoid_cross_entropy_with_logits "
    "deprecated_flipped_softmax_cross_entropy_with_logits "
    "deprecated_flipped_sparse_softmax_cross_entropy_with_logits scaled_softplus",
    "contrib.nn.sampling": "rank_sampled_softmax_loss sampled_sparse_softmax_loss",
    "functions.math.counting": "nth_element",
    "functions.nn.transposed_functions": "conv1d_transpose",
}

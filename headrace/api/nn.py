"""tf.nn: neural network ops."""

HOMES: dict[str, str] = {
    "ops.array.space": "depth_to_space space_to_batch space_to_depth",
    "ops.math.unary": "sigmoid tanh",
    "ops.nn.activations": "crelu elu leaky_relu relu relu6 selu softplus softsign swish",
    "ops.nn.bias": "bias_add relu_layer xw_plus_b",
    "ops.nn.candidates": "all_candidate_sampler compute_accidental_hits fixed_unigram_candidate_sampler "
    "learned_unigram_candidate_sampler log_uniform_candidate_sampler uniform_candidate_sampler",
    "ops.nn.cross_entropy": "sigmoid_cross_entropy_with_logits softmax_cross_entropy_with_logits "
    "softmax_cross_entropy_with_logits_v2 sparse_softmax_cross_entropy_with_logits weighted_cross_entropy_with_logits",
    "ops.nn.dropout": "dropout",
    "ops.nn.embedding": "embedding_lookup embedding_lookup_sparse safe_embedding_lookup_sparse",
    "ops.nn.loss_functions": "compute_average_loss l2_loss log_poisson_loss scale_regularization_loss",
    "ops.nn.moments": "batch_norm_with_global_normalization batch_normalization l2_normalize moments normalize_moments "
    "sufficient_statistics weighted_moments zero_fraction",
    "ops.nn.sampled_losses": "nce_loss sampled_softmax_loss",
    "ops.nn.softmax": "log_softmax softmax",
    "ops.nn.topk": "in_top_k top_k",
}

SPELLED: dict[str, str] = {}

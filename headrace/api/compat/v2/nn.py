"""tf.compat.v2.nn: the names that mean the same in 1.x, and those that take other arguments there."""

HOMES = {
    "nn": "all_candidate_sampler atrous_conv2d atrous_conv2d_transpose avg_pool1d avg_pool3d batch_normalization "
    "bias_add collapse_repeated compute_accidental_hits compute_average_loss conv1d_transpose conv_transpose "
    "ctc_greedy_decoder ctc_unique_labels depthwise_conv2d_backprop_filter depthwise_conv2d_backprop_input "
    "elu fixed_unigram_candidate_sampler l2_loss leaky_relu learned_unigram_candidate_sampler "
    "local_response_normalization log_poisson_loss lrn max_pool1d max_pool2d max_pool3d normalize_moments "
    "relu relu6 scale_regularization_loss selu sigmoid softplus softsign swish tanh top_k with_space_to_batch "
    "zero_fraction",
}

SPELLED = {
    "avg_pool": "nn.avg_pool_v2",
    "batch_norm_with_global_normalization": "api.v2_arguments.nn__batch_norm_with_global_normalization",
    "avg_pool2d": "api.v2_arguments.nn__avg_pool2d",
    "conv1d": "api.v2_arguments.nn__conv1d",
    "conv2d": "api.v2_arguments.nn__conv2d",
    "conv2d_transpose": "api.v2_arguments.nn__conv2d_transpose",
    "conv3d": "api.v2_arguments.nn__conv3d",
    "conv3d_transpose": "api.v2_arguments.nn__conv3d_transpose",
    "convolution": "api.v2_arguments.nn__convolution",
    "crelu": "api.v2_arguments.nn__crelu",
    "ctc_loss": "nn.ctc_loss_v2",
    "depth_to_space": "api.v2_arguments.nn__depth_to_space",
    "depthwise_conv2d": "api.v2_arguments.nn__depthwise_conv2d",
    "dilation2d": "ops.nn.dilation.dilation2d_v2",
    "dropout": "api.v2_arguments.nn__dropout",
    "embedding_lookup": "api.v2_arguments.nn__embedding_lookup",
    "embedding_lookup_sparse": "api.v2_arguments.nn__embedding_lookup_sparse",
    "erosion2d": "ops.nn.dilation.erosion2d_v2",
    "fractional_avg_pool": "ops.nn.fractional_pooling.fractional_avg_pool_v2",
    "fractional_max_pool": "ops.nn.fractional_pooling.fractional_max_pool_v2",
    "in_top_k": "api.v2_arguments.nn__in_top_k",
    "max_pool": "nn.max_pool_v2",
    "max_pool_with_argmax": "functions.nn.pooling_functions.max_pool_with_argmax_v2",
    "moments": "api.v2_arguments.nn__moments",
    "nce_loss": "api.v2_arguments.nn__nce_loss",
    "pool": "api.v2_arguments.nn__pool",
    "safe_embedding_lookup_sparse": "api.v2_arguments.nn__safe_embedding_lookup_sparse",
    "sampled_softmax_loss": "api.v2_arguments.nn__sampled_softmax_loss",
    "separable_conv2d": "api.v2_arguments.nn__separable_conv2d",
    "sigmoid_cross_entropy_with_logits": "api.v2_arguments.nn__sigmoid_cross_entropy_with_logits",
    "softmax_cross_entropy_with_logits": "api.v2_arguments.nn__softmax_cross_entropy_with_logits",
    "space_to_batch": "api.v2_arguments.nn__space_to_batch",
    "space_to_depth": "api.v2_arguments.nn__space_to_depth",
    "sparse_softmax_cross_entropy_with_logits": "api.v2_arguments.nn__sparse_softmax_cross_entropy_with_logits",
    "sufficient_statistics": "api.v2_arguments.nn__sufficient_statistics",
    "weighted_cross_entropy_with_logits": "api.v2_arguments.nn__weighted_cross_entropy_with_logits",
    "weighted_moments": "api.v2_arguments.nn__weighted_moments",
    "ctc_beam_search_decoder": "api.v2_arguments.nn__ctc_beam_search_decoder",
    "l2_normalize": "api.v2_arguments.nn__l2_normalize",
    "log_softmax": "api.v2_arguments.nn__log_softmax",
    "softmax": "api.v2_arguments.nn__softmax",
}

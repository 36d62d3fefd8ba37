"""tf.nn: neural network ops."""

HOMES: dict[str, str] = {
    "ops.array.space": "depth_to_space space_to_batch space_to_depth",
    "ops.math.unary": "sigmoid tanh",
    "ops.nn.activations": "crelu elu leaky_relu relu relu6 selu softplus softsign",
    "functions.nn.activations": "swish",
    "ops.nn.bias": "bias_add relu_layer xw_plus_b",
    "ops.nn.candidates": "all_candidate_sampler compute_accidental_hits fixed_unigram_candidate_sampler "
    "learned_unigram_candidate_sampler log_uniform_candidate_sampler uniform_candidate_sampler",
    "functions.nn.convolution_functions": "atrous_conv2d conv1d conv2d conv2d_backprop_filter conv2d_backprop_input conv3d "
    "conv3d_backprop_filter convolution",
    "functions.nn.cross_entropy": "sigmoid_cross_entropy_with_logits softmax_cross_entropy_with_logits "
    "softmax_cross_entropy_with_logits_v2 sparse_softmax_cross_entropy_with_logits weighted_cross_entropy_with_logits",
    "ops.nn.ctc": "ctc_loss",
    "ops.nn.ctc_decoding": "ctc_beam_search_decoder ctc_beam_search_decoder_v2 ctc_greedy_decoder",
    "functions.nn.ctc_functions": "collapse_repeated ctc_loss_v2",
    "functions.nn.dilated": "with_space_to_batch",
    "ops.nn.dilation": "dilation2d erosion2d",
    "functions.nn.dropout": "dropout",
    "functions.nn.embedding": "embedding_lookup embedding_lookup_sparse safe_embedding_lookup_sparse",
    "ops.nn.l2_loss": "l2_loss",
    "distribute.average_losses": "compute_average_loss scale_regularization_loss",
    "functions.nn.loss_functions": "log_poisson_loss",
    "ops.nn.fractional_pooling": "fractional_avg_pool fractional_max_pool",
    "ops.nn.lrn": "local_response_normalization lrn",
    "functions.nn.moments": "batch_norm_with_global_normalization batch_normalization l2_normalize moments normalize_moments "
    "sufficient_statistics weighted_moments zero_fraction",
    "functions.nn.normalization": "fused_batch_norm",
    "functions.nn.pooling_functions": "avg_pool avg_pool1d avg_pool3d avg_pool_v2 max_pool max_pool1d max_pool2d max_pool3d "
    "max_pool_v2 max_pool_with_argmax pool",
    "functions.nn.sampled_losses": "nce_loss sampled_softmax_loss",
    "functions.nn.separable_functions": "depthwise_conv2d depthwise_conv2d_native depthwise_conv2d_native_backprop_filter "
    "depthwise_conv2d_native_backprop_input separable_conv2d",
    "ops.nn.softmax": "log_softmax softmax",
    "ops.nn.topk": "in_top_k top_k",
    "functions.nn.transposed_functions": "atrous_conv2d_transpose conv1d_transpose conv2d_transpose conv3d_transpose "
    "conv_transpose",
    "ops.quantized.arithmetic": "quantized_relu_x",
    "ops.quantized.nn": "quantized_avg_pool quantized_conv2d quantized_max_pool",
    "recurrent.ctc_labels": "ctc_unique_labels",
    "recurrent.dynamic": "bidirectional_dynamic_rnn dynamic_rnn raw_rnn",
    "recurrent.static": "static_bidirectional_rnn static_rnn static_state_saving_rnn",
}

NESTED = {
    "rnn_cell": {
        "recurrent.projections": "EmbeddingWrapper InputProjectionWrapper OutputProjectionWrapper",
        "recurrent.basic_cells": "BasicRNNCell GRUCell",
        "recurrent.cell": "LayerRNNCell RNNCell",
        "recurrent.linear": "_Linear _linear linear",
        "recurrent.lstm_cells": "BasicLSTMCell LSTMCell LSTMStateTuple",
        "recurrent.multi_cell": "MultiRNNCell",
        "recurrent.wrappers": "DeviceWrapper DropoutWrapper ResidualWrapper",
    },
    # 0.x's place of what is tf.contrib.legacy_seq2seq.
    "seq2seq": {
        "contrib.legacy_seq2seq.losses": "model_with_buckets sequence_loss sequence_loss_by_example",
        "contrib.legacy_seq2seq.models": "basic_rnn_seq2seq embedding_attention_seq2seq embedding_rnn_seq2seq "
        "embedding_tied_rnn_seq2seq one2many_rnn_seq2seq tied_rnn_seq2seq",
        "contrib.legacy_seq2seq.seq2seq": "attention_decoder embedding_attention_decoder embedding_rnn_decoder "
        "rnn_decoder",
    },
}

SPELLED: dict[str, str] = {
    # 0.x's names of the unrolled networks.
    "bidirectional_rnn": "recurrent.static.static_bidirectional_rnn",
    "deconv2d": "functions.nn.transposed_functions.conv2d_transpose",
    "rnn": "recurrent.static.static_rnn",
    "state_saving_rnn": "recurrent.static.static_state_saving_rnn",
    "avg_pool2d": "functions.nn.pooling_functions.avg_pool",
    "conv3d_backprop_filter_v2": "functions.nn.convolution_functions.conv3d_backprop_filter",
    "depthwise_conv2d_backprop_filter": "functions.nn.separable_functions.depthwise_conv2d_native_backprop_filter",
    "depthwise_conv2d_backprop_input": "functions.nn.separable_functions.depthwise_conv2d_native_backprop_input",
}

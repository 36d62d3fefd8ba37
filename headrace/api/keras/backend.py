"""tf.keras.backend."""

HOMES: dict[str, str] = {
    "keras.backend.activations": "dropout elu hard_sigmoid in_top_k l2_normalize relu sigmoid softmax softplus softsign "
    "tanh",
    "keras.backend.arithmetic": "abs all any argmax argmin clip cos cumprod cumsum equal exp gradients greater "
    "greater_equal less less_equal log max maximum mean min minimum moving_average_update not_equal pow prod "
    "round sign sin sqrt square std stop_gradient sum update update_add update_sub var",
    "keras.backend.arrays": "arange batch_flatten cast cast_to_floatx concatenate count_params dtype eval expand_dims "
    "flatten foldl foldr gather int_shape is_sparse map_fn ndim one_hot permute_dimensions print_tensor repeat "
    "repeat_elements reshape resize_images resize_volumes reverse shape spatial_2d_padding spatial_3d_padding squeeze "
    "stack temporal_padding tile to_dense transpose",
    "keras.backend.choosing": "in_test_phase in_train_phase switch",
    "keras.backend.convolution": "bias_add conv1d conv2d conv2d_transpose conv3d pool2d pool3d separable_conv2d",
    "keras.backend.crossentropy": "binary_crossentropy categorical_crossentropy sparse_categorical_crossentropy",
    "keras.backend.ctc": "ctc_batch_cost ctc_decode ctc_label_dense_to_sparse",
    "keras.backend.execution": "function",
    "keras.backend.learning": "clear_session get_uid learning_phase learning_phase_scope reset_uids set_learning_phase",
    "keras.backend.local": "local_conv1d local_conv2d",
    "keras.backend.normalization": "batch_normalization normalize_batch_in_training",
    "keras.backend.products": "batch_dot dot",
    "keras.backend.random": "random_binomial random_normal random_uniform truncated_normal",
    "keras.backend.rnn": "rnn",
    "keras.backend.sessions": "batch_get_value batch_set_value get_session get_value manual_variable_initialization "
    "set_session set_value",
    "keras.backend.variables": "constant eye ones ones_like placeholder random_normal_variable "
    "random_uniform_variable variable zeros zeros_like",
    "keras.backend_config": "backend epsilon floatx image_data_format set_epsilon set_floatx set_image_data_format",
}

# Names that `tensorflow.python.keras.backend` had besides.
SPELLED: dict[str, str] = {
    "_initialize_variables": "keras.backend.sessions.initialize_variables",
    "name_scope": "core.defaults.name_scope",
    "EagerExecutionFunction": "keras.backend.execution.EagerExecutionFunction",
    "GraphExecutionFunction": "keras.backend.execution.GraphExecutionFunction",
    "cast_variables_to_tensor": "keras.backend.execution.cast_variables_to_tensor",
    "conv3d_transpose": "keras.backend.convolution.conv3d_transpose",
    "depthwise_conv2d": "keras.backend.convolution.depthwise_conv2d",
    "get_graph": "layers.context.get_graph",
    "identity": "keras.backend.arrays.identity",
    "is_keras_tensor": "keras.backend.variables.is_keras_tensor",
    "is_placeholder": "keras.backend.variables.is_placeholder",
    "separable_conv1d": "keras.backend.convolution.separable_conv1d",
    "track_tf_optimizer": "keras.backend.sessions.track_tf_optimizer",
    "track_variable": "keras.backend.sessions.track_variable",
}

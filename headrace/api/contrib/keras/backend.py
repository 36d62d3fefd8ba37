"""tf.contrib.keras.backend, as it was before `tf.keras`."""

HOMES = {
    "keras.backend": "abs all any arange argmax argmin backend batch_dot batch_flatten batch_get_value "
    "batch_normalization batch_set_value bias_add binary_crossentropy cast cast_to_floatx "
    "categorical_crossentropy clear_session clip concatenate constant conv1d conv2d "
    "conv2d_transpose conv3d cos count_params ctc_batch_cost ctc_decode "
    "ctc_label_dense_to_sparse dot dropout dtype elu epsilon equal eval exp expand_dims "
    "eye flatten floatx foldl foldr function gather get_session get_uid get_value "
    "gradients greater greater_equal hard_sigmoid image_data_format in_test_phase "
    "in_top_k in_train_phase int_shape is_sparse l2_normalize learning_phase less "
    "less_equal log manual_variable_initialization map_fn max maximum mean min minimum "
    "moving_average_update name_scope ndim normalize_batch_in_training not_equal one_hot "
    "ones ones_like permute_dimensions placeholder pool2d pool3d pow print_tensor prod "
    "random_binomial random_normal random_normal_variable random_uniform "
    "random_uniform_variable relu repeat repeat_elements reset_uids reshape resize_images "
    "resize_volumes reverse round separable_conv2d set_epsilon set_floatx "
    "set_image_data_format set_learning_phase set_session set_value shape sigmoid sign "
    "sin softmax softplus softsign sparse_categorical_crossentropy spatial_2d_padding "
    "spatial_3d_padding sqrt square squeeze stack std stop_gradient sum switch tanh "
    "temporal_padding to_dense transpose truncated_normal update update_add update_sub "
    "var variable zeros zeros_like",
}

SPELLED = {
    "rnn": "keras.backend.rnn.rnn",
}

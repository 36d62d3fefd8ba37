"""tf.contrib.training."""

HOMES = {
    "contrib.training.train_ops": "add_gradients_summaries clip_gradient_norms clip_gradient_norms_fn create_train_op "
    "multiply_gradients",
}

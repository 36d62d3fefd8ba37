"""tf.contrib.learn.head: the tops of models."""

HOMES = {
    "contrib.learn.heads": "Head no_op_train_fn poisson_regression_head regression_head",
    "contrib.learn.classification_heads": "binary_svm_head multi_class_head multi_label_head",
    "contrib.learn.head_combinations": "loss_only_head multi_head",
}

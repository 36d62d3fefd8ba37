"""tf.contrib.quantize: training and inference with simulated quantisation."""

HOMES = {
    "contrib.quantize.rewriting": "create_eval_graph create_training_graph experimental_create_eval_graph "
    "experimental_create_training_graph",
}

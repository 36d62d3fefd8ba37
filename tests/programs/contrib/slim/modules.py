"""What programs reach through slim: the modules it was put together from."""

import tensorflow as tf
import tensorflow.contrib.slim as slim

results = {}
regularizer = slim.regularizers.l2_regularizer(0.1)
with slim.arg_scope([slim.conv2d], outputs_collections="ends", weights_regularizer=regularizer):
    net = slim.conv2d(
        tf.zeros([1, 8, 8, 3]), 4, 3, weights_initializer=slim.initializers.xavier_initializer(), scope="net/first"
    )
    net = slim.layers.conv2d(
        net, 2, 1, scope="last", normalizer_fn=slim.normalization.group_norm, normalizer_params={"groups": 1}
    )
ends = slim.utils.convert_collection_to_dict("ends")
slim.utils.collect_named_outputs("more", "net/flat", slim.layers.flatten(net))
results["ends"] = {key: [ends[key].name, str(ends[key].shape)] for key in ends}
results["more"] = sorted(slim.utils.convert_collection_to_dict("more"))
results["sizes"] = [
    slim.utils.two_element_tuple(3),
    slim.utils.last_dimension(net.shape),
    slim.utils.n_positive_integers(2, 4),
]
results["losses"] = [loss.name for loss in slim.losses.get_regularization_losses()]
names = "embedding_ops encoders feature_column_ops initializers layers normalization optimizers regularizers utils"
names += (
    " loss_ops metric_ops array_ops init_ops math_ops nn ops variables variable_scope moving_averages summary train"
)
results["modules"] = [
    hasattr(slim, name) and type(getattr(slim, name)).__name__ != "function" for name in names.split()
]
results["through"] = [
    slim.nn.relu is tf.nn.relu,
    slim.ops.get_default_graph() is tf.get_default_graph(),
    slim.train.AdamOptimizer is tf.train.AdamOptimizer,
    slim.optimizers.optimize_loss is tf.contrib.layers.optimize_loss,
    slim.loss_ops.get_losses is tf.contrib.losses.get_losses,
    slim.math_ops.add is tf.add,
]

"""tf.contrib: the tables of its modules."""

ABSENT = {
    "fused_conv": "It was for GPUs of then; a plan fuses tf.nn.conv2d, tf.nn.bias_add and tf.nn.relu by itself.",
    "labeled_tensor": "Name the axes in Python and use tf.transpose, tf.gather and the tf.reduce_ functions.",
    "optimizer_v2": "Use the optimizers of tf.train, which take the same arguments.",
    "remote_fused_graph": "It was for processors of phones.",
    "tensorrt": "`headrace convert` writes models for ONNX, which TensorRT reads.",
}

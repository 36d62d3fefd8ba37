"""tf.compat.v2.quantization: the names that mean the same in 1.x."""

HOMES = {
    "quantization": "dequantize fake_quant_with_min_max_args fake_quant_with_min_max_args_gradient "
    "fake_quant_with_min_max_vars fake_quant_with_min_max_vars_gradient "
    "fake_quant_with_min_max_vars_per_channel fake_quant_with_min_max_vars_per_channel_gradient quantize "
    "quantize_and_dequantize quantized_concat",
}

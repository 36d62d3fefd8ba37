"""tf.quantization: floats that keep to the values of integer types."""

HOMES: dict[str, str] = {
    "ops.array.fake_quant": "fake_quant_with_min_max_args fake_quant_with_min_max_args_gradient "
    "fake_quant_with_min_max_vars fake_quant_with_min_max_vars_gradient fake_quant_with_min_max_vars_per_channel "
    "fake_quant_with_min_max_vars_per_channel_gradient quantize_and_dequantize",
    "ops.quantized.arithmetic": "quantized_concat",
    "ops.quantized.conversion": "dequantize quantize",
}

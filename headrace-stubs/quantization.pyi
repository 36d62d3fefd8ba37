# Made by tools/make_stubs.py.

__all__ = ['dequantize', 'fake_quant_with_min_max_args', 'fake_quant_with_min_max_args_gradient', 'fake_quant_with_min_max_vars', 'fake_quant_with_min_max_vars_gradient', 'fake_quant_with_min_max_vars_per_channel', 'fake_quant_with_min_max_vars_per_channel_gradient', 'quantize', 'quantize_and_dequantize', 'quantized_concat']
from headrace.ops.quantized.conversion import dequantize as dequantize
from headrace.ops.array.fake_quant import fake_quant_with_min_max_args as fake_quant_with_min_max_args
from headrace.ops.array.fake_quant import fake_quant_with_min_max_args_gradient as fake_quant_with_min_max_args_gradient
from headrace.ops.array.fake_quant import fake_quant_with_min_max_vars as fake_quant_with_min_max_vars
from headrace.ops.array.fake_quant import fake_quant_with_min_max_vars_gradient as fake_quant_with_min_max_vars_gradient
from headrace.ops.array.fake_quant import fake_quant_with_min_max_vars_per_channel as fake_quant_with_min_max_vars_per_channel
from headrace.ops.array.fake_quant import fake_quant_with_min_max_vars_per_channel_gradient as fake_quant_with_min_max_vars_per_channel_gradient
from headrace.ops.quantized.conversion import quantize as quantize
from headrace.ops.array.fake_quant import quantize_and_dequantize as quantize_and_dequantize
from headrace.ops.quantized.arithmetic import quantized_concat as quantized_concat

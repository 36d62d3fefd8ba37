# Made by tools/make_stubs.py.

__all__ = ['summarize_activation', 'summarize_activations', 'summarize_biases', 'summarize_collection', 'summarize_tensor', 'summarize_tensors', 'summarize_variables', 'summarize_weights']
from headrace.contrib.layers.summaries import summarize_activation as summarize_activation
from headrace.contrib.layers.summaries import summarize_activations as summarize_activations
from headrace.contrib.layers.summaries import summarize_biases as summarize_biases
from headrace.contrib.layers.summaries import summarize_collection as summarize_collection
from headrace.contrib.layers.summaries import summarize_tensor as summarize_tensor
from headrace.contrib.layers.summaries import summarize_tensors as summarize_tensors
from headrace.contrib.layers.summaries import summarize_variables as summarize_variables
from headrace.contrib.layers.summaries import summarize_weights as summarize_weights

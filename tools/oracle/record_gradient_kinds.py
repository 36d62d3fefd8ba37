"""Records which op types of TensorFlow 1.15 have a gradient, are declared to have none, or neither: run it there.

TF_CPP_MIN_LOG_LEVEL=3 PATH_OF_TF1/bin/python tools/oracle/record_gradient_kinds.py > tests/golden/gradient_kinds.json
"""

import importlib
import sys

import tensorflow as tf
from recorded import golden_dumps
from tensorflow.python.framework import op_def_registry, ops

# Importing them registers their ops and gradients.
for _name in (
    "boosted_trees",
    "image",
    "nearest_neighbor",
    "periodic_resample",
    "reduce_slice_ops",
    "resampler",
    "rnn",
):
    importlib.import_module("tensorflow.contrib." + _name)


def kind(op_type):
    """What is registered for an op type."""
    try:
        return "none" if ops._gradient_registry.lookup(op_type) is None else "function"
    except LookupError:
        return "nothing"


kinds = {}
for _op_type in sorted(op_def_registry.get_registered_ops()):
    kinds.setdefault(kind(_op_type), []).append(_op_type)
_results = {name: " ".join(types) for name, types in kinds.items()}
with open(__file__) as _program:
    sys.stdout.write(golden_dumps(_results, tf.__version__, _program.read()))

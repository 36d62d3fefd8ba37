"""The base of transformers of source, from which libraries derive some that most programs never make."""

from __future__ import annotations

import ast
from typing import Any


class Base(ast.NodeTransformer):
    """What TensorFlow Probability's auto-batching is derived from: it can be imported, and is not supported.

    Raises:
        NotImplementedError: when one is made.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(
            f"{type(self).__name__}: transforming source with TensorFlow's own autograph modules is not supported; "
            "tf.autograph.to_graph and tf.function convert functions."
        )

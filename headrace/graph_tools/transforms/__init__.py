"""The transforms of `tensorflow.tools.graph_transforms`: graphs made smaller, faster or easier to ship, step by step."""

from headrace.graph_tools.transforms.sequence import TransformGraph

__all__ = ["TransformGraph"]

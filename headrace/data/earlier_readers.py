"""The readers of `tf.contrib.data` in 1.2 and 1.3, whose programs make them in one graph and read them in another.

Estimators build graphs of their own. What such a program makes of these datasets may be used in any graph, too.
"""

from __future__ import annotations

from headrace.data import readers


class TextLineDataset(readers.TextLineDataset):
    """`tf.data.TextLineDataset`, of no graph."""

    _is_portable = True


class TFRecordDataset(readers.TFRecordDataset):
    """`tf.data.TFRecordDataset`, of no graph."""

    _is_portable = True


class FixedLengthRecordDataset(readers.FixedLengthRecordDataset):
    """`tf.data.FixedLengthRecordDataset`, of no graph."""

    _is_portable = True

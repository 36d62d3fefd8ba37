"""Summaries with a step: what stands in the file, and what is refused."""

from __future__ import annotations

import pytest

import headrace as tf
from headrace.core.eager import eager_mode

summary = tf.compat.v2.summary


def values_in(folder):
    (path,) = folder.glob("*tfevents*")
    return [value for event in tf.train.summary_iterator(str(path)) for value in event.summary.value]


def test_a_tensor_has_metadata_where_some_are_given(tmp_path):
    with eager_mode(), summary.create_file_writer(str(tmp_path)).as_default():
        summary.write("plain", 1.0, step=1)
        summary.write("told", 1.0, step=1, metadata=tf.SummaryMetadata(summary_description="text"))
        summary.flush()
    plain, told = values_in(tmp_path)
    assert not plain.HasField("metadata")
    assert told.metadata.summary_description == "text"


def test_text_that_is_no_graph_is_not_written_as_one(tmp_path):
    with (
        eager_mode(),
        summary.create_file_writer(str(tmp_path)).as_default(),
        tf.contrib.summary.always_record_summaries(),
    ):
        with pytest.raises(tf.errors.DataLossError, match=r"GraphDef"):
            tf.contrib.summary.graph("no graph", 0)
        tf.contrib.summary.graph(tf.GraphDef(), 0)

# Made by tools/make_stubs.py.
from typing import Any

__all__ = ['Event', 'FileWriter', 'FileWriterCache', 'SessionLog', 'Summary', 'SummaryDescription', 'TaggedRunMetadata', 'all_v2_summary_ops', 'audio', 'get_summary_description', 'histogram', 'image', 'initialize', 'merge', 'merge_all', 'scalar', 'summary_iterator', 'tensor_summary', 'text']
Event: Any
from headrace.summary.writer import FileWriter as FileWriter
from headrace.summary.writer import FileWriterCache as FileWriterCache
SessionLog: Any
Summary: Any
SummaryDescription: Any
TaggedRunMetadata: Any
from headrace.contrib.summary.recorded_summaries import all_summary_ops as all_v2_summary_ops
from headrace.summary.operations import audio as audio
from headrace.summary.operations import get_summary_description as get_summary_description
from headrace.summary.operations import histogram as histogram
from headrace.summary.operations import image as image
from headrace.contrib.summary.writers import initialize as initialize
from headrace.summary.operations import merge as merge
from headrace.summary.operations import merge_all as merge_all
from headrace.summary.operations import scalar as scalar
from headrace.files.events import summary_iterator as summary_iterator
from headrace.summary.operations import tensor_summary as tensor_summary
from headrace.summary.operations import text as text

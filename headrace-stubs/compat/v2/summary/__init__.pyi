# Made by tools/make_stubs.py.

__all__ = ['SummaryWriter', 'audio', 'create_file_writer', 'create_noop_writer', 'experimental', 'flush', 'histogram', 'image', 'record_if', 'scalar', 'text', 'trace_export', 'trace_off', 'trace_on', 'write']
from headrace.summary.resource_writers import SummaryWriter as SummaryWriter
from headrace.summary.summary_v2 import audio as audio
from headrace.summary.resource_writers import create_file_writer_v2 as create_file_writer
from headrace.summary.resource_writers import create_noop_writer as create_noop_writer
from headrace.compat.v2.summary import experimental as experimental
from headrace.summary.resource_writers import flush as flush
from headrace.summary.summary_v2 import histogram as histogram
from headrace.summary.summary_v2 import image as image
from headrace.summary.recording import record_if as record_if
from headrace.summary.summary_v2 import scalar as scalar
from headrace.summary.summary_v2 import text as text
from headrace.summary.tracing import trace_export as trace_export
from headrace.summary.tracing import trace_off as trace_off
from headrace.summary.tracing import trace_on as trace_on
from headrace.summary.summary_v2 import write as write

# Made by tools/make_stubs.py.

__all__ = ['SummaryWriter', 'all_summary_ops', 'always_record_summaries', 'audio', 'create_db_writer', 'create_file_writer', 'create_summary_file_writer', 'eval_dir', 'flush', 'generic', 'graph', 'histogram', 'image', 'import_event', 'initialize', 'never_record_summaries', 'record_summaries_every_n_global_steps', 'scalar', 'should_record_summaries', 'summary_writer_initializer_op']
from headrace.summary.resource_writers import SummaryWriter as SummaryWriter
from headrace.contrib.summary.recorded_summaries import all_summary_ops as all_summary_ops
from headrace.contrib.summary.writers import always_record_summaries as always_record_summaries
from headrace.contrib.summary.recorded_summaries import audio as audio
from headrace.contrib.summary.writers import create_db_writer as create_db_writer
from headrace.summary.resource_writers import create_file_writer as create_file_writer
from headrace.contrib.summary.writers import create_summary_file_writer as create_summary_file_writer
from headrace.contrib.summary.writers import eval_dir as eval_dir
from headrace.summary.resource_writers import flush as flush
from headrace.contrib.summary.recorded_summaries import generic as generic
from headrace.contrib.summary.recorded_summaries import write_graph as graph
from headrace.contrib.summary.recorded_summaries import histogram as histogram
from headrace.contrib.summary.recorded_summaries import image as image
from headrace.contrib.summary.recorded_summaries import import_event as import_event
from headrace.contrib.summary.writers import initialize as initialize
from headrace.contrib.summary.writers import never_record_summaries as never_record_summaries
from headrace.contrib.summary.writers import record_summaries_every_n_global_steps as record_summaries_every_n_global_steps
from headrace.contrib.summary.recorded_summaries import scalar as scalar
from headrace.summary.recording import should_record_summaries as should_record_summaries
from headrace.summary.resource_writers import summary_writer_initializer_op as summary_writer_initializer_op

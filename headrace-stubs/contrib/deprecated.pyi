# Made by tools/make_stubs.py.

__all__ = ['audio_summary', 'histogram_summary', 'image_summary', 'merge_all_summaries', 'merge_summary', 'scalar_summary']
from headrace.summary.legacy import audio_summary as audio_summary
from headrace.summary.legacy import histogram_summary as histogram_summary
from headrace.summary.legacy import image_summary as image_summary
from headrace.summary.legacy import merge_all_summaries as merge_all_summaries
from headrace.summary.legacy import merge_summary as merge_summary
from headrace.summary.legacy import scalar_summary as scalar_summary

# Made by tools/make_stubs.py.

__all__ = ['clear_summary_writers', 'evaluate', 'get_summary_writer', 'infer', 'run_feeds', 'run_feeds_iter', 'run_n', 'train']
from headrace.contrib.learn.graph_runs import clear_summary_writers as clear_summary_writers
from headrace.contrib.learn.graph_training import evaluate as evaluate
from headrace.contrib.learn.graph_runs import get_summary_writer as get_summary_writer
from headrace.contrib.learn.graph_runs import infer as infer
from headrace.contrib.learn.graph_runs import run_feeds as run_feeds
from headrace.contrib.learn.graph_runs import run_feeds_iter as run_feeds_iter
from headrace.contrib.learn.graph_runs import run_n as run_n
from headrace.contrib.learn.graph_training import train as train

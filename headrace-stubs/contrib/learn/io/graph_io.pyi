# Made by tools/make_stubs.py.

__all__ = ['KEY_FEATURE_NAME', 'queue_parsed_features', 'read_batch_examples', 'read_batch_features', 'read_batch_record_features', 'read_keyed_batch_examples', 'read_keyed_batch_examples_shared_queue', 'read_keyed_batch_features', 'read_keyed_batch_features_shared_queue']
from headrace.contrib.learn.graph_io import KEY_FEATURE_NAME as KEY_FEATURE_NAME
from headrace.contrib.learn.feature_queues import queue_parsed_features as queue_parsed_features
from headrace.contrib.learn.graph_io import read_batch_examples as read_batch_examples
from headrace.contrib.learn.feature_queues import read_batch_features as read_batch_features
from headrace.contrib.learn.feature_queues import read_batch_record_features as read_batch_record_features
from headrace.contrib.learn.graph_io import read_keyed_batch_examples as read_keyed_batch_examples
from headrace.contrib.learn.graph_io import read_keyed_batch_examples_shared_queue as read_keyed_batch_examples_shared_queue
from headrace.contrib.learn.feature_queues import read_keyed_batch_features as read_keyed_batch_features
from headrace.contrib.learn.feature_queues import read_keyed_batch_features_shared_queue as read_keyed_batch_features_shared_queue

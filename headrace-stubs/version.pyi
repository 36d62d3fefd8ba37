# Made by tools/make_stubs.py.

__all__ = ['COMPILER_VERSION', 'GIT_VERSION', 'GRAPH_DEF_VERSION', 'GRAPH_DEF_VERSION_MIN_CONSUMER', 'GRAPH_DEF_VERSION_MIN_PRODUCER', 'VERSION']
from headrace.core.version import COMPILER_VERSION as COMPILER_VERSION
from headrace.core.version import GIT_VERSION as GIT_VERSION
from headrace.core.version import GRAPH_DEF_VERSION as GRAPH_DEF_VERSION
from headrace.core.version import GRAPH_DEF_VERSION_MIN_CONSUMER as GRAPH_DEF_VERSION_MIN_CONSUMER
from headrace.core.version import GRAPH_DEF_VERSION_MIN_PRODUCER as GRAPH_DEF_VERSION_MIN_PRODUCER
from headrace.core.version import VERSION as VERSION

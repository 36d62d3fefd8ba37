"""The version of TensorFlow whose programs run here, under the names in which 1.15.5 says it."""

VERSION = __version__ = "1.15.5"
GIT_VERSION = __git_version__ = "v1.15.5-headrace"
COMPILER_VERSION = __compiler_version__ = "none (PyTorch kernels)"
CXX11_ABI_FLAG = 0
MONOLITHIC_BUILD = 0
GRAPH_DEF_VERSION = 134
GRAPH_DEF_VERSION_MIN_CONSUMER = 0
GRAPH_DEF_VERSION_MIN_PRODUCER = 0

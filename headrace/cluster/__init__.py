"""Clusters: servers whose tasks run parts of each other's steps, over gRPC."""

import os

# The library tells of every connection that ends; what matters of it is in the errors that calls raise.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")
# What it does before and after a fork aborts the copy at times. Processes that make batches have no use for connections.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")

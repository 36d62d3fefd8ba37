"""Clusters: servers whose tasks run parts of each other's steps, over gRPC."""

import os

# The library tells of every connection that ends; what matters of it is in the errors that calls raise.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

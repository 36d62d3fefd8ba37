"""Message classes and translation: graphs, nodes, functions and tensors to protos and back."""

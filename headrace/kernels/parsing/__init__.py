"""Shared by ops that parse: the wire format of protos, batches of examples, columns of texts."""

"""Ops on state: variables by reference and by resource handle, their updates, sparse and dense."""

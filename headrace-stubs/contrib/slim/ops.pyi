# Made by tools/make_stubs.py.

__all__ = []

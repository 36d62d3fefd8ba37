# Made by tools/make_stubs.py.
from typing import Any

__all__ = ['flags', 'run']
flags: Any
from headrace.app.running import run as run

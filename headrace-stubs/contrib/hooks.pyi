# Made by tools/make_stubs.py.

__all__ = ['ProfilerHook']
from headrace.sessions.saving_hooks import ProfilerHook as ProfilerHook

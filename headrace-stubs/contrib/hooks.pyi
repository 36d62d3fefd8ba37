# Made by tools/make_stubs.py.

from headrace.sessions.saving_hooks import ProfilerHook as ProfilerHook

# Made by tools/make_stubs.py.
from typing import Any

flags: Any
from headrace.app.running import run as run

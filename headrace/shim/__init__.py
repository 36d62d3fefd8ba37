"""Running programs written for `tensorflow`: import hook, Python-2 sources, runner, installed package."""

from headrace.shim.hook import install_as_tensorflow

__all__ = ["install_as_tensorflow"]

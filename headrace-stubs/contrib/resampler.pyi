# Made by tools/make_stubs.py.

__all__ = ['resampler']
from headrace.contrib.image.resampling import resampler as resampler

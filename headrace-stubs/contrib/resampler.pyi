# Made by tools/make_stubs.py.

from headrace.contrib.image.resampling import resampler as resampler

"""`tf.test.mock` is the standard library's."""

from unittest.mock import *  # noqa: F403

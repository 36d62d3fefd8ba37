# Made by tools/make_stubs.py.

from headrace.estimator.tpu.embeddings import EmbeddingConfigSpec as EmbeddingConfigSpec

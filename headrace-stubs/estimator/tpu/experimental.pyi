# Made by tools/make_stubs.py.

__all__ = ['EmbeddingConfigSpec']
from headrace.estimator.tpu.embeddings import EmbeddingConfigSpec as EmbeddingConfigSpec

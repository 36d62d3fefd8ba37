# Made by tools/make_stubs.py.
from typing import Any

__all__ = ['EmbeddingInfo', 'ProjectorConfig', 'SpriteMetadata', 'visualize_embeddings']
EmbeddingInfo: Any
ProjectorConfig: Any
SpriteMetadata: Any
from headrace.contrib.tensorboard.projector import visualize_embeddings as visualize_embeddings

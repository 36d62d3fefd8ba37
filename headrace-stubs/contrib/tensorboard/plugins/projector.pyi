# Made by tools/make_stubs.py.
from typing import Any

EmbeddingInfo: Any
ProjectorConfig: Any
SpriteMetadata: Any
from headrace.contrib.tensorboard.projector import visualize_embeddings as visualize_embeddings

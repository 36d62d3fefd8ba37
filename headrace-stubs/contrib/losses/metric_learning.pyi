# Made by tools/make_stubs.py.

__all__ = ['cluster_loss', 'contrastive_loss', 'lifted_struct_loss', 'npairs_loss', 'npairs_loss_multilabel', 'triplet_semihard_loss']
from headrace.losses.clustering import cluster_loss as cluster_loss
from headrace.losses.metric_learning import contrastive_loss as contrastive_loss
from headrace.losses.metric_learning import lifted_struct_loss as lifted_struct_loss
from headrace.losses.metric_learning import npairs_loss as npairs_loss
from headrace.losses.metric_learning import npairs_loss_multilabel as npairs_loss_multilabel
from headrace.losses.metric_learning import triplet_semihard_loss as triplet_semihard_loss

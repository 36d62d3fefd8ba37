# Made by tools/make_stubs.py.

__all__ = ['ClusterResolver', 'GCEClusterResolver', 'KubernetesClusterResolver', 'SimpleClusterResolver', 'SlurmClusterResolver', 'TFConfigClusterResolver', 'TPUClusterResolver', 'UnionResolver']
from headrace.distribute.cluster_resolvers.base import ClusterResolver as ClusterResolver
from headrace.distribute.cluster_resolvers.gce import GCEClusterResolver as GCEClusterResolver
from headrace.distribute.cluster_resolvers.kubernetes import KubernetesClusterResolver as KubernetesClusterResolver
from headrace.distribute.cluster_resolvers.simple import SimpleClusterResolver as SimpleClusterResolver
from headrace.distribute.cluster_resolvers.slurm import SlurmClusterResolver as SlurmClusterResolver
from headrace.distribute.cluster_resolvers.tf_config import TFConfigClusterResolver as TFConfigClusterResolver
from headrace.distribute.cluster_resolvers.tpu import TPUClusterResolver as TPUClusterResolver
from headrace.distribute.cluster_resolvers.simple import UnionClusterResolver as UnionResolver

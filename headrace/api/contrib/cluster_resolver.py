"""tf.contrib.cluster_resolver."""

HOMES = {
    "distribute.cluster_resolvers.base": "ClusterResolver",
    "distribute.cluster_resolvers.gce": "GCEClusterResolver",
    "distribute.cluster_resolvers.kubernetes": "KubernetesClusterResolver",
    "distribute.cluster_resolvers.simple": "SimpleClusterResolver UnionClusterResolver",
    "distribute.cluster_resolvers.slurm": "SlurmClusterResolver",
    "distribute.cluster_resolvers.tf_config": "TFConfigClusterResolver",
    "distribute.cluster_resolvers.tpu": "TPUClusterResolver",
}

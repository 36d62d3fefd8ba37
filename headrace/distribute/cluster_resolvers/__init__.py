"""Cluster resolvers: what finds out which tasks a cluster has, and which of them this process is."""

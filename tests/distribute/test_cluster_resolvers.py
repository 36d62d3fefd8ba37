"""Cluster resolvers: the values are those of TensorFlow 1.15.5 for the same calls."""

from __future__ import annotations

import json
import os
from types import SimpleNamespace

import pytest

import headrace as tf
from headrace.distribute.cluster_resolvers.torchrun import TorchrunClusterResolver

resolvers = tf.distribute.cluster_resolver
Simple, Union = resolvers.SimpleClusterResolver, resolvers.UnionResolver


def of(cluster, **keywords):
    return Simple(tf.train.ClusterSpec(cluster), **keywords)


def test_simple():
    cluster = {"ps": ["a:1", "b:2"], "worker": ["c:3", "d:4"]}
    resolver = of(
        cluster, master="m:9", task_type="ps", task_id=1, environment="e", num_accelerators={"GPU": 3}, rpc_layer="grpc"
    )
    assert resolver.cluster_spec().as_dict() == cluster
    assert (resolver.task_type, resolver.task_id, resolver.environment) == ("ps", 1, "e")
    assert resolver.master() == resolver.master("worker") == "grpc://m:9"
    assert resolver.master("worker", 1) == "grpc://d:4"
    assert resolver.master("worker", 1, "http") == "http://d:4"
    assert resolver.num_accelerators("worker", 0) == {"GPU": 3}
    assert of(cluster).master() == ""
    assert of(cluster).master("ps", 0) == "a:1"
    assert of(cluster).num_accelerators() == {}
    with pytest.raises(TypeError, match="cluster_spec must be a ClusterSpec"):
        Simple(cluster)
    with pytest.raises(ValueError, match="No such job in cluster: 'x'"):
        resolver.master("x", 0)


def test_union():
    first = of({"worker": ["c:3"]}, master="z:1", task_type="worker", task_id=0, rpc_layer="grpc", environment="e1")
    union = Union(first, of({"worker": ["e:5"], "ps": ["p:1"]}))
    assert union.cluster_spec().as_dict() == {"worker": ["c:3", "e:5"], "ps": ["p:1"]}
    assert (union.task_type, union.task_id, union.environment, union.rpc_layer) == ("worker", 0, "e1", "grpc")
    assert union.master() == "grpc://z:1"
    assert union.master("worker", 1) == "e:5"
    assert union.num_accelerators() == {}
    assert Union(first, task_type="ps", task_id=3).task_type == "ps"
    union.task_type, union.task_id, union.rpc_layer = "q", 5, "z"
    assert (union.task_type, union.task_id, union.rpc_layer) == ("q", 5, "z")


@pytest.mark.parametrize(
    ("jobs", "merged"),
    [
        (({1: "a:1"}, {2: "b:1"}), {1: "a:1", 2: "b:1"}),
        (({1: "a:1"}, ["b:1"]), ["b:1", "a:1"]),
        (({1: "a:1"}, {1: "b:1"}), None),
        (({1: "a:1"}, ["b:1", "c:1"]), None),
    ],
)
def test_union_of_numbered_tasks(jobs, merged):
    union = Union(*[of({"worker": tasks}) for tasks in jobs])
    if merged is not None:
        assert union.cluster_spec().as_dict() == {"worker": merged}
        return
    with pytest.raises(KeyError, match=r"Duplicate keys detected when merging two ClusterSpecs: \{1\}"):
        union.cluster_spec()


def test_union_refuses():
    with pytest.raises(ValueError, match="At least one ClusterResolver is required"):
        Union()
    with pytest.raises(TypeError, match="sub-class of `ClusterResolver`"):
        Union(3)
    with pytest.raises(ValueError, match=r"Unexpected kwargs provided \{'foo': 1\}"):
        Union(of({"worker": ["c:3"]}), foo=1)


@pytest.mark.parametrize(
    ("told", "task", "master", "of_worker"),
    [
        ({}, (None, None), "", ""),
        ({"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": 0}}, ("worker", 0), "", ""),
        (
            {"cluster": {"worker": ["a:1", "b:2"], "ps": ["p:1"]}, "task": {"type": "worker", "index": "1"}},
            ("worker", 1),
            "b:2",
            "a:1",
        ),
        (
            {"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 1}, "rpc_layer": "http"},
            ("worker", 1),
            "http://b:2",
            "http://a:1",
        ),
        (
            {"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 1}, "session_master": "sm:1"},
            ("worker", 1),
            "sm:1",
            "sm:1",
        ),
    ],
)
def test_tf_config(monkeypatch, told, task, master, of_worker):
    monkeypatch.setenv("TF_CONFIG", json.dumps(told))
    resolver = resolvers.TFConfigClusterResolver()
    assert (resolver.task_type, resolver.task_id) == task
    assert resolver.cluster_spec().as_dict() == told.get("cluster", {})
    assert resolver.master() == master
    assert resolver.master("worker", 0) == of_worker
    assert resolvers.TFConfigClusterResolver(environment="e").environment == "e"


def test_tf_config_without_a_task(monkeypatch):
    monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": {"worker": ["a:1", "b:2"]}}))
    with pytest.raises(ValueError, match="No such"):
        resolvers.TFConfigClusterResolver().master()
    assert resolvers.TFConfigClusterResolver("worker", 1, "grpc").master() == "grpc://b:2"
    assert resolvers.TFConfigClusterResolver("worker", "1").master() == "b:2"


def test_devices_are_counted(monkeypatch):
    monkeypatch.delenv("TF_CONFIG", raising=False)
    counts = resolvers.TFConfigClusterResolver().num_accelerators(config_proto=tf.ConfigProto(device_count={"CPU": 3}))
    assert counts["CPU"] == 3
    assert not resolvers.TFConfigClusterResolver().num_accelerators("worker", 0)


SLURM = {"SLURM_PROCID": "5", "SLURM_NTASKS": "8"}


def slurm(monkeypatch, variables, *args, **keywords):
    for name in (
        "SLURM_PROCID",
        "SLURM_NTASKS",
        "SLURM_NTASKS_PER_NODE",
        "OMPI_COMM_WORLD_RANK",
        "OMPI_COMM_WORLD_SIZE",
    ):
        monkeypatch.delenv(name, raising=False)
    # Set, so that what the resolver sets is taken back.
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    class Resolver(resolvers.SlurmClusterResolver):
        def _resolve_hostnames(self):
            return ["n1", "n2", "n3", "n4"]

    return Resolver(*args, **keywords)


def test_slurm(monkeypatch):
    resolver = slurm(monkeypatch, SLURM, {"ps": 2, "worker": 6}, gpus_per_node=2, tasks_per_node=2)
    assert resolver.cluster_spec().as_dict() == {
        "ps": ["n1:8888", "n1:8889"],
        "worker": ["n2:8888", "n2:8889", "n3:8888", "n3:8889", "n4:8888", "n4:8889"],
    }
    assert resolver.get_task_info() == ("worker", 3)
    assert resolver.master() == "grpc://n3:8889"
    assert resolver.master("worker", 0, "q") == "q://n2:8888"
    assert resolver.num_accelerators() == {"GPU": 2}
    assert os.environ["CUDA_VISIBLE_DEVICES"] == "1"


def test_slurm_by_its_variables(monkeypatch):
    variables = {"SLURM_PROCID": "7", "SLURM_NTASKS": "8", "SLURM_NTASKS_PER_NODE": "2"}
    resolver = slurm(monkeypatch, variables, {"worker": 8}, gpus_per_node=4, gpus_per_task=2)
    assert resolver.cluster_spec().task_address("worker", 7) == "n4:8889"
    assert os.environ["CUDA_VISIBLE_DEVICES"] == "2,3"


def test_slurm_gives_nodes_to_jobs_by_name(monkeypatch):
    resolver = slurm(monkeypatch, SLURM, {"worker": 6, "ps": 2}, gpus_per_node=2, tasks_per_node=2)
    assert resolver.cluster_spec().as_dict() == {
        "ps": ["n1:8888", "n1:8889"],
        "worker": ["n2:8888", "n2:8889", "n3:8888", "n3:8889", "n4:8888", "n4:8889"],
    }
    assert resolver.get_task_info() == ("worker", 3)


def test_slurm_under_mpirun(monkeypatch):
    variables = {**SLURM, "OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "4"}
    resolver = slurm(monkeypatch, variables, {"worker": 4}, tasks_per_node=1)
    assert resolver.cluster_spec().task_address("worker", 1) == "n2:8888"
    assert resolver.get_task_info() == ("worker", 1)


@pytest.mark.parametrize(("rank", "each"), [("5", 1), ("8", 2)])
def test_slurm_has_no_place(monkeypatch, rank, each):
    resolver = slurm(monkeypatch, {**SLURM, "SLURM_PROCID": rank}, {"worker": 8}, gpus_per_node=2, tasks_per_node=each)
    with pytest.raises(IndexError, match=f"Process {rank} of 8 tasks has no place"):
        resolver.cluster_spec()


@pytest.mark.parametrize(
    ("variables", "keywords", "error", "match"),
    [
        ({}, {}, KeyError, "SLURM_PROCID"),
        (SLURM, {}, RuntimeError, "SLURM_NTASKS_PER_NODE"),
        (SLURM, {"tasks_per_node": 2, "jobs": {"worker": 9}, "gpus_per_node": 2}, RuntimeError, "more tasks"),
        (SLURM, {"tasks_per_node": 2, "jobs": {"worker": 8}, "gpus_per_task": 2}, RuntimeError, "more GPUs"),
    ],
)
def test_slurm_refuses(monkeypatch, variables, keywords, error, match):
    with pytest.raises(error, match=match):
        slurm(monkeypatch, variables, **{"jobs": {"worker": 8}, **keywords})


def pods(**by_label):
    def listed(label_selector):
        items = [
            SimpleNamespace(metadata=SimpleNamespace(name=name), status=SimpleNamespace(phase=phase, host_ip=address))
            for name, phase, address in by_label[label_selector]
        ]
        return SimpleNamespace(items=items)

    return SimpleNamespace(list_pod_for_all_namespaces=listed)


def test_kubernetes():
    client = pods(**{"job-name=tensorflow": [("t0", "Running", "1.2.3.4"), ("t1", "Running", "1.2.3.5")]})
    resolver = resolvers.KubernetesClusterResolver(override_client=client)
    assert resolver.cluster_spec().as_dict() == {"worker": ["1.2.3.4:8470", "1.2.3.5:8470"]}
    assert resolver.master() == ""
    assert resolver.master("worker", 1) == "grpc://1.2.3.5:8470"
    assert resolver.environment == ""
    labels = {"worker": ["a", "b"], "ps": ["c"]}
    client = pods(a=[("t", "Running", "1")], b=[("t", "Running", "2")], c=[("t", "Running", "3")])
    resolver = resolvers.KubernetesClusterResolver(labels, tf_server_port=7, override_client=client)
    assert resolver.cluster_spec().as_dict() == {"worker": ["1:7", "2:7"], "ps": ["3:7"]}


def test_kubernetes_refuses():
    client = pods(**{"job-name=tensorflow": [("t", "Failed", "1.2.3.4")]})
    with pytest.raises(RuntimeError, match='Pod "t" is not running; phase: "Failed"'):
        resolvers.KubernetesClusterResolver(override_client=client).cluster_spec()
    with pytest.raises(ImportError, match="pip install kubernetes"):
        resolvers.KubernetesClusterResolver()


class Service:
    """What the Compute Engine answers for two instances."""

    def __init__(self):
        self.asked = []

    def instanceGroups(self):
        return self

    def instances(self):
        return self

    def _answer(self, value, **asked):
        self.asked.append(asked)
        return SimpleNamespace(execute=lambda: value)

    def listInstances(self, **asked):
        return self._answer({"items": [{"instance": f"https://x/instances/i{n}"} for n in (2, 1)]}, **asked)

    def listInstances_next(self, previous_request, previous_response):
        return None

    def get(self, **asked):
        return self._answer({"networkInterfaces": [{"networkIP": "10.0.0." + asked["instance"][-1]}]}, **asked)


def test_gce():
    def made(**keywords):
        return resolvers.GCEClusterResolver("p", "z", "group", 8470, credentials=None, service=Service(), **keywords)

    assert made().cluster_spec().as_dict() == {"worker": ["10.0.0.1:8470", "10.0.0.2:8470"]}
    assert made().master() == "grpc://10.0.0.1:8470"
    assert made(task_type="q", task_id=1, rpc_layer="x").master() == "x://10.0.0.2:8470"
    assert made(task_type=None, task_id=None).master() == ""
    resolver = made()
    resolver.task_id = 1
    assert resolver.master() == "grpc://10.0.0.2:8470"
    with pytest.raises(RuntimeError, match="cannot reset the task_type"):
        resolver.task_type = "ps"
    with pytest.raises(ImportError, match="googleapiclient"):
        resolvers.GCEClusterResolver("p", "z", "group", 1)


def test_there_are_no_tpus():
    with pytest.raises(NotImplementedError, match="TPUs are not supported"):
        resolvers.TPUClusterResolver("grpc://a:1")


def test_torchrun_asks_for_its_variables(monkeypatch):
    for name in ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(RuntimeError, match="was not started by torchrun"):
        TorchrunClusterResolver()

"""A task of a cluster as a process of its own: `python task.py CLUSTER JOB INDEX`, where CLUSTER is a dictionary in JSON."""

import json
import sys

import headrace as tf

if __name__ == "__main__":
    cluster, job, index = json.loads(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    server = tf.train.Server(cluster, job, index)
    print("listening", flush=True)
    server.join()

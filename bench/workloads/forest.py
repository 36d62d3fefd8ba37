"""A forest of 100 trees on batches of 1,000 examples with 50 features: steps of training, and predictions."""

BARS = {"5 steps": 1.0, "predict 1,000": 1.0}


def workload(tf, np):
    tensor_forest = tf.contrib.tensor_forest.tensor_forest
    state = np.random.RandomState(0)
    values = state.randn(1000, 50).astype(np.float32)
    labels = ((values[:, 0] > 0).astype(int) + (values[:, 1] > 0.3)).astype(np.float32)
    params = tensor_forest.ForestHParams(
        num_classes=3, num_features=50, num_trees=100, max_nodes=1000, base_random_seed=1
    )
    graph = tf.Graph()
    with graph.as_default():
        x, y = tf.placeholder(tf.float32, [None, 50]), tf.placeholder(tf.float32, [None])
        forest = tensor_forest.RandomForestGraphs(params.fill())
        train, predicted = forest.training_graph(x, y), forest.inference_graph(x)[0]
        session = tf.Session(graph=graph)
        session.run(tf.global_variables_initializer())
        session.run([resource.create for resource in tf.get_collection("resources")])
    feed = {x: values, y: labels}

    def steps():
        for _ in range(5):
            session.run(train, feed)

    return {"5 steps": steps, "predict 1,000": lambda: session.run(predicted, feed)}

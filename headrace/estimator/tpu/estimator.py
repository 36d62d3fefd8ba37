"""`TPUEstimator` on the devices of this machine: the way of its `use_tpu=False`."""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.defaults import get_default_graph
from headrace.core.graph import Graph
from headrace.estimator.estimator import Estimator
from headrace.estimator.mode_keys import ModeKeys
from headrace.estimator.model_fn import EstimatorSpec
from headrace.estimator.run_config import RunConfig as EstimatorRunConfig
from headrace.estimator.tpu.config import RunConfig
from headrace.estimator.tpu.embeddings import EmbeddingConfigSpec
from headrace.estimator.tpu.rates import ExamplesPerSecondHook
from headrace.estimator.tpu.spec import TPUEstimatorSpec
from headrace.estimator.warm_start import WarmStartSettings
from headrace.state.global_step import create_resource_global_step
from headrace.state.variables import Variable
from headrace.util import tf_logging
from headrace.util.inspection import fn_args

if TYPE_CHECKING:
    from headrace.sessions.saving_hooks import CheckpointSaverListener
    from headrace.sessions.session_run_hook import SessionRunHook

_BATCH_SIZE, _CONTEXT, _USE_TPU = "batch_size", "context", "use_tpu"
_RESERVED = [_BATCH_SIZE, _CONTEXT]
_FINISHED = "%s marked as finished"


def _needs_tpu(what: str, instead: str) -> NotImplementedError:
    return NotImplementedError(f"TPUEstimator({what}): there are no TPUs in Headrace; {instead}")


def _check_embeddings(spec: Any) -> None:
    if not isinstance(spec, EmbeddingConfigSpec):
        raise AttributeError(
            "embedding_config_spec must be a tf.estimator.tpu.experimental.EmbeddingConfigSpec; got "
            f"{type(spec).__name__}."
        )
    if spec.partition_strategy == "mod":
        raise ValueError(
            "embedding_config_spec: Mod sharding of embedding tables is not supported on CPU: use "
            'partition_strategy="div".'
        )


@contextlib.contextmanager
def _told_of(loop: str) -> Iterator[None]:
    """Logs the end of a loop, and the error that ended it."""
    failed = False
    try:
        yield
    except Exception as error:
        failed = True
        tf_logging.error("Error recorded from %s: %s", loop, error)
        raise
    finally:
        tf_logging.info(_FINISHED, loop)
        if failed:
            tf_logging.warning("Reraising captured error")


class TPUEstimator(Estimator):
    """An `Estimator` for programs written for Cloud TPUs, which tells functions their batch size.

    There are no TPUs here: `use_tpu` must be False, and the model runs as that of an `Estimator` does. Model and input
    functions find their batch size in `params["batch_size"]`, except when the model is exported.

    Args:
        model_fn: of `features`, `labels`, `mode`, `params` and, as it likes, `config`; it returns a `TPUEstimatorSpec`
            or an `EstimatorSpec`.
        model_dir: the folder of checkpoints and summaries.
        config: a `tf.contrib.tpu.RunConfig`.
        params: a dict that is handed on, without the keys "batch_size" and "context".
        use_tpu: False.
        train_batch_size, eval_batch_size, predict_batch_size: the batch sizes of the modes.
        batch_axis: along which axes a TPU's cores would share the features; of no effect on one device.
        eval_on_tpu, export_to_tpu: whether a TPU would evaluate, and whether a graph for TPUs is wanted as well; of no
            effect without one.
        export_to_cpu: whether a graph for other devices is exported, which is all there is.
        warm_start_from: as for `Estimator`.
        embedding_config_spec: which embeddings a TPU would hold; here they are the variables of their columns, which the
            model's optimizer trains.
        export_saved_model_api_version: how graphs for TPUs are made; of no effect without one.

    Raises:
        ValueError: for other configurations, reserved parameters, or tables divided by "mod"; NotImplementedError: for
            what needs a TPU.

    Example:
        >>> estimator = tf.contrib.tpu.TPUEstimator(
        ...     model_fn, config=tf.contrib.tpu.RunConfig(model_dir="model"), use_tpu=False, train_batch_size=32
        ... )
        >>> estimator.train(input_fn, max_steps=1000)
    """

    def __init__(
        self,
        model_fn: Callable[..., Any] | None = None,
        model_dir: str | None = None,
        config: RunConfig | None = None,
        params: Mapping[str, Any] | None = None,
        use_tpu: bool = True,
        train_batch_size: int | None = None,
        eval_batch_size: int | None = None,
        predict_batch_size: int | None = None,
        batch_axis: list[int] | None = None,
        eval_on_tpu: bool = True,
        export_to_tpu: bool = True,
        export_to_cpu: bool = True,
        warm_start_from: str | WarmStartSettings | None = None,
        embedding_config_spec: EmbeddingConfigSpec | None = None,
        export_saved_model_api_version: Any = None,
    ) -> None:
        if not isinstance(config, RunConfig):
            raise ValueError("`config` must be provided with type `tpu_config.RunConfig`")
        if params is not None and any(key in params for key in _RESERVED):
            raise ValueError(f"{_RESERVED} are reserved keys but existed in params {params}.")
        if use_tpu:
            raise _needs_tpu("use_tpu=True", "pass use_tpu=False to run the model on the devices of this machine.")
        if embedding_config_spec is not None:
            _check_embeddings(embedding_config_spec)
        if not export_to_cpu:
            raise _needs_tpu("export_to_cpu=False", "leave it out to export a graph for other devices.")
        self._rate_logged_every_n_steps = config.log_step_count_steps
        self._iterations_per_loop = config.tpu_config.iterations_per_loop
        super().__init__(
            model_fn,  # type: ignore[arg-type]  # None is refused there
            model_dir,
            # The rate is logged with that of examples, by a hook of training.
            config.replace(log_step_count_steps=None),
            None if params is None else dict(params),
            warm_start_from,
        )
        self._batch_sizes = {
            ModeKeys.TRAIN: train_batch_size,
            ModeKeys.EVAL: eval_batch_size,
            ModeKeys.PREDICT: predict_batch_size,
        }
        self._filled_graph: weakref.ref[Graph] | None = None
        if config.tpu_config.num_shards == 1 and config.tpu_config.num_cores_per_replica is None:
            tf_logging.warning(
                "Setting TPUConfig.num_shards==1 is an unsupported behavior. Please fix as soon as possible (leaving "
                "num_shards as None.)"
            )
            eval_on_tpu = True
        tf_logging.info("_TPUContext: eval_on_tpu %s", eval_on_tpu)
        if eval_on_tpu:
            tf_logging.warning("eval_on_tpu ignored because use_tpu is False.")

    def train(
        self,
        input_fn: Callable[..., Any],
        hooks: Sequence[SessionRunHook] | None = None,
        steps: int | None = None,
        max_steps: int | None = None,
        saving_listeners: Sequence[CheckpointSaverListener] | None = None,
    ) -> Estimator:
        """See `Estimator.train`."""
        with _told_of("training_loop"):
            return super().train(input_fn, hooks, steps, max_steps, saving_listeners)

    def evaluate(
        self,
        input_fn: Callable[..., Any],
        steps: int | None = None,
        hooks: Sequence[SessionRunHook] | None = None,
        checkpoint_path: str | None = None,
        name: str | None = None,
    ) -> dict[str, Any]:
        """See `Estimator.evaluate`."""
        with _told_of("evaluation_loop"):
            return super().evaluate(input_fn, steps, hooks, checkpoint_path, name)

    def predict(
        self,
        input_fn: Callable[..., Any],
        predict_keys: str | Sequence[str] | None = None,
        hooks: Sequence[SessionRunHook] | None = None,
        checkpoint_path: str | None = None,
        yield_single_examples: bool = True,
    ) -> Iterator[Any]:
        """See `Estimator.predict`."""
        with _told_of("prediction_loop"):
            yield from super().predict(input_fn, predict_keys, hooks, checkpoint_path, yield_single_examples)
        # As in 1.15: once for the loop, and once for whoever asked for all.
        tf_logging.info(_FINISHED, "prediction_loop")

    def _create_global_step(self, graph: Graph) -> Variable:
        """The global step, which is a resource whatever other variables are."""
        return create_resource_global_step(graph)

    def _params_with_batch_size(self, mode: str) -> dict[str, Any]:
        params = self.params
        if self._batch_sizes[mode] is not None:
            params[_BATCH_SIZE] = self._batch_sizes[mode]
        return params

    def _call_input_fn(self, input_fn: Callable[..., Any], mode: str, input_context: Any = None) -> Any:
        """Calls an input function with the batch size in its parameters.

        Raises:
            ValueError: if it does not take any.
        """
        if "params" not in fn_args(input_fn):
            raise ValueError(
                f"input_fn ({input_fn}) does not include params argument, required by TPUEstimator to pass batch size as "
                'params["batch_size"]'
            )
        self._filled_graph = weakref.ref(get_default_graph())
        return self._call_with_params(
            super()._call_input_fn, self._params_with_batch_size(mode), input_fn, mode, input_context
        )

    def _call_model_fn(self, features: Any, labels: Any, mode: str, config: EstimatorRunConfig) -> EstimatorSpec:
        """Calls the model function with the batch size in its parameters, except for a graph that requests will fill."""
        is_exported = self._filled_graph is None or self._filled_graph() is not get_default_graph()
        params = self.params if is_exported else self._params_with_batch_size(mode)
        if not is_exported and _BATCH_SIZE in params and "params" not in fn_args(self._model_fn):
            raise ValueError(
                f"model_fn ({self._model_fn}) does not include params argument, required by TPUEstimator to pass batch size "
                "as params['batch_size']"
            )
        params[_USE_TPU] = False
        spec = self._call_with_params(super()._call_model_fn, params, features, labels, mode, config)
        if mode != ModeKeys.TRAIN:
            return spec
        return spec._replace(training_hooks=(*spec.training_hooks, *self._rate_hooks()))

    def _results_of_model_fn(self, mode: str, given: dict[str, Any]) -> Any:
        tf_logging.info("Running %s on CPU", mode)
        return super()._results_of_model_fn(mode, given)

    def _checked_spec(self, results: Any) -> EstimatorSpec:
        if isinstance(results, TPUEstimatorSpec):
            results = results.as_estimator_spec()
        return super()._checked_spec(results)

    def _call_with_params(self, call: Callable[..., Any], params: dict[str, Any], *args: Any) -> Any:
        """Calls a method of `Estimator` that hands on the parameters, with others."""
        kept, self._params = self._params, params
        try:
            return call(*args)
        finally:
            self._params = kept

    def _rate_hooks(self) -> list[ExamplesPerSecondHook]:
        batch_size, every = self._batch_sizes[ModeKeys.TRAIN], self._rate_logged_every_n_steps
        if batch_size is None or every is None:
            return []
        folder = self.model_dir if self.config.save_summary_steps else None
        # A TPU would log after whole loops: here they are counted as if they were steps.
        loops = -(-every // self._iterations_per_loop)
        return [ExamplesPerSecondHook(batch_size, every_n_steps=loops, output_dir=folder)]


def export_estimator_savedmodel(
    estimator: TPUEstimator,
    export_dir_base: str,
    serving_input_receiver_fn: Callable[[], Any],
    assets_extra: Mapping[str, str] | None = None,
    as_text: bool = False,
    checkpoint_path: str | None = None,
) -> bytes:
    """Exports a model without a graph for TPUs; here all exports are such.

    Args:
        estimator: the model.
        export_dir_base, serving_input_receiver_fn, assets_extra, as_text, checkpoint_path: as for
            `Estimator.export_saved_model`.

    Returns:
        the path of the folder.
    """
    tf_logging.info("Exporting %s for other devices than TPUs.", type(estimator).__name__)
    return estimator.export_saved_model(
        export_dir_base, serving_input_receiver_fn, assets_extra, as_text, checkpoint_path
    )

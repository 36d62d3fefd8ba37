"""`WALSMatrixFactorization`: weighted alternating least squares as an estimator."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.factorization.wals import WALSModel
from headrace.contrib.learn.estimator import Estimator
from headrace.contrib.learn.metric_spec import ModeKeys
from headrace.contrib.learn.model_outputs import ModelFnOps
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, get_default_graph
from headrace.functions.flow.cond import cond
from headrace.functions.math.reduction import reduce_all
from headrace.kernels.composing.filling import ones, zeros, zeros_like
from headrace.kernels.composing.shapes import shape
from headrace.ops.flow.grouping import group, no_op
from headrace.ops.math.cast import cast
from headrace.ops.math.logical import logical_not
from headrace.ops.math.unary import sqrt
from headrace.sessions.session_run_hook import SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues
from headrace.state.global_step import get_global_step
from headrace.state.updates import assign, assign_add, scatter_update
from headrace.state.variables import VariableV1
from headrace.summary.operations import scalar
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.tensor import Tensor
    from headrace.core.typing import SessionLike
    from headrace.estimator.run_config import RunConfig


class _SweepHook(SessionRunHook):
    """Runs sweeps over rows and over columns in turns, a batch a step.

    Args:
        is_row_sweep_var: which of the two is going on.
        is_sweep_done_var: whether it is over.
        init_op: what a session needs before all.
        row_prep_ops, col_prep_ops: what a sweep begins with, one after the other.
        row_train_op, col_train_op: a step of a sweep.
        switch_op: what comes between sweeps.
    """

    def __init__(
        self,
        is_row_sweep_var: VariableV1,
        is_sweep_done_var: VariableV1,
        init_op: Operation,
        row_prep_ops: Sequence[Operation],
        col_prep_ops: Sequence[Operation],
        row_train_op: Operation,
        col_train_op: Operation,
        switch_op: Operation,
    ) -> None:
        self._is_row_sweep, self._is_sweep_done = is_row_sweep_var, is_sweep_done_var
        self._init_op, self._switch_op = init_op, switch_op
        self._prepare = {True: row_prep_ops, False: col_prep_ops}
        self._train = {True: row_train_op, False: col_train_op}
        self._prepared = False

    def after_create_session(self, session: SessionLike, coord: object) -> None:
        """Lets the next step begin anew: a session has no copies of the weights yet."""
        self._prepared = False

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Begins the next sweep where one has ended, and trains on a batch."""
        session = run_context.session
        done = session.run(self._is_sweep_done)
        if not self._prepared:
            tf_logging.info("SweepHook running init op.")
            session.run(self._init_op)
        if done:
            tf_logging.info("SweepHook starting the next sweep.")
            session.run(self._switch_op)
        rows = bool(session.run(self._is_row_sweep))
        if done or not self._prepared:
            tf_logging.info("SweepHook running prep ops for the %s sweep.", "row" if rows else "col")
            for op in self._prepare[rows]:
                session.run(op)
            self._prepared = True
        tf_logging.info("Next fit step starting.")
        return SessionRunArgs(fetches=[self._train[rows]])


class _IncrementGlobalStepHook(SessionRunHook):
    """Counts steps."""

    def __init__(self) -> None:
        self._step_op = assign_add(get_global_step(), 1)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Adds one."""
        return SessionRunArgs(self._step_op)


class _StopAtSweepHook(SessionRunHook):
    """Ends training after so many sweeps, which the graph counts in `completed_sweeps`.

    Args:
        last_sweep: after how many.
    """

    def __init__(self, last_sweep: int) -> None:
        self._last = last_sweep

    def begin(self) -> None:
        """Looks for the counter.

        Raises:
            RuntimeError: if there is none.
        """
        name = WALSMatrixFactorization.COMPLETED_SWEEPS
        try:
            self._completed = get_default_graph().get_tensor_by_name(f"{name}:0")
        except KeyError:
            raise RuntimeError(f"{name} counter should be created to use StopAtSweepHook.") from None

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Asks for their number."""
        return SessionRunArgs(self._completed)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Ends when it is reached, as of after the step."""
        if max(run_values.results, run_context.session.run(self._completed)) >= self._last:
            run_context.request_stop()


def _counter(value: Any, name: str) -> VariableV1:
    return VariableV1(value, trainable=False, name=name)


def _model_of(params: Mapping[str, Any], training: bool) -> WALSModel:
    return WALSModel(
        params["num_rows"],
        params["num_cols"],
        params["embedding_dimension"],
        unobserved_weight=params["unobserved_weight"],
        regularization=params["regularization_coeff"],
        row_init=params["row_init"],
        col_init=params["col_init"],
        num_row_shards=params["num_row_shards"],
        num_col_shards=params["num_col_shards"],
        row_weights=params["row_weights"],
        col_weights=params["col_weights"],
        use_factors_weights_cache=params["use_factors_weights_cache_for_training"] and training,
        use_gramian_cache=params["use_gramian_cache_for_training"] and training,
    )


def _train_ops(model: WALSModel, features: Mapping[str, Any], params: Mapping[str, Any]) -> ModelFnOps:
    names = WALSMatrixFactorization
    is_row_sweep, is_sweep_done = _counter(True, "is_row_sweep"), _counter(False, "is_sweep_done")
    completed = _counter(0, names.COMPLETED_SWEEPS)
    loss, error = _counter(0.0, names.LOSS), _counter(0.0, names.RWSE)
    scalar("loss", loss)
    scalar("root_weighted_squared_error", error)
    scalar("completed_sweeps", completed)
    processed_rows = _counter(zeros([params["num_rows"]], dtype="bool"), "processed_rows")
    processed_cols = _counter(zeros([params["num_cols"]], dtype="bool"), "processed_cols")

    def step(entries: Any, update: Any, processed: VariableV1) -> Operation:
        _, update_op, unregularized, regularization, weights = update
        places = entries.indices[:, 0]
        with control_dependencies([update_op]):
            marked = scatter_update(processed, places, ones([shape(places)[0]], dtype="bool"))
            done = reduce_all(marked)
            return group(
                assign(is_sweep_done, done),
                assign_add(completed, cast(done, "int32")),
                assign(loss, unregularized + regularization),
                assign(error, sqrt(unregularized / weights)),
            )

    rows, cols = features[names.INPUT_ROWS], features[names.INPUT_COLS]
    of_rows = step(rows, model.update_row_factors(sp_input=rows, transpose_input=False), processed_rows)
    of_cols = step(cols, model.update_col_factors(sp_input=cols, transpose_input=True), processed_cols)
    switch = group(
        assign(is_row_sweep, logical_not(is_row_sweep)),
        assign(is_sweep_done, False),
        assign(processed_rows, zeros_like(processed_rows)),
        assign(processed_cols, zeros_like(processed_cols)),
    )
    hooks: list[SessionRunHook] = [
        _SweepHook(
            is_row_sweep,
            is_sweep_done,
            model.worker_init,
            [model.row_update_prep_gramian_op, model.initialize_row_update_op],
            [model.col_update_prep_gramian_op, model.initialize_col_update_op],
            of_rows,
            of_cols,
            switch,
        ),
        _IncrementGlobalStepHook(),
    ]
    if params["max_sweeps"] is not None:
        hooks.append(_StopAtSweepHook(params["max_sweeps"]))
    return ModelFnOps(
        mode=ModeKeys.TRAIN,
        predictions={},
        loss=convert_to_tensor(loss),
        train_op=no_op(),
        eval_metric_ops={},
        training_hooks=hooks,
    )


def _wals_factorization_model_function(features: Any, labels: Any, mode: str, params: Mapping[str, Any]) -> ModelFnOps:
    """The model function; `params` are the arguments of `WALSMatrixFactorization`."""
    names = WALSMatrixFactorization
    model = _model_of(params, mode == ModeKeys.TRAIN)
    if mode == ModeKeys.TRAIN:
        return _train_ops(model, features, params)
    of_rows = convert_to_tensor(features[names.PROJECT_ROW])
    if mode == ModeKeys.INFER:
        weights = features.get(names.PROJECTION_WEIGHTS)
        projection = cond(
            of_rows,
            lambda: model.project_row_factors(
                sp_input=features[names.INPUT_ROWS], projection_weights=weights, transpose_input=False
            ),
            lambda: model.project_col_factors(
                sp_input=features[names.INPUT_COLS], projection_weights=weights, transpose_input=True
            ),
        )
        return ModelFnOps(
            mode=mode,
            predictions={names.PROJECTION_RESULT: projection},
            loss=None,
            train_op=None,
            eval_metric_ops={},
        )

    def loss_of(update: Any) -> Tensor:
        return update[2] + update[3]

    loss = cond(
        of_rows,
        lambda: loss_of(model.update_row_factors(sp_input=features[names.INPUT_ROWS], transpose_input=False)),
        lambda: loss_of(model.update_col_factors(sp_input=features[names.INPUT_COLS], transpose_input=True)),
    )
    return ModelFnOps(mode=mode, predictions={}, loss=loss, train_op=no_op(), eval_metric_ops={})


class WALSMatrixFactorization(Estimator):
    """An estimator that factors a sparse matrix by weighted alternating least squares; see `WALSModel`.

    Features are the sparse tensors `INPUT_ROWS`, some rows of the matrix, and `INPUT_COLS`, some rows of its transpose.
    Training goes over all rows, then over all columns, and so on. For evaluation and projections `PROJECT_ROW` says which
    of both are meant.

    Args:
        num_rows, num_cols: the size of the matrix.
        embedding_dimension: the size of the factors.
        unobserved_weight: the weight of entries that were not observed.
        regularization_coeff: the weight of the squared norms of factors, or None.
        row_init, col_init: how factors start; see `WALSModel`.
        num_row_shards, num_col_shards: into how many variables factors are cut.
        row_weights, col_weights: the weights of observed entries; see `WALSModel`.
        use_factors_weights_cache_for_training, use_gramian_cache_for_training: whether copies are trained from.
        max_sweeps: after how many sweeps training ends, or None.
        model_dir: the folder of checkpoints and summaries.
        config: a `RunConfig`.

    Example:
        >>> entries = tf.SparseTensor([[0, 0], [1, 1], [1, 2]], [1.0, 2.0, 3.0], [2, 3])
        >>> names = tf.contrib.factorization.WALSMatrixFactorization
        >>> estimator = names(2, 3, embedding_dimension=2, max_sweeps=4)
        >>> def input_fn():
        ...     rows = tf.SparseTensor([[0, 0], [1, 1], [1, 2]], [1.0, 2.0, 3.0], [2, 3])
        ...     return {names.INPUT_ROWS: rows, names.INPUT_COLS: tf.sparse_transpose(rows)}, None
        >>> estimator.fit(input_fn=input_fn, steps=10)
        >>> estimator.get_row_factors()
    """

    INPUT_ROWS = "input_rows"
    INPUT_COLS = "input_cols"
    PROJECT_ROW = "project_row"
    PROJECTION_WEIGHTS = "projection_weights"
    PROJECTION_RESULT = "projection"
    COMPLETED_SWEEPS = "completed_sweeps"
    LOSS = "WALS_loss"
    RWSE = "WALS_RWSE"

    def __init__(
        self,
        num_rows: int,
        num_cols: int,
        embedding_dimension: int,
        unobserved_weight: float = 0.1,
        regularization_coeff: float | None = None,
        row_init: Any = "random",
        col_init: Any = "random",
        num_row_shards: int = 1,
        num_col_shards: int = 1,
        row_weights: Any = 1,
        col_weights: Any = 1,
        use_factors_weights_cache_for_training: bool = True,
        use_gramian_cache_for_training: bool = True,
        max_sweeps: int | None = None,
        model_dir: str | None = None,
        config: RunConfig | None = None,
    ) -> None:
        params = {
            "num_rows": num_rows,
            "num_cols": num_cols,
            "embedding_dimension": embedding_dimension,
            "unobserved_weight": unobserved_weight,
            "regularization_coeff": regularization_coeff,
            "row_init": row_init,
            "col_init": col_init,
            "num_row_shards": num_row_shards,
            "num_col_shards": num_col_shards,
            "row_weights": row_weights,
            "col_weights": col_weights,
            "max_sweeps": max_sweeps,
            "use_factors_weights_cache_for_training": use_factors_weights_cache_for_training,
            "use_gramian_cache_for_training": use_gramian_cache_for_training,
        }
        self._row_factors_names = [f"row_factors_shard_{i}" for i in range(num_row_shards)]
        self._col_factors_names = [f"col_factors_shard_{i}" for i in range(num_col_shards)]
        super().__init__(model_fn=_wals_factorization_model_function, params=params, model_dir=model_dir, config=config)

    def get_row_factors(self) -> list[Any]:
        """The factors of rows in the newest checkpoint, an array a shard."""
        return [self.get_variable_value(name) for name in self._row_factors_names]

    def get_col_factors(self) -> list[Any]:
        """The factors of columns in the newest checkpoint, an array a shard."""
        return [self.get_variable_value(name) for name in self._col_factors_names]

    def get_projections(self, input_fn: Callable[[], Any]) -> Any:
        """The factors of other rows, or columns.

        Args:
            input_fn: returns features with `PROJECT_ROW`, and `PROJECTION_WEIGHTS` where entries have weights.

        Returns:
            an iterator over arrays.
        """
        return (found[self.PROJECTION_RESULT] for found in self.predict(
            input_fn=input_fn, outputs=[self.PROJECTION_RESULT]))  # fmt: skip

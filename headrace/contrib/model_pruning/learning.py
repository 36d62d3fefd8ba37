"""The training loop with an update of masks after each step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.contrib.slim import learning

if TYPE_CHECKING:
    from headrace.core.typing import SessionLike, TensorLike
    from headrace.state.variables import Variable


def train(
    train_op: Any,
    logdir: str | None,
    mask_update_op: Any,
    train_step_fn: Any = learning.train_step,
    train_step_kwargs: Any = learning._USE_DEFAULT,
    log_every_n_steps: int = 1,
    graph: Any = None,
    master: str = "",
    is_chief: bool = True,
    global_step: TensorLike | Variable | None = None,
    number_of_steps: int | None = None,
    init_op: Any = learning._USE_DEFAULT,
    init_feed_dict: Any = None,
    local_init_op: Any = learning._USE_DEFAULT,
    init_fn: Any = None,
    ready_op: Any = learning._USE_DEFAULT,
    summary_op: Any = learning._USE_DEFAULT,
    save_summaries_secs: float = 600,
    summary_writer: Any = learning._USE_DEFAULT,
    startup_delay_steps: int = 0,
    saver: Any = None,
    save_interval_secs: float = 600,
    sync_optimizer: Any = None,
    session_config: Any = None,
    trace_every_n_steps: int | None = None,
) -> Any:
    """Trains as `tf.contrib.slim.learning.train` does, and updates masks after each step.

    Args:
        train_op: the training step, whose value is the loss.
        logdir: the folder for checkpoints and summaries; None for none.
        mask_update_op: what runs after each step, such as `Pruning.conditional_mask_update_op`.
        train_step_fn, train_step_kwargs, log_every_n_steps, graph, master, is_chief, global_step, number_of_steps,
            init_op, init_feed_dict, local_init_op, init_fn, ready_op, summary_op, save_summaries_secs, summary_writer,
            startup_delay_steps, saver, save_interval_secs, sync_optimizer, session_config, trace_every_n_steps: as in
            `tf.contrib.slim.learning.train`.

    Returns:
        the loss of the last step.
    """

    def step_and_update(sess: SessionLike, op: Any, step: Any, settings: Any) -> Any:
        result = train_step_fn(sess, op, step, settings)
        sess.run(mask_update_op)
        return result

    return learning.train(
        train_op,
        logdir,
        train_step_fn=step_and_update,
        train_step_kwargs=train_step_kwargs,
        log_every_n_steps=log_every_n_steps,
        graph=graph,
        master=master,
        is_chief=is_chief,
        global_step=global_step,
        number_of_steps=number_of_steps,
        init_op=init_op,
        init_feed_dict=init_feed_dict,
        local_init_op=local_init_op,
        init_fn=init_fn,
        ready_op=ready_op,
        summary_op=summary_op,
        save_summaries_secs=save_summaries_secs,
        summary_writer=summary_writer,
        startup_delay_steps=startup_delay_steps,
        saver=saver,
        save_interval_secs=save_interval_secs,
        sync_optimizer=sync_optimizer,
        session_config=session_config,
        trace_every_n_steps=trace_every_n_steps,
    )

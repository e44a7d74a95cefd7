"""LightGBM: a callback that logs what each round was evaluated to."""

import sys

_wandb = sys.modules["wandb"]


def wandb_callback(log_params=True, define_metric=True):
    """What lightgbm.train takes among its callbacks."""

    def log(state):
        if log_params and state.iteration == state.begin_iteration:
            _wandb.config.update(
                {k: v for k, v in state.params.items()
                 if k not in _wandb.config}, allow_val_change=True)
        row = {"%s_%s" % (entry[0], entry[1]): entry[2]
               for entry in state.evaluation_result_list or []}
        _wandb.log({"iteration": state.iteration, **row})

    return log


def log_summary(model, feature_importance=True, save_model_checkpoint=False):
    """The best round and its scores in the summary."""
    _wandb.summary["best_iteration"] = model.best_iteration
    for data, scores in (model.best_score or {}).items():
        for name, value in scores.items():
            _wandb.summary["best_score.%s.%s" % (data, name)] = value
    if save_model_checkpoint:
        model.save_model(_wandb.run.dir + "/model.txt")

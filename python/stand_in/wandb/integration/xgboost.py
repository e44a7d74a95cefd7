"""XGBoost: a callback that logs what each round was evaluated to. Importing
this module imports XGBoost."""

import sys

from xgboost.callback import TrainingCallback

_wandb = sys.modules["wandb"]


class WandbCallback(TrainingCallback):
    """Logs train-rmse and the like with each round, and the best of them in
    the summary. Models, features' weights and trees are not kept."""

    def __init__(self, log_model=False, log_feature_importance=True,
                 importance_type="gain", define_metric=True):
        super().__init__()
        self.asked = log_model
        self.define_metric = define_metric

    def after_iteration(self, model, epoch, evals_log):
        row = {"%s-%s" % (data, name): history[-1]
               for data, metrics in evals_log.items()
               for name, history in metrics.items()}
        _wandb.log({"epoch": epoch, **row})
        return False

    def after_training(self, model):
        for name in ("best_score", "best_iteration"):
            try:
                value = getattr(model, name)
            except AttributeError:  # only with early stopping
                continue
            _wandb.summary[name] = value
        if self.asked:
            model.save_model(_wandb.run.dir + "/model.json")
        return model


wandb_callback = WandbCallback

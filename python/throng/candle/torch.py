"""Checkpoints of models of PyTorch. Importing this needs torch."""

import torch

from .checkpoint import CandleCkpt, direction_of


class CandleCkptPyTorch(CandleCkpt):
    """The model is a dictionary {"model": net, "optimizer": optimizer}; both
    are saved, and both go on."""

    def ckpt_epoch(self, epoch, metric_value, direction=None):
        """The end of an epoch, counted from 0."""
        return super().ckpt_epoch(
            epoch, direction or direction_of(self.save_best_metric),
            metric_value)

    def restart(self, model=None, verbose=True):
        """What was set by set_model counts; `model` is what scripts for
        CANDLE hand over."""
        return super().restart(None if self.model is not None else model,
                               verbose)

    def write_model_backend(self, model, epoch):
        torch.save({"epoch": epoch,
                    "model_state_dict": model["model"].state_dict(),
                    "optimizer_state_dict": model["optimizer"].state_dict(),
                    "rng_state": torch.get_rng_state()}, self.model_file)

    def build_model(self, model_file):
        saved = torch.load(model_file)
        self.model["model"].load_state_dict(saved["model_state_dict"])
        self.model["optimizer"].load_state_dict(saved["optimizer_state_dict"])
        if "rng_state" in saved:
            torch.set_rng_state(saved["rng_state"])

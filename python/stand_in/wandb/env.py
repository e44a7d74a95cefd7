"""wandb.env: what some scripts ask of the environment."""

import os


def get_project(default=None, env=None):
    return (env or os.environ).get("WANDB_PROJECT", default)


def get_entity(default=None, env=None):
    return (env or os.environ).get("WANDB_ENTITY", default)


def get_run(default=None, env=None):
    return (env or os.environ).get("WANDB_RUN_ID", default)


def get_dir(default=None, env=None):
    return (env or os.environ).get("WANDB_DIR", default)


def is_offline(env=None):
    return True

"""Where libraries look for the class of a run."""

from .._run import Run  # noqa: F401

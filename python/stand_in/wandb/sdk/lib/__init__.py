"""A run of mode="disabled" is an ordinary run that writes nothing."""

from ..._run import Run as RunDisabled  # noqa: F401

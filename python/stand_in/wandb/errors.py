"""The exceptions of wandb that scripts name."""


class Error(Exception):
    """The base of all of them."""

    def __init__(self, message="", context=None):
        super().__init__(message)
        self.message, self.context = message, context


class CommError(Error):
    """What would need W&B's server."""

    def __init__(self, message="", exc=None):
        super().__init__(message)
        self.exc = exc


class AuthenticationError(CommError):
    pass


class UsageError(Error):
    pass


class UnsupportedError(UsageError):
    """The stand-in does not do this; the text says what to do instead."""


class ConfigError(Error):
    pass

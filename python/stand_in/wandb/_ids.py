"""Names for runs; scripts know this module as wandb.util."""

import secrets
import string

_LETTERS = string.ascii_lowercase + string.digits


def generate_id(length=8):
    return "".join(secrets.choice(_LETTERS) for _ in range(length))

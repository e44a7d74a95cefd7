"""The folders of a CANDLE run, and files that are never half written.

    output_dir   $CANDLE_OUTPUT_DIR (or $CANDLE_DATA_DIR) /MODEL/Output/EXP/RUN
    data_dir     $CANDLE_DATA_DIR/MODEL/Data

Without these variables they are ./Output/EXP/RUN and ./Data. In a trial of
throng the output folder is the trial's own, which throng keeps or clears: two
trials never write to one place.
"""

import os
import tempfile

from .. import identity


def write_whole(path, text):
    """Writes a file that others see either as it was or complete."""
    folder, name = os.path.split(os.path.abspath(path))
    os.makedirs(folder, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix="." + name + ".", dir=folder)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _umask():
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def sync_folder(path):
    """Makes names in a folder last through a loss of power."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError:
        pass  # some network file systems cannot
    finally:
        os.close(handle)


def verify_path(path):
    """Makes the folder that a file is to be in."""
    folder = os.path.dirname(path)
    if folder:
        os.makedirs(folder, exist_ok=True)


def data_root():
    """The folder that fetched data is kept in."""
    return os.environ.get("CANDLE_DATA_DIR") or os.path.abspath("Data")


def set_folders(params, model_name):
    """Sets and makes params["output_dir"] and params["data_dir"]."""
    data = os.environ.get("CANDLE_DATA_DIR")
    if data:
        params["data_dir"] = os.path.join(data, model_name, "Data")
        os.makedirs(params["data_dir"], exist_ok=True)
    else:
        params["data_dir"] = data_root()
    folder = _output(params, model_name)
    if os.path.exists(os.path.join(folder, "final_params.txt")) \
            and identity.attempt() == 1:
        print("%s holds a run already; its files are written over" % folder)
    os.makedirs(folder, exist_ok=True)
    params["output_dir"] = folder


def _id(params, name):
    """An id that is the name of a folder, and no way out of it."""
    text = str(params[name])
    if not text or os.path.isabs(text) or ".." in text.split("/"):
        raise ValueError("%s is the name of a folder in output_dir; %r is "
                         "none" % (name, text))
    return text


def _output(params, model_name):
    given = params.get("output_dir")
    given = given if isinstance(given, str) and given else "Output"
    run = os.path.join(_id(params, "experiment_id"), _id(params, "run_id"))
    root = (os.environ.get("CANDLE_OUTPUT_DIR") or
            os.environ.get("CANDLE_DATA_DIR"))
    if os.path.isabs(given):
        return os.path.join(given, run)
    trial = os.environ.get("THRONG_OUTPUT")
    if identity.inside() and trial and \
            os.environ.get("CANDLE_OUTPUT_DIR") in (None, "", trial):
        # The trial's folder takes the place of Output/EXP000/RUN000.
        inner = "." if params.get("output_dir") in (None, "", ".") else given
        return os.path.normpath(os.path.join(trial, inner))
    if not root:
        return os.path.abspath("." if given == "." else
                               os.path.join(given, run))
    return os.path.normpath(os.path.join(root, model_name, given, run))


def _is_below(path, folder):
    return os.path.commonpath([os.path.normpath(path),
                               os.path.normpath(folder)]) \
        == os.path.normpath(folder)


def checkpoint_folder(params):
    """Where the checkpoints of a run are. In a trial of throng that is the
    folder that survives attempts and machines; what `ckpt_directory` names is
    then below it, so that no trial goes on from another's."""
    given = params.get("ckpt_directory")
    given = given if isinstance(given, str) and given else None
    kept = os.environ.get("THRONG_CHECKPOINT")
    if identity.inside() and kept:
        if given and os.path.isabs(given) and not _is_below(given, kept):
            return os.path.join(given, identity.study_name("study"),
                                str(identity.trial()))
        return os.path.normpath(os.path.join(kept, given or "."))
    if given:
        return os.path.abspath(given)
    return os.path.abspath(os.path.join(params.get("output_dir") or ".",
                                        "ckpts"))

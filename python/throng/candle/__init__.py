"""CANDLE's library, for models that were written to its conventions.

    import throng.candle as candle

    class MNIST(candle.Benchmark):
        def set_locals(self):
            self.required = {"epochs", "batch_size"}

    bmk = MNIST(os.path.dirname(os.path.abspath(__file__)),
                "mnist_params.txt", "keras")
    gParameters = candle.finalize_parameters(bmk)

A script that says `import candle` or `import candle_keras` gets the same
names under throng when no CANDLE is installed. Each part is imported when it
is first used: parameters, files, checkpoints and logs need the standard
library only, arrays numpy, tables pandas.

docs/how-to/candle.md shows how a model comes over;
docs/reference/candle-python.md lists every name and each difference.
"""

from importlib import import_module as _import_module
from importlib.util import find_spec as _find_spec

_PARTS = {
    "benchmark": """ArgumentStruct Benchmark Parameters check_flag_conflicts
        create_params finalize_parameters initialize_parameters
        parse_from_dictlist""",
    "checkpoint": "CandleCkpt CheckpointError direction_of",
    "features": """quantile_normalization select_decorrelated_features
        select_features_by_missing_values select_features_by_variation""",
    "fetch": "FetchError fetch_file get_file validate_file",
    "keras": """PermanentDropout build_initializer build_optimizer
        compute_trainable_params register_permanent_dropout
        set_parallelism_threads""",
    "keywords": """ListOfListsAction eval_string_as_list
        eval_string_as_list_of_lists str2bool""",
    "logs": "Progbar keras_default_config set_seed set_up_logger",
    "noise": """add_cluster_noise add_column_noise add_gaussian_noise add_noise
        label_flip label_flip_correlated""",
    "partition": """compute_limits fill_array
        generate_cross_validation_partition generate_index_distribution
        generate_index_distribution_from_block_list
        generate_index_distribution_from_blocks
        generate_index_distribution_from_fraction""",
    "place": "verify_path",
    "plots": "plot_history",
    "problems": "ParameterError",
    "run_log": "CandleRemoteMonitor LoggingCallback TerminateOnTimeOut",
    "scale": """convert_to_class discretize_array discretize_dataframe
        drop_impute_and_scale_dataframe impute_and_scale_array lookup
        scale_array to_categorical""",
    "tables": """load_X_data load_X_data2 load_Xy_data2 load_Xy_data_noheader
        load_Xy_one_hot_data load_Xy_one_hot_data2 load_csv_data""",
    "torch": "CandleCkptPyTorch",
    "unpack": "BrokenArchive UnsafeArchive",
    "uq": """compute_statistics_heteroscedastic
        compute_statistics_homoscedastic
        compute_statistics_homoscedastic_summary compute_statistics_quantile
        split_data_for_empirical_calibration""",
}
_WHERE = {name: part for part, names in _PARTS.items()
          for name in names.split()}

# Names of CANDLE's own that have no counterpart here, by what they need.
_ELSEWHERE = {
    "TensorFlow": """AbstentionAdapt_Callback CandleCheckpointCallback
        CandleCkptKeras Contamination_Callback CyclicLR MultiGPUCheckpoint
        abstention_acc_class_i_metric abstention_acc_metric
        abstention_class_i_metric abstention_loss abstention_metric
        acc_class_i_metric add_index_to_output add_model_output
        clr_callback clr_check_args
        clr_set_args contamination_loss get_function
        heteroscedastic_loss mae mae_contamination_metric
        mae_heteroscedastic_metric meanS_heteroscedastic_metric modify_labels
        mse mse_contamination_metric mse_heteroscedastic_metric quantile_loss
        quantile_metric r2 r2_contamination_metric r2_heteroscedastic_metric
        restart sparse_abstention_acc_metric sparse_abstention_loss
        triple_quantile_loss""",
    "PyTorch": """build_pytorch_activation build_pytorch_optimizer
        get_pytorch_function pytorch_initialize pytorch_mse pytorch_xent
        set_pytorch_seed set_pytorch_threads""",
    "matplotlib": """plot_2d_density_sigma_vs_error plot_array
        plot_calibrated_std plot_calibration_interpolation plot_contamination
        plot_decile_predictions plot_density_observed_vs_predicted
        plot_histogram_error_per_sigma plot_metrics
        plot_scatter""",
    "scipy": """combat_batch_effect_removal
        compute_empirical_calibration_interpolation
        coxen_multi_drug_gene_selection coxen_single_drug_gene_selection
        generate_gene_set_data""",
}
_LACKING = {name: need for need, names in _ELSEWHERE.items()
            for name in names.split()}

# What `from candle import *` gives: all that this Python can import. The
# class of Keras's comes when it is asked for by name, for to see that it is
# there is to import Keras.
_NEEDS = {"torch": "torch", "features": "numpy", "noise": "numpy",
          "partition": "numpy", "scale": "numpy", "tables": "numpy",
          "uq": "numpy"}
__all__ = sorted(
    name for name, part in _WHERE.items()
    if name != "PermanentDropout"
    and (part not in _NEEDS or _find_spec(_NEEDS[part]) is not None))

INSTALL = "pip install git+https://github.com/ECP-CANDLE/candle_lib@develop"


def __getattr__(name):
    if name in _WHERE:
        value = _part(name)
        globals()[name] = value
        return value
    if name in _LACKING:
        raise ImportError(
            "candle.%s works with %s and is not part of throng's candle: "
            "install CANDLE's own library (%s), which is then used in place "
            "of this one" % (name, _LACKING[name], INSTALL))
    raise AttributeError("module %r has no attribute %r" % (__name__, name))


def _part(name):
    part = _WHERE[name]
    try:
        return getattr(_import_module("." + part, __name__), name)
    except ImportError as error:
        if error.name in ("numpy", "torch"):
            raise ImportError("candle.%s needs %s, which is not installed for "
                              "this Python" % (name, error.name),
                              name=error.name) from None
        raise


def __dir__():
    return sorted(set(globals()) | set(_WHERE))

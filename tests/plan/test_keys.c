/* test_keys.c - every key of a study file, right and wrong
 *
 * A fragment is put behind a small study whose three lines it follows, so it
 * stands in line 4; one that begins with '!' is a whole file. */
#include "plan_test.h"

#define STUDY                                                                  \
    "program: a.py\n"                                                          \
    "method: grid\n"                                                           \
    "parameters: {x: {values: [1, 2]}}\n"
#define METRIC "metric: {name: loss}\n"
#define SAMPLED                                                                \
    "!program: a.py\nrun_cap: 3\nparameters: {x: {values: [1, 2]}}\n" METRIC

#define GIVEN(x)                                                               \
    "!program: a\nmethod: random\nrun_cap: 1\n"                                \
    "parameters: {z: {value: 1}, x: " x "}\n"

struct row {
    const char *key, *good, *bad, *said;
};

static const struct row rows[] = {
    {"name", "name: my study", "name: [a]", "name must be text, not a list"},
    {"name", "name: 17", "name: {a: b}", "name must be text, not an object"},
    {"description", "description: words", "description: [1]",
     "4:14: error: description must be text, not a list"},
    {"description", "description: ''", "description: {a: 1}",
     "description must be text, not an object"},
    {"parameters", "!program: a\nmethod: grid\nparameters: {x: {value: 1}}",
     "!program: a\nmethod: grid\nparameters: [x]",
     "3:13: error: parameters must be an object (key: value lines), not a "
     "list"},
    {"parameters.NAME.value", GIVEN("{value: {a: [1]}}"), GIVEN("{valu: 1}"),
     "did you mean 'value'?"},
    {"parameters.NAME.values", GIVEN("{values: [1, a, null]}"),
     GIVEN("{values: {a: 1}}"), "values must be a list"},
    {"parameters.NAME.probabilities",
     GIVEN("{values: [1, 2], probabilities: [0.25, 0.75]}"),
     GIVEN("{values: [1, 2], probabilities: [0.25, 0.7]}"),
     "the probabilities sum to 0.95, not 1"},
    {"parameters.NAME.ordered", GIVEN("{values: [1, 2], ordered: true}"),
     GIVEN("{min: 1, max: 2, ordered: true}"),
     "the distribution int_uniform takes no 'ordered'"},
    {"parameters.NAME.distribution",
     GIVEN("{distribution: constant, value: 3}"),
     GIVEN("{distribution: cauchy}"),
     "no distribution 'cauchy' (one of: constant, "},
    {"parameters.NAME.min", GIVEN("{min: -1, max: 3}"),
     GIVEN("{min: 5, max: 3}"), "min 5 is above max 3"},
    {"parameters.NAME.max", GIVEN("{min: 0.5, max: 0.75}"),
     GIVEN("{min: 0, max: []}"), "max must be a finite number, not a list"},
    {"parameters.NAME.mu", GIVEN("{distribution: normal, mu: -3}"),
     GIVEN("{distribution: normal, mu: .inf}"),
     "mu must be a finite number, not inf"},
    {"parameters.NAME.sigma", GIVEN("{distribution: normal, sigma: 0.1}"),
     GIVEN("{distribution: normal, sigma: 0}"), "sigma must be above 0, not 0"},
    {"parameters.NAME.a", GIVEN("{distribution: beta, a: 1, b: 2}"),
     GIVEN("{distribution: beta, a: x, b: 2}"), "a must be a finite number"},
    {"parameters.NAME.b", GIVEN("{distribution: beta, a: 1, b: 0.5}"),
     GIVEN("{distribution: beta, a: 1, b: -2}"), "b must be above 0, not -2"},
    {"parameters.NAME.q", GIVEN("{min: 0, max: 9, q: 3}"),
     GIVEN("{value: 1, q: 3}"), "the distribution constant takes no 'q'"},
    {"parameters.NAME.parameters", GIVEN("{parameters: {y: {value: 1}}}"),
     GIVEN("{parameters: 5}"), "parameters must be an object"},
    {"parameters.NAME.when", GIVEN("{value: 1, when: {z: 1}}"),
     GIVEN("{value: 1, when: {z: 2}}"), "parameter 'z' never has the value 2"},
    {"early_terminate.type", METRIC "early_terminate: {type: median}",
     METRIC "early_terminate: {type: mean}",
     "early_terminate.type cannot be 'mean'"},
    {"early_terminate.min_iter",
     METRIC "early_terminate: {type: hyperband, min_iter: 2}",
     METRIC "early_terminate: {type: hyperband, min_iter: 0}",
     "must be at least 1, not 0"},
    {"early_terminate.max_iter",
     METRIC "early_terminate: {type: asha, max_iter: 9}",
     METRIC "early_terminate: {type: asha, max_iter: x}",
     "must be a whole number"},
    {"early_terminate.s",
     METRIC "early_terminate: {type: hyperband, max_iter: 9, s: 2}",
     METRIC "early_terminate: {type: hyperband, max_iter: 9, s: 0}",
     "early_terminate.s must be at least 1"},
    {"early_terminate.eta",
     METRIC "early_terminate: {type: asha, max_iter: 9, eta: 4}",
     METRIC "early_terminate: {type: asha, max_iter: 9, eta: 1}",
     "must be at least 2, not 1"},
    {"early_terminate.strict",
     METRIC "early_terminate: {type: hyperband, min_iter: 2, strict: no}",
     METRIC "early_terminate: {type: hyperband, min_iter: 2, strict: 0}",
     "must be true or false, not 0"},
    {"early_terminate.promote",
     METRIC "early_terminate: {type: asha, max_iter: 9, promote: false}",
     METRIC "early_terminate: {type: asha, max_iter: 9, promote: 3}",
     "early_terminate.promote must be true or false"},
    {"early_terminate.brackets",
     METRIC "early_terminate: {type: asha, max_iter: 9, brackets: 3}",
     METRIC "early_terminate: {type: asha, max_iter: 9, brackets: 0}",
     "early_terminate.brackets must be at least 1"},
    {"early_terminate.warmup_steps",
     METRIC "early_terminate: {type: median, warmup_steps: 0}",
     METRIC "early_terminate: {type: median, warmup_steps: -1}",
     "must be at least 0, not -1"},
    {"early_terminate.warmup_trials",
     METRIC "early_terminate: {type: median, warmup_trials: 5}",
     METRIC "early_terminate: {type: median, warmup_trial: 5}",
     "did you mean 'warmup_trials'?"},
    {"early_terminate.percentile",
     METRIC "early_terminate: {type: median, percentile: 25}",
     METRIC "early_terminate: {type: median, percentile: 0}",
     "must be between 0 and 100"},
    {"early_terminate.patience",
     METRIC "early_terminate: {type: patience, patience: 3}",
     METRIC "early_terminate: {type: patience, patience: 0}",
     "must be at least 1, not 0"},
    {"early_terminate.min_delta",
     METRIC "early_terminate: {type: patience, patience: 3, min_delta: 0.5}",
     METRIC "early_terminate: {type: patience, patience: 3, min_delta: -1}",
     "cannot be below 0"},
    {"early_terminate.threshold",
     METRIC "early_terminate: {type: threshold, threshold: -3}",
     METRIC "early_terminate: {type: threshold, threshold: a}",
     "must be a finite number"},
    {"early_terminate.from",
     METRIC "early_terminate: {type: threshold, threshold: 3, from: 2}",
     METRIC "early_terminate: {type: threshold, threshold: 3, from: -1}",
     "must be at least 0, not -1"},
    {"early_terminate.time", METRIC "early_terminate: {type: time, time: 5m}",
     METRIC "early_terminate: {type: time, time: -5}", "must be a time"},
    {"resources.cpus", "resources: {cpus: 0.5}", "resources: {cpus: -1}",
     "error: resources: cpus "},
    {"resources.memory", "resources: {memory: 4G}", "resources: {memory: lots}",
     "error: resources: memory: "},
    {"resources.disk", "resources: {disk: 10G}", "resources: {disk: []}",
     "error: resources: disk"},
    {"resources.gpus", "resources: {gpus: a100:2}", "resources: {gpus: 1.5}",
     "error: resources: gpus"},
    {"resources.gpus_minimum_capability",
     "resources: {gpus_minimum_capability: 7.5}",
     "resources: {gpus_minimum_capability: x}",
     "error: resources: gpus_minimum_capability"},
    {"resources.gpus_maximum_capability",
     "resources: {gpus_maximum_capability: 9}",
     "resources: {gpus_maximum_capability: -1}",
     "error: resources: gpus_maximum_capability"},
    {"resources.gpus_minimum_memory", "resources: {gpus_minimum_memory: 16G}",
     "resources: {gpus_minimum_memory: x}",
     "error: resources: gpus_minimum_memory"},
    {"resources.nodes", "resources: {nodes: 2}", "resources: {nodes: 0.5}",
     "error: resources: nodes"},
    {"resources.ranks", "resources: {ranks: 8}", "resources: {ranks: -1}",
     "error: resources: ranks"},
    {"resources.ranks_per_node", "resources: {ranks_per_node: 4}",
     "resources: {ranks_per_node: x}", "error: resources: ranks_per_node"},
    {"resources.time", "resources: {time: 2h}", "resources: {time: soon}",
     "error: resources: time"},
    {"points", "!program: a\npoints: [{x: 1}]", "!program: a\npoints: 5",
     "2:9: error: points must be a list of points or the name of a file"},
    {"parameters_file", "!program: a\nparameters_file: list.csv",
     "!program: a\nparameters_file: none.csv",
     "2:18: error: cannot read none.csv: no such file"},
    {"method", "!program: a\nmethod: random\nparameters: {x: {value: 1}}",
     "!program: a\nmethod: randm\nparameters: {x: {value: 1}}",
     "2:9: error: method cannot be 'randm' (did you mean 'random'?)"},
    {"baseline",
     "!program: a\nmethod: ablate\nbaseline: {x: 1}\n"
     "parameters: {x: {values: [1, 2]}}\n" METRIC,
     "baseline: 3",
     "4:11: error: baseline must have a value for each parameter, not 3"},
    {"metric", "metric: {name: loss}", "metric: 5",
     "4:9: error: metric must be an object"},
    {"metric", "metric: val_loss", "metric: {nme: loss}",
     "4:10: error: metric has no key 'nme' (did you mean 'name'?)"},
    {"metric.name", "metric: {name: val/loss}", "metric: {goal: minimize}",
     "4:9: error: metric has no name"},
    {"metric.goal", "metric: {name: a, goal: maximize}",
     "metric: {name: a, goal: minimise}",
     "4:25: error: metric.goal cannot be 'minimise' (did you mean "
     "'minimize'?)"},
    {"metric.target", "metric: {name: a, target: 0.5}",
     "metric: {name: a, target: .nan}",
     "4:27: error: metric.target must be a finite number, not nan"},
    {"metric.pick", "metric: {name: a, pick: best}",
     "metric: {name: a, pick: first}", "metric.pick cannot be 'first'"},
    {"metric.impute", "metric: {name: a, impute: latest}",
     "metric: {name: a, impute: mean}", "metric.impute cannot be 'mean'"},
    {"metric.impute_while_running",
     "metric: {name: a, impute_while_running: true}",
     "metric: {name: a, impute_while_running: 3}",
     "metric.impute_while_running cannot be 3"},
    {"metric.pattern", "metric: {name: a, pattern: 'loss ([0-9.]+)'}",
     "metric: {name: a, pattern: 'loss [0-9.]+'}",
     "must have one or two (groups), not 0"},
    {"metric.pattern", "metric: {name: a, pattern: '(.*) (.*)'}",
     "metric: {name: a, pattern: '('}", "is no regular expression"},
    {"metric.file", "metric: {name: a, file: result.txt}",
     "metric: {name: a, file: []}", "metric.file must be text, not a list"},
    {"metrics", "metrics: [{name: a}, {name: b, goal: maximize}]",
     "metrics: [{name: a}, {name: a}]",
     "4:22: error: metrics: 'a' stands there twice"},
    {"constraints", METRIC "constraints: [{name: ms, max: 5}]",
     "constraints: [{name: ms}]", "a constraint needs a name and min or max"},
    {"early_terminate",
     METRIC "early_terminate: {type: hyperband, min_iter: 3}",
     "early_terminate: {min_iter: 3}",
     "early_terminate has no type (as in type: hyperband)"},
    {"early_terminate", METRIC "early_terminate: {type: median}",
     "early_terminate: {typ: hyperband}",
     "early_terminate has no type (did you mean 'type' by 'typ'?)"},
    {"run_cap", "run_cap: 1e3", "run_cap: 0",
     "4:10: error: run_cap must be at least 1, not 0"},
    {"repeat", "repeat: 3", "repeat: 2.5",
     "repeat must be a whole number, not 2.5"},
    {"seed", "seed: 0", "seed: -1", "seed must be at least 0, not -1"},
    {"order", "order: free", "order: fre",
     "order cannot be 'fre' (did you mean 'free'?)"},
    {"order", "order: free", "order: lag", "order: lag needs lag"},
    {"batch", "order: batch\nbatch: 4", "batch: 4",
     "4:8: error: batch is used only with order: batch"},
    {"lag", "order: lag\nlag: 4", "lag: 4",
     "4:6: error: lag is used only with order: lag"},
    {"warm_start", "warm_start: other", "warm_start: 5",
     "warm_start must be text, not 5"},
    {"program", "!program: b.py\nmethod: grid\nparameters: {x: {value: 1}}",
     "!program: 5\nmethod: grid\nparameters: {x: {value: 1}}",
     "1:10: error: program must be text, not 5 (put it in quotes"},
    {"command", "command: ['${program}']", "command: {a: 1}",
     "command must be a list or text, not an object"},
    {"command", "command: ${program} x", "command: []", "command is empty"},
    {"env", "env: {A: 1, B: text, C: true}", "env: {A-B: 1}",
     "4:7: error: env: 'A-B' cannot be the name of a variable"},
    {"env", "env: {A: null}", "env: {THRONG_X: 1}",
     "variables that begin with THRONG_ are set by throng"},
    {"setup", "setup: [module load x, y]", "setup: {a: 1}",
     "setup must be text, not an object"},
    {"venv", "venv: ~/envs/a", "venv: 'a:b'",
     "4:7: error: venv: a folder whose name holds a colon cannot be on PATH"},
    {"conda", "conda: ml", "conda: [a]", "conda must be text, not a list"},
    {"conda", "conda: /opt/env", "venv: a\nconda: b",
     "5:8: error: give venv or conda, not both"},
    {"container", "container: env.sif", "container: -x",
     "4:12: error: container: `-x` names no image"},
    {"container", "container: docker://a/b:1", "container: [a]",
     "container must be text, not a list"},
    {"predict", "!predict: {models: a.ensemble, data: [a.csv, b/*.csv]}",
     "predict: {models: a.ensemble, data: a.csv}",
     "a study with predict has no parameters"},
    {"predict", "!predict: {data: a.txt}\ncommand: ./score",
     "!predict: {data: a.csv}", "predict has no models"},
    {"predict.models", "!predict: {models: a, data: a.csv}",
     "!predict: {models: [1], data: a.csv}",
     "predict.models must be text, not a list"},
    {"predict.calibration",
     "!predict: {models: a, data: a.csv, calibration: a.calibration}",
     "!predict: {models: a, data: a.csv, calibration: 3}",
     "predict.calibration must be text"},
    {"predict.weights",
     "!predict: {models: m.json, weights: w.h5, data: a.csv, loss: mse}",
     "!predict: {data: a.csv, weights: w.h5}\ncommand: ./score",
     "predict.weights goes with models"},
    {"predict.label",
     "!predict: {models: m.json, weights: w.h5, data: a.csv, label: 1}",
     "!predict: {models: m.json, weights: w.h5, data: a.csv, label: [1]}",
     "predict.label must be text, not a list"},
    {"predict.loss",
     "!predict: {models: m.keras, data: a.csv, loss: mse, label: \"2\"}",
     "!predict: {models: m.keras, data: a.csv, loss: 3}",
     "predict.loss must be text"},
    {"predict.permanent_dropout",
     "!predict: {models: a, data: a.csv, permanent_dropout: 0.5}",
     "!predict: {models: a, data: a.csv, permanent_dropout: 1}",
     "predict.permanent_dropout must be from 0 to 0.999"},
    {"predict.novelty",
     "!predict: {models: a, data: a.csv, novelty: a.novelty, calibration: b}",
     "!predict: {data: a.csv, novelty: a}\ncommand: ./score",
     "predict.novelty goes with models"},
    {"predict.novelty", NULL,
     "!predict: {models: a, product: [a, b], keep: all, novelty: c}",
     "predict.layer and predict.novelty go with data"},
    {"predict.layer", "!predict: {models: a, data: a.csv, layer: dense_1}",
     "!predict: {models: a, data: a.csv, layer: dense_1, novelty: b}",
     "predict.layer has no predictions"},
    {"predict.models", NULL,
     "!predict: {models: a, data: a.csv}\ncommand: ./score",
     "give models or a command, not both"},
    {"predict.where", "!predict: {models: a, where: loss<1, data: a.csv}",
     "!predict: {models: a, where: 1, data: a.csv}",
     "predict.where must be text"},
    {"predict.select", "!predict: {models: a, select: best:3, data: a.csv}",
     "!predict: {models: a, select: best:3, where: x>1, data: a.csv}",
     "give where or select, not both"},
    {"predict.data", "!predict: {models: a, data: a.csv}",
     "!predict: {models: a}", "predict has no data"},
    {"predict.samples", "!predict: {models: a, data: a.csv, samples: 30}",
     "!predict: {models: a, data: a.csv, samples: 0}", "predict.samples"},
    {"predict.combine", "!predict: {models: a, data: a.csv, combine: mean}",
     "!predict: {models: a, data: a.csv, combine: [1]}",
     "predict.combine must be text"},
    {"predict.combine", "!predict: {models: a, data: a.csv, combine: vote}",
     "!predict: {models: a, data: a.csv, combine: stacking}",
     "predict.combine cannot be stacking: its weights are fitted on rows"},
    {"predict.combine", NULL,
     "!predict: {models: a, data: a.csv, combine: weighted}",
     "make an ensemble by the verb ensemble"},
    {"predict.keep", "!predict: {models: a, data: a.csv, keep: all}",
     "!predict: {models: a, data: a.csv, kept: all}", "kept"},
    {"predict.output", "!predict: {models: a, data: a.csv, output: b.csv}",
     "!predict: {models: a, data: a.csv, output: []}", "predict.output"},
    {"predict.shard", "!predict: {models: a, data: a.csv, shard: 2m}",
     "!predict: {models: a, data: a.csv, shard: many}", "predict.shard"},
    {"predict.shard", "!predict: {models: a, data: a.csv, shard: 5000}",
     "!predict: {models: a, data: a.csv, shard: 0}", "predict.shard"},
    {"predict.product",
     "!predict: {models: a, product: [a.csv, b.csv], keep: all}",
     "!predict: {models: a, data: a.csv, product: [b.csv], keep: all}",
     "give data or product, not both"},
    {"predict.product",
     "!predict: {models: a, product: a.csv, keep: {top: {by: mean, n: 3}}}",
     "!predict: {models: a, product: [a.csv]}", "predict.product needs keep"},
    {"predict.product", "!predict: {models: a, product: [a.csv], keep: all}",
     "!predict: {models: a, product: [], keep: all}",
     "predict.product names no table"},
    {"predict.product", "!predict: {models: a, product: [a.csv], keep: all}",
     "!predict: {models: a, product: [a.csv], keep: all, lines: true}",
     "predict.lines goes with data"},
    {"predict.lines", "!predict: {models: a, data: a.csv, lines: true}",
     "!predict: {models: a, data: a.csv, lines: 7}", "predict.lines"},
    {"bind", "container: env.sif\nbind: [/data, '/a:/b:ro']", "bind: /data",
     "4:7: error: bind: folders are shown to a container, and there is none"},
    {"bind", "container: env.sif\nbind: data",
     "container: env.sif\nbind: ['a,b']", "bind: `a,b` names no folder"},
    {"code", "code: git", "code: zip",
     "4:7: error: code cannot be 'zip' (one of: live, git, copy)"},
    {"code", "code: copy", "code: [git]",
     "code cannot be a list (one of: live, git, copy)"},
    {"workdir", "workdir: trial", "workdir: home",
     "workdir cannot be 'home' (one of: study, trial)"},
    {"templates", "templates: [{path: a.in, text: 'x {x}'}]",
     "templates: [{path: ../a.in, text: y}]",
     "'../a.in' would be outside of the trial's folder"},
    {"templates", "templates: list.csv", "templates: none.in",
     "4:12: error: cannot read none.in: no such file"},
    {"inputs", "inputs: [data/*.csv, {path: /big, site_bound: true}]",
     "inputs: [{site_bound: true}]", "an input has no path"},
    {"outputs", "outputs: '*.pt'", "outputs: [/etc/passwd]",
     "outputs: '/etc/passwd' is outside of the task's folder"},
    {"keep", "keep: best:3", "keep: best:0", "keep cannot be 'best:0'"},
    {"keep", "keep: none", "keep: some", "all, none or best:N"},
    {"resources", "resources: {cpus: 2, memory: 4G}", "resources: {cpu: 2}",
     "4:13: error: resources has no key 'cpu' (did you mean 'cpus'?)"},
    {"parallel", "parallel: 8", "parallel: many",
     "parallel must be a whole number, not 'many'"},
    {"time_limit", "time_limit: 2h 30m", "time_limit: soon",
     "time_limit must be a time, not 'soon'"},
    {"max_failures", "max_failures: 0", "max_failures: -1",
     "max_failures must be at least 0"},
    {"retries", "retries: 3", "retries: no",
     "retries must be a whole number, not false"},
    {"retry_delay", "retry_delay: 5s", "retry_delay: -5",
     "retry_delay must be a time"},
    {"grace", "grace: 10", "grace: x", "grace must be a time"},
    {"output_max", "output_max: 1M", "output_max: x",
     "output_max must be a number of bytes"},
    {"on_finish", "on_finish: mail me", "on_finish: 5",
     "on_finish must be text"},
    {"on_best", "on_best: [notify, two words]", "on_best: {a: 1}",
     "on_best must be text"},
    {"engine", "engine: slurm", "engine: slurmm",
     "engine cannot be 'slurmm' (did you mean 'slurm'?)"},
    {"profile", "profile: big", "profile: []", "profile must be text"},
    {"slurm", "slurm: {partition: gpu, bundle_time: 1h, max_jobs: 4}",
     "slurm: {max_jobs: 0}", "max_jobs must be at least 1"},
    {"htcondor", "htcondor: {rank: Memory, checkpoint_every: 5m}",
     "htcondor: 5", "htcondor must be an object"},
    {"candle", "protocol: candle\ncandle: {style: action}\n",
     "protocol: candle\ncandle: {style: [1]}\n", "candle.style cannot be"},
    {"protocol", "protocol: candle", "protocol: c", "protocol cannot be 'c'"},
    {"wandb", "wandb: stand-in", "wandb: fake", "wandb cannot be 'fake'"},
    {"share", "share: group", "share: world", "share cannot be 'world'"},
    {"task", "task: command", "task: comand",
     "task cannot be 'comand' (did you mean 'command'?)"},
    {"task", "task: {kind: command, anything: [1]}", "task: {anything: 1}",
     "task has no kind (as in task: {kind: command})"},
    {"task",
     "!task: train\nmodel: net.yaml\nmethod: grid\n"
     "parameters: {x: {value: 1}}",
     "task: train", "tasks of the kind train run a model (as in model:"},
    {"task",
     "!task: {kind: infer, data: rows.csv, samples: \"${n}\"}\nmethod: grid\n"
     "parameters: {weights_file: {value: a.pt}, n: {value: 3}}",
     "task: infer", "tasks of the kind infer need weights"},
    {"task",
     "!task: {kind: infer, weights: \"${w}\", permanent_dropout: 0.5}\n"
     "method: grid\nparameters: {w: {value: a.safetensors}}",
     "!task: {kind: infer, weights: \"${v}\"}\nmethod: grid\n"
     "parameters: {w: {value: a.safetensors}}",
     "${v} is no parameter of the study"},
    {"task", NULL,
     "!task: {kind: infer, weights: a, permanent_dropout: 1}\nmethod: grid\n"
     "parameters: {w: {value: 1}}",
     "task.permanent_dropout must be from 0 to 0.999"},
    {"task", NULL,
     "!task: {kind: infer, weights: a, rows: all}\nmethod: grid\n"
     "parameters: {w: {value: 1}}",
     "task.rows cannot be 'all'"},
    {"task", NULL,
     "!task: {kind: infer, weights: a, weigths: b}\nmethod: grid\n"
     "parameters: {w: {value: 1}}",
     "weigths"},
    {"task", NULL, "task: {kind: infer, weights: a}",
     "tasks of the kind infer run no command"},
    {"task", NULL,
     "!task: importance\nmethod: grid\nparameters: {w: {value: 1}}",
     "task cannot be 'importance'"},
    {"task", NULL,
     "!task: command\nmodel: net.yaml\nmethod: grid\n"
     "parameters: {x: {value: 1}}",
     "tasks of the kind command run no model"},
    {"model", "!model: net.yaml\nmethod: grid\nparameters: {x: {value: 1}}",
     "model: net.yaml", "give a model or a command, not both"},
    {"device", "device: cuda", "device: gpu", "device cannot be 'gpu'"},
    {"kernels", "kernels: portable", "kernels: fast",
     "kernels cannot be 'fast'"},
    {"grid", "grid: {}", "grid: 5", "options of a method must be an object"},
    {"random", SAMPLED "method: random\nrandom: {}", "random: 1",
     "options of a method"},
    {"bayes", SAMPLED "method: bayes\nbayes: {}", "bayes: 1",
     "options of a method"},
    {"sobol", SAMPLED "method: sobol\nsobol: {}", "sobol: 1",
     "options of a method"},
    {"lhs", SAMPLED "method: lhs\nlhs: {}", "lhs: 1", "options of a method"},
    {"tpe", SAMPLED "method: tpe\ntpe: {candidates: 24}", "tpe: 1",
     "options of a method"},
    {"gp", SAMPLED "method: gp\ngp: {}", "gp: 1", "options of a method"},
    {"forest", SAMPLED "method: forest\nforest: {}", "forest: 1",
     "options of a method"},
    {"cmaes", SAMPLED "method: cmaes\ncmaes: {}", "cmaes: 1",
     "options of a method"},
    {"ga", SAMPLED "method: ga\nga: {}", "ga: 1", "options of a method"},
    {"nsga2", SAMPLED "method: nsga2\nnsga2: {}", "nsga2: 1",
     "options of a method"},
    {"pbt", SAMPLED "method: pbt\npbt: {}", "pbt: 1", "options of a method"},
    {"hyperspace", SAMPLED "method: hyperspace\nhyperspace: {}",
     "hyperspace: 1", "options of a method"},
    {"external", SAMPLED "method: external\nexternal: {command: [a, b]}",
     "external: {}", "external has no command"},
    {"entity", "entity: lab", "entty: lab", "did you mean 'entity'?"},
    {"project", "project: {a: 1}", "projct: x", "did you mean 'project'?"},
    {"controller", "controller: {type: local}", "controler: 1",
     "did you mean 'controller'?"},
    {"apiVersion", "apiVersion: 1", "apiversion: 1",
     "did you mean 'apiVersion'?"},
    {"kind", "kind: Sweep", "knd: Sweep", "did you mean 'kind'?"},
    /* These have no right use. */
    {"job", NULL, "job: x", "4:6: error: job and image_uri belong to W&B"},
    {"image_uri", NULL, "image_uri: x", "job and image_uri belong to W&B"},
    {"bundle_time", "slurm: {bundle_time: 1h}", "bundle_time: 1h",
     "inside of slurm or htcondor"},
    {"max_jobs", "slurm: {max_jobs: 3}", "max_jobs: 3",
     "inside of slurm or htcondor"},
    {"array_limit", "slurm: {array_limit: 100}", "array_limit: 100",
     "inside of slurm or htcondor"},
    {"checkpoint_every", "htcondor: {checkpoint_every: 1h}",
     "checkpoint_every: 1h", "inside of slurm or htcondor"},
};
#define ROW_COUNT (sizeof(rows) / sizeof(rows[0]))

static const struct test_file files[] = {
    {"list.csv", "x\n1\n2\n"}, {"net.yaml", "layers: []\n"}, {NULL, NULL}};

static void read_row(struct reading_test *t, const char *fragment)
{
    struct buf b;

    buf_init(&b);
    if (fragment[0] != '!')
        buf_adds(&b, STUDY);
    buf_adds(&b, fragment[0] == '!' ? fragment + 1 : fragment);
    buf_addc(&b, '\n');
    test_read_str(t, buf_str(&b), "study.yaml", files);
    buf_done(&b);
}

static void every_key_is_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        struct reading_test t;

        if (!rows[i].good)
            continue;
        read_row(&t, rows[i].good);
        if (!t.plan)
            fail_msg("%s was refused:\n%s", rows[i].good, t.said.p);
        test_done(&t);
    }
}

static void every_key_refuses_what_is_wrong(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        struct reading_test t;

        read_row(&t, rows[i].bad);
        if (t.plan || !strstr(t.said.p, rows[i].said))
            fail_msg("%s: expected\n%s\nsaid\n%s", rows[i].bad, rows[i].said,
                     t.said.p);
        test_done(&t);
    }
}

static void every_key_of_the_table_is_tested(void **state)
{
    const struct plan_key *key;

    (void)state;
    for (size_t i = 0; (key = plan_key_at(i)); i++) {
        bool found = false;

        for (size_t k = 0; k < ROW_COUNT; k++)
            found = found || strcmp(rows[k].key, key->name) == 0;
        if (!found)
            fail_msg("no test for the key %s", key->name);
        assert_true(key->help[0] && key->kind[0]);
    }
}

static void an_unknown_key_is_named_with_the_nearest(void **state)
{
    (void)state;
    test_says(STUDY "paralel: 4\n",
              "study.yaml:4:1: error: no key 'paralel' (did you mean "
              "'parallel'?)\n");
    test_says(STUDY "n_trials: 20\n", "(did you mean 'run_cap'?)");
    test_says(STUDY "workers: 4\n", "(did you mean 'parallel'?)");
    test_says(STUDY "space: {}\n", "(did you mean 'parameters'?)");
    test_says(STUDY "goal: minimize\n", "no key 'goal' (write it inside of "
                                        "metric)");
    test_says(STUDY "cpus: 4\n",
              "no key 'cpus' (write it inside of resources)");
    test_says(STUDY "values: [1]\n",
              "no key 'values' (write it inside of a parameter)");
    test_says(STUDY "min_iter: 3\n",
              "no key 'min_iter' (write it inside of early_terminate)");
    test_says(STUDY "zzzzzzzzzz: 4\n", "no key 'zzzzzzzzzz'");
}

static void a_key_that_begins_with_x_is_ours_to_ignore(void **state)
{
    struct reading_test t;

    (void)state;
    test_read_well(&t, STUDY "x-defaults: {anything: [1, 2]}\n");
    assert_int_equal(t.problems.list.len, 0);
    test_done(&t);
}

static void values_arrive_in_the_plan(void **state)
{
    struct reading_test t;
    const struct plan *p;

    (void)state;
    test_read_well(&t, STUDY
                   "name: n\ndescription: d\nseed: 7\nrun_cap: 9\nrepeat: 2\n"
                   "parallel: 3\ntime_limit: 1h\nmax_failures: 4\nretries: 5\n"
                   "retry_delay: 2s\ngrace: 1m\noutput_max: 1M\nkeep: best:2\n"
                   "workdir: trial\nengine: local\nprofile: q\nwandb: real\n"
                   "on_finish: a\non_best: [b, c d]\nsetup: [e, f]\n"
                   "env: {A: 1.5, B: true}\noutputs: ['*.x']\n"
                   "inputs: [{path: i, site_bound: true}]\norder: lag\nlag: 6\n"
                   "warm_start: w\n");
    p = t.plan;
    assert_true(str_is(p->name, "n"));
    assert_true(str_is(p->description, "d"));
    assert_true(p->seed_said && p->seed == 7);
    assert_int_equal(p->run_cap, 9);
    assert_int_equal(p->repeat, 2);
    assert_int_equal(p->parallel, 3);
    assert_true(p->time_limit_s == 3600);
    assert_int_equal(p->max_failures, 4);
    assert_int_equal(p->retries, 5);
    assert_true(p->retry_delay_s == 2);
    assert_true(p->grace_s == 60);
    assert_int_equal(p->output_max_bytes, 1 << 20);
    assert_true(p->keep == KEEP_BEST && p->keep_count == 2);
    assert_true(p->workdir_trial);
    assert_true(str_is(p->engine, "local"));
    assert_true(str_is(p->profile, "q"));
    assert_true(str_is(p->wandb, "real"));
    assert_true(str_is(p->on_finish, "a"));
    assert_true(str_is(p->on_best, "b 'c d'"));
    assert_true(str_is(p->setup, "e\nf\n"));
    assert_int_equal(p->env_count, 2);
    assert_true(str_is(p->env[0].name, "A"));
    assert_true(str_is(p->env[0].value, "1.5"));
    assert_true(str_is(p->env[1].value, "true"));
    assert_true(p->output_count == 1 && str_is(p->outputs[0], "*.x"));
    assert_true(p->input_count == 1 && p->inputs[0].site_bound);
    assert_true(str_is(p->order, "lag") && p->lag == 6);
    assert_true(str_is(p->warm_start, "w"));
    test_done(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_is_read),
        cmocka_unit_test(every_key_refuses_what_is_wrong),
        cmocka_unit_test(every_key_of_the_table_is_tested),
        cmocka_unit_test(an_unknown_key_is_named_with_the_nearest),
        cmocka_unit_test(a_key_that_begins_with_x_is_ours_to_ignore),
        cmocka_unit_test(values_arrive_in_the_plan),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

"""torch_twin - a model file built and trained a second time, with PyTorch

A twin is made from the text of a model and from its first weights; it knows
nothing of the graph that throng makes of it. All numbers are float64.
Tensors lie as throng has them, channels last, and are turned for PyTorch
where a function wants it. A new kind of layer needs a function in LAYERS.
"""

import math

import numpy
import torch
import torch.nn.functional as F

MASK64 = (1 << 64) - 1


# ---- Random numbers, as src/nn/device.h and trainer.c have them ------------

def draw_key(key, draw):
    x = (key + 0x9E3779B97F4A7C15 * (draw + 1)) & MASK64
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK64
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK64
    return x ^ (x >> 31)


def bits(key, count):
    """32 random bits for each of the numbers 0..count-1."""
    u32 = numpy.uint32
    with numpy.errstate(over="ignore"):
        x = numpy.arange(count, dtype=u32) * u32(0x9E3779B1)
        x += u32(key & 0xFFFFFFFF)
        x ^= x >> u32(16)
        x *= u32(0x85EBCA6B)
        x ^= u32(key >> 32)
        x ^= x >> u32(13)
        x *= u32(0xC2B2AE35)
        x ^= x >> u32(16)
    return x


def drop(x, rate, key):
    if rate == 0:
        return x
    kept = bits(key, x.numel()) >= int(rate * 4294967296.0)
    mask = torch.from_numpy(kept).to(x.dtype).reshape(x.shape)
    return x * mask / (1 - rate)


# ---- Reading the model file ------------------------------------------------

EVERY = {"type", "name", "from", "repeat", "widths"}
MAIN = {"dense": "units", "activation": "function", "dropout": "rate",
        "reshape": "shape", "conv1d": "filters", "conv2d": "filters",
        "depthwise_conv1d": "kernel", "depthwise_conv2d": "kernel",
        "conv2d_transpose": "filters", "max_pool1d": "size",
        "max_pool2d": "size", "average_pool1d": "size",
        "average_pool2d": "size", "upsample1d": "size", "upsample2d": "size",
        "embedding": "units", "lstm": "units", "gru": "units",
        "attention": "heads"}


def entry(item):
    """(kind, options) of one entry of `layers`."""
    if isinstance(item, str):
        return item, {}
    if "type" in item:
        return item["type"], dict(item)
    kind = next(k for k in item if k in LAYERS)
    options = {k: v for k, v in item.items() if k != kind}
    if isinstance(item[kind], dict):
        options.update(item[kind])
    elif item[kind] is not None:
        options[MAIN[kind]] = item[kind]
    return kind, options


def split_quantiles(spec):
    """Several quantiles: a layer and a head for each, of the same label."""
    quantiles = spec.get("quantile")
    if not isinstance(quantiles, list):
        return spec
    before = layers_of({**spec, "layers": spec["layers"][:-1]})[-1][0]
    kind, options = entry(spec["layers"][-1])
    names = ["q%.10g" % q for q in quantiles]
    return {**spec,
            "layers": spec["layers"][:-1] + [
                {kind: {**options, MAIN[kind]: 1, "name": name,
                        "from": before}} for name in names],
            "heads": [{"from": name, "loss": "quantile", "quantile": q,
                       "weight": 1 / len(names), "label": 0}
                      for name, q in zip(names, quantiles)]}


def layers_of(spec):
    """(name, kind, options, names of inputs), one after another."""
    found = []
    first = "input" if "input" in spec else next(iter(spec["inputs"]))
    for item in spec["layers"]:
        kind, options = entry(item)
        copies = [options] * options.get("repeat", 1)
        if "widths" in options:
            copies = [{**options, MAIN[kind]: w} for w in options["widths"]]
        for i, one in enumerate(copies):
            name = one.get("name")
            if not name:
                name = "%s_%d" % (kind, len(found) + 1)
            elif i:
                name += "_%d" % (i + 1)
            before = found[-1][0] if found else first
            inputs = one.get("from", before) if i == 0 else before
            if isinstance(inputs, str):
                inputs = [inputs]
            found.append((name, kind, one, inputs))
    return found


def pair(value, otherwise=1):
    value = otherwise if value is None else value
    if isinstance(value, list):
        return tuple(value * 2)[:2]
    return (value, value)


# ---- Activations -----------------------------------------------------------

ACTIVATIONS = {
    "linear": lambda x, a: x,
    "relu": lambda x, a: F.relu(x),
    "relu6": lambda x, a: F.relu6(x),
    "leaky_relu": lambda x, a: F.leaky_relu(x, 0.3 if a is None else a),
    "elu": lambda x, a: F.elu(x, 1.0 if a is None else a),
    "selu": lambda x, a: F.selu(x),
    "gelu": lambda x, a: F.gelu(x),
    "sigmoid": lambda x, a: torch.sigmoid(x),
    "tanh": lambda x, a: torch.tanh(x),
    "softplus": lambda x, a: F.softplus(x, threshold=1e9),
    "swish": lambda x, a: F.silu(x),
    "softmax": lambda x, a: F.softmax(x, dim=-1),
}


# ---- Windows ---------------------------------------------------------------

def to_first(x):
    return x.movedim(-1, 1)


def to_last(x):
    return x.movedim(1, -1)


def window_of(options, rank, key, otherwise):
    value = pair(options.get(key), otherwise)
    return value[:1] if rank == 1 else value


def same_padding(sizes, kernel, stride, dilation):
    """(before, after) for each axis: Keras puts the odd one behind."""
    found = []
    for size, k, s, d in zip(sizes, kernel, stride, dilation):
        out = -(-size // s)
        total = max((out - 1) * s + (k - 1) * d + 1 - size, 0)
        found.append((total // 2, total - total // 2))
    return found


def padded(x, padding, value=0.0):
    flat = [n for both in reversed(padding) for n in both]
    return F.pad(x, flat, value=value)


def conv(rank, depthwise=False):
    def run(twin, name, options, inputs):
        x = to_first(inputs[0])
        kernel = window_of(options, rank, "kernel", 3)
        stride = window_of(options, rank, "stride", 1)
        dilation = window_of(options, rank, "dilation", 1)
        if options.get("padding") == "same":
            x = padded(x, same_padding(x.shape[2:], kernel, stride, dilation))
        if options.get("padding") == "causal":
            x = padded(x, [((kernel[0] - 1) * dilation[0], 0)])
        groups = x.shape[1] if depthwise else options.get("groups", 1)
        weight = twin[name + ".weight"]
        weight = weight.movedim(-1, 0).movedim(-1, 1)
        run_one = F.conv1d if rank == 1 else F.conv2d
        y = run_one(x, weight, twin.get(name + ".bias"), stride=stride,
                    dilation=dilation, groups=groups)
        return twin.activate(to_last(y), options)
    return run


def conv2d_transpose(twin, name, options, inputs):
    x = to_first(inputs[0])
    kernel, stride = pair(options.get("kernel"), 3), pair(options.get("stride"))
    weight = twin[name + ".weight"].permute(2, 3, 0, 1)
    y = F.conv_transpose2d(x, weight, None, stride=stride)
    for axis in (0, 1):
        k, s, size = kernel[axis], stride[axis], x.shape[2 + axis]
        same = options.get("padding") == "same"
        before = max(k - s, 0) // 2 if same else 0
        out = size * s + (0 if same else max(k - s, 0))
        y = y.movedim(2 + axis, -1)
        y = F.pad(y, (0, s))[..., before:before + out]
        y = y.movedim(-1, 2 + axis)
    if options.get("bias", True):
        y = y + twin[name + ".bias"].reshape(1, -1, 1, 1)
    return twin.activate(to_last(y), options)


def pool(rank, average):
    def run(twin, name, options, inputs):
        x = to_first(inputs[0])
        size = window_of(options, rank, "size", 2)
        stride = window_of(options, rank, "stride",
                           options.get("size", 2))
        ones = torch.ones_like(x)
        if options.get("padding") == "same":
            padding = same_padding(x.shape[2:], size, stride, (1, 1))
            x = padded(x, padding, 0.0 if average else -math.inf)
            ones = padded(ones, padding)
        if not average:
            run_one = F.max_pool1d if rank == 1 else F.max_pool2d
            return to_last(run_one(x, size, stride))
        run_one = F.avg_pool1d if rank == 1 else F.avg_pool2d
        return to_last(run_one(x, size, stride) / run_one(ones, size, stride))
    return run


def pool_all(average):
    def run(twin, name, options, inputs):
        x = to_first(inputs[0])
        lengths = getattr(inputs[0], "lengths", None)
        if lengths is not None:
            seen = torch.arange(x.shape[2]) < lengths.reshape(-1, 1, 1)
            if average:
                return (x * seen).sum(2) / lengths.reshape(-1, 1)
            x = x.masked_fill(~seen, -math.inf)
        if average:
            return x.flatten(2).mean(2)
        return F.adaptive_max_pool1d(x.flatten(2), 1).flatten(1)
    return run


def upsample(rank):
    def run(twin, name, options, inputs):
        scale = window_of(options, rank, "size", 2)
        y = to_first(inputs[0])
        return to_last(F.interpolate(y, scale_factor=[float(s) for s in scale],
                                     mode="nearest"))
    return run


# ---- The other layers ------------------------------------------------------

def dense(twin, name, options, inputs):
    y = inputs[0] @ twin[name + ".weight"]
    if options.get("bias", True):
        y = y + twin[name + ".bias"]
    return twin.activate(y, options)


def dropout(twin, name, options, inputs):
    draw = twin.next_draw()
    if not twin.training and not options.get("permanent"):
        return inputs[0]
    return drop(inputs[0], options["rate"], draw_key(twin.key, draw))


def batch_norm(twin, name, options, inputs):
    y = F.batch_norm(to_first(inputs[0]), twin[name + ".mean"],
                     twin[name + ".variance"], twin.get(name + ".gamma"),
                     twin.get(name + ".beta"), training=twin.training,
                     momentum=1 - options.get("momentum", 0.99),
                     eps=options.get("epsilon", 1e-3))
    return to_last(y)


def layer_norm(twin, name, options, inputs):
    return F.layer_norm(inputs[0], inputs[0].shape[-1:],
                        twin.get(name + ".gamma"), twin.get(name + ".beta"),
                        options.get("epsilon", 1e-3))


# ---- Sequences: a tensor may know how many steps of each row count ---------

def embedding(twin, name, options, inputs):
    tokens = inputs[0].long()
    y = F.embedding(tokens, twin[name + ".weight"])
    if options.get("mask", True):
        steps = torch.arange(1, tokens.shape[1] + 1)
        y.lengths = (steps * (tokens != 0)).max(1).values
    return y


def turned(x, lengths):
    """The steps of each row that count, the last one first."""
    steps = torch.arange(x.shape[1])
    at = torch.where(steps < lengths[:, None], lengths[:, None] - 1 - steps,
                     steps)
    return x.gather(1, at[:, :, None].expand_as(x))


def one_direction(twin, name, end, kind, x, lengths):
    """(outputs of all steps, the last output)."""
    bias = twin["%s.bias%s" % (name, end)]
    other = twin.get("%s.recurrent_bias%s" % (name, end))
    weights = [twin["%s.weight%s" % (name, end)].T,
               twin["%s.recurrent%s" % (name, end)].T, bias,
               torch.zeros_like(bias) if other is None else other]
    first = torch.zeros(1, len(x), weights[1].shape[1], dtype=x.dtype)
    packed = torch.nn.utils.rnn.pack_padded_sequence(
        x, lengths, batch_first=True, enforce_sorted=False)
    run = torch.lstm if kind == "lstm" else torch.gru
    y, last = run(packed.data, packed.batch_sizes,
                  (first, first) if kind == "lstm" else first, weights, True,
                  1, 0.0, True, False)[:2]
    y = torch.nn.utils.rnn.pad_packed_sequence(
        packed._replace(data=y), batch_first=True, total_length=x.shape[1])[0]
    return y, last[0][packed.unsorted_indices]


def recurrent(kind):
    def run(twin, name, options, inputs):
        x, found = inputs[0], []
        lengths = getattr(x, "lengths", None)
        if lengths is None:
            lengths = torch.full((len(x),), x.shape[1])
        both = options.get("bidirectional", False)
        back = [False, True] if both else [options.get("backwards", False)]
        for backwards in back:
            one = turned(x, lengths) if backwards else x
            y, last = one_direction(twin, name,
                                    "_back" if both and backwards else "",
                                    kind, one, lengths)
            if options.get("sequence"):
                last = turned(y, lengths) if backwards else y
            found.append(last)
        return torch.cat(found, dim=-1)
    return run


def attention(twin, name, options, inputs):
    x, other, heads = inputs[0], inputs[-1], options.get("heads", 1)

    def project(what, x):
        return x @ twin["%s.%s.weight" % (name, what)] \
            + twin["%s.%s.bias" % (name, what)]

    q, k, v = [project(what, t).unflatten(-1, (heads, -1)).transpose(1, 2)
               for what, t in (("query", x), ("key", other),
                               ("value", other))]
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    steps = torch.arange(k.shape[2])
    lengths = getattr(other, "lengths", None)
    if lengths is not None:
        hidden = steps >= lengths.reshape(-1, 1, 1, 1)
        scores = scores.masked_fill(hidden, -math.inf)
    if options.get("causal"):
        later = steps > torch.arange(q.shape[2])[:, None]
        scores = scores.masked_fill(later, -math.inf)
    y = (F.softmax(scores, dim=-1) @ v).transpose(1, 2).flatten(2)
    return project("output", y)


def normal(key, count):
    """A standard normal number from 24 of 32 random bits, by the same
    approximation (Acklam's) of the inverse distribution."""
    p = ((bits(key, count) >> numpy.uint32(8)) + 0.5) / 16777216.0
    near = numpy.polyval([-39.69683028665376, 220.9460984245205,
                          -275.9285104469687, 138.3577518672690,
                          -30.66479806614716, 2.506628277459239],
                         (p - 0.5) ** 2) * (p - 0.5)
    near /= numpy.polyval([-54.47609879822406, 161.5858368580409,
                           -155.6989798598866, 66.80131188771972,
                           -13.28068155288572, 1], (p - 0.5) ** 2)
    q = numpy.sqrt(-2 * numpy.log(numpy.minimum(p, 1 - p)))
    far = numpy.polyval([-0.007784894002430293, -0.3223964580411365,
                         -2.400758277161838, -2.549732539343734,
                         4.374664141464968, 2.938163982698783], q)
    far /= numpy.polyval([0.007784695709041462, 0.3224671290700398,
                          2.445134137142996, 3.754408661907416, 1], q)
    far = numpy.where(p < 0.5, far, -far)
    return numpy.where(numpy.minimum(p, 1 - p) < 0.02425, far, near)


def sample(twin, name, options, inputs):
    mean, spread = inputs
    draw = twin.next_draw()
    if not twin.training and not options.get("permanent"):
        return mean
    z = torch.from_numpy(normal(draw_key(twin.key, draw), mean.numel()))
    return mean + (spread / 2).exp() * z.reshape(mean.shape)


def product(tensors):
    y = tensors[0]
    for x in tensors[1:]:
        y = y * x
    return y


LAYERS = {
    "dense": dense,
    "activation": lambda twin, name, o, xs: twin.activate(xs[0], o,
                                                          "function"),
    "dropout": dropout,
    "flatten": lambda twin, name, o, xs: xs[0].flatten(1),
    "reshape": lambda twin, name, o, xs: xs[0].reshape(-1, *o["shape"]),
    "conv1d": conv(1),
    "conv2d": conv(2),
    "depthwise_conv1d": conv(1, depthwise=True),
    "depthwise_conv2d": conv(2, depthwise=True),
    "conv2d_transpose": conv2d_transpose,
    "max_pool1d": pool(1, False),
    "max_pool2d": pool(2, False),
    "average_pool1d": pool(1, True),
    "average_pool2d": pool(2, True),
    "global_max_pool": pool_all(False),
    "global_average_pool": pool_all(True),
    "upsample1d": upsample(1),
    "upsample2d": upsample(2),
    "batch_norm": batch_norm,
    "layer_norm": layer_norm,
    "add": lambda twin, name, o, xs: sum(xs[1:], xs[0]),
    "multiply": lambda twin, name, o, xs: product(xs),
    "concat": lambda twin, name, o, xs: torch.cat(xs, dim=-1),
    "embedding": embedding,
    "lstm": recurrent("lstm"),
    "gru": recurrent("gru"),
    "attention": attention,
    "sample": sample,
}


# ---- Losses: one number for each row ---------------------------------------

def rows_mean(x):
    return x.flatten(1).mean(1)


def cross_entropy(logits, target, head, second):
    weights = head.get("class_weights")
    if weights:
        weights = torch.tensor(weights, dtype=torch.float64)
    if not target.dtype.is_floating_point:
        target = target.reshape(-1)
    return F.cross_entropy(logits.flatten(1), target, weight=weights,
                           reduction="none")


def kl(logits, target, head, second):
    return F.kl_div(F.log_softmax(logits.flatten(1), dim=1),
                    target.flatten(1), reduction="none").sum(1)


def dice(x, target, head, second):
    x, target = x.flatten(1), target.flatten(1)
    both = 2 * (x * target).sum(1) + 1
    return 1 - both / (x.sum(1) + target.sum(1) + 1)


def heteroscedastic(x, target, head, second):
    mean, spread = x.flatten(1).chunk(2, dim=1)
    return rows_mean(F.gaussian_nll_loss(mean, target.flatten(1),
                                         spread.exp(), eps=1e-300,
                                         reduction="none"))


def quantile(x, target, head, second):
    d, q = target - x, head.get("quantile", 0.5)
    return rows_mean(torch.maximum(q * d, (q - 1) * d))


def gaussian_kl(x, target, head, second):
    normal = torch.distributions.Normal
    unit = normal(torch.zeros_like(x), torch.ones_like(x))
    return torch.distributions.kl_divergence(
        normal(x, (second / 2).exp()), unit).flatten(1).sum(1)


def binary(x, target, head, second):
    weights = head.get("class_weights")
    if weights:
        weights = torch.where(target > 0.5, *[
            torch.tensor(w, dtype=torch.float64) for w in weights[::-1]])
    return rows_mean(F.binary_cross_entropy_with_logits(
        x, target, weight=weights, reduction="none"))


LOSSES = {  # name: (the activation it looks behind, function)
    "categorical_crossentropy": ("softmax", cross_entropy),
    "sparse_categorical_crossentropy": ("softmax", cross_entropy),
    "binary_crossentropy": ("sigmoid", binary),
    "mse": (None, lambda x, t, head, second: rows_mean(
        F.mse_loss(x, t, reduction="none"))),
    "mae": (None, lambda x, t, head, second: rows_mean(
        F.l1_loss(x, t, reduction="none"))),
    "huber": (None, lambda x, t, head, second: rows_mean(
        F.huber_loss(x, t, reduction="none", delta=head.get("delta", 1.0)))),
    "kl": ("softmax", kl),
    "dice": (None, dice),
    "heteroscedastic": (None, heteroscedastic),
    "quantile": (None, quantile),
    "gaussian_kl": (None, gaussian_kl),
}


# ---- Optimizers and schedules ----------------------------------------------

class NAdam(torch.optim.NAdam):
    """PyTorch 1 multiplies the product of the next step by mu once too often
    (mended in 2.0); this is its step as it is there, and in Keras."""

    @torch.no_grad()
    def step(self):
        group = self.param_groups[0]
        beta1, beta2 = group["betas"]
        for p in group["params"]:
            s = self.state[p]
            if not s:
                s.update(step=0, product=1.0, m=torch.zeros_like(p),
                         v=torch.zeros_like(p))
            s["step"] += 1
            mu, mu_next = [
                beta1 * (1 - 0.5 * 0.96 ** (n * group["momentum_decay"]))
                for n in (s["step"], s["step"] + 1)]
            s["product"] *= mu
            s["m"].mul_(beta1).add_(p.grad, alpha=1 - beta1)
            s["v"].mul_(beta2).addcmul_(p.grad, p.grad, value=1 - beta2)
            spread = (s["v"] / (1 - beta2 ** s["step"])).sqrt() + group["eps"]
            p.sub_(group["lr"] * (1 - mu) / (1 - s["product"])
                   * p.grad / spread)
            p.sub_(group["lr"] * mu_next / (1 - s["product"] * mu_next)
                   * s["m"] / spread)


def optimizer_of(spec, params):
    said = spec.get("optimizer", "adam")
    o = {"name": said} if isinstance(said, str) else dict(said)
    name = o.get("name", "adam")
    lr = o.get("lr", 0.01 if name == "sgd" else 0.001)
    eps, optim = o.get("epsilon", 1e-7), torch.optim
    betas = (o.get("beta1", 0.9), o.get("beta2", 0.999))
    made = {
        "sgd": lambda: optim.SGD(params, lr, o.get("momentum", 0),
                                 nesterov=o.get("nesterov", False)),
        "rmsprop": lambda: optim.RMSprop(
            params, lr, o.get("rho", 0.9), eps,
            momentum=o.get("momentum", 0), centered=o.get("centered", False)),
        "adagrad": lambda: optim.Adagrad(
            params, lr, eps=eps,
            initial_accumulator_value=o.get("initial_accumulator", 0.1)),
        "adadelta": lambda: optim.Adadelta(params, lr, o.get("rho", 0.95),
                                           eps),
        "adam": lambda: optim.Adam(params, lr, betas, eps),
        "adamax": lambda: optim.Adamax(params, lr, betas, eps),
        "nadam": lambda: NAdam(params, lr, betas, eps),
        "adamw": lambda: optim.AdamW(
            params, lr, betas, eps,
            weight_decay=o.get("weight_decay", 0.004)),
    }[name]()
    decay = 0 if name == "adamw" else o.get("weight_decay", 0)
    return made, o, decay


class Schedule:
    """PyTorch's own schedules; a warm-up is a factor on top."""

    def __init__(self, spec, optimizer, per_epoch):
        said = spec.get("schedule", "constant")
        s = {"name": said} if isinstance(said, str) else said
        name, kinds = s.get("name", "constant"), torch.optim.lr_scheduler
        lr = optimizer.param_groups[0]["lr"]
        self.optimizer, self.by_step = optimizer, name in ("cosine", "cyclic")
        self.plateau, self.step_count = name == "plateau", 0
        self.warm = s.get("warmup_epochs", 0) * per_epoch
        self.kind = {
            "constant": lambda: kinds.ConstantLR(optimizer, 1.0),
            "step": lambda: kinds.StepLR(optimizer, s.get("epochs", 10),
                                         s.get("factor", 0.1)),
            "exponential": lambda: kinds.ExponentialLR(
                optimizer, s.get("factor", 0.95)),
            "cosine": lambda: kinds.CosineAnnealingLR(
                optimizer, spec["epochs"] * per_epoch, s.get("minimum", 0)),
            "cyclic": lambda: kinds.CyclicLR(
                optimizer, lr, s.get("maximum", 0.006), s.get("steps", 2000),
                mode=s.get("mode", "triangular"), gamma=s.get("factor", 1.0),
                cycle_momentum=False),
            # PyTorch waits for one epoch more than Keras.
            "plateau": lambda: kinds.ReduceLROnPlateau(
                optimizer, factor=s.get("factor", 0.1),
                patience=s.get("patience", 10) - 1, threshold=1e-4,
                threshold_mode="abs", min_lr=s.get("minimum", 0), eps=0),
        }[name]()
        self.now = lr

    def before_step(self):
        """Warm-up: the rate of this step alone is lower."""
        group = self.optimizer.param_groups[0]
        self.now = group["lr"]
        if self.step_count + 1 < self.warm:
            group["lr"] = self.now * (self.step_count + 1) / self.warm
        self.step_count += 1
        return group["lr"]

    def after_step(self):
        self.optimizer.param_groups[0]["lr"] = self.now
        if self.by_step:
            self.kind.step()

    def after_epoch(self, watched):
        if self.plateau:
            self.kind.step(watched)
        elif not self.by_step:
            self.kind.step()


# ---- The twin --------------------------------------------------------------

class Twin:
    def __init__(self, spec, weights):
        """weights: name -> (float64 array, trained or not)."""
        self.spec = split_quantiles(spec)
        self.layers = layers_of(self.spec)
        self.params = {}
        for name, (values, trained) in weights.items():
            one = torch.tensor(numpy.asarray(values, dtype=numpy.float64))
            self.params[name] = one.requires_grad_() if trained else one
        self.training, self.key, self.draws = False, 0, 0
        self.before = {}

    def __getitem__(self, name):
        return self.params[name]

    def get(self, name):
        return self.params.get(name)

    def next_draw(self):
        self.draws += 1
        return self.draws - 1

    def activate(self, x, options, key="activation"):
        kind = options.get(key, "linear")
        y = ACTIVATIONS[kind](x, options.get("alpha"))
        if kind in ("softmax", "sigmoid"):
            self.before[id(y)] = (kind, x, y)
        return y

    def forward(self, inputs, training, key):
        """name -> output, of inputs and layers."""
        self.training, self.key, self.draws = training, key, 0
        self.before = {}
        names = (list(self.spec["inputs"]) if "inputs" in self.spec
                 else ["input"])
        tensors = dict(zip(names, inputs))
        for name, kind, options, sources in self.layers:
            xs = [tensors[s] for s in sources]
            y = LAYERS[kind](self, name, options, xs)
            if (hasattr(xs[0], "lengths") and y.dim() == 3
                    and y.shape[1] == xs[0].shape[1]):
                y.lengths = xs[0].lengths
            tensors[name] = y
        return tensors

    def heads(self):
        return self.spec.get("heads", [self.spec])

    def outputs(self, tensors):
        """What the model predicts, all heads' side by side."""
        found = []
        for head in self.heads():
            y = tensors[head.get("from", self.layers[-1][0])]
            kind = LOSSES[head["loss"]][0]
            if kind and self.before.get(id(y), (None,))[0] != kind:
                y = ACTIVATIONS[kind](y, None)
            found.append(y.flatten(1))
        return torch.cat(found, dim=1)

    def loss(self, tensors, labels, row_weights):
        total, number = 0, 0
        for number, head in enumerate(self.heads()):
            kind, function = LOSSES[head["loss"]]
            x = tensors[head.get("from", self.layers[-1][0])]
            behind = self.before.get(id(x))
            if kind and behind and behind[0] == kind:
                x = behind[1]
            second = tensors.get(head.get("log_variance"))
            rows = function(x, labels[head.get("label", number)], head,
                            second)
            one = (rows * row_weights).mean()
            total = total + one * head.get("weight", 1)
        return total

    def regularizers(self):
        total = 0
        for name, _, options, _ in self.layers:
            w = self.get(name + ".weight")
            total = total + options.get("l1", 0) * w.abs().sum() \
                if options.get("l1") else total
            total = total + options.get("l2", 0) * (w * w).sum() \
                if options.get("l2") else total
        return total


def clip(params, options):
    """Each number, then the norm of all: exactly to the norm, where
    PyTorch's own function stays a millionth below it."""
    if options.get("clip_value"):
        torch.nn.utils.clip_grad_value_(params, options["clip_value"])
    norm = options.get("clip_norm")
    total = math.sqrt(sum(float((p.grad ** 2).sum()) for p in params))
    if norm and total > norm:
        for p in params:
            p.grad *= norm / total


def train(twin, inputs, labels, weights, orders, judged_rows, seed):
    """weights: of rows. (loss, validation loss) of each epoch."""
    spec, step, told = twin.spec, 0, []
    batch = spec.get("batch_size", 32)
    params = [p for p in twin.params.values() if p.requires_grad]
    optimizer, options, decay = optimizer_of(spec, params)
    per_epoch = -(-len(orders[0]) // batch)
    schedule = Schedule(spec, optimizer, per_epoch)
    for order in orders:
        total = 0.0
        for at in range(0, len(order), batch):
            rows = torch.tensor(order[at:at + batch])
            key = draw_key(draw_key(seed, 1), step)
            tensors = twin.forward([x[rows] for x in inputs], True, key)
            loss = twin.loss(tensors, [y[rows] for y in labels],
                             weights[rows])
            loss = loss + twin.regularizers()
            optimizer.zero_grad()
            loss.backward()
            clip(params, options)
            lr = schedule.before_step()
            with torch.no_grad():
                for p in params if decay else []:
                    p *= 1 - lr * decay
            optimizer.step()
            schedule.after_step()
            total += float(loss) * len(rows)
            step += 1
        judged = judge(twin, inputs, labels, weights, judged_rows, seed)
        schedule.after_epoch(judged)
        told.append((total / len(order), judged))
    return told


def judge(twin, inputs, labels, weights, rows, seed):
    """The mean loss over rows."""
    batch, total = twin.spec.get("batch_size", 32), 0.0
    with torch.no_grad():
        for number, at in enumerate(range(0, len(rows), batch)):
            part = torch.tensor(rows[at:at + batch])
            key = draw_key(draw_key(seed, 2), number)
            tensors = twin.forward([x[part] for x in inputs], False, key)
            loss = twin.loss(tensors, [y[part] for y in labels],
                             weights[part])
            total += float(loss) * len(part)
    return total / len(rows)

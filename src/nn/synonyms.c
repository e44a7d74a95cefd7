/* synonyms.c - what somebody meant who wrote a word that is none here
 *
 * Who comes from Keras or PyTorch writes their words, which are less like
 * throng's than a misspelt one is like another. */
#include "nn/build.h"

#include <strings.h>

#include "base/chars.h"

/* A word and what throng calls it; where several go, several rows. */
static const struct {
    const char *said, *ours;
} synonyms[] = {
    {"acc", "accuracy"},
    {"act", "activation"},
    {"batch_normalization", "batch_norm"},
    {"batchnorm2d", "batch_norm"},
    {"batchnormalization", "batch_norm"},
    {"bce", "binary_crossentropy"},
    {"beta_1", "beta1"},
    {"beta_2", "beta2"},
    {"bias_regularizer", "l2"},
    {"bidirectional", "lstm"},
    {"bilstm", "lstm"},
    {"clipnorm", "clip_norm"},
    {"clipvalue", "clip_value"},
    {"concatenate", "concat"},
    {"conv", "conv2d"},
    {"cosine_annealing", "cosine"},
    {"cosine_decay", "cosine"},
    {"cross_entropy", "sparse_categorical_crossentropy"},
    {"crossentropy", "sparse_categorical_crossentropy"},
    {"depth_multiplier", "multiplier"},
    {"depthwise_initializer", "initializer"},
    {"dilation_rate", "dilation"},
    {"embedding_dim", "units"},
    {"embeddings_initializer", "initializer"},
    {"eps", "epsilon"},
    {"exponential_decay", "exponential"},
    {"f1", "f1_macro"},
    {"go_backwards", "backwards"},
    {"hidden_size", "units"},
    {"input_dim", "vocabulary"},
    {"input_shape", "input"},
    {"kernel_initializer", "initializer"},
    {"kernel_regularizer", "l2"},
    {"kernel_size", "kernel"},
    {"kl_divergence", "kl"},
    {"l1_loss", "mae"},
    {"layer_normalization", "layer_norm"},
    {"layernormalization", "layer_norm"},
    {"learning_rate", "lr"},
    {"learning_rate", "optimizer"},
    {"linear", "dense"},
    {"lr", "optimizer"},
    {"mask_zero", "mask"},
    {"maxpool", "max_pool2d"},
    {"mean_absolute_error", "mae"},
    {"mean_squared_error", "mse"},
    {"minibatch_size", "batch_size"},
    {"multi_head_attention", "attention"},
    {"negative_slope", "alpha"},
    {"nll_loss", "sparse_categorical_crossentropy"},
    {"num_embeddings", "vocabulary"},
    {"num_heads", "heads"},
    {"out_channels", "filters"},
    {"out_features", "units"},
    {"output_dim", "units"},
    {"p", "rate"},
    {"pool_size", "size"},
    {"reduce_lr_on_plateau", "plateau"},
    {"return_sequences", "sequence"},
    {"silu", "swish"},
    {"step_lr", "step"},
    {"top_k_accuracy", "top_k"},
    {"use_bias", "bias"},
};

static bool same_letters(struct str s, const char *word)
{
    return s.len == strlen(word) && !strncasecmp(s.p, word, s.len);
}

static const char *among(const char *word, const char *const *names)
{
    int at = str_index(str_of(word), names);
    return at < 0 ? NULL : names[at];
}

static const char *as_others_say(struct str got, const char *const *names)
{
    for (size_t i = 0; names[i]; i++)
        if (same_letters(got, names[i]))
            return names[i];
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++) {
        const char *ours = same_letters(got, synonyms[i].said)
                               ? among(synonyms[i].ours, names)
                               : NULL;
        if (ours)
            return ours;
    }
    return NULL;
}

/* BatchNorm is like batch_norm. */
static const char *much_like(struct str got, const char *const *names)
{
    char small[64];
    size_t len = got.len < sizeof small ? got.len : sizeof small;
    for (size_t i = 0; i < len; i++)
        small[i] = lower(got.p[i]);
    return str_nearest(str_n(small, len), names);
}

const char *nn_meant(struct str got, const char *const *names,
                     const char *const *more)
{
    const char *meant = as_others_say(got, names);
    if (!meant && more)
        meant = as_others_say(got, more);
    if (!meant)
        meant = much_like(got, names);
    if (!meant && more)
        meant = much_like(got, more);
    return meant;
}

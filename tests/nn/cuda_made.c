/* cuda_made.c - models that kernels of the device cuda are tested with */
#include "cuda_made.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

const char *const cuda_stepped[] = {
    "{'batch_size': 96, 'input': 100, 'layers': [{'dense': 132, 'activation':"
    " 'relu'}, {'dense': 100, 'activation': 'tanh'}, {'dense': 5}],"
    " 'loss': 'mse', 'optimizer': 'adam'}",
    "{'batch_size': 96, 'input': 97, 'layers': [{'dense': 196, 'activation':"
    " 'relu', 'bias': false}, {'dense': 104, 'l2': 0.01}, {'dense': 3}],"
    " 'loss': 'mse', 'optimizer': 'adamw'}",
    "{'batch_size': 24, 'input': [4, 100], 'layers': [{'dense': 132,"
    " 'activation': 'tanh'}, 'flatten', {'dense': 3}], 'loss': 'mse',"
    " 'optimizer': 'adam'}",
    NULL,
};

const char *const cuda_dropped[] = {
    "{'batch_size': 16, 'input': [9, 8, 3], 'layers': [{'conv2d': 8,"
    " 'activation': 'relu'}, {'max_pool2d': 2}, {'dropout': 0.4, 'permanent':"
    " true}, {'conv2d': 8, 'kernel': 2}, 'flatten', {'dense': 3}], 'loss':"
    " 'mse', 'optimizer': 'adam'}",
    "{'batch_size': 16, 'input': [9, 8, 3], 'layers': [{'conv2d': 8,"
    " 'activation': 'relu6'}, {'max_pool2d': 2}, {'dropout': 0.4}, {'conv2d':"
    " 8, 'kernel': 2, 'activation': 'leaky_relu'}, {'max_pool2d': [2,"
    " 1]}, {'dropout': 0.3}, 'flatten', {'dense': 3}], 'loss': 'mse'}",
    "{'batch_size': 16, 'input': [9, 8, 3], 'layers': [{'conv2d': 8,"
    " 'activation': 'relu'}, {'dropout': 0.3}, {'max_pool2d': 2}, {'dropout':"
    " 0.4}, 'flatten', {'dense': 3}], 'loss': 'mse', 'optimizer': 'adam'}",
    "{'batch_size': 16, 'input': [9, 8, 3], 'layers': [{'conv2d': 8, 'bias':"
    " false}, {'batch_norm': {'momentum': 0.9}}, {'activation': 'relu'},"
    " {'max_pool2d': {'size': 2, 'padding': 'same'}}, {'dropout': 0.4},"
    " 'flatten', {'dense': 3}], 'loss': 'mse', 'optimizer': 'adam'}",
    /* More than one takes what was pooled, dropped, or under the windows. */
    "{'batch_size': 16, 'input': [9, 8, 3], 'layers': [{'conv2d': 8,"
    " 'activation': 'relu'}, {'max_pool2d': 2, 'name': 'p'}, {'dropout': 0.4,"
    " 'name': 'd'}, {'add': null, 'from': ['p', 'd']}, 'flatten',"
    " {'dense': 3}], 'loss': 'mse', 'optimizer': 'adam'}",
    "{'batch_size': 16, 'input': [9, 8, 3], 'layers': [{'conv2d': 8,"
    " 'activation': 'relu'}, {'max_pool2d': 2}, {'dropout': 0.4, 'name': 'd'},"
    " {'conv2d': 8, 'padding': 'same', 'name': 'c'}, {'add': null, 'from':"
    " ['c', 'd']}, 'flatten', {'dense': 3}], 'loss': 'mse'}",
    "{'batch_size': 16, 'input': [8, 8, 3], 'layers': [{'conv2d': 8,"
    " 'activation': 'relu', 'name': 'c'}, {'max_pool2d': 2}, {'dropout': 0.4},"
    " {'upsample2d': 2, 'name': 'u'}, {'add': null, 'from': ['c', 'u']},"
    " 'flatten', {'dense': 3}], 'loss': 'mse', 'optimizer': 'adam'}",
    /* Heads read what was pooled, and what was dropped. */
    "{'batch_size': 16, 'input': [9, 8, 3], 'layers': [{'conv2d': 8,"
    " 'activation': 'relu'}, {'max_pool2d': 4, 'name': 'p'}, {'dropout': 0.4},"
    " 'flatten', {'dense': 3, 'name': 'out'}], 'heads': [{'from': 'out',"
    " 'loss': 'mse'}, {'from': 'p', 'loss': 'mse', 'weight': 0.3}]}",
    "{'batch_size': 16, 'input': [9, 8, 3], 'layers': [{'conv2d': 8,"
    " 'activation': 'relu'}, {'max_pool2d': 3}, {'dropout': 0.4, 'name': 'd'},"
    " 'flatten', {'dense': 3, 'name': 'out'}], 'heads': [{'from': 'out',"
    " 'loss': 'mse'}, {'from': 'd', 'loss': 'mse', 'weight': 0.3}]}",
    NULL,
};

const char *const cuda_rounded[] = {
    "{'batch_size': 96, 'input': 100, 'layers': [{'dense': 132, 'activation':"
    " 'relu'}, {'dropout': 0.2}, {'dense': 100, 'activation': 'tanh'},"
    " {'dense': 5}], 'loss': 'mse', 'optimizer': 'adam'}",
    "{'batch_size': 40, 'input': [9, 7, 16], 'layers': [{'conv2d': 48,"
    " 'activation': 'relu', 'padding': 'same'}, {'max_pool2d': 2},"
    " {'conv2d': 20, 'activation': 'tanh', 'stride': 2, 'padding': 'same'},"
    " 'flatten', {'dense': 3}], 'loss': 'mse', 'optimizer': 'adam'}",
    "{'batch_size': 40, 'input': [12, 20], 'layers': [{'conv1d': 68,"
    " 'kernel': 3, 'dilation': 2, 'activation': 'relu'}, {'dropout': 0.3},"
    " {'conv1d': 16, 'kernel': 5, 'padding': 'same'}, 'flatten',"
    " {'dense': 3}], 'loss': 'mse', 'optimizer': {'name': 'sgd', 'lr': 0.01}}",
    "{'batch_size': 96, 'input': 1028, 'layers': [{'dense': 100, 'activation':"
    " 'relu'}, {'dense': 3}], 'loss': 'mse', 'optimizer': 'adam'}",
    NULL,
};

const char *const cuda_judged[] = {
    "{'batch_size': 16, 'input': 5, 'layers': [{'dense': 7, 'activation': "
    "'tanh'}, {'dense': 8}],"
    " 'loss': 'sparse_categorical_crossentropy',"
    " 'metrics': ['accuracy', 'top_3', 'f1_micro', 'f1_macro', 'iou', 'dice']}",
    "{'batch_size': 16, 'input': 5, 'layers': [{'dense': 7, 'activation': "
    "'tanh'}, {'dense': 8}],"
    " 'loss': 'sparse_categorical_crossentropy', 'metrics': ['accuracy', "
    "'auc']}",
    "{'batch_size': 16, 'input': 5, 'layers': [{'dense': 6}], 'loss': "
    "'binary_crossentropy',"
    " 'metrics': ['accuracy', 'f1_macro', 'f1_micro', 'iou', 'dice']}",
    "{'batch_size': 16, 'input': 5, 'layers': [{'dense': 1}], 'loss': "
    "'binary_crossentropy',"
    " 'metrics': ['accuracy', 'f1_macro', 'iou', 'dice']}",
    "{'batch_size': 16, 'input': 5, 'layers': [{'dense': 4}], 'loss': 'mse', "
    "'metrics': ['mae', 'mse', 'r2']}",
    "{'batch_size': 16, 'input': 5, 'layers': [{'dense': 6}], 'loss': "
    "'heteroscedastic',"
    " 'metrics': ['mae', 'mse', 'r2']}",
    "{'batch_size': 16, 'input': 5, 'layers': [{'dense': 1}], 'loss': 'mse', "
    "'metrics': ['accuracy']}",
    "{'batch_size': 16, 'input': [6, 7, 3], 'layers': [{'conv2d': 4}, "
    "'flatten', {'dense': 3, 'name': 'a'},"
    " {'dense': 2, 'name': 'b'}], 'heads':"
    " [{'from': 'a', 'loss': 'sparse_categorical_crossentropy',"
    "   'metrics': ['accuracy', 'f1_macro']},"
    "  {'from': 'b', 'loss': 'mse', 'metrics': ['mae', 'r2']}]}",
    NULL,
};

void cuda_mask(struct nn_trainer *t)
{
    struct err err = {0};
    double *mask = calloc((size_t)t->graph->weights + 1, sizeof(*mask));
    for (int64_t i = 0; i < t->graph->trained; i++)
        mask[i] = i % 3 != 0;
    assert_int_equal(t->runner->reserve(t->run, NN_MASK, &err), 0);
    t->runner->put(t->run, 0, NN_MASK, mask);
    t->members[0].masked = true;
    free(mask);
}

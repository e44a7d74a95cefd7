/* fuzz_torch.c - any bytes as what torch.save wrote, and as its pickle alone:
 * tensors are given or refused in words, and nothing is read from outside of
 * the bytes */
#include "nn/foreign/pickle.h"
#include "nn/foreign/tensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str bytes = str_n((const char *)data, size);
    struct err err = {0};
    struct tensors t;
    volatile double sum = 0;
    tensors_init(&t, "x.pt");
    if (torch_read(&t, bytes, &err))
        require(err.text[0]);
    for (size_t i = 0; i < t.list.len; i++)
        for (int64_t k = 0; k < t.list.p[i].count; k++)
            sum = sum + t.list.p[i].numbers[k];
    err = (struct err){0};
    require(pickle_read(bytes, "x.pkl", t.arena, &err) || err.text[0]);
    tensors_done(&t);
    return 0;
}

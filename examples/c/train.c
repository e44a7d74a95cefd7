/* A toy training in C: gradient descent down a valley that is steep on one
 * side.
 *
 *     cc -o train train.c $(pkg-config --cflags --libs throng)
 *     ./train                              by hand, with the values below */
#include <math.h>
#include <stdio.h>
#include <throng.h>

int main(void)
{
    char *why;
    struct throng *t = throng_open_why(&why);
    if (!t) {
        fprintf(stderr, "train: %s\n", why);
        return 1;
    }
    double lr = throng_param_double(t, "lr", 0.1);
    double momentum = throng_param_double(t, "momentum", 0.9);
    long long epochs = throng_param_int(t, "epochs", 20);
    if (lr <= 0)
        return THRONG_EXIT_INVALID;

    double x = 3, y = 2, dx = 0, dy = 0, loss = 0;
    for (long long epoch = 1; epoch <= epochs; epoch++) {
        dx = momentum * dx - lr * x;
        dy = momentum * dy - lr * 8 * y;
        x += dx;
        y += dy;
        loss = x * x / 2 + 4 * y * y;
        throng_report(t, epoch, "loss", loss);
        if (throng_should_stop(t))
            break;
    }
    printf("ended at %.3f, %.3f with loss %.4g\n", x, y, loss);
    throng_close(t);
    return isfinite(loss) ? 0 : 1;
}

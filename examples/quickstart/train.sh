#!/bin/sh
# A toy training: gradient descent with momentum down a narrow valley.
#
# Its parameters come in as THRONG_P_<name>; `throng report` hands a metric
# back and answers, by its exit status, whether to go on (0) or stop (10).
lr=${THRONG_P_lr:-0.1}
momentum=${THRONG_P_momentum:-0.9}
depth=${THRONG_P_depth:-2}

epochs=10

awk -v lr="$lr" -v momentum="$momentum" -v depth="$depth" \
    -v epochs="$epochs" 'BEGIN {
    x = 3; y = 2
    for (epoch = 1; epoch <= epochs; epoch++) {
        for (i = 0; i < 5; i++) {
            dx = momentum * dx - lr * x
            dy = momentum * dy - lr * 8 * y
            x += dx
            y += dy
        }
        loss = x * x / 2 + 4 * y * y
        if (loss > 1e6)
            loss = 1e6
        # A deeper model can come closer to the data.
        printf "%d %.6g\n", epoch, loss + 0.4 / depth
    }
}' | while read -r epoch loss; do
    throng report step="$epoch" loss="$loss"
    answer=$?
    if [ "$answer" -eq 10 ]; then
        exit 0
    elif [ "$answer" -ne 0 ]; then
        exit "$answer"
    fi
done

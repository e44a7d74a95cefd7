#!/bin/sh
# get.sh - put the data where model.yaml looks for it: data/SET-x, data/SET-labels
#
#   sh get.sh FOLDER   the published sets, from files in FOLDER
#   sh get.sh          numbers of the same kind, made up
set -eu
mkdir -p data

real() { # SET FILES
    for part in x-idx2-float.gz labels.txt; do
        to=data/$1-${part%%[-.]*}
        rm -f "$to"
        cp "$folder/$2-$part" "$to"
    done
}

# Twenty genes tell the classes apart, the others say nothing.
made() { # SET ROWS GENES CLASSES
    awk -v rows="$2" -v genes="$3" -v classes="$4" -v name="data/$1" 'BEGIN {
        srand(1)
        for (r = 0; r < rows; r++) {
            class = r % classes
            line = ""
            for (g = 0; g < genes; g++) {
                level = 100 * (rand() + rand() + rand())
                if (g < 20 && g % classes == class)
                    level += 150
                line = line (g ? "," : "") sprintf("%.1f", level)
            }
            print line > (name "-x")
            print "class" class > (name "-labels")
        }
    }'
}

if [ $# -gt 0 ]; then
    folder=$1
    real leukaemia golub
    real colon alon
    real srbct khan-train
else
    made leukaemia 72 400 2
    made colon 62 300 2
    made srbct 63 300 4
fi

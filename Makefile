# Two verbs do everything: `make demo` and `make test`. See README.md.

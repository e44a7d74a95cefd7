/* shell.h - where in a text for a shell a value would stand (inside of plan
 * only)
 *
 * A scanner goes through the text as a shell would: quotes, $( ), backticks,
 * ${ }, arithmetic, comments, here-documents, and which word another shell
 * takes for code. It need not be right for a value to be harmless: what has
 * other than harmless letters never gets into the text, only the name of a
 * variable does (shell_line.c). It must be right for the program to see the
 * value whole. */
#ifndef THRONG_PLAN_SHELL_H
#define THRONG_PLAN_SHELL_H

#include "base/str.h"

enum shell_place {
    SHELL_BARE,    /* among words */
    SHELL_DOUBLE,  /* inside of "…", or of a here-document */
    SHELL_SINGLE,  /* inside of '…' */
    SHELL_COMMENT, /* nobody reads it */
    SHELL_NUMBER,  /* arithmetic: bash evaluates what a variable holds */
    SHELL_FIXED,   /* a here-document in which nothing is expanded */
    SHELL_CODE,    /* another shell, or eval, takes it for code */
};

#define SHELL_DEPTH_MAX 32
#define SHELL_HERE_MAX 8

enum shell_frame_kind {
    FRAME_COMMANDS, /* the text itself, $(…), (…) */
    FRAME_BACKTICK,
    FRAME_DOUBLE,
    FRAME_SINGLE,
    FRAME_ANSI,  /* $'…' */
    FRAME_PARAM, /* ${…} */
    FRAME_ARITH, /* $((…)), ((…)) */
    FRAME_COMMENT,
    FRAME_HERE,
};

struct shell_here {
    struct str end; /* as written, with its quotes */
    bool fixed;     /* they say: expand nothing */
    bool tabs;      /* <<-: tabs before it do not count */
    bool code;      /* a shell reads the document */
    bool program;   /* python - does */
};

enum shell_taken {
    SHELL_TAKES_NOTHING,
    SHELL_TAKES_REST, /* the rest of the word is code: --eval=… */
    SHELL_TAKES_NEXT, /* the next word is: --eval … */
};

/* Which programs with options for code are among the words of a command. */
struct shell_takers {
    unsigned set;
    bool value_next; /* the next word is an option's value */
};

struct shell_frame {
    enum shell_frame_kind kind;
    bool bracket;           /* arithmetic in $[…] */
    bool quoted;            /* a ${…} inside of "…" */
    bool number;            /* a ${…} whose inside is arithmetic */
    unsigned depth;         /* of parentheses in arithmetic */
    struct shell_here here; /* of a here-document */
    /* Of a text of commands: */
    size_t word; /* where the word began */
    bool in_word;
    bool begun;        /* the command has its first word */
    bool shell;        /* a shell is among the words of the command */
    bool line_shell;   /* and of the line: it may read a document */
    bool interpreter;  /* a program that takes code as an argument is */
    bool line_program; /* and in the line one with no file of code is */
    bool make;         /* make is: it expands what is given as a variable */
    bool sources;      /* the command is `.` or `source` */
    bool code_next;    /* the next word that is no option is code */
    bool code_rest;    /* all words are, to the end of the command */
    bool declares;     /* words without = are names that are evaluated */
    bool program_next; /* the next word is code of an interpreter */
    bool tests;        /* test, [ or printf, of which -v takes a name */
    bool compares;     /* inside of [[ … -eq … ]] */
    struct shell_takers takers;
    unsigned cases; /* open case … esac, whose ) closes nothing */
};

struct shell_scan {
    struct str text;
    size_t at;
    size_t depth; /* the frame on top is stack[depth] */
    struct shell_frame stack[SHELL_DEPTH_MAX];
    struct shell_here here[SHELL_HERE_MAX]; /* begin at the next line */
    size_t here_count;
    bool integers; /* declare -i was there: assignments are arithmetic */
    bool all_code; /* what it prints is piped into a shell, or it is too deep */
};

void shell_scan_init(struct shell_scan *s, struct str text);
/* Goes on by one thing: a letter, an escaped one, `${`, … */
void shell_scan_step(struct shell_scan *s);
/* Goes over n bytes that are part of a word, whatever they are. */
void shell_scan_skip(struct shell_scan *s, size_t n);
enum shell_place shell_scan_place(const struct shell_scan *s);
/* True in a text that an interpreter (python -c, awk, …) takes for code. */
bool shell_scan_in_program(const struct shell_scan *s);

/* A program by the last part of its path. */
bool shell_is_shell(struct str program);       /* that reads sh's language */
bool shell_is_other_shell(struct str program); /* csh, fish */
bool shell_is_remote(struct str program);      /* ssh, watch: joins its words */
bool shell_is_interpreter(struct str program);
bool shell_is_make(struct str program);
/* Does the word, an option, take code? Note asks after each word. */
enum shell_taken shell_takers_ask(const struct shell_takers *t,
                                  struct str word);
void shell_takers_note(struct shell_takers *t, struct str word);
bool shell_is_python(struct str program);
/* One whose first argument, if it is no option, is a script. */
bool shell_runs_file(struct str program);
/* -c, -lc, -ec: its script is the next word that is no option. */
bool shell_takes_script(struct str word);
/* True for letters that mean nothing to any shell, anywhere. */
bool shell_harmless(struct str value);

#endif

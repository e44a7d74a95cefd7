/* completion.c - scripts that let a shell complete throng's command lines
 *
 * They only ask `throng __complete`, so that they never grow old. */
#include "cli/cli.h"

static const char bash_script[] =
    "# Completion of throng for bash. Use it now with\n"
    "#   source <(throng completion bash)\n"
    "# and always by writing it to\n"
    "#   ~/.local/share/bash-completion/completions/throng\n"
    "_throng() {\n"
    "    local line=${COMP_LINE:0:COMP_POINT} cur lead= reply words\n"
    "    read -ra words <<<\"$line\"\n"
    "    [[ $line == *[[:space:]] ]] && words+=(\"\")\n"
    "    cur=${words[${#words[@]} - 1]}\n"
    "    # bash breaks words at : and =, so what it has already is left out.\n"
    "    [[ $cur == *[:=]* ]] && lead=${cur%\"${cur##*[:=]}\"}\n"
    "    COMPREPLY=()\n"
    "    while IFS=$'\\t' read -r reply _; do\n"
    "        if [[ $reply == :files ]]; then\n"
    "            compopt -o filenames 2>/dev/null\n"
    "            mapfile -t -O ${#COMPREPLY[@]} COMPREPLY \\\n"
    "                < <(compgen -f -- \"${cur#\"$lead\"}\")\n"
    "        else\n"
    "            [[ $reply == *[:=] ]] && compopt -o nospace 2>/dev/null\n"
    "            COMPREPLY+=(\"${reply#\"$lead\"}\")\n"
    "        fi\n"
    "    done < <(\"${words[0]}\" __complete -- \"${words[@]:1}\" "
    "2>/dev/null)\n"
    "}\n"
    "complete -F _throng throng\n";

static const char zsh_script[] =
    "#compdef throng\n"
    "# Completion of throng for zsh. Use it now with\n"
    "#   source <(throng completion zsh)\n"
    "# and always by writing it to a file _throng in a folder of $fpath.\n"
    "_throng() {\n"
    "    local line name help\n"
    "    local -a found\n"
    "    for line in \"${(@f)$(${words[1]} __complete -- "
    "\"${(@)words[2,CURRENT]}\" 2>/dev/null)}\"; do\n"
    "        [[ -n $line ]] || continue\n"
    "        if [[ $line == :files ]]; then\n"
    "            _files\n"
    "            continue\n"
    "        fi\n"
    "        name=${line%%$'\\t'*}\n"
    "        help=${line#*$'\\t'}\n"
    "        found+=(\"${name//:/\\\\:}:$help\")\n"
    "    done\n"
    "    (( $#found )) && _describe 'throng' found\n"
    "}\n"
    "if [ \"$funcstack[1]\" = \"_throng\" ]; then\n"
    "    _throng \"$@\"\n"
    "else\n"
    "    compdef _throng throng\n"
    "fi\n";

static const char fish_script[] =
    "# Completion of throng for fish. Use it now with\n"
    "#   throng completion fish | source\n"
    "# and always by writing it to ~/.config/fish/completions/throng.fish\n"
    "function __throng_complete\n"
    "    set -l words (commandline -opc) (commandline -ct)\n"
    "    for line in ($words[1] __complete -- $words[2..-1] 2>/dev/null)\n"
    "        if test \"$line\" = :files\n"
    "            __fish_complete_path (commandline -ct)\n"
    "        else\n"
    "            echo $line\n"
    "        end\n"
    "    end\n"
    "end\n"
    "complete -c throng -f -a '(__throng_complete)'\n";

static const struct {
    const char *shell, *script;
} scripts[] = {
    {"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}};

static int run(struct call *c)
{
    static const char *const names[] = {"bash", "zsh", "fish", NULL};
    if (c->arg_count != 1)
        return call_usage(c, "name the shell: bash, zsh or fish");
    for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++)
        if (!strcmp(scripts[i].shell, c->args[0])) {
            put(str_of(scripts[i].script));
            return EXIT_OK;
        }
    static const char *const others[] = {"sh",   "csh",  "tcsh",   "ksh",
                                         "dash", "nu",   "elvish", "pwsh",
                                         "mksh", "xonsh"};
    const char *near = str_nearest(str_of(c->args[0]), names);
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (!strcmp(others[i], c->args[0]))
            near = NULL;
    if (near)
        return call_usage(c,
                          "there is no completion for `%s`; did you mean "
                          "%s?",
                          c->args[0], near);
    return call_usage(c,
                      "there is no completion for `%s`; there is for bash, "
                      "zsh and fish",
                      c->args[0]);
}

VERB(completion) = {
    .name = "completion",
    .args = "bash|zsh|fish",
    .summary = "Print a script that completes command lines",
    .text = "Verbs, options, studies, trials, parameters and metrics are "
            "completed with the\nTab key. For this shell:\n\n    source "
            "<(throng completion bash)\n",
    .options = (const struct option_spec[]){{0}},
    .run = run,
};

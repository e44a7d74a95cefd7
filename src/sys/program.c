/* program.c - finding the file of a program
 *
 * The search happens in the parent and not by trying execve in the child:
 * so the reasons for "does not start" can be told apart, and the child of a
 * vfork has less to do. */
#include "sys/program.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "sys/sys.h"

#define DEFAULT_PATH "/usr/local/bin:/bin:/usr/bin"

int program_from_here(const char *program, const char *cwd, char path[PATH_MAX])
{
    int n = cwd && program[0] != '/'
                ? snprintf(path, PATH_MAX, "%s/%s", cwd, program)
                : snprintf(path, PATH_MAX, "%s", program);
    return n < 0 || n >= PATH_MAX ? ENAMETOOLONG : 0;
}

/* 0 when program is a file that we may execute, else the errno. */
static int check(const char *program, const char *cwd)
{
    char path[PATH_MAX];
    struct stat st;
    int error = program_from_here(program, cwd, path);
    if (error)
        return error;
    if (stat(path, &st) < 0)
        return errno;
    if (!S_ISREG(st.st_mode))
        return EACCES;
    return access(path, X_OK) < 0 ? errno : 0;
}

static int find_in_path(const char *name, struct str rest, const char *cwd,
                        char program[PATH_MAX])
{
    struct str folder;
    char candidate[PATH_MAX];
    int worst = ENOENT;
    while (str_split(&rest, ':', &folder)) {
        /* An empty entry means the current folder. */
        int n = folder.len ? snprintf(candidate, PATH_MAX, "%.*s/%s",
                                      STRF(folder), name)
                           : snprintf(candidate, PATH_MAX, "./%s", name);
        if (n < 0 || n >= PATH_MAX)
            continue;
        int error = check(candidate, cwd);
        bool first_refusal = error == EACCES && worst != EACCES;
        if (!error || first_refusal)
            memcpy(program, candidate, (size_t)n + 1);
        if (!error)
            return 0;
        if (error == EACCES)
            worst = EACCES;
    }
    return worst;
}

int program_find(const char *name, const char *path_env, const char *cwd,
                 char program[PATH_MAX])
{
    if (!name[0])
        return ENOENT;
    if (strchr(name, '/')) {
        size_t len = strlen(name);
        if (len >= PATH_MAX)
            return ENAMETOOLONG;
        memcpy(program, name, len + 1);
        return check(name, cwd);
    }
    if (!path_env || !path_env[0])
        path_env = DEFAULT_PATH;
    return find_in_path(name, str_of(path_env), cwd, program);
}

char *path_program(struct arena *a, const char *name, const char *path_env)
{
    char program[PATH_MAX];
    if (!path_env)
        path_env = getenv("PATH");
    if (program_find(name, path_env, NULL, program) != 0)
        return NULL;
    return arena_cstr(a, str_of(program));
}

char *path_of_ours(struct arena *a, const char *name)
{
    static const char *const folders[] = {"", "../libexec/throng/"};
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    self[n > 0 ? n : 0] = 0;
    for (size_t i = 0; n > 0 && i < sizeof(folders) / sizeof(*folders); i++) {
        char *path = path_join(a, path_folder(a, self),
                               arena_printf(a, "%s%s", folders[i], name));
        if (access(path, X_OK) == 0)
            return path;
    }
    return path_program(a, name, NULL);
}

/* options.h: the command line, read. */
#ifndef KGEN_TOOL_OPTIONS_H
#define KGEN_TOOL_OPTIONS_H

#include "tool/compile.h"
#include "tool/dump.h"
#include "tool/output.h"

struct command_line;

struct command {
    const char *name;
    const char *operands;           /* for people: "FILE.def" */
    const char *help;
    int operand_min, operand_max;
    uint32_t options;               /* which it takes: bits by enum option_bit */
    enum status (*run)(struct command_line *);
};

/* commands.c; the first is what a command line without a command means. */
extern const struct command commands[];
extern const int command_count;

/* commands.c: parses and compiles PATH; STATUS_INPUT after messages, also when there
 * is no module that was asked for. */
enum status compile_source(struct compilation *c, const struct command_line *line,
                           const char *path);
/* What `[FILE.def] [KERNEL]` names; without a file it is kernels.def, without a kernel NULL. */
void take_kernel(const struct command_line *line, const char **file, const char **kernel);
/* The commands with a file of their own. */
enum status run_test(struct command_line *line);        /* test.c */
enum status run_verify(struct command_line *line);      /* verify.c */
enum status run_cost(struct command_line *line);        /* cost.c */
enum status run_list(struct command_line *line);        /* list.c */

/* verify.c: proves every module's texts; differences are messages. REPORT (or
 * NULL) gets a line a kernel. */
bool verify_compilation(const struct compilation *c, const struct compile_options *o,
                        struct text *report);

enum option_bit {
    OPTION_TARGET = 1 << 0, OPTION_OUTPUT = 1 << 1, OPTION_MODULE = 1 << 2, OPTION_STYLE = 1 << 3,
    OPTION_TUNE = 1 << 4, OPTION_CHECK = 1 << 5, OPTION_DEPENDENCIES = 1 << 6, OPTION_DUMP = 1 << 7,
    OPTION_VERIFY = 1 << 8, OPTION_TEXT = 1 << 9, OPTION_PREFIX = 1 << 10,
    OPTION_UNFUSED = 1 << 11, OPTION_CORE = 1 << 12, OPTION_PAIRS = 1 << 13, OPTION_FORM = 1 << 14,
    OPTION_EFFORT = 1 << 15,
};

struct command_line {
    const struct command *command;
    VEC(const char *) operands;
    struct compile_options compile;
    const char *directory;          /* -o, or NULL */
    const struct dump *dump;        /* --dump, or NULL */
    const char *text;               /* --text, or NULL */
    bool check, dependencies;       /* --check, -MD */
    bool unverified;                /* --no-verify */
    const struct core *core;        /* --core: to run the model of; NULL: none was named */
    bool pairs;                     /* --pairs */
    enum { FORM_TABLE, FORM_LINES, FORM_MCA } form;     /* of what cost prints */
    enum { ASK_NOTHING, ASK_HELP, ASK_VERSION } ask;
};

/* False when it is wrong; the reason was printed. */
bool read_command_line(struct command_line *c, int argc, char **argv);
void add_help(struct text *out);
/* Prints "kgen: …" and the way to the help. */
enum status usage_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#define KGEN_VERSION "0.1.0"

#endif

/* main.c: the kgen command.
 *
 * Reads the command line, runs one row of the table of commands, prints the
 * messages that were collected, and gives the status.
 */
#include "tool/options.h"

int main(int argc, char **argv)
{
    struct command_line line = {0};
    struct text out = {0};
    enum status status = STATUS_USAGE;

    if (read_command_line(&line, argc, argv)) {
        switch (line.ask) {
        case ASK_HELP:
            add_help(&out);
            status = print_text(&out);
            break;
        case ASK_VERSION:
            text_add(&out, "kgen " KGEN_VERSION "\n");
            status = print_text(&out);
            break;
        case ASK_NOTHING:
            status = line.command->run(&line);
            break;
        }
    }
    diag_flush();
    mem_release();
    return (int)status;
}

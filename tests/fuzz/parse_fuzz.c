/* parse_fuzz.c: any bytes give a tree or messages, never a crash or a hang.
 *
 * A libFuzzer target (`make fuzz`). Takes the bytes as one source file, parses
 * and prints them, then runs the whole pipeline. Besides what the sanitizers
 * see, the messages themselves are checked: printable, at most 20 errors, and
 * at least one when the source was not accepted.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/diag.h"
#include "base/mem.h"
#include "lang/ast.h"
#include "tool/compile.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

enum { ERROR_LIMIT = 20 };

static void require(int holds)
{
    if (!holds)
        abort();
}

static void check_messages(void)
{
    const struct text *t = diag_messages();

    require(error_count() >= 0 && error_count() <= ERROR_LIMIT);
    require((error_count() == 0) == (t->n == 0));
    for (size_t i = 0; i < t->n;) {
        const size_t length = utf8_length(t->at + i, t->n - i);
        const unsigned char c = (unsigned char)t->at[i];

        require(length != 0);
        require(length > 1 || c == '\n' || c == '\t' || (c >= 0x20 && c < 0x7f));
        i += length;
    }
}

/* Depth as a walk would meet it, not as the parser counted it. */
static int depth_of(const struct node *n)
{
    int depth = 0;

    for (; n != NULL; n = n->next) {
        const struct node *const children[] = {n->a, n->b, n->list, n->type, n->step,
                                               n->widths, n->body, n->other};

        for (int i = 0; i < COUNT(children); i++) {
            const int below = children[i] != NULL ? depth_of(children[i]) + 1 : 0;

            depth = below > depth ? below : depth;
        }
    }
    return depth;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    const char *text = (const char *)bytes;
    struct text printed = {0};
    struct node *declarations;

    diag_reset();
    declarations = parse_text("fuzz.def", text, n);
    check_messages();
    require(depth_of(declarations) <= AST_DEPTH_LIMIT);
    ast_print(&printed, declarations);
    mem_release();

    require(compile_text("fuzz.def", text, n) == (error_count() == 0));
    check_messages();
    mem_release();
    return 0;
}

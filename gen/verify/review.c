/* review.c: see review.h. Places, not expressions: what is expanded several times,
 * for a caller or for a width of a loop, is one line of the source. */
#include "verify/review.h"

#include <inttypes.h>

#include "lang/check.h"

struct places { VEC(struct loc) at; };

static void add_place(struct places *p, struct loc where)
{
    for (int i = 0; i < p->at.n; i++)
        if (p->at.at[i].file == where.file && p->at.at[i].line == where.line &&
            p->at.at[i].col == where.col)
            return;
    vec_push(&p->at, where);
}

static void find_in_expr(struct places *p, const struct expr *e)
{
    const struct expr *child;
    if (e->kind == E_DECLASSIFY)
        add_place(p, e->loc);
    for each_child(child, e)
        find_in_expr(p, child);
}

static void find_in_stmts(struct places *p, const struct stmt *s)
{
    const struct expr *e;
    const struct stmt *body;
    for (; s; s = s->next) {
        for each_expr(e, s)
            find_in_expr(p, e);
        for each_body(body, s)
            find_in_stmts(p, body);
        if (s->kind == S_CALL)
            find_in_stmts(p, s->callee->body);
    }
}

void review_declassified(struct text *out, const struct func *f)
{
    struct places p = { 0 };
    find_in_stmts(&p, f->body);
    for (int i = 0; i < p.at.n; i++) {
        const struct loc where = p.at.at[i];
        size_t n;
        const char *line = source_line(where.file, where.line, &n);
        while (n > 0 && (*line == ' ' || *line == '\t'))
            line++, n--;
        text_format(out, "  declassifies, %s:%" PRIu32 ":%" PRIu32 ": %.*s\n", source_name(where.file),
                    where.line, where.col, (int)n, line);
    }
}

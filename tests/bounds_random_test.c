/* bounds_random_test.c: what the bounds proof accepts stays in bounds.
 *
 * Makes random kernels of loops, conditions, early returns and index arithmetic
 * that may wrap, and runs those that were accepted by walking the typed tree
 * with numbers: every access must be inside its extent, for small and huge
 * scalars; and with the output the same array as the input, the result must be
 * what it is with two arrays.
 *
 * Most random kernels are wrong, as they should be; the last claim is that
 * enough are accepted for the others to mean something.
 */
#include <string.h>

#include "base/text.h"
#include "lang/check.h"
#include "suites.h"

enum { LONGEST = 12, FIXED = 8, STEPS = 500, PROGRAMS = 400 };

/* -- random sources -- */

static uint32_t seed;

static int draw(int n)
{
    seed = seed * 1664525u + 1013904223u;
    return (int)(seed >> 16) % n;
}

static const char *pick(const char *const *list, int n)
{
    return list[draw(n)];
}
#define PICK(...) pick((const char *const[]){ __VA_ARGS__ }, COUNT(((const char *const[]){ __VA_ARGS__ })))

struct source { struct text text; int depth, loops; };

static const char *name(const struct source *s)
{
    return s->loops > 0 && draw(2) == 0 ? mem_format("i%d", draw(s->loops))
                                        : PICK("x", "x", "y", "n", "n", "k", "m");
}

static const char *index_of(const struct source *s)
{
    const char *a = name(s);

    switch (draw(8)) {
    case 0: return mem_format("%s + %d", a, draw(3));
    case 1: return mem_format("%s - %d", a, 1 + draw(2));
    case 2: return mem_format("%s - %s", name(s), a);
    case 3: return mem_format("%s / %d * %d", a, 2 << draw(2), 2 << draw(2));
    case 4: return mem_format("%s + %s", name(s), a);
    case 5: return mem_format("%s %% %d", a, 2 << draw(3));
    case 6: return mem_format("%s * 2 + %d", a, draw(2));
    default: return a;
    }
}

static const char *condition(const struct source *s)
{
    const char *test = mem_format("%s %s %s", index_of(s), PICK("<", "<=", "!=", "==", ">="),
                                  draw(3) == 0 ? mem_format("%d", draw(9)) : name(s));

    return draw(5) == 0 ? mem_format("%s %s %s < n", test, PICK("&&", "||"), name(s)) : test;
}

static void statements(struct source *s, int n);

static void block(struct source *s)
{
    s->depth++;
    statements(s, 1 + draw(2));
    s->depth--;
}

static void loop(struct source *s)
{
    if (s->loops >= 3)
        return;
    text_format(&s->text, "for i%d in %s..%s%s { ", s->loops, PICK("0", "0", "1", "x"),
                PICK("n", "n", "n / 2", "n - 1", "8", "m"), PICK("", "", " step 2", " unroll 2, 1"));
    s->loops++;
    block(s);
    s->loops--;
    text_add(&s->text, "}\n");
}

/* Accesses that have a chance: guarded, masked, or at the index itself. */
static void access_to(struct source *s)
{
    const char *at = index_of(s), *other = draw(3) == 0 ? index_of(s) : at;

    switch (draw(7)) {
    case 0: text_format(&s->text, "if %s < n { r[%s] = a[%s] ^ 1; }\n", at, at, other); break;
    case 1: text_format(&s->text, "t[(%s) %% 8] = n;\n", at); break;
    case 2: text_format(&s->text, "t[(%s) & %d] = n;\n", at, 3 << draw(3)); break;
    case 3: text_format(&s->text, "r[%s] = a[%s];\n", name(s), name(s)); break;
    case 4: text_format(&s->text, "if %s { r[%s] = 3; }\n", condition(s), at); break;
    case 5: text_format(&s->text, "if %s < n { t[1] = a[%s]; }\n", at, other); break;
    default: text_format(&s->text, "if %s && %s < n { r[%s] = 5; }\n", condition(s), other, other);
    }
}

static void statement(struct source *s)
{
    switch (draw(s->depth < 3 ? 10 : 5)) {
    case 0: {
        const char *v = PICK("x", "y");
        text_format(&s->text, "%s = %s * 0 + %s;\n", v, v, index_of(s));
        break;
    }
    case 5:
        text_format(&s->text, "if %s { ", condition(s));
        block(s);
        text_add(&s->text, "} else { ");
        block(s);
        text_add(&s->text, "}\n");
        break;
    case 6:
        text_format(&s->text, "if %s { return x + y; }\n", condition(s));
        break;
    case 7:
        text_format(&s->text, "while %s { ", condition(s));
        block(s);
        text_format(&s->text, "x = x %s %d; }\n", PICK("+", "-"), 1 + draw(2));
        break;
    case 8:
    case 9: loop(s); break;
    default: access_to(s); break;
    }
}

static void statements(struct source *s, int n)
{
    for (int i = 0; i < n; i++)
        statement(s);
}

static const char *random_kernel(void)
{
    struct source s = { { NULL, 0, 0 }, 0, 0 };

    text_add(&s.text, "module \"m\";\n"
                      "export fn f(r: out u64[n], a: in u64[n], t: out u64[8], n: u64, k: u64,"
                      " m: u64 in {1, 3, 6}) -> u64 {\n"
                      "var x: u64 = m; var y: u64 = k;\n"
                      "if n != 0 { t[7] = a[0]; }\n");
    statements(&s, 2 + draw(3));
    text_add(&s.text, "if n != 0 { r[n - 1] = r[n - 1] ^ 1; }\nreturn x + y + k + m;\n}\n");
    return s.text.at;
}

/* -- the tree, run with numbers -- */

struct run {
    const struct func *f;
    uint64_t *var;
    uint64_t *memory[3];        /* r, a, t */
    uint64_t words[3];
    int steps;
    bool outside;
};

static uint64_t value(struct run *run, const struct expr *e);

static uint64_t *place(struct run *run, const struct access *a)
{
    const uint64_t offset = value(run, a->offset);

    ck_assert_uint_eq(offset % 8, 0);
    if (offset / 8 >= run->words[a->object->id]) {
        run->outside = true;
        run->steps = STEPS;
        return run->var;        /* anything that exists */
    }
    return &run->memory[a->object->id][offset / 8];
}

static uint64_t binary(enum op op, uint64_t a, uint64_t b)
{
    switch (op) {
    case BIN_ADD: return a + b;
    case BIN_SUB: return a - b;
    case BIN_MUL: return a * b;
    case BIN_DIV: return a / b;
    case BIN_MOD: return a % b;
    case BIN_XOR: return a ^ b;
    case BIN_AND: return a & b;
    case BIN_SHL: return a << b;
    case BIN_SHR: return a >> b;
    case BIN_EQ: return a == b;
    case BIN_NE: return a != b;
    case BIN_LT: return a < b;
    case BIN_LE: return a <= b;
    case BIN_GT: return a > b;
    case BIN_GE: return a >= b;
    case BIN_LOGIC_AND: return a & b;
    case BIN_LOGIC_OR: return a | b;
    default: ck_abort_msg("operator %s", op_text[op]); return 0;
    }
}

static uint64_t value(struct run *run, const struct expr *e)
{
    switch (e->kind) {
    case E_CONST: return e->value[0];
    case E_VAR: return run->var[e->var->id];
    case E_LOAD: return *place(run, &e->access);
    case E_CONVERT: return value(run, e->a);        /* everything here is 64 bits */
    case E_BINARY:
    case E_COMPARE:
    case E_LOGIC: return binary(e->op, value(run, e->a), value(run, e->b));
    default: ck_abort_msg("expression %d", (int)e->kind); return 0;
    }
}

/* False: returned, or gave up. */
static bool run_list(struct run *run, const struct stmt *s);

static bool run_for(struct run *run, const struct stmt *s)
{
    uint64_t at = value(run, s->lo);
    const uint64_t hi = value(run, s->hi);

    for (int arm = 0; arm < s->arm_count; arm++) {
        const uint64_t group = (uint64_t)s->arms[arm].width * s->step;

        while (at < hi && hi - at > group - s->step)
            for (int i = 0; i < s->arms[arm].width; i++, at += s->step) {
                run->var[s->index->id] = at;
                if (!run_list(run, s->arms[arm].body))
                    return false;
            }
    }
    return true;
}

static bool run_stmt(struct run *run, const struct stmt *s)
{
    if (++run->steps > STEPS)
        return false;
    switch (s->kind) {
    case S_ASSIGN:
        run->var[s->var->id] = value(run, s->value);
        return true;
    case S_STORE: {
        const uint64_t v = value(run, s->value);
        *place(run, &s->access) = v;
        return run->steps < STEPS;
    }
    case S_FOR:
        return run_for(run, s);
    case S_WHILE:
        while (value(run, s->cond) != 0)
            if (!run_list(run, s->body) || ++run->steps > STEPS)
                return false;
        return true;
    case S_IF:
        return run_list(run, value(run, s->cond) != 0 ? s->body : s->other);
    default:
        return false;
    }
}

static bool run_list(struct run *run, const struct stmt *s)
{
    for (; s != NULL; s = s->next)
        if (!run_stmt(run, s))
            return false;
    return true;
}

/* -- claims about one accepted kernel -- */

struct memory { uint64_t r[LONGEST], a[LONGEST], t[FIXED]; };

static void run_once(const struct func *f, struct memory *m, bool same, uint64_t n, uint64_t k,
                     uint64_t set, const char *source)
{
    struct run run = { .f = f, .var = NEW_ARRAY(uint64_t, f->vars.n + 1) };
    const uint64_t params[] = { n, k, set };
    int at = 0;

    for (int i = 0; i < LONGEST; i++)
        m->r[i] = m->a[i] = 1000 + (uint64_t)i;
    run.memory[0] = m->r;
    run.memory[1] = same ? m->r : m->a;
    run.memory[2] = m->t;
    run.words[0] = run.words[1] = n;
    run.words[2] = FIXED;
    for (int i = 0; i < f->param_count; i++)
        if (f->params[i].var != NULL)
            run.var[f->params[i].var->id] = params[at++];
    run_list(&run, f->body);
    ck_assert_msg(!run.outside, "n = %llu, k = %llu, m = %llu leave bounds in\n%s",
                  (unsigned long long)n, (unsigned long long)k, (unsigned long long)set, source);
}

static void run_all_inputs(const struct func *f, const char *source)
{
    static const uint64_t others[] = { 0, 1, 2, 5, 9, UINT64_MAX, UINT64_MAX - 3, (uint64_t)1 << 63,
                                       ((uint64_t)1 << 61) + 1 };
    static const uint64_t set[] = { 1, 3, 6 };

    for (uint64_t n = 1; n <= LONGEST; n++)
        for (int i = 0; i < COUNT(others); i++)
            for (int j = 0; j < COUNT(set); j++) {
                struct memory apart = { { 0 }, { 0 }, { 0 } }, same = apart;

                run_once(f, &apart, false, n, others[i], set[j], source);
                run_once(f, &same, true, n, others[i], set[j], source);
                ck_assert_msg(memcmp(apart.r, same.r, sizeof same.r) == 0 &&
                                  memcmp(apart.t, same.t, sizeof same.t) == 0,
                              "in place differs for n = %llu in\n%s", (unsigned long long)n, source);
            }
}

START_TEST(accepted_kernels_stay_in_bounds)
{
    int accepted = 0;

    seed = 7;
    for (int i = 0; i < PROGRAMS; i++) {
        const char *source;

        diag_reset();
        source = random_kernel();
        struct node *decls = parse_text("random.def", source, strlen(source));
        ck_assert_msg(error_count() == 0, "%s", diag_messages()->at);
        struct program *p = check_program(decls);
        if (p == NULL)
            continue;
        accepted++;
        run_all_inputs(p->modules.at[0]->funcs.at[0], source);
    }
    ck_assert_int_gt(accepted, PROGRAMS / 40);
}
END_TEST

Suite *bounds_random_suite(void)
{
    Suite *s = suite_create("bounds at random");
    TCase *t = tcase_create("random");

    tcase_add_test(t, accepted_kernels_stay_in_bounds);
    tcase_set_timeout(t, 60);
    suite_add_tcase(s, t);
    return s;
}

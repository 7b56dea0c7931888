/* unwind_seh.c: unwind by the exception data of Windows.
 *
 * From Microsoft's "ARM64 exception handling": .pdata records, .xdata records
 * with their epilogue scopes, packed records, and the unwind codes. A code
 * stands for one instruction: inside a prologue the codes of what has not run
 * yet are skipped, inside an epilogue those of what has. Codes are in the order
 * of the epilogue.
 *
 * A function without a record is a leaf: its caller is where x30 says.
 */
#include "harness/unwind.h"

enum { RECORD_SIZE = 8, MAX_CODES = 255 * 4, MAX_CANON = 24, CODE_END = 0xe4, CODE_NEXT = 0xe6 };

/* -- codes -- */

/* First byte under a mask, size, what the operand bits are. */
enum action {
    ALLOCATE, SAVE_X, SAVE_D, SAVE_R19, SAVE_FPLR, SAVE_LR_PAIR, SET_FP, ADD_FP, NOTHING, END, NEXT,
    SIGNED
};
struct code_row {
    uint8_t mask, first;
    int size, reg_bits, offset_bits;
    enum action action;
    int count;                  /* registers */
    bool moves_sp;
};

static const struct code_row code_rows[] = {
    { 0xe0, 0x00, 1, 0, 5,  ALLOCATE,     0, false },   /* alloc_s */
    { 0xe0, 0x20, 1, 0, 5,  SAVE_R19,     2, true },    /* save_r19r20_x */
    { 0xc0, 0x40, 1, 0, 6,  SAVE_FPLR,    2, false },   /* save_fplr */
    { 0xc0, 0x80, 1, 0, 6,  SAVE_FPLR,    2, true },    /* save_fplr_x */
    { 0xf8, 0xc0, 2, 0, 11, ALLOCATE,     0, false },   /* alloc_m */
    { 0xfc, 0xc8, 2, 4, 6,  SAVE_X,       2, false },   /* save_regp */
    { 0xfc, 0xcc, 2, 4, 6,  SAVE_X,       2, true },    /* save_regp_x */
    { 0xfc, 0xd0, 2, 4, 6,  SAVE_X,       1, false },   /* save_reg */
    { 0xfe, 0xd4, 2, 4, 5,  SAVE_X,       1, true },    /* save_reg_x */
    { 0xfe, 0xd6, 2, 3, 6,  SAVE_LR_PAIR, 2, false },   /* save_lrpair */
    { 0xfe, 0xd8, 2, 3, 6,  SAVE_D,       2, false },   /* save_fregp */
    { 0xfe, 0xda, 2, 3, 6,  SAVE_D,       2, true },    /* save_fregp_x */
    { 0xfe, 0xdc, 2, 3, 6,  SAVE_D,       1, false },   /* save_freg */
    { 0xff, 0xde, 2, 3, 5,  SAVE_D,       1, true },    /* save_freg_x */
    { 0xff, 0xe0, 4, 0, 24, ALLOCATE,     0, false },   /* alloc_l */
    { 0xff, 0xe1, 1, 0, 0,  SET_FP,       0, false },   /* set_fp */
    { 0xff, 0xe2, 2, 0, 8,  ADD_FP,       0, false },   /* add_fp */
    { 0xff, 0xe3, 1, 0, 0,  NOTHING,      0, false },   /* nop */
    { 0xff, 0xe4, 1, 0, 0,  END,          0, false },   /* end */
    { 0xff, 0xe6, 1, 0, 0,  NEXT,         0, false },   /* save_next */
    { 0xff, 0xfc, 1, 0, 0,  SIGNED,       0, false },   /* pac_sign_lr */
};

struct codes { uint8_t at[MAX_CODES]; int n; };

static const struct code_row *row_at(const struct codes *c, int i)
{
    for (size_t k = 0; k < sizeof code_rows / sizeof *code_rows; k++) {
        const struct code_row *row = &code_rows[k];
        if (i < c->n && (c->at[i] & row->mask) == row->first && i + row->size <= c->n)
            return row;
    }
    return NULL;
}

/* Codes from i up to `end`, which is not counted; -1 when there is none. */
static int count_codes(const struct codes *c, int i)
{
    int count = 0;
    const struct code_row *row;
    while ((row = row_at(c, i)) != NULL) {
        if (row->action == END)
            return count;
        i += row->size;
        count++;
    }
    return -1;
}

static bool restore(struct unwind_step *s, const struct code_row *row, int reg, uint64_t at,
                    int pairs)
{
    bool (*one)(struct unwind_step *, int, uint64_t) =
        row->action == SAVE_D ? unwind_restore_d : unwind_restore_x;
    int count = row->count + 2 * pairs;
    if (pairs > 0 && row->count != 2)
        return unwind_complain(s, "save_next before what is no pair");
    for (int k = 0; k < count; k++)
        if (!one(s, row->action == SAVE_LR_PAIR && k == 1 ? 30 : reg + k, at + 8 * (uint64_t)k))
            return false;
    return true;
}

/* Undoes one instruction; `pairs` save_next codes came before this one. */
static bool undo(struct unwind_step *s, const struct code_row *row, uint64_t operand, int pairs)
{
    struct emulated_registers *r = s->registers;
    uint64_t offset = operand & (((uint64_t)1 << row->offset_bits) - 1);
    int number = (int)(operand >> row->offset_bits & ((1u << row->reg_bits) - 1));
    /* A move of sp by z slots is stored as z - 1, but for save_r19r20_x. */
    uint64_t slots = row->moves_sp && row->action != SAVE_R19 ? offset + 1 : offset;
    static const int first[] = { [SAVE_X] = 19, [SAVE_D] = 8, [SAVE_R19] = 19, [SAVE_FPLR] = 29 };
    switch (row->action) {
    case ALLOCATE: r->sp += 16 * offset; return true;
    case SET_FP: r->sp = r->x[29]; return true;
    case ADD_FP: r->sp = r->x[29] - 8 * offset; return true;
    case SIGNED: return unwind_authenticate(s);
    case NOTHING: case END: case NEXT: return true;
    default: break;
    }
    int reg = row->action == SAVE_LR_PAIR ? 19 + 2 * number : first[row->action] + number;
    if (!restore(s, row, reg, row->moves_sp ? r->sp : r->sp + 8 * offset, pairs))
        return false;
    if (row->moves_sp)
        r->sp += 8 * slots;
    return true;
}

static uint64_t operand_of(const struct codes *c, int i, const struct code_row *row)
{
    uint64_t v = c->at[i] & (uint8_t)~row->mask;
    for (int k = 1; k < row->size; k++)
        v = v << 8 | c->at[i + k];
    return v;
}

/* Runs the codes from i, but for the first `skip`. */
static bool run(struct unwind_step *s, const struct codes *c, int i, int skip)
{
    const struct code_row *row;
    int pairs = 0;
    while ((row = row_at(c, i)) != NULL && row->action != END) {
        if (skip > 0)
            skip--;
        else if (row->action == NEXT)
            pairs++;
        else if (!undo(s, row, operand_of(c, i, row), pairs))
            return false;
        else
            pairs = 0;
        i += row->size;
    }
    return row != NULL || unwind_complain(s, "an unwind code that no kernel should need");
}

/* -- records -- */

static uint32_t word_of(const struct object_section *s, uint64_t offset, bool *failed)
{
    struct unwind_bytes b = { s->bytes + offset, s->bytes + s->size, false };
    if (offset > s->size)
        *failed = true;
    uint32_t v = offset > s->size ? 0 : (uint32_t)unwind_take(&b, 4);
    *failed |= b.failed;
    return v;
}

struct scope { uint64_t start; int index; };        /* in instructions; in bytes of codes */

struct record {
    struct codes codes;
    struct scope scopes[64];
    int scope_count;
    uint64_t length;            /* in instructions */
};

static bool run_record(struct unwind_step *s, const struct record *r, uint64_t at)
{
    int prologue = count_codes(&r->codes, 0);
    if (prologue < 0)
        return unwind_complain(s, "unwind codes without an end");
    if (at < (uint64_t)prologue)
        return run(s, &r->codes, 0, prologue - (int)at);
    for (int i = 0; i < r->scope_count; i++) {
        int count = count_codes(&r->codes, r->scopes[i].index);
        if (count < 0)
            return unwind_complain(s, "epilogue codes without an end");
        if (at - r->scopes[i].start <= (uint64_t)count)     /* the return, too */
            return run(s, &r->codes, r->scopes[i].index, (int)(at - r->scopes[i].start));
    }
    return run(s, &r->codes, 0, 0);
}

/* The header and the scopes of an .xdata record, then its codes. */
static bool read_xdata(struct unwind_step *s, const struct object_section *x, uint64_t at,
                       struct record *r)
{
    bool failed = false;
    uint32_t header = word_of(x, at, &failed), epilogues = header >> 22 & 31, words = header >> 27;
    at += 4;
    r->length = header & 0x3ffff;
    if ((header >> 18 & 3) != 0 || (header >> 20 & 1) != 0)
        return unwind_complain(s, "an .xdata record with a handler or of another version");
    if (epilogues == 0 && words == 0) {
        uint32_t more = word_of(x, at, &failed);
        at += 4;
        epilogues = more & 0xffff;
        words = more >> 16 & 0xff;
    }
    if ((header >> 21 & 1) != 0) {                  /* one epilogue, at the end */
        r->scopes[0].index = (int)epilogues;
        r->scope_count = 1;
    }
    for (uint32_t i = 0; (header >> 21 & 1) == 0 && i < epilogues && i < 64; i++, at += 4) {
        uint32_t scope = word_of(x, at, &failed);
        r->scopes[r->scope_count++] = (struct scope){ scope & 0x3ffff, (int)(scope >> 22) };
    }
    if (failed || x->size - at < 4 * (uint64_t)words)
        return unwind_complain(s, "an .xdata record that ends too early");
    for (r->codes.n = 0; r->codes.n < 4 * (int)words; r->codes.n++)
        r->codes.at[r->codes.n] = x->bytes[at + (uint64_t)r->codes.n];
    if ((header >> 21 & 1) != 0)
        r->scopes[0].start = r->length - 1 - (uint64_t)count_codes(&r->codes, r->scopes[0].index);
    return true;
}

/* -- packed records: the codes that they stand for -- */

struct canon { uint8_t at[MAX_CANON][2]; int size[MAX_CANON], n, epilogue; };

static void add_code(struct canon *c, unsigned first, int size, bool in_epilogue)
{
    if (c->n == MAX_CANON)
        return;
    c->at[c->n][0] = (uint8_t)(size == 2 ? first >> 8 : first);
    c->at[c->n][1] = (uint8_t)first;
    c->size[c->n++] = size;
    c->epilogue += in_epilogue;
}

/* COUNT registers from `offset`, the first instruction moving sp by `moves`: in
 * pairs, and one alone. The forms are [alone][moves]. */
static void add_saves(struct canon *c, const unsigned forms[2][2], unsigned count, unsigned offset,
                      unsigned moves)
{
    for (unsigned k = 0; k < count; k += 2) {
        bool alone = k + 1 == count, first = k == 0 && moves != 0;
        unsigned z = first ? moves / 8 - 1 : offset / 8 + k;
        unsigned shift = alone && first ? 5 : 6;
        add_code(c, forms[alone][first] | k << shift | z, 2, true);
    }
}

static void add_frame(struct canon *c, unsigned cr, unsigned locals)
{
    if (cr >= 2 && locals <= 512) {
        add_code(c, 0x80 | (locals / 8 - 1), 1, true);          /* save_fplr_x */
    } else if (locals != 0) {
        add_code(c, 0xc000 | locals / 16, 2, true);             /* alloc_m */
        if (cr >= 2)
            add_code(c, 0x40, 1, true);                         /* save_fplr */
    }
    if (cr >= 2)
        add_code(c, 0xe1, 1, false);                            /* set_fp: not undone */
}

/* "Packed unwind data", steps 0 to 5. */
static bool read_packed(struct unwind_step *s, uint32_t word, struct record *r)
{
    static const unsigned general[2][2] = { { 0xc800, 0xcc00 }, { 0xd000, 0xd400 } };
    static const unsigned vector[2][2] = { { 0xd800, 0xda00 }, { 0xdc00, 0xde00 } };
    unsigned reg_f = word >> 13 & 7, reg_i = word >> 16 & 15, cr = word >> 21 & 3;
    unsigned vectors = reg_f ? reg_f + 1 : 0;
    unsigned saves = (8 * (reg_i + vectors) + 15) & ~15u, size = (word >> 23) * 16;
    struct canon c = { .n = 0 };
    r->length = word >> 2 & 0x7ff;
    if ((word >> 20 & 1) != 0 || cr == 1 || size < saves || reg_i > 10)
        return unwind_complain(s, "a packed record that no kernel should need");
    if (cr == 2)
        add_code(&c, 0xfc, 1, true);
    add_saves(&c, general, reg_i, 0, saves);
    add_saves(&c, vector, vectors, 8 * reg_i, reg_i ? 0 : saves);
    add_frame(&c, cr, size - saves);
    for (int i = c.n - 1; i >= 0; i--)
        for (int k = 0; k < c.size[i]; k++)
            r->codes.at[r->codes.n++] = c.at[i][k];
    r->codes.at[r->codes.n++] = CODE_END;
    r->scopes[0] = (struct scope){ r->length - 1 - (uint64_t)c.epilogue, c.n - c.epilogue };
    r->scope_count = 1;
    return true;
}

static const struct object_reference *reference_at(const struct object_file *o, int section,
                                                   uint64_t offset)
{
    for (int i = 0; i < o->reference_count; i++)
        if (o->references[i].section == section && o->references[i].offset == offset)
            return &o->references[i];
    return NULL;
}

bool unwind_seh(struct unwind_step *s)
{
    const struct object_file *o = s->object;
    int section = unwind_section(o, ".pdata");
    uint64_t size = section < 0 ? 0 : o->sections[section].size;
    for (uint64_t at = 0; at + RECORD_SIZE <= size; at += RECORD_SIZE) {
        const struct object_reference *function = reference_at(o, section, at);
        const struct object_reference *data = reference_at(o, section, at + 4);
        struct record r = { .scope_count = 0 };
        bool failed = false;
        uint32_t word = word_of(&o->sections[section], at + 4, &failed);
        if (function == NULL)
            return unwind_complain(s, "a .pdata record of no function");
        if (function->to_section != s->section || s->offset < function->to_offset)
            continue;
        if (data != NULL ? !read_xdata(s, &o->sections[data->to_section], data->to_offset, &r)
                         : !read_packed(s, word, &r))
            return false;
        if ((s->offset - function->to_offset) / 4 < r.length)
            return run_record(s, &r, (s->offset - function->to_offset) / 4);
    }
    return true;                                    /* a leaf */
}

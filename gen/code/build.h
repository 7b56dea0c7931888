/* build.h: making and changing machine code, for the passes in code/.
 *
 * Instructions are doubly linked inside their block; operands follow the row
 * of the instruction table. A pass asks here which registers an instruction
 * reads and writes, so that calls, returns and tied operands are understood in
 * one place only.
 */
#ifndef KGEN_CODE_BUILD_H
#define KGEN_CODE_BUILD_H

#include "code/mach.h"

/* -- registers -- */

struct vreg *vreg_new(struct mach_func *f, enum reg_class class);
/* A new register for the same value: name, place and secrecy are taken over. */
struct vreg *vreg_like(struct mach_func *f, const struct vreg *v);
struct vreg *vreg_fixed(struct mach_func *f, enum reg_class class, reg_number number);
struct vreg *vreg_zero(struct mach_func *f);
struct vreg *vreg_sp(struct mach_func *f);

/* xzr, sp and the frame pointer: never allocated, never live. */
static inline bool vreg_is_constant(const struct vreg *v)
{
    return v->is_fixed && v->class == CLASS_GENERAL
           && (v->assigned == 31 || v->assigned == REG_FRAME);
}

/* -- operands -- */

static inline struct mach_operand op_reg(struct vreg *v)
{
    return (struct mach_operand){ .reg = v };
}
static inline struct mach_operand op_tied(struct vreg *def, struct vreg *use)
{
    return (struct mach_operand){ .reg = def, .tied = use == def ? NULL : use };
}
static inline struct mach_operand op_imm(int64_t n) { return (struct mach_operand){ .imm = n }; }
static inline struct mach_operand op_label(struct mach_block *b)
{
    return (struct mach_operand){ .label = b };
}

/* -- instructions and blocks -- */

struct mach_block *block_new(struct mach_func *f);      /* appended to f->blocks */
struct mach_insn *insn_new(enum insn insn, const struct mach_operand *op, int n);
void insn_append(struct mach_block *b, struct mach_insn *i);
void insn_before(struct mach_insn *at, struct mach_insn *i);
void insn_after(struct mach_insn *at, struct mach_insn *i);
void insn_prepend(struct mach_block *b, struct mach_insn *i);
void insn_remove(struct mach_insn *i);

/* MAKE(INSN_add_x, op_reg(d), op_reg(a), op_reg(b)) */
#define MAKE(insn, ...)                                                           \
    insn_new(insn, (struct mach_operand[]){ __VA_ARGS__ },                        \
             (int)(sizeof((struct mach_operand[]){ __VA_ARGS__ }) / sizeof(struct mach_operand)))

static inline const struct insn_row *row_of(const struct mach_insn *i) { return &insns[i->insn]; }
static inline bool insn_is_branch(const struct mach_insn *i)
{
    return (row_of(i)->flags & IS_BRANCH) != 0;
}
/* A copy between two registers of one class: `mov`, whole. */
bool insn_is_copy(const struct mach_insn *i);
struct mach_insn *copy_new(struct mach_func *f, struct vreg *to, struct vreg *from);

/* -- what an instruction reads and writes -- */

enum { REG_LIST_MAX = 128 };
struct reg_list { struct vreg *at[REG_LIST_MAX]; int n; };

/* General and vector registers but the constant ones; tied ones are in both. */
void insn_uses(const struct mach_insn *i, struct reg_list *out);
void insn_defs(const struct mach_insn *i, struct reg_list *out);
bool insn_reads(const struct mach_insn *i, const struct vreg *v);
bool insn_writes(const struct mach_insn *i, const struct vreg *v);
static inline bool insn_names(const struct mach_insn *i, const struct vreg *v)
{
    return insn_reads(i, v) || insn_writes(i, v);
}
/* Every register becomes the one in INTO, by vreg id. */
void insn_rename_all(struct mach_insn *i, struct vreg *const *into);
void insn_rename_uses(struct mach_insn *i, const struct vreg *from, struct vreg *to);
/* Does it change NZCV, as far as later readers may see? */
static inline bool insn_writes_flags(const struct mach_insn *i)
{
    return (row_of(i)->flags & (WRITES_NZCV | IS_CALL)) != 0;
}
static inline bool insn_reads_flags(const struct mach_insn *i) { return i->flags_in != NULL; }
/* The operand index of a memory access's base; -1 when there is none. */
int insn_base_operand(const struct mach_insn *i);

/* Numbers blocks in layout order and recomputes succs and preds from the
 * terminators. */
void blocks_link(struct mach_func *f);

/* -- bit sets over vreg ids -- */

struct bitset { uint64_t *word; int words; };
struct bitset bitset_new(int bits);
static inline bool bitset_has(const struct bitset *s, int i)
{
    return (s->word[i >> 6] >> (i & 63) & 1) != 0;
}
static inline void bitset_add(struct bitset *s, int i) { s->word[i >> 6] |= 1ull << (i & 63); }
static inline void bitset_drop(struct bitset *s, int i) { s->word[i >> 6] &= ~(1ull << (i & 63)); }
/* The same as insn_uses() and insn_defs(), as members. */
void insn_add_uses(const struct mach_insn *i, struct bitset *s);
void insn_add_defs(const struct mach_insn *i, struct bitset *s);
void insn_drop_defs(const struct mach_insn *i, struct bitset *s);
void bitset_copy(struct bitset *to, const struct bitset *from);
bool bitset_union(struct bitset *to, const struct bitset *from);    /* true: TO grew */
/* The first member at or after I, or -1. */
int bitset_next(const struct bitset *s, int i);

#endif

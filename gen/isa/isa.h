/* isa.h: the AArch64 instructions that kgen knows.
 *
 * One row of insns.def says everything about one form of one instruction: its
 * mnemonic, how it is written, its operands and their roles, its flags, the
 * CPU feature it needs, whether Arm lists its time as data-independent, its
 * timing class and its meaning. The checker (calls by mnemonic), the selector,
 * the printer, the reader, the scheduler and the executor all use that row;
 * nothing about an instruction is anywhere else.
 *
 * A "form" is one print template with one operand signature: `add` has rows
 * add_x, add_x_lsl, add_x_imm, add_w …, add_16b, add_8h ….
 */
#ifndef KGEN_ISA_ISA_H
#define KGEN_ISA_ISA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"
#include "base/text.h"

/* -- operands -- */

enum operand_kind {
    OP_NONE,
    /* general registers; number 31 is the zero register, or sp in *_SP */
    OP_X, OP_W, OP_X_SP, OP_W_SP,
    /* vector registers by arrangement */
    OP_8B, OP_16B, OP_4H, OP_8H, OP_2S, OP_4S, OP_1D, OP_2D, OP_1Q,
    /* vector registers as scalars: b0 h0 s0 d0 q0 */
    OP_B, OP_H, OP_S, OP_D, OP_Q,
    /* vector registers named with an element: v0.b v0.h v0.s v0.d (the index
     * is an operand of its own, printed by the template: "%1[%2]") */
    OP_B_LANE, OP_H_LANE, OP_S_LANE, OP_D_LANE,
    /* everything else */
    OP_IMM,         /* an integer that the row's range accepts */
    OP_COND,        /* a condition: enum cond in .imm */
    OP_LABEL,       /* a basic block */
    OP_SYMBOL,      /* a function or a read-only object; in `adrp` and `add :lo12:` */
    OP_KIND_COUNT
};

/* How an instruction uses an operand. TIED is read and written by the one
 * register field (`aese`, `ins`, `movk`, write-back bases): the operand before
 * allocation has a use and a definition that must get one register. */
enum operand_role { ROLE_NONE, ROLE_DEF, ROLE_USE, ROLE_TIED };

/* What an immediate may be. */
enum imm_range {
    RANGE_NONE,
    RANGE_U1, RANGE_U2, RANGE_U3, RANGE_U4, RANGE_U5, RANGE_U6,  /* 0 .. 2^n - 1 */
    RANGE_U12,                              /* add/sub immediate */
    RANGE_U12_SHIFT12,                      /* a multiple of 4096 below 2^24; printed v >> 12 */
    RANGE_U16,                              /* movz/movn/movk */
    RANGE_SHIFT16_X, RANGE_SHIFT16_W,       /* 0, 16, 32, 48 / 0, 16 */
    RANGE_LOGICAL_X, RANGE_LOGICAL_W,       /* bitmask immediate, Arm ARM: DecodeBitMasks */
    RANGE_LSL_8, RANGE_LSL_16, RANGE_LSL_32, RANGE_LSL_64,       /* 0 .. n - 1 */
    RANGE_LSR_8, RANGE_LSR_16, RANGE_LSR_32, RANGE_LSR_64,       /* 1 .. n */
    RANGE_SHIFT_32, RANGE_SHIFT_64,         /* 1 .. n - 1: a shifted register operand, ror */
    RANGE_LSL_EXT,                          /* 0 .. 4: extended-register shift */
    RANGE_WIDTH_X, RANGE_WIDTH_W,           /* bit-field width 1 .. 64 / 32 */
    RANGE_U8,                               /* movi/mvni/orr/bic bytes */
    RANGE_SHIFT8_H, RANGE_SHIFT8_S,         /* lsl of such a byte: 0, 8 / 0, 8, 16, 24 */
    RANGE_MSL,                              /* 8, 16: the byte shifted up with ones below it */
    RANGE_BYTE_MASK_64,                     /* movi .2d: every byte 0x00 or 0xff */
    RANGE_OFF_B, RANGE_OFF_H, RANGE_OFF_W, RANGE_OFF_X, RANGE_OFF_Q, /* 0 .. 4095 * size */
    RANGE_S9,                               /* unscaled and post-/pre-index: -256 .. 255 */
    RANGE_PAIR_W, RANGE_PAIR_X, RANGE_PAIR_Q, /* signed, scaled: -64*size .. 63*size */
    RANGE_INDEX_SHIFT_0, RANGE_INDEX_SHIFT_1, RANGE_INDEX_SHIFT_2, RANGE_INDEX_SHIFT_3,
    RANGE_INDEX_SHIFT_4,                    /* register offset: 0 or log2(size) */
    RANGE_EXACT_1, RANGE_EXACT_2, RANGE_EXACT_4, RANGE_EXACT_8, RANGE_EXACT_16,
    RANGE_EXACT_24, RANGE_EXACT_32, RANGE_EXACT_48, RANGE_EXACT_64,
                                            /* ld1/st1 post-index: exactly the bytes moved */
    RANGE_NZCV,                             /* 0 .. 15 */
    RANGE_COUNT
};

/* Is VALUE encodable? The one place that knows. */
bool imm_fits(enum imm_range range, int64_t value);
/* "a multiple of 8 between 0 and 32760": for messages. */
const char *imm_describe(enum imm_range range);
bool imm_is_logical(uint64_t value, int bits);

enum cond {                     /* in encoding order, Arm ARM C1.2.4 */
    COND_EQ, COND_NE, COND_HS, COND_LO, COND_MI, COND_PL, COND_VS, COND_VC,
    COND_HI, COND_LS, COND_GE, COND_LT, COND_GT, COND_LE, COND_AL, COND_NV
};
extern const char *const cond_names[16];
static inline enum cond cond_negate(enum cond c) { return (enum cond)(c ^ 1); }

#define MAX_OPERANDS 7

struct operand_spec {
    uint8_t kind;               /* enum operand_kind */
    uint8_t role;               /* enum operand_role */
    uint8_t range;              /* enum imm_range, for OP_IMM */
};

/* -- what a row says -- */

enum insn_flags {
    FLAGS_NONE = 0,
    READS_C    = 1 << 0,        /* adc, cset cs … */
    READS_NZCV = 1 << 1,        /* b.cond, csel: which flags depends on the condition */
    WRITES_NZCV= 1 << 2,
    IS_LOAD    = 1 << 3,
    IS_STORE   = 1 << 4,
    IS_BRANCH  = 1 << 5,        /* ends a basic block */
    IS_CALL    = 1 << 6,
    IS_RETURN  = 1 << 7,
    BASE_WRITEBACK = 1 << 8,    /* post- or pre-index: the base operand is TIED */
    REGISTER_RUN   = 1 << 9,    /* .run_first, .run_length: consecutive vector registers */
    NOT_CALLABLE   = 1 << 10,   /* not available as a function in the language */
    COMMUTES   = 1 << 11,       /* the two first USE operands may be exchanged */
};

enum feature { FEAT_BASE, FEAT_AES, FEAT_SHA2, FEAT_SHA512, FEAT_SHA3, FEAT_COUNT };
/* AES includes PMULL (FEAT_PMULL); SHA2 is SHA-1 and SHA-256. */
struct feature_row { const char *name; };       /* as written in `requires` */
extern const struct feature_row features[FEAT_COUNT];

/* Is the time independent of the data (FEAT_DIT's list, Arm ARM)? */
enum timing_rule { DIT, NOT_DIT };

/* Timing classes: what a core model has one row for. */
#define TIMING_CLASSES(T)                                                      \
    T(ALU) T(ALU_SHIFT) T(ALU_FLAGS) T(ALU_FLAGS_SHIFT) T(ADC) T(SELECT)       \
    T(SHIFT) T(BITFIELD) T(EXTRACT) T(MOVE_IMM) T(MOVE) T(REVERSE) T(ADDRESS)  \
    T(MUL_W) T(MUL_X) T(MUL_HIGH) T(MUL_LONG) T(DIV)                           \
    T(LOAD) T(LOAD_INDEX) T(LOAD_PAIR) T(LOAD_V) T(LOAD_V_INDEX) T(LOAD_V_PAIR)\
    T(LOAD_LIST_1) T(LOAD_LIST_2) T(LOAD_LIST_3) T(LOAD_LIST_4) T(LOAD_LANE)   \
    T(STORE) T(STORE_INDEX) T(STORE_PAIR) T(STORE_V) T(STORE_V_INDEX) T(STORE_V_PAIR) \
    T(STORE_LIST_1) T(STORE_LIST_2) T(STORE_LIST_3) T(STORE_LIST_4) T(STORE_LANE) \
    T(BRANCH) T(CALL) T(HINT)                                                  \
    T(V_LOGIC) T(V_ADD) T(V_COMPARE) T(V_SHIFT) T(V_SHIFT_INSERT) T(V_SHIFT_LONG) \
    T(V_MUL) T(V_MUL_LONG) T(V_ADD_LONG)                                       \
    T(V_PERMUTE) T(V_EXTRACT) T(V_REVERSE) T(V_TABLE_1) T(V_TABLE_2) T(V_TABLE_3) T(V_TABLE_4) \
    T(V_MOVE) T(V_MOVE_IMM) T(V_DUP_GENERAL) T(V_INSERT_LANE) T(V_INSERT_GENERAL) T(V_TO_GENERAL) \
    T(PMULL) T(AES) T(AES_MIX) T(SHA1) T(SHA1_FAST) T(SHA256) T(SHA256_FAST) T(SHA512) T(SHA3)

enum timing_class {
#define TIMING_ENUM(name) TIME_##name,
    TIMING_CLASSES(TIMING_ENUM)
#undef TIMING_ENUM
    TIME_COUNT
};
extern const char *const timing_class_names[TIME_COUNT];

struct machine;                 /* verify/: the state an instruction acts on */
struct decoded;                 /* verify/: an instruction with its operand values */
typedef void meaning_fn(struct machine *, const struct decoded *);

struct insn_row {
    const char *name;           /* "add_x_lsl" */
    const char *mnemonic;       /* "add": up to the tab of the template; "b.cond" */
    /* "add\t%0, %1, %2, lsl #%3". %N prints operand N as its kind says (an
     * immediate without '#', which the template has). A part in <> is left out
     * when the immediate in it is 0, and may be absent when read:
     * "ldr\t%0, [%1<, #%2>]". */
    const char *print;
    struct operand_spec op[MAX_OPERANDS];
    uint32_t flags;             /* enum insn_flags */
    uint8_t operand_count;
    uint8_t run_first, run_length;  /* these operands are consecutive registers, modulo 32 */
    uint8_t access;             /* bytes moved by a load or store, all registers together */
    uint8_t feature;            /* enum feature */
    uint8_t timing_rule;
    uint8_t timing_class;
    meaning_fn *meaning;
};

/* INSN_add_x, INSN_add_x_lsl …; 0 is no instruction. */
enum insn {
    INSN_NONE,
#define INSN(name, ...) INSN_##name,
#include "isa/insns.def"
#undef INSN
    INSN_COUNT
};
extern const struct insn_row insns[INSN_COUNT];

/* -- instructions with registers -- */

typedef uint8_t reg_number;     /* 0..31, within the class the kind implies */
enum { REG_ZERO = 31, REG_SP = 31, REG_FRAME = 29, REG_LINK = 30, REG_PLATFORM = 18 };

/* A physical instruction's operand: what the printer prints and the reader gives. */
struct phys_operand {
    reg_number reg;
    int64_t imm;                /* OP_IMM, OP_COND */
    const char *name;           /* OP_LABEL, OP_SYMBOL: spelled as in the text */
};

struct phys_insn {
    enum insn insn;
    struct phys_operand op[MAX_OPERANDS];
};

/* What is wrong with the operands of a physical instruction, or NULL: a register
 * that its kind has not, an immediate out of range, a bit field that leaves the
 * register, a register run with a gap, a load that overlaps itself. Printer
 * (as an assert), reader and checker all ask here. The message stays valid
 * until the next call. */
const char *insn_complaint(const struct phys_insn *insn);
/* "add\tx0, x1, x2": appends one instruction without newline. */
void insn_print(struct text *t, const struct phys_insn *insn);
/* Reads one canonical instruction, leading and trailing space removed; names are
 * copied into the arena. Returns NULL, or what is wrong (valid until the next
 * call). Aliases that the printer never writes are refused: what is read prints
 * back to the same bytes. */
const char *insn_read(const char *text, struct phys_insn *insn);

/* All rows whose mnemonic is S, as a first index and a count into a table
 * sorted by mnemonic; 0 rows when there is none. */
int insns_by_mnemonic(const char *mnemonic, const enum insn **first);

static inline bool operand_is_general(enum operand_kind k) { return k >= OP_X && k <= OP_W_SP; }
static inline bool operand_is_vector(enum operand_kind k) { return k >= OP_8B && k <= OP_D_LANE; }

#endif

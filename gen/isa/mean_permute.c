/* mean_permute.c: instructions that move bytes.
 *
 * Written from Arm ARM C7.2. With a constant selection they are permutations
 * of the bytes of their operands; only tbl and tbx select at run time. Lanes,
 * moves to and from general registers and inserts are here as well.
 */
#include "isa/mean.h"

/* -- two sources: ext, zip, uzp, trn -- */

/* PICK says which lane of the concatenation of the sources (n lanes each) lane
 * i of the result is. */
typedef int pick_fn(int i, int n);

static void permute_lanes(struct machine *m, const struct decoded *d, pick_fn *pick)
{
    int bytes = bits_of(d, 0) / 8, lane = lane_of(d, 0) / 8;
    uint8_t from[16];
    for (int i = 0; i < bytes; i++)
        from[i] = (uint8_t)(pick(i / lane, bytes / lane) * lane + i % lane);
    const val sources[2] = { read(m, d, 1), read(m, d, 2) };
    write(m, d, 0, m->domain->permute(m->domain, bytes, 2, bytes, sources, from));
}

static int pick_zip1(int i, int n) { return i / 2 + i % 2 * n; }
static int pick_zip2(int i, int n) { return n / 2 + i / 2 + i % 2 * n; }
static int pick_uzp1(int i, int n) { (void)n; return 2 * i; }
static int pick_uzp2(int i, int n) { (void)n; return 2 * i + 1; }
static int pick_trn1(int i, int n) { return i / 2 * 2 + i % 2 * n; }
static int pick_trn2(int i, int n) { return i / 2 * 2 + 1 + i % 2 * n; }

MEANING(zip1) { permute_lanes(m, d, pick_zip1); }
MEANING(zip2) { permute_lanes(m, d, pick_zip2); }
MEANING(uzp1) { permute_lanes(m, d, pick_uzp1); }
MEANING(uzp2) { permute_lanes(m, d, pick_uzp2); }
MEANING(trn1) { permute_lanes(m, d, pick_trn1); }
MEANING(trn2) { permute_lanes(m, d, pick_trn2); }

MEANING(ext)
{
    int bytes = bits_of(d, 0) / 8;
    uint8_t from[16];
    for (int i = 0; i < bytes; i++)
        from[i] = (uint8_t)(imm(d, 3) + i);
    const val sources[2] = { read(m, d, 1), read(m, d, 2) };
    write(m, d, 0, m->domain->permute(m->domain, bytes, 2, bytes, sources, from));
}

/* -- reversals: lanes in every group of GROUP bytes -- */

static void reverse(struct machine *m, const struct decoded *d, int group)
{
    int bytes = bits_of(d, 0) / 8, lane = lane_of(d, 0) / 8;
    uint8_t from[16];
    for (int i = 0; i < bytes; i++)
        from[i] = (uint8_t)(i / group * group + (group - lane - i % group / lane * lane) + i % lane);
    val a = read(m, d, 1);
    write(m, d, 0, m->domain->permute(m->domain, bytes, 1, bytes, &a, from));
}

MEANING(v_rev16) { reverse(m, d, 2); }
MEANING(v_rev32) { reverse(m, d, 4); }
MEANING(v_rev64) { reverse(m, d, 8); }

/* -- tables -- */

static void look_up(struct machine *m, const struct decoded *d, val otherwise)
{
    int bytes = bits_of(d, 0) / 8, last = row_of(d)->operand_count - 1, count = last - 1;
    val tables[4];
    for (int i = 0; i < count; i++)
        tables[i] = read(m, d, 1 + i);
    write(m, d, 0, m->domain->table(m->domain, bytes, count, tables, read(m, d, last), otherwise));
}

MEANING(tbl) { look_up(m, d, 0); }
MEANING(tbx) { look_up(m, d, read(m, d, 0)); }

/* -- lanes -- */

/* The low bytes of A in every lane of operand 0, from byte FIRST on. */
static void replicate(struct machine *m, const struct decoded *d, val a, int source_bits, int first)
{
    int bytes = bits_of(d, 0) / 8, lane = lane_of(d, 0) / 8;
    uint8_t from[16];
    for (int i = 0; i < bytes; i++)
        from[i] = (uint8_t)(first + i % lane);
    write(m, d, 0, m->domain->permute(m->domain, bytes, 1, source_bits / 8, &a, from));
}

MEANING(dup)      { replicate(m, d, read(m, d, 1), bits_of(d, 1), 0); }
MEANING(dup_lane) { replicate(m, d, read(m, d, 1), 128, imm(d, 2) * lane_of(d, 0) / 8); }

static void insert_lane(struct machine *m, const struct decoded *d, val v)
{
    int lane = lane_of(d, 0);
    write(m, d, 0, insert(m, 128, read(m, d, 0), v, lane * imm(d, 1), lane));
}

MEANING(ins) { insert_lane(m, d, read(m, d, 2)); }

MEANING(ins_lane)
{
    int lane = lane_of(d, 2);
    insert_lane(m, d, field(m, lane, read(m, d, 2), lane * imm(d, 3), lane));
}

MEANING(umov)
{
    int lane = lane_of(d, 1);
    write(m, d, 0, field(m, bits_of(d, 0), read(m, d, 1), lane * imm(d, 2), lane));
}

MEANING(smov)
{
    int lane = lane_of(d, 1);
    write(m, d, 0, field_signed(m, bits_of(d, 0), read(m, d, 1), lane * imm(d, 2), lane));
}

MEANING(fmov) { write(m, d, 0, read(m, d, 1)); }

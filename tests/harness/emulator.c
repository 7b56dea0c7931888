/* emulator.c: see emulator.h.
 *
 * The address space, low to high: the page that calls return to, __chkstk, the
 * code, the tables 2 MiB further on, the buffers, the stack. Unmapped pages lie between
 * all of them.
 */
#include "harness/emulator.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unicorn/unicorn.h>

enum {
    PAGE = 0x1000,
    RETURN_AT = 0x00800ffc /* the last word of its page */,
    CHKSTK_AT = 0x00a00000,
    CODE_AT = 0x01000000,
    TABLES_AT = 0x01200000,
    BUFFERS_AT = 0x10000000,
    STACK_AT = 0x70000000,
    STACK_SIZE = 0x10000,
    CALLER_STACK = 0x400,
    INSTRUCTION_LIMIT = 4000000,
    MAX_BUFFERS = 24,
    MAX_PUSHED = 128
};

struct emulated_buffer {
    uint64_t address, page;
    size_t n, mapped;
    uint8_t *around;            /* what the mapped pages held when the call began */
};

struct emulator {
    uc_engine *uc;
    struct object_file *object;
    struct emulated_buffer buffers[MAX_BUFFERS];
    int buffer_count;
    uint64_t next_buffer;
    uint64_t random;
    uint8_t pushed[MAX_PUSHED];
    size_t pushed_count;
    emulator_watcher *see;
    void *context;

    /* the call that is running */
    struct call_report *report;
    uint64_t entry_sp, sp;          /* at the call, and before the instruction at hand */
    uint64_t lowest_access;         /* of that instruction, on the stack */
    uint64_t guard_page;            /* Windows: the lowest page that may be touched */
    bool in_chkstk;
    struct emulated_registers caller;
    uint32_t *executed;
    size_t executed_count, executed_cap;
};

/* Garbage that repeats from run to run: xorshift64 (Marsaglia 2003). */
static uint64_t garbage(struct emulator *e)
{
    e->random ^= e->random << 13;
    e->random ^= e->random >> 7;
    e->random ^= e->random << 17;
    return e->random;
}

static void must(uc_err error)
{
    if (error != UC_ERR_OK) {
        fprintf(stderr, "unicorn: %s\n", uc_strerror(error));
        abort();
    }
}

static uint64_t get_register(const struct emulator *e, int reg)
{
    uint64_t v[2] = { 0 };
    must(uc_reg_read(e->uc, reg, v));
    return v[0];
}

static void complain(struct emulator *e, const char *what, uint64_t at)
{
    if (e->report->fault[0] == 0)
        snprintf(e->report->fault, sizeof e->report->fault, "%s 0x%llx (pc 0x%llx)", what,
                 (unsigned long long)at, (unsigned long long)get_register(e, UC_ARM64_REG_PC));
}

/* -- watching -- */

static uint64_t digest(uint64_t d, uint64_t v)
{
    return (d ^ v) * 0x100000001b3u;            /* FNV-1a, a word at a time */
}

static void on_instruction(uc_engine *uc, uint64_t address, uint32_t size, void *context)
{
    struct emulator *e = context;
    (void)size;
    e->in_chkstk = false;
    if (e->executed_count == e->executed_cap) {
        e->executed_cap = e->executed_cap ? 2 * e->executed_cap : 1024;
        e->executed = realloc(e->executed, e->executed_cap * sizeof *e->executed);
        assert(e->executed != NULL);
    }
    must(uc_mem_read(uc, address, &e->executed[e->executed_count++], 4));
    e->report->instructions++;
    e->report->pc_trace = digest(e->report->pc_trace, address);
    uint64_t sp = get_register(e, UC_ARM64_REG_SP);
    /* The instruction before may have moved sp before or after its access. */
    if (e->lowest_access < sp && e->lowest_access < e->sp)
        complain(e, "an access below sp:", e->lowest_access);
    e->lowest_access = UINT64_MAX;
    e->sp = sp;
    if (sp % 16 != 0)
        complain(e, "sp is not a multiple of 16:", sp);
    if (sp <= e->entry_sp && e->entry_sp - sp > e->report->stack_bytes)
        e->report->stack_bytes = e->entry_sp - sp;
    char why[sizeof e->report->fault - 8] = "";
    if (e->see != NULL && !e->see(e->context, e, why, sizeof why) && e->report->fault[0] == 0)
        snprintf(e->report->fault, sizeof e->report->fault, "seen: %s", why);
    if (e->report->fault[0] != 0)
        uc_emu_stop(uc);
}

static void on_chkstk(uc_engine *uc, uint64_t address, uint32_t size, void *context)
{
    struct emulator *e = context;
    (void)uc;
    (void)address;
    (void)size;
    e->in_chkstk = true;
}

/* Windows commits the page that a thread touches next below its stack, and no
 * other one: "Thread Stack Size" of its documentation. */
static void check_guard_page(struct emulator *e, uint64_t address)
{
    if (e->object->format != OBJECT_COFF)
        return;
    if (address < e->guard_page)
        complain(e, "an access below the guard page:", address);
    else if (address < e->guard_page + PAGE)
        e->guard_page -= PAGE;
}

static void check_stack_access(struct emulator *e, uint64_t address, uint64_t size, bool is_write)
{
    uint64_t end = e->entry_sp + (is_write ? 0 : e->pushed_count);
    check_guard_page(e, address);
    if (address < e->lowest_access && !e->in_chkstk)
        e->lowest_access = address;
    if (address + size > end)
        complain(e, "an access to the caller's stack:", address);
}

static void on_access(uc_engine *uc, uc_mem_type type, uint64_t address, int size, int64_t value,
                      void *context)
{
    struct emulator *e = context;
    (void)value;
    (void)uc;
    e->report->access_trace = digest(e->report->access_trace, (uint64_t)type);
    e->report->access_trace = digest(e->report->access_trace, address);
    e->report->access_trace = digest(e->report->access_trace, (uint64_t)size);
    if (address >= STACK_AT && address < STACK_AT + STACK_SIZE)
        check_stack_access(e, address, (uint64_t)size, type == UC_MEM_WRITE);
}

static bool on_bad_access(uc_engine *uc, uc_mem_type type, uint64_t address, int size,
                          int64_t value, void *context)
{
    (void)uc;
    (void)size;
    (void)value;
    bool is_write = type == UC_MEM_WRITE_UNMAPPED || type == UC_MEM_WRITE_PROT;
    bool is_fetch = type == UC_MEM_FETCH_UNMAPPED || type == UC_MEM_FETCH_PROT;
    complain(context, is_fetch ? "a jump to" : is_write ? "a store to" : "a load from", address);
    return false;
}

/* -- loading -- */

static uint64_t page_up(uint64_t n) { return (n + PAGE - 1) / PAGE * PAGE; }

static void map(struct emulator *e, uint64_t at, const void *bytes, uint64_t n,
                uint32_t permissions)
{
    uint64_t page = at / PAGE * PAGE;
    must(uc_mem_map(e->uc, page, page_up(at + n - page), permissions));
    if (bytes != NULL)
        must(uc_mem_write(e->uc, at, bytes, n));
}

/* Places the sections one after another, each group in pages of its own. */
static void place_sections(struct object_file *o, enum section_use use, uint64_t at, bool page_end)
{
    for (int i = 0; i < o->section_count; i++) {
        struct object_section *s = &o->sections[i];
        if (s->use != use || s->size == 0)
            continue;
        uint64_t align = s->align > 16 ? s->align : 16;
        at = page_end ? at + PAGE - align : at + PAGE / 2;
        s->address = at / align * align;
        at = page_up(s->address + s->size) + PAGE;
    }
}

static void map_sections(struct emulator *e)
{
    for (int i = 0; i < e->object->section_count; i++) {
        const struct object_section *s = &e->object->sections[i];
        if (s->use != SECTION_OTHER && s->size != 0)
            map(e, s->address, s->bytes, s->size,
                s->use == SECTION_CODE ? UC_PROT_READ | UC_PROT_EXEC : UC_PROT_READ);
    }
}

/* Advanced SIMD is off after reset: CPACR_EL1.FPEN (Arm ARM D13.2.33). */
static void enable_vectors(struct emulator *e)
{
    uint64_t fpen = 3 << 20;
    must(uc_reg_write(e->uc, UC_ARM64_REG_CPACR_EL1, &fpen));
}

/* Keys that differ, then SCTLR_EL1.EnIA and .EnIB (Arm ARM D13.2.118). Run, not
 * written from outside, because only an instruction makes the emulator look at
 * what is enabled. */
static const uint32_t enable_keys[] = {
    0xd5182101,     /* msr APIAKeyLo_EL1, x1 */
    0xd5182122,     /* msr APIAKeyHi_EL1, x2 */
    0xd5182142,     /* msr APIBKeyLo_EL1, x2 */
    0xd5182161,     /* msr APIBKeyHi_EL1, x1 */
    0xd5181000,     /* msr SCTLR_EL1, x0 */
    0xd5033fdf,     /* isb */
};

static void enable_signing(struct emulator *e)
{
    /* EL1 may use keys: SCR_EL3.NS, .RW, .APK, .API and HCR_EL2.APK, .API, .RW. */
    uc_arm64_cp_reg secure = { .op0 = 3, .op1 = 6, .crn = 1, .crm = 1,
                               .val = 1 | 1 << 10 | 1 << 16 | 1 << 17 };
    uc_arm64_cp_reg hypervisor = { .op0 = 3, .op1 = 4, .crn = 1, .crm = 1,
                                   .val = (uint64_t)3 << 40 | (uint64_t)1 << 31 };
    uc_arm64_cp_reg control = { .op0 = 3, .crn = 1 };
    uint64_t key[2] = { garbage(e), garbage(e) };
    must(uc_reg_write(e->uc, UC_ARM64_REG_CP_REG, &secure));
    must(uc_reg_write(e->uc, UC_ARM64_REG_CP_REG, &hypervisor));
    must(uc_reg_read(e->uc, UC_ARM64_REG_CP_REG, &control));
    control.val |= (uint64_t)3 << 30;
    must(uc_reg_write(e->uc, UC_ARM64_REG_X0, &control.val));
    must(uc_reg_write(e->uc, UC_ARM64_REG_X1, &key[0]));
    must(uc_reg_write(e->uc, UC_ARM64_REG_X2, &key[1]));
    must(uc_mem_map(e->uc, CODE_AT, PAGE, UC_PROT_READ | UC_PROT_EXEC));
    must(uc_mem_write(e->uc, CODE_AT, enable_keys, sizeof enable_keys));
    must(uc_emu_start(e->uc, CODE_AT, CODE_AT + sizeof enable_keys, 0, 0));
    must(uc_mem_unmap(e->uc, CODE_AT, PAGE));
}

/* Touches each page down to sp - 16 * x15, changing x16, x17 and the flags, as
 * the system's own does. */
static const uint32_t chkstk[] = {
    0xcb2f73f1,     /*    sub  x17, sp, x15, uxtx #4 */
    0x910003f0,     /*    mov  x16, sp */
    0xd1400610,     /* 1: sub  x16, x16, #4096 */
    0xf940021f,     /*    ldr  xzr, [x16] */
    0xeb11021f,     /*    cmp  x16, x17 */
    0x54ffffa8,     /*    b.hi 1b */
    0xd65f03c0,     /*    ret */
};

static void add_hooks(struct emulator *e)
{
    uc_hook hook;
    must(uc_hook_add(e->uc, &hook, UC_HOOK_CODE, (void *)on_chkstk, e, CHKSTK_AT,
                     CHKSTK_AT + sizeof chkstk));
    must(uc_hook_add(e->uc, &hook, UC_HOOK_CODE, (void *)on_instruction, e, CODE_AT, TABLES_AT));
    must(uc_hook_add(e->uc, &hook, UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE, (void *)on_access, e, 1,
                     0));
    must(uc_hook_add(e->uc, &hook, UC_HOOK_MEM_INVALID, (void *)on_bad_access, e, 1, 0));
}

struct emulator *emulator_new(const char *path, enum table_place place, char *why, size_t why_size)
{
    struct object_file *object = object_read(path, why, why_size);
    if (object == NULL)
        return NULL;
    object->chkstk = CHKSTK_AT;
    place_sections(object, SECTION_CODE, CODE_AT, false);
    place_sections(object, SECTION_TABLES, TABLES_AT, place == TABLES_PAGE_END);
    if (!object_relocate(object, why, why_size)) {
        object_free(object);
        return NULL;
    }
    struct emulator *e = calloc(1, sizeof *e);
    assert(e != NULL);
    e->object = object;
    e->next_buffer = BUFFERS_AT;
    e->random = 0x9e3779b97f4a7c15u;
    must(uc_open(UC_ARCH_ARM64, UC_MODE_LITTLE_ENDIAN, &e->uc));
    must(uc_ctl_set_cpu_model(e->uc, UC_CPU_ARM64_MAX));
    enable_signing(e);
    enable_vectors(e);
    map_sections(e);
    map(e, STACK_AT, NULL, STACK_SIZE, UC_PROT_READ | UC_PROT_WRITE);
    map(e, RETURN_AT, "\x00\x00\x20\xd4", 4, UC_PROT_READ | UC_PROT_EXEC);      /* brk #0 */
    map(e, CHKSTK_AT, chkstk, sizeof chkstk, UC_PROT_READ | UC_PROT_EXEC);
    add_hooks(e);
    return e;
}

void emulator_free(struct emulator *e)
{
    if (e == NULL)
        return;
    emulator_reset(e);
    must(uc_close(e->uc));
    object_free(e->object);
    free(e->executed);
    free(e);
}

const struct object_file *emulator_object(const struct emulator *e) { return e->object; }

/* -- buffers -- */

void emulator_reset(struct emulator *e)
{
    for (int i = 0; i < e->buffer_count; i++) {
        must(uc_mem_unmap(e->uc, e->buffers[i].page, e->buffers[i].mapped));
        free(e->buffers[i].around);
    }
    e->buffer_count = 0;
    e->pushed_count = 0;
    e->next_buffer = BUFFERS_AT;
}

uint64_t emulator_buffer(struct emulator *e, const void *bytes, size_t n, enum buffer_access access,
                         enum buffer_edge edge, unsigned skew)
{
    assert(e->buffer_count < MAX_BUFFERS);
    struct emulated_buffer *b = &e->buffers[e->buffer_count++];
    b->n = n;
    b->mapped = page_up(n + skew + 1);
    b->page = e->next_buffer + PAGE;
    b->address = edge == EDGE_START ? b->page + skew : b->page + b->mapped - n - skew;
    b->around = malloc(b->mapped);
    assert(b->around != NULL);
    for (size_t i = 0; i < b->mapped; i++)
        b->around[i] = (uint8_t)(garbage(e) | 1);   /* a stray zero shows */
    e->next_buffer = b->page + b->mapped;
    if (bytes != NULL)
        memcpy(b->around + (b->address - b->page), bytes, n);
    map(e, b->page, b->around, b->mapped,
        access == BUFFER_READ_ONLY ? UC_PROT_READ : UC_PROT_READ | UC_PROT_WRITE);
    return b->address;
}

void emulator_read(struct emulator *e, uint64_t address, void *bytes, size_t n)
{
    must(uc_mem_read(e->uc, address, bytes, n));
}

void emulator_write(struct emulator *e, uint64_t address, const void *bytes, size_t n)
{
    must(uc_mem_write(e->uc, address, bytes, n));
}

void emulator_push(struct emulator *e, const void *bytes, size_t n)
{
    assert(n <= MAX_PUSHED && n % 16 == 0);
    memcpy(e->pushed, bytes, n);
    e->pushed_count = n;
}

/* A store beside the buffer, in its own pages. */
static void check_around(struct emulator *e)
{
    for (int i = 0; i < e->buffer_count; i++) {
        struct emulated_buffer *b = &e->buffers[i];
        uint8_t *now = malloc(b->mapped);
        assert(now != NULL);
        must(uc_mem_read(e->uc, b->page, now, b->mapped));
        for (size_t k = 0; k < b->mapped; k++) {
            uint64_t at = b->page + k;
            bool is_inside = at >= b->address && at < b->address + b->n;
            if (!is_inside && now[k] != b->around[k])
                complain(e, "a store beside a buffer:", at);
        }
        free(now);
    }
}

/* -- registers -- */

static int x_register(int n)
{
    return n < 29 ? UC_ARM64_REG_X0 + n : n == 29 ? UC_ARM64_REG_X29 : UC_ARM64_REG_X30;
}

struct canaries { uint64_t x[31], v[32][2], sp; };

/* Garbage everywhere, then the arguments, the return address and sp. */
static void set_registers(struct emulator *e, struct canaries *c, const uint64_t *arguments, int n)
{
    for (int i = 0; i < 31; i++)
        c->x[i] = garbage(e);
    for (int i = 0; i < n; i++)
        c->x[i] = arguments[i];
    c->x[30] = RETURN_AT;
    c->sp = STACK_AT + STACK_SIZE - CALLER_STACK;
    for (int i = 0; i < 31; i++)
        must(uc_reg_write(e->uc, x_register(i), &c->x[i]));
    for (int i = 0; i < 32; i++) {
        c->v[i][0] = garbage(e);
        c->v[i][1] = garbage(e);
        must(uc_reg_write(e->uc, UC_ARM64_REG_V0 + i, c->v[i]));
    }
    uint64_t flags = garbage(e) & 0xf0000000;
    must(uc_reg_write(e->uc, UC_ARM64_REG_NZCV, &flags));
    must(uc_reg_write(e->uc, UC_ARM64_REG_SP, &c->sp));
}

/* AAPCS64 6.1.1 and 6.1.2; x18 is the platform's on Apple and Windows. */
static void check_registers(struct emulator *e, const struct canaries *c)
{
    char what[48];
    for (int i = 18; i <= 29; i++) {
        snprintf(what, sizeof what, "x%d is not what it was:", i);
        if (get_register(e, x_register(i)) != c->x[i])
            complain(e, what, get_register(e, x_register(i)));
    }
    for (int i = 8; i <= 15; i++) {
        snprintf(what, sizeof what, "d%d is not what it was:", i);
        if (get_register(e, UC_ARM64_REG_V0 + i) != c->v[i][0])
            complain(e, what, get_register(e, UC_ARM64_REG_V0 + i));
    }
    if (get_register(e, UC_ARM64_REG_SP) != c->sp)
        complain(e, "sp is not what it was:", get_register(e, UC_ARM64_REG_SP));
}

static void fill_stack(struct emulator *e)
{
    uint64_t words[STACK_SIZE / 8];
    for (int i = 0; i < STACK_SIZE / 8; i++)
        words[i] = garbage(e);
    must(uc_mem_write(e->uc, STACK_AT, words, sizeof words));
}

/* -- looking on -- */

void emulator_watch(struct emulator *e, emulator_watcher *see, void *context)
{
    e->see = see;
    e->context = context;
}

uint64_t emulator_pc(const struct emulator *e) { return get_register(e, UC_ARM64_REG_PC); }

void emulator_registers(const struct emulator *e, struct emulated_registers *r)
{
    r->pc = emulator_pc(e);
    r->sp = get_register(e, UC_ARM64_REG_SP);
    for (int i = 0; i < 31; i++)
        r->x[i] = get_register(e, x_register(i));
    for (int i = 0; i < 32; i++) {
        uint64_t v[2];
        must(uc_reg_read(e->uc, UC_ARM64_REG_V0 + i, v));
        r->d[i] = v[0];
        r->high[i] = v[1];
    }
}

const struct emulated_registers *emulator_caller(const struct emulator *e) { return &e->caller; }

bool emulator_stack_word(const struct emulator *e, uint64_t address, uint64_t *word)
{
    if (address < get_register(e, UC_ARM64_REG_SP) || address > STACK_AT + STACK_SIZE - sizeof *word)
        return false;
    must(uc_mem_read(e->uc, address, word, sizeof *word));
    return true;
}

static void start_call(struct emulator *e, const struct canaries *c)
{
    e->entry_sp = e->sp = c->sp;
    e->guard_page = c->sp / PAGE * PAGE - PAGE;
    e->lowest_access = UINT64_MAX;
    must(uc_mem_write(e->uc, c->sp, e->pushed, e->pushed_count));
    e->caller = (struct emulated_registers){ .pc = RETURN_AT, .sp = c->sp };
    memcpy(e->caller.x, c->x, sizeof c->x);
    for (int i = 0; i < 32; i++)
        e->caller.d[i] = c->v[i][0], e->caller.high[i] = c->v[i][1];
    for (int i = 0; i < e->buffer_count; i++)
        must(uc_mem_read(e->uc, e->buffers[i].page, e->buffers[i].around, e->buffers[i].mapped));
}

/* -- calls -- */

struct call_report emulator_call(struct emulator *e, const char *function,
                                 const uint64_t *arguments, int argument_count)
{
    struct call_report report = { .pc_trace = 0xcbf29ce484222325u,
                                  .access_trace = 0xcbf29ce484222325u };
    const struct object_symbol *symbol = object_symbol(e->object, function);
    if (symbol == NULL) {
        snprintf(report.fault, sizeof report.fault, "there is no function %s", function);
        return report;
    }
    struct canaries c;
    e->report = &report;
    e->executed_count = 0;
    fill_stack(e);
    set_registers(e, &c, arguments, argument_count);
    start_call(e, &c);
    uint64_t at = e->object->sections[symbol->section].address + symbol->offset;
    uc_err error = uc_emu_start(e->uc, at, RETURN_AT, 0, INSTRUCTION_LIMIT);
    if (error != UC_ERR_OK && report.fault[0] == 0)
        complain(e, uc_strerror(error), 0);
    if (report.fault[0] == 0 && get_register(e, UC_ARM64_REG_PC) != RETURN_AT)
        complain(e, "no return after instructions:", report.instructions);
    check_registers(e, &c);
    check_around(e);
    report.result = get_register(e, UC_ARM64_REG_X0);
    e->report = NULL;
    return report;
}

const uint32_t *emulator_executed(const struct emulator *e, size_t *count)
{
    *count = e->executed_count;
    return e->executed;
}

/* call.c: see call.h. */
#define _DEFAULT_SOURCE         /* MAP_ANONYMOUS, sigaltstack */
#include "run/call.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* -- calls -- */

extern const uint64_t call_canaries[20];
uint64_t call_seen(any_function function, const uint64_t arguments[8], struct call_seen *seen);

static sigjmp_buf after_fault;
static const void *fault_address;
static int fault_signal;

static void on_fault(int signal, siginfo_t *info, void *context)
{
    (void)context;
    fault_signal = signal;
    fault_address = info->si_addr;
    siglongjmp(after_fault, 1);
}

/* What the linker calls the ends of the section `kernels`, if there is one. */
extern uint8_t __start_kernels[] __attribute__((weak)), __stop_kernels[] __attribute__((weak));

enum { PAGE = 4096, PROT_BRANCH_TARGETS = 0x10 /* PROT_BTI of the kernel's asm/mman.h */ };

static void guard_branches(void)
{
    size_t size = (size_t)(__stop_kernels - __start_kernels);
    if (size != 0 && mprotect(__start_kernels, (size + PAGE - 1) / PAGE * PAGE,
                              PROT_READ | PROT_EXEC | PROT_BRANCH_TARGETS) != 0) {
        perror("mprotect");
        exit(1);
    }
}

/* The handler has a stack of its own: sp may be what went wrong. */
static void catch_faults(void)
{
    static bool done;
    static uint8_t stack[65536];
    if (done)
        return;
    done = true;
    stack_t alternative = { .ss_sp = stack, .ss_size = sizeof stack };
    struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK };
    if (sigaltstack(&alternative, NULL) != 0 || sigaction(SIGSEGV, &action, NULL) != 0 ||
        sigaction(SIGBUS, &action, NULL) != 0 || sigaction(SIGILL, &action, NULL) != 0) {
        perror("sigaction");
        exit(1);
    }
    guard_branches();
}

static void compare(struct call_result *r, const struct call_seen *seen)
{
    for (int i = 0; i < 12; i++) {
        if (seen->x18_to_x29[i] != call_canaries[i])
            snprintf(r->fault, sizeof r->fault, "x%d is not what it was", 18 + i);
    }
    for (int i = 0; i < 8; i++) {
        if (seen->d8_to_d15[i] != call_canaries[12 + i])
            snprintf(r->fault, sizeof r->fault, "d%d is not what it was", 8 + i);
    }
    if (seen->sp_before != seen->sp_after)
        snprintf(r->fault, sizeof r->fault, "sp is not what it was");
}

struct call_result call_watched(any_function function, const uint64_t *arguments, int count)
{
    struct call_result r = { 0 };
    struct call_seen seen;
    uint64_t all[8];
    catch_faults();
    for (int i = 0; i < 8; i++)
        all[i] = i < count ? arguments[i] : 0xdeadbeef00000000u + (uint64_t)i;
    if (sigsetjmp(after_fault, 1) == 0) {
        r.value = call_seen(function, all, &seen);
        compare(&r, &seen);
    } else {
        snprintf(r.fault, sizeof r.fault, "%s %p",
                 fault_signal == SIGILL ? "an instruction refused at" : "an access to", fault_address);
    }
    return r;
}

/* -- buffers -- */

struct guarded guarded_new(size_t most)
{
    struct guarded g = { .size = (most + 16 + PAGE - 1) / PAGE * PAGE };
    uint8_t *at = mmap(NULL, g.size + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    g.pattern = malloc(g.size);
    if (at == MAP_FAILED || mprotect(at + PAGE, g.size, PROT_READ | PROT_WRITE) != 0 ||
        g.pattern == NULL) {
        perror("guarded_new");
        exit(1);
    }
    g.pages = at + PAGE;
    for (size_t i = 0; i < g.size; i++)
        g.pattern[i] = (uint8_t)(0xa5 ^ i * 31);
    return g;
}

uint8_t *guarded_place(const struct guarded *g, size_t n, enum guard_edge edge, unsigned skew)
{
    memcpy(g->pages, g->pattern, g->size);
    return edge == GUARD_START ? g->pages + skew : g->pages + g->size - n - skew;
}

bool guarded_intact(const struct guarded *g, const uint8_t *p, size_t n)
{
    size_t before = (size_t)(p - g->pages), after = g->size - before - n;
    return memcmp(g->pages, g->pattern, before) == 0 &&
           memcmp(p + n, g->pattern + before + n, after) == 0;
}

/* -- checks -- */

static unsigned long passed;

void check(bool holds, const char *format, ...)
{
    if (holds) {
        passed++;
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

unsigned long checks_passed(void) { return passed; }

/* -- the oracle's file -- */

static FILE *expected;

void expected_open(const char *path)
{
    expected = fopen(path, "rb");
    if (expected == NULL) {
        perror(path);
        exit(1);
    }
}

void expected_read(void *at, size_t n)
{
    if (fread(at, 1, n, expected) != n) {
        fputs("the oracle's file is too short\n", stderr);
        exit(1);
    }
}

void expected_end(void)
{
    check(fgetc(expected) == EOF, "the oracle's file is too long");
    fclose(expected);
}

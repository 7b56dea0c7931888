/* mem.c: the arena that everything kgen allocates comes from.
 *
 * Takes sizes, gives zeroed memory aligned for any type. Blocks come from
 * malloc and are chained; the newest one is cut from the front. The newest
 * allocation may grow in place, which is what a text or an array being built
 * does most of the time.
 *
 * Holds: nothing is freed before mem_release() but what a mark encloses, so no
 * pointer dangles within a run. Does not: return memory singly, or survive
 * running out of it.
 *
 * Under AddressSanitizer a block holds one allocation, so that the red zones
 * of malloc surround each of them.
 */
#include "base/mem.h"

#include <assert.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define ONE_ALLOCATION_A_BLOCK 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ONE_ALLOCATION_A_BLOCK 1
#endif
#endif
#ifndef ONE_ALLOCATION_A_BLOCK
#define ONE_ALLOCATION_A_BLOCK 0
#endif

enum { BLOCK_SIZE = 256 * 1024, EXIT_NO_MEMORY = 3 };

struct block {
    struct block *older;
    size_t size;
    size_t filled;              /* once it is not the newest: the bytes in use */
    alignas(max_align_t) char bytes[];
};

/* .used: bytes of the newest block; .in_use: bytes handed out in all. */
static struct arena run;
static unsigned generation;

static _Noreturn void out_of_memory(size_t size)
{
    fprintf(stderr, "kgen: out of memory (%zu bytes wanted, %zu in use)\n", size, run.in_use);
    exit(EXIT_NO_MEMORY);
}

static size_t round_up(size_t size)
{
    const size_t mask = alignof(max_align_t) - 1;

    if (size > SIZE_MAX / 2)
        out_of_memory(size);
    return size == 0 ? mask + 1 : (size + mask) & ~mask;
}

static void add_block(struct arena *a, size_t size)
{
    struct block *b = calloc(1, sizeof *b + size);

    if (b == NULL)
        out_of_memory(size);
    if (a->newest != NULL)
        a->newest->filled = a->used;
    b->older = a->newest;
    b->size = size;
    a->newest = b;
    a->used = 0;
}

void *arena_alloc(struct arena *a, size_t size)
{
    const size_t wanted = ONE_ALLOCATION_A_BLOCK ? size : round_up(size);
    char *p;

    if (ONE_ALLOCATION_A_BLOCK || a->newest == NULL || a->newest->size - a->used < wanted)
        add_block(a, !ONE_ALLOCATION_A_BLOCK && wanted < BLOCK_SIZE ? BLOCK_SIZE : wanted);
    p = a->newest->bytes + a->used;
    a->used += wanted;
    a->in_use += wanted;
    return p;
}

void arena_release(struct arena *a)
{
    while (a->newest != NULL) {
        struct block *older = a->newest->older;

        free(a->newest);
        a->newest = older;
    }
    a->used = 0;
    a->in_use = 0;
}

void *mem_alloc(size_t size)
{
    return arena_alloc(&run, size);
}

/* Grows the allocation that ends where the newest block is filled up to. */
static int grow_in_place(char *old, size_t old_size, size_t new_size)
{
    size_t more;

    if (ONE_ALLOCATION_A_BLOCK || run.newest == NULL || old == NULL)
        return 0;
    if (old + round_up(old_size) != run.newest->bytes + run.used)
        return 0;
    more = round_up(new_size) - round_up(old_size);
    if (run.newest->size - run.used < more)
        return 0;
    run.used += more;
    run.in_use += more;
    return 1;
}

void *mem_grow(void *old, size_t old_size, size_t new_size)
{
    void *grown;

    if (new_size <= old_size)
        return old;
    if (old_size != 0 && grow_in_place(old, old_size, new_size))
        return old;
    grown = mem_alloc(new_size);
    if (old_size != 0)
        memcpy(grown, old, old_size);
    return grown;
}

void mem_release(void)
{
    arena_release(&run);
    generation++;
}

struct mem_mark mem_mark(void)
{
    return (struct mem_mark){run.newest, run.used, run.in_use};
}

void mem_release_to(struct mem_mark mark)
{
    while (run.newest != mark.block) {
        struct block *older = run.newest->older;

        run.used = older == NULL ? 0 : older->filled;
        free(run.newest);
        run.newest = older;
    }
    if (run.newest != NULL)
        memset(run.newest->bytes + mark.used, 0, run.used - mark.used);
    run.used = mark.used;
    run.in_use = mark.in_use;
}

size_t mem_in_use(void)
{
    return run.in_use;
}

unsigned mem_generation(void)
{
    return generation;
}

char *mem_string_n(const char *s, size_t n)
{
    char *copy = mem_alloc(n + 1);

    if (n != 0)
        memcpy(copy, s, n);
    return copy;
}

char *mem_string(const char *s)
{
    return mem_string_n(s, strlen(s));
}

char *mem_format_list(const char *fmt, va_list args)
{
    va_list again;
    char *s;
    int n;

    assert(fmt != NULL);
    va_copy(again, args);
    n = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    assert(n >= 0);
    s = mem_alloc((size_t)n + 1);
    vsnprintf(s, (size_t)n + 1, fmt, args);
    return s;
}

char *mem_format(const char *fmt, ...)
{
    va_list args;
    char *s;

    va_start(args, fmt);
    s = mem_format_list(fmt, args);
    va_end(args);
    return s;
}

void sort_array(void *at, int n, size_t size, int (*compare)(const void *, const void *))
{
    if (n > 1)
        qsort(at, (size_t)n, size, compare);
}

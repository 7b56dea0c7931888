/* mem.c: the arena that everything kgen allocates comes from.
 *
 * Takes sizes, gives zeroed memory aligned for any type. Blocks come from
 * malloc and are chained; the newest one is cut from the front. The newest
 * allocation may grow in place, which is what a text or an array being built
 * does most of the time.
 *
 * A block that a mark gives back waits for the next one who wants a block: its
 * pages are mapped, and likely in the cache. What was used of it is zeroed when
 * it is handed out again, not before.
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

enum { BLOCK_SIZE = 256 * 1024, WIPED_AT_ONCE = 2048, SMALL = 1024, EXIT_NO_MEMORY = 3 };
static const size_t ALIGNMENT = alignof(max_align_t);

struct block {
    struct block *older;
    size_t size;
    size_t filled;              /* once it is not the newest: the bytes in use */
    /* Bytes behind those in use are zero up to `clean` and from `dirty` on. */
    size_t clean, dirty;
    alignas(max_align_t) char bytes[];
};

/* .used: bytes of the newest block; .in_use: bytes handed out in all; .older:
 * the newest arena of mem_arena(), whose own .older chains the others. */
static struct arena run;
static unsigned generation;
/* Blocks that nobody uses, linked by .older. */
static struct block *spare;

static _Noreturn void out_of_memory(size_t size)
{
    fprintf(stderr, "kgen: out of memory (%zu bytes wanted, %zu in use)\n", size, run.in_use);
    exit(EXIT_NO_MEMORY);
}

static size_t round_up(size_t size)
{
    if (size > SIZE_MAX / 2)
        out_of_memory(size);
    return size == 0 ? ALIGNMENT : (size + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
}

/* A spare block that is large enough, but not by far; NULL when there is none. */
static struct block *take_spare(size_t size)
{
    for (struct block **at = &spare; *at != NULL; at = &(*at)->older) {
        struct block *b = *at;

        if (b->size >= size && b->size / 2 <= size) {
            *at = b->older;
            return b;
        }
    }
    return NULL;
}

static struct block *new_block(size_t size)
{
    struct block *b = ONE_ALLOCATION_A_BLOCK ? NULL : take_spare(size);

    if (b != NULL)
        return b;
    b = calloc(1, sizeof *b + size);
    if (b == NULL)
        out_of_memory(size);
    b->size = b->clean = size;
    return b;
}

static void add_block(struct arena *a, size_t size)
{
    struct block *b = new_block(size);

    if (a->newest != NULL)
        a->newest->filled = a->used;
    b->older = a->newest;
    a->newest = b;
    a->used = 0;
}

/* Gives back all but the first `used` bytes of the newest block. */
static void cut_back(struct arena *a, size_t used)
{
    struct block *b = a->newest;

    if (b->dirty < a->used)
        b->dirty = a->used;
    b->clean = used;
    a->used = used;
}

/* Takes the newest block away. */
static void drop_block(struct arena *a)
{
    struct block *b = a->newest;

    cut_back(a, 0);
    a->newest = b->older;
    if (ONE_ALLOCATION_A_BLOCK) {
        free(b);
        return;
    }
    b->older = spare;
    spare = b;
}

/* Zeroes the dirty part up to `end`, and some more for the small ones to come. */
static void wipe(struct block *b, size_t end)
{
    if (end < b->clean + WIPED_AT_ONCE)
        end = b->clean + WIPED_AT_ONCE;
    if (end > b->dirty)
        end = b->dirty;
    memset(b->bytes + b->clean, 0, end - b->clean);
    b->clean = end < b->dirty ? end : b->size;
}

/* The next bytes of the newest block, which has room for them. */
static char *cut(struct arena *a, size_t size)
{
    struct block *b = a->newest;
    char *p = b->bytes + a->used;

    if (a->used + size > b->clean && b->clean < b->dirty)
        wipe(b, a->used + size);
    a->used += size;
    a->in_use += size;
    return p;
}

static void *arena_add(struct arena *a, size_t size)
{
    const size_t wanted = ONE_ALLOCATION_A_BLOCK ? size : round_up(size);

    if (ONE_ALLOCATION_A_BLOCK || a->newest == NULL || a->newest->size - a->used < wanted)
        add_block(a, !ONE_ALLOCATION_A_BLOCK && wanted < BLOCK_SIZE ? BLOCK_SIZE : wanted);
    return cut(a, wanted);
}

/* What is asked for most, small and with clean room for it, on a short way. */
void *arena_alloc(struct arena *a, size_t size)
{
    const size_t wanted = (size + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
    struct block *b = a->newest;
    char *p;

    if (ONE_ALLOCATION_A_BLOCK || b == NULL || size - 1 >= SMALL || a->used + wanted > b->clean)
        return arena_add(a, size);
    p = b->bytes + a->used;
    a->used += wanted;
    a->in_use += wanted;
    return p;
}

/* Undoes what was taken since the newest block was BLOCK, filled up to USED. */
static void release_to(struct arena *a, struct block *block, size_t used)
{
    while (a->newest != block) {
        drop_block(a);
        a->used = a->newest == NULL ? 0 : a->newest->filled;
    }
    if (block != NULL)
        cut_back(a, used);
    a->used = used;
}

void arena_release(struct arena *a)
{
    release_to(a, NULL, 0);
    a->in_use = 0;
}

struct arena *mem_arena(void)
{
    struct arena *a = NEW(struct arena);

    a->older = run.older;
    run.older = a;
    return a;
}

/* Releases the arenas made after LAST; they are in memory of the run. */
static void release_arenas(struct arena *last)
{
    for (; run.older != last; run.older = run.older->older)
        arena_release(run.older);
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
    (void)cut(&run, more);
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

static void free_spare(void)
{
    while (spare != NULL) {
        struct block *older = spare->older;

        free(spare);
        spare = older;
    }
}

void mem_release(void)
{
    mem_release_to((struct mem_mark){0});
    free_spare();
    generation++;
}

struct mem_mark mem_mark(void)
{
    return (struct mem_mark){run.newest, run.used, run.in_use, run.older};
}

void mem_release_to(struct mem_mark mark)
{
    release_arenas(mark.arenas);
    release_to(&run, mark.block, mark.used);
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
    char mostly[128], *s;
    int n;

    assert(fmt != NULL);
    va_copy(again, args);
    n = vsnprintf(mostly, sizeof mostly, fmt, again);
    va_end(again);
    assert(n >= 0);
    s = mem_alloc((size_t)n + 1);
    if ((size_t)n < sizeof mostly)
        memcpy(s, mostly, (size_t)n);
    else
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

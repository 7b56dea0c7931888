/* mem.h: memory and growable arrays.
 *
 * Policy: everything kgen allocates lives in one arena and is freed at once,
 * by mem_release(), when a run is over. Nothing is freed singly; a computation
 * that leaves nothing behind (a case of a proof) frees all that it took, back
 * to a mark. Memory comes zeroed; running out of it ends the process with a
 * message and status 3.
 * Under AddressSanitizer every allocation is a malloc of its own, so that an
 * overrun of one is seen.
 */
#ifndef KGEN_BASE_MEM_H
#define KGEN_BASE_MEM_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* An arena of one's own, zero-initialised, for what lives longer than a mark
 * allows and shorter than the run. */
struct arena { struct block *newest; size_t used, in_use; struct arena *older; };
void *arena_alloc(struct arena *a, size_t size);
void arena_release(struct arena *a);
/* One that is released with the run, or to the mark around its making. */
struct arena *mem_arena(void);

void *mem_alloc(size_t size);
void *mem_grow(void *old, size_t old_size, size_t new_size);
void mem_release(void);
size_t mem_in_use(void);        /* but what is in arenas of their own */

/* Everything allocated, or grown, since the mark is freed by mem_release_to(). */
struct mem_mark { struct block *block; size_t used, in_use; struct arena *arenas; };
struct mem_mark mem_mark(void);
void mem_release_to(struct mem_mark mark);

/* How many times mem_release() was called: whoever keeps a pointer into the
 * arena between runs (names, source files) compares it and starts afresh. */
unsigned mem_generation(void);

char *mem_string(const char *s);
char *mem_string_n(const char *s, size_t n);
char *mem_format(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *mem_format_list(const char *fmt, va_list args) __attribute__((format(printf, 1, 0)));

#define NEW(type) ((type *)mem_alloc(sizeof(type)))
#define NEW_ARRAY(type, n) ((type *)mem_alloc(sizeof(type) * (size_t)(n)))

/* qsort(), also for an array that was never made (C11 7.22.5 wants a pointer). */
void sort_array(void *at, int n, size_t size, int (*compare)(const void *, const void *));

/* A growable array of T: `VEC(struct loc) notes;`, zero-initialised.
 * vec_push(&v, x) appends; v.at[i] reads; v.n counts. */
#define VEC(T) struct { T *at; int n, cap; }

#define vec_reserve(v)                                                          \
    ((v)->n < (v)->cap                                                          \
         ? (void)0                                                              \
         : (void)((v)->at = mem_grow((v)->at, sizeof *(v)->at * (size_t)(v)->cap, \
                                     sizeof *(v)->at * (size_t)((v)->cap ? (v)->cap * 2 : 8)), \
                  (v)->cap = (v)->cap ? (v)->cap * 2 : 8))
#define vec_push(v, x) (vec_reserve(v), (v)->at[(v)->n++] = (x))
#define vec_add(v) (vec_reserve(v), &(v)->at[(v)->n++])
#define vec_last(v) ((v)->at[(v)->n - 1])

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

#endif

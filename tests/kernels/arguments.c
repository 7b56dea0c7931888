/* arguments.c: frames_arguments of tests/kernels/frames.def, in C.
 *
 * field_build.sh has it compiled for each platform: what the compiler makes of it
 * is what the platform's ABI says about arguments on the stack.
 */
#include <stddef.h>
#include <stdint.h>

uint64_t arguments_in_c(uint64_t *r, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e,
                        uint64_t f, uint64_t g, unsigned h, unsigned i, uint64_t j, unsigned k,
                        size_t l, int m);

uint64_t arguments_in_c(uint64_t *r, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e,
                        uint64_t f, uint64_t g, unsigned h, unsigned i, uint64_t j, unsigned k,
                        size_t l, int m)
{
    const uint64_t all[14] = { a, b, c, d, e, f, g, h, i, j, k, l, (unsigned)m, a + b };
    for (int n = 0; n < 14; n++)
        r[n] = all[n];
    return a ^ j;
}

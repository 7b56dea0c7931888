/* simplify.c: the order of the improving passes.
 *
 * Each pass gives the others something to do, so they run in turn until none
 * changes anything. Every change makes the function smaller or moves a constant
 * outward, so this ends; the limit only bounds the time of an odd input.
 */
#include "ir/pass.h"

enum { ROUNDS = 16 };

void ir_simplify(struct ir_func *f)
{
    bool changed = true;

    for (int round = 0; changed && round < ROUNDS; round++) {
        changed = ir_trim_params(f);
        changed |= ir_fold(f);
        changed |= ir_number(f);
        changed |= ir_use_known_conditions(f);
        changed |= ir_remove_dead(f);
        changed |= ir_clean_blocks(f);
    }
    (void)ir_flow(f);
}

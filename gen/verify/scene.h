/* scene.h: one case set up: memory, arguments and registers.
 *
 * Both runs of a proof start from the same scene: the reference from the
 * arguments, the emitted code from registers that hold them as the ABI says,
 * with everything that the ABI leaves open (upper halves of 32-bit arguments,
 * other registers, flags, memory below sp) a fresh symbol or unreadable.
 */
#ifndef KGEN_VERIFY_SCENE_H
#define KGEN_VERIFY_SCENE_H

#include "verify/abi.h"
#include "verify/cases.h"
#include "verify/machine.h"
#include "verify/reference.h"
#include "verify/term_domain.h"
#include "verify/text_read.h"

enum { MAX_ARGS = MAX_ARGUMENTS };

/* Where things lie. Proofs run in two layouts, so that no result depends on an
 * address: in one the tables end at the end of a page, and arrays have just the
 * alignment that is declared. */
enum layout { LAYOUT_PLAIN, LAYOUT_TABLES_AT_PAGE_END, LAYOUT_COUNT };

struct scene {
    const struct case_set *cases;
    const uint64_t *chosen;             /* a value for each choice */
    const uint8_t *class_of;            /* object -> class: the partition */
    enum layout layout;

    struct cells *memory;               /* as both runs find it */
    struct reference_arg args[MAX_ARGS];
    val passed[MAX_ARGS];               /* each argument in 64 bits, as the caller passes it */
    uint64_t tables, stack_top, stack_size;
};

/* False when the case breaks a precondition or is too large to run whole.
 * `prefix`: huge arrays are allowed (only their first bytes have cells). */
enum scene_size { SCENE_WHOLE, SCENE_PREFIX };
bool scene_build(struct scene *s, const struct emitted *text, enum scene_size size);

/* Registers for the emitted code; machine.domain must be set. */
void scene_enter(const struct scene *s, const struct emitted *text, struct machine *m);

/* "n = 3, bits = 128, r is a": for messages. */
char *scene_describe(const struct scene *s);

#endif

/* generic.c: what a kernel without `tune` is written for.
 *
 * An order that suits an in-order core costs an out-of-order one nothing, so the
 * pipeline is that of Cortex-A55. Pairs that any listed core fuses stay adjacent.
 * ldp of q registers is used: it is slow on Cortex-A55 only. An update of a pointer
 * that joins an access saves an instruction everywhere.
 */
#include <stddef.h>

#include "core/cores.h"

static const struct core *const judges[] = {
    &core_cortex_a53, &core_cortex_a55, &core_cortex_a72, NULL,
};

const struct core core_generic = {
    .name = "generic",
    .judges = judges,
    CORTEX_A55_PIPELINE,
    .order_slack = 6,
    .tie_breaker = &core_neoverse_n1,
    .aes_pair_latency = 4,
    .fuses_aes_pair = true,
    .fuses_compare_branch = true,
    .prefers_post_index = true,
    .load_pair_q_is_slow = false,
};

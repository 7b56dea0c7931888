/* cores.h: the cores that kgen has a model of, one file each. */
#ifndef KGEN_CORE_CORES_H
#define KGEN_CORE_CORES_H

#include "core/core.h"

extern const struct core core_generic, core_cortex_a53, core_cortex_a55, core_cortex_a72,
    core_neoverse_n1, core_neoverse_v2, core_apple_m1;

/* The pipeline of Cortex-A55 is also that of `generic`. */
extern const struct timing cortex_a55_timing[TIME_COUNT];
extern const struct timing_exception cortex_a55_exceptions[];
extern const struct forwarding cortex_a55_forwarding[];
#define CORTEX_A55_PIPELINE                                                              \
    .in_order = true, .issue_width = 2, .port_count = 9,                                 \
    .port_names = { "ALU0", "ALU1", "BRANCH", "DIV", "VEC0", "VEC1", "LOAD", "MAC",      \
                    "STORE" },                                                           \
    .writeback = { .latency = 0, .uops = 1 }, .timing = cortex_a55_timing,               \
    .exceptions = cortex_a55_exceptions, .forwarding = cortex_a55_forwarding

#endif

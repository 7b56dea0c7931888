/* cores.h: the cores that kgen has a model of, one file each. */
#ifndef KGEN_CORE_CORES_H
#define KGEN_CORE_CORES_H

#include "core/core.h"

extern const struct core core_generic, core_cortex_a53, core_cortex_a55, core_cortex_a72,
    core_neoverse_n1, core_neoverse_v2, core_apple_m1;

#endif

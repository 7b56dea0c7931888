/* rows.h: how the rows of a core's tables are written (core/<core>.c). */
#ifndef KGEN_CORE_ROWS_H
#define KGEN_CORE_ROWS_H

#include "core/cores.h"

/* Latency, micro-operations, the ports that limit it most and for how long; then what
 * else struct timing has, by name. */
#define TIMING(cycles, slots, on, busy_cycles, ...) \
    { .latency = cycles, .uops = slots, .ports = on, .busy = busy_cycles, __VA_ARGS__ }
#define ROW(class, ...) [TIME_##class] = TIMING(__VA_ARGS__, )
#define EXCEPT(name, ...) { INSN_##name, TIMING(__VA_ARGS__, ) }
/* What its results are forwarded through. */
#define VIA(name) .network = name
/* Only as the first of its cycle. */
#define FIRST .flags = FIRST_IN_CYCLE
/* One, two or three more ports taken. */
#define AND(on, n) .also = { { on, n } }
#define AND_2(on1, n1, on2, n2) .also = { { on1, n1 }, { on2, n2 } }
#define AND_3(on1, n1, on2, n2, on3, n3) .also = { { on1, n1 }, { on2, n2 }, { on3, n3 } }

/* How much earlier CLASS has the registers it reads when they come from NET; the
 * second form only where the register is also written (an accumulator). */
#define FORWARD(net, class, ...) \
    { .network = net, .consumer = TIME_##class, .early = { __VA_ARGS__ } }
#define FORWARD_TIED(net, class, ...) \
    { .network = net, .consumer = TIME_##class, .early = { __VA_ARGS__ }, .only_tied = true }

#endif

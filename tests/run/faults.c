/* faults.c: call_watched and guarded buffers see what they must see.
 *
 * The functions of harness/faults.S each break one promise; a run that
 * accepts one of them fails.
 */
#include <stdio.h>
#include <string.h>

#include "run/call.h"

/* Those that this harness can tell; the emulator sees the others too. */
#define BREAKS_REGISTERS(F)                                                                   \
    F(x18) F(x19) F(x20) F(x21) F(x22) F(x23) F(x24) F(x25) F(x26) F(x27) F(x28) F(x29)       \
    F(d8) F(d9) F(d10) F(d11) F(d12) F(d13) F(d14) F(d15) F(sp)

#define DECLARE(name) void breaks_##name(void);
BREAKS_REGISTERS(DECLARE)
void sound(void), breaks_half_of_d8(void);
void lands(void), stumbles(void);
void stores_before(void), stores_after(void), loads_before(void), loads_after(void);

static const struct { const char *name; any_function function; } registers[] = {
#define ROW(name) { #name " is not what it was", breaks_##name },
    BREAKS_REGISTERS(ROW)
};

static const struct access {
    const char *name;
    any_function function;
    enum guard_edge edge;
    bool leaves_trace;          /* in the page, instead of faulting */
} accesses[] = {
    { "stores_before", stores_before, GUARD_START, false },
    { "stores_after",  stores_after,  GUARD_END,   false },
    { "loads_before",  loads_before,  GUARD_START, false },
    { "loads_after",   loads_after,   GUARD_END,   false },
    { "stores_before", stores_before, GUARD_END,   true },
    { "stores_after",  stores_after,  GUARD_START, true },
};

int main(void)
{
    enum { SIZE = 24 };
    struct guarded g = guarded_new(SIZE);
    uint64_t arguments[2] = { (uint64_t)guarded_place(&g, SIZE, GUARD_END, 0), SIZE };

    check(call_watched(sound, arguments, 2).fault[0] == 0, "a sound function is refused");
    check(call_watched(breaks_half_of_d8, arguments, 2).fault[0] == 0,
          "the high half of v8 may change");
    check(call_watched(lands, NULL, 0).fault[0] == 0, "a branch target is refused");
    check(strncmp(call_watched(stumbles, NULL, 0).fault, "an instruction refused", 22) == 0,
          "a call that meets no branch target is not seen");
    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++) {
        struct call_result r = call_watched(registers[i].function, arguments, 2);
        check(strcmp(r.fault, registers[i].name) == 0, "'%s' instead of '%s'", r.fault,
              registers[i].name);
    }
    for (size_t i = 0; i < sizeof accesses / sizeof *accesses; i++) {
        uint8_t *at = guarded_place(&g, SIZE, accesses[i].edge, 0);
        arguments[0] = (uint64_t)at;
        struct call_result r = call_watched(accesses[i].function, arguments, 2);
        bool seen = accesses[i].leaves_trace ? !guarded_intact(&g, at, SIZE)
                                             : strncmp(r.fault, "an access to", 12) == 0;
        check(seen, "%s is not seen", accesses[i].name);
    }
    printf("%lu\n", checks_passed());
    return 0;
}

/* vpaes_oracle.c: writes what vpaes.c must find: for every case of
 * harness/vpaes_cases.h its blocks, then the ivec that is left. Runs on the
 * machine that builds.
 */
#include <stdio.h>

#include "harness/vpaes_expected.h"

int main(void)
{
    static struct vpaes_case c;
    bool written = true;
    for (int i = 0; i < vpaes_case_count(); i++) {
        uint8_t out[16 * VPAES_MAX_BLOCKS], left[16];
        vpaes_case_at(i, &c);
        vpaes_expect(&c, out, left);
        written = written && fwrite(out, 16, c.blocks, stdout) == c.blocks &&
                  fwrite(left, 16, 1, stdout) == 1;
    }
    if (!written || fflush(stdout) != 0) {
        perror("vpaes_oracle");
        return 1;
    }
    return 0;
}

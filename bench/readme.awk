# readme.awk: the table of README.md out of bench/RESULTS.md: how many times as fast as what
# is replaced, with the tune of the source and with the core's own.

BEGIN {
    FS = " *[|] *"
    cores = "cortex-a53 cortex-a55 cortex-a72 neoverse-n1 neoverse-v2 apple-m1"
    head = "| |"; line = "|---|"
    for (c = 1; c <= split(cores, core, " "); c++) {
        head = head " " core[c] " |"
        line = line "--:|"
    }
}

/^## / { here = /Beside what is replaced/ }

here && $4 ~ /^[0-9]/ {
    if (!($2 in seen)) {
        seen[$2] = 1
        what[++count] = $2
    }
    times[$2, $3] = $6 == $8 ? $6 : $6 ", " $8
}

END {
    print head
    print line
    for (k = 1; k <= count; k++) {
        row = "| " what[k] " |"
        for (c = 1; c in core; c++)
            row = row " " times[what[k], core[c]] " |"
        print row
    }
}

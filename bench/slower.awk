# slower.awk: which loops became slower, and whether bench/slower.tsv says why.
#
# Reads slower.tsv, the results that were and those that are. With -v what=unexplained
# prints rows for slower.tsv that lack a reason; with -v what=held its rows that still
# hold. A loop is known by its function, its steps and which of those it is: not by its
# line, which changes with every line above it.

BEGIN { FS = OFS = "\t"; way[5] = "default"; way[7] = "tuned" }

FNR == 1 { file++ }

file == 1 {
    if ($0 !~ /^#/ && $1 != "loop") {
        key = $1 SUBSEP $2 SUBSEP $3
        row[key] = $0; was[key] = $4; allowed[key] = $5
        order[++rows] = key
    }
    next
}

/^## / { is_module = / [a-z0-9]*-armv8$/; next }

!is_module || !/^\| [^ ]*x[0-9.]+ \|/ { next }

{
    count = split($0, field, / *[|] */)
    name = field[2]
    sub(/:[0-9]+x/, " x", name)
    sub(/\.[0-9]+$/, "", name)
    number = ++seen[file, name, field[3]]
    if (number > 1)
        name = name "." number
    for (c = 5; c <= 7; c += 2) {
        key = name SUBSEP field[3] SUBSEP way[c]
        if (file == 2)
            before[key] = field[c]
        else
            after[key] = field[c]
        if (file == 3 && key in before && is_slower(before[key], field[c]))
            worse[++worse_count] = key
    }
}

# By more than half a percent: the mean over 100 turns has their start and end in it.
function is_slower(old, new) { return new > old * 1.005 + 0.01 }

END {
    if (what == "held")
        for (k = 1; k <= rows; k++)
            if (order[k] in after && is_slower(was[order[k]], after[order[k]]))
                print row[order[k]]
    if (what == "unexplained")
        for (k = 1; k <= worse_count; k++) {
            key = worse[k]
            if (key in row && !is_slower(allowed[key], after[key]))
                continue
            split(key, part, SUBSEP)
            print part[1], part[2], part[3], key in row ? was[key] : before[key], after[key], ""
        }
}

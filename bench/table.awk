# table.awk: RESULTS.md out of what was measured.
#
# Reads replaced.tsv, goals.tsv, pairs.tsv and loops.tsv, in this order. Replaced loops
# are matched by what they do: an encryption round of vpaes is a loop of the line that
# vpaes_encrypt has it in, a decryption round one of vpaes_decrypt's; of the two widths
# replaced, the one nearest to ours.

BEGIN {
    FS = "\t"
    cores = "cortex-a53 cortex-a55 cortex-a72 neoverse-n1 neoverse-v2 apple-m1"
}

/^#/ || FNR == 1 && FILENAME ~ /(replaced|goals)\.tsv$/ { next }

FILENAME ~ /replaced\.tsv$/ && $1 != "loop" { replaced[$1, $2] = $9; next }

FILENAME ~ /goals\.tsv$/ && $1 != "what" {
    goal_count++
    goal_what[goal_count] = $1; goal_core[goal_count] = $2
    goal[goal_count] = $3; goal_bound[goal_count] = $4
    next
}

FILENAME ~ /pairs\.tsv$/ {
    key = $1 SUBSEP $2 SUBSEP $3
    pairs[key] = $4
    set_least("pairs", key, $5, $6, $7)
    next
}

FILENAME ~ /loops\.tsv$/ {
    key = $2 SUBSEP $3 SUBSEP $4
    if (!(($2, $3) in seen)) {
        seen[$2, $3] = 1
        for (c = 1; c <= split(cores, core, " "); c++)
            keys[++key_count] = $2 SUBSEP $3 SUBSEP core[c]
    }
    instructions[$1, key] = $5; steps[key] = $6; bytes[key] = $7
    model[$1, key] = $8; bound[$1, key] = $9; set_by[$1, key] = $10; mca[$1, key] = $12
    set_least($1, key, $9, $10, $11)
    if ($3 ~ /^vpaes_encrypt:/) line["enc"] = line_of($3)
    if ($3 ~ /^vpaes_decrypt:/) line["dec"] = line_of($3)
}

# The bound, in-order write-back included.
function set_least(way, key, bound, by, write_back) {
    least[way, key] = write_back + 0 > bound + 0 ? write_back : bound
    least_by[way, key] = write_back + 0 > bound + 0 ? "write-back" : by
}

function line_of(name,    rest) {
    rest = substr(name, index(name, ":") + 1)
    sub(/x.*/, "", rest)
    return rest
}

# What a loop is to the table of what is replaced.
function kind_of(module, name) {
    if (module == "vpaes-armv8" && line_of(name) == line["enc"]) return "enc"
    if (module == "vpaes-armv8" && line_of(name) == line["dec"]) return "dec"
    if (name ~ /^bn_add_words:/) return "add"
    if (name ~ /^bn_sub_words:/) return "sub"
    if (name ~ /^aes_hw_ctr32_encrypt_blocks:[0-9]+x[0-9]+$/) return "ctr"
    return ""
}

# Cycles a step of what is replaced, or "".
function replaced_step(kind, width, core) {
    if (kind == "enc" || kind == "dec")
        return width == 1 ? replaced["vpaes_" kind "_1x_round", core] \
                          : replaced["vpaes_" kind "_2x_round", core] / 2
    if (kind == "add") return replaced["bn_add_words_loop", core] / 2
    if (kind == "sub") return replaced["bn_sub_words_loop", core] / 2
    if (kind == "ctr" && width > 1) return replaced["aes_hw_ctr32_outer128", core] / 3
    return ""
}

function step(cycles, n) { return cycles == "" ? "" : sprintf("%.2f", cycles / n) }

# The best width of a kind on a core.
function best(way, kind, core,    i, part, value, lowest) {
    lowest = ""
    for (i = 1; i <= key_count; i++) {
        split(keys[i], part, SUBSEP)
        if (part[3] != core || kind_of(part[1], part[2]) != kind || !((way, keys[i]) in mca))
            continue
        value = mca[way, keys[i]] / steps[keys[i]]
        if (lowest == "" || value < lowest) {
            lowest = value
            best_bound = bound[way, keys[i]] / steps[keys[i]]
            best_replaced = replaced_step(kind, steps[keys[i]], core)
        }
    }
    return lowest
}

function print_goals(    i, kind, way, value) {
    print "## Goals\n"
    print "Cycles a step at the best width, with the core's tune, by llvm-mca 22.\n"
    print "| what | core | replaced | ours | goal | | bound |"
    print "|---|---|--:|--:|--:|---|--:|"
    for (i = 1; i <= goal_count; i++) {
        kind = goal_what[i] ~ /^vpaes/ ? "enc" : goal_what[i] ~ /^bn/ ? "add" : "ctr"
        way = kind == "ctr" && goal_core[i] ~ /^cortex-a5/ ? "unfused" : "tuned"
        value = best(way, kind, goal_core[i])
        printf "| %s | %s | %.2f | %.2f | %s | %s | %s |\n", goal_what[i], goal_core[i],
               best_replaced, value, goal[i], sprintf("%.2f", value) <= goal[i] + 0.004 ? "reached" : "",
               goal_bound[i]
    }
    for (i = 1; i <= 6; i++) {
        value = best("tuned", "dec", goal_core[i])
        most = goal_core[i] == "cortex-a53" ? 10 : goal_core[i] == "cortex-a55" ? 15 : 6
        printf "| vpaes decryption, a round of a block | %s | %.2f | %.2f | %.2f | %s | %.2f |\n",
               goal_core[i], best_replaced, value, best_bound * (1 + most / 100),
               value <= best_bound * (1 + most / 100) + 0.004 ? "reached" : "", best_bound
    }
    print ""
}

function print_beside(    i, k, was, now, tuned) {
    print "## Beside what is replaced\n"
    print "Cycles a step by llvm-mca 22, each at its best width, and how many times as fast: with the\n" \
          "tune of the source, and with the core's own.\n"
    print "| what | core | replaced | default tune | times | core's tune | times | |"
    print "|---|---|--:|--:|--:|--:|--:|---|"
    for (k = 1; k <= split("enc dec ctr add sub", kinds, " "); k++)
        for (i = 1; i <= 6; i++) {
            was = lowest_replaced(kinds[k], goal_core[i])
            now = best("default", kinds[k], goal_core[i])
            tuned = best("tuned", kinds[k], goal_core[i])
            printf "| %s | %s | %.2f | %.2f | %.2f | %.2f | %.2f | %s |\n", names[kinds[k]],
                   goal_core[i], was, now, was / now, tuned, was / tuned,
                   (now > was + 0.004 ? "slower" : "")
        }
    print ""
}

function lowest_replaced(kind, core,    one, two) {
    one = replaced_step(kind, 1, core)
    two = replaced_step(kind, 2, core)
    return one == "" || two < one ? two : one
}

function print_module(module,    i, part, key, kind, was) {
    printf "## %s\n\n", module
    print "| loop | core | insns | default | model | tuned | model | bound | by | replaced |"
    print "|---|---|--:|--:|--:|--:|--:|--:|---|--:|"
    for (i = 1; i <= key_count; i++) {
        key = keys[i]
        split(key, part, SUBSEP)
        way = ("tuned", key) in mca ? "tuned" : "default"
        if (part[1] != module || !((way, key) in mca))
            continue
        was = replaced_step(kind_of(module, part[2]), steps[key], part[3])
        printf "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", part[2], part[3],
               instructions[way, key],
               step(mca["default", key], steps[key]), step(model["default", key], steps[key]),
               step(mca["tuned", key], steps[key]), step(model["tuned", key], steps[key]),
               step(bound[way, key], steps[key]), set_by[way, key],
               was == "" ? "" : sprintf("%.2f", was)
    }
    print ""
}

function above(cycles, bound) { return sprintf("%.1f", 100 * (cycles / bound - 1)) }

# The main loops, by the state's length, on in-order cores; at most 10 % above.
function print_aegis(    i, part, key, flat) {
    print "## AEGIS on in-order cores\n"
    print "Cycles a step of the main loops with the core's tune, percent above the bound, and what sets\n" \
          "that: ports, a recurrence (the dependency chain), or in-order write-back. Scheduled without\n" \
          "pairs, by llvm-mca; scheduled with them, by the model. `make check` fails above 10 %.\n"
    print "| loop | core | without pairs | bound | by | % | with pairs | bound | by | % |"
    print "|---|---|--:|--:|---|--:|--:|--:|---|--:|"
    for (i = 1; i <= key_count; i++) {
        key = keys[i]
        split(key, part, SUBSEP)
        if (part[1] !~ /^aegis-/ || steps[key] < 6 || !(key in pairs))
            continue
        flat = mca["unfused", key]
        printf "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", part[2], part[3],
               step(flat, steps[key]), step(least["unfused", key], steps[key]),
               least_by["unfused", key], above(flat, least["unfused", key]),
               step(pairs[key], steps[key]), step(least["pairs", key], steps[key]),
               least_by["pairs", key], above(pairs[key], least["pairs", key])
    }
    print ""
}

# On cores that llvm-mca does not know to fuse pairs: without them, and with them
# by the model.
function print_pairs(    i, part, key) {
    print "## AES pairs on in-order cores\n"
    print "Cortex-A53 and A55 join `aese` and `aesmc`; llvm-mca does not know it. Cycles a step with\n" \
          "the core's tune: scheduled without pairs, by llvm-mca; scheduled with them, by kgen's\n" \
          "model of joined pairs.\n"
    print "| loop | core | without, llvm-mca | with, model |"
    print "|---|---|--:|--:|"
    for (i = 1; i <= key_count; i++) {
        key = keys[i]
        split(key, part, SUBSEP)
        if (!(key in pairs) || part[1] ~ /^(bn|vpaes)-/ || !(("unfused", key) in mca))
            continue
        printf "| %s | %s | %s | %s |\n", part[2], part[3], step(mca["unfused", key], steps[key]),
               step(pairs[key], steps[key])
    }
    print ""
}

END {
    names["enc"] = "vpaes encryption, a round of a block"
    names["dec"] = "vpaes decryption, a round of a block"
    names["add"] = "bn addition, a limb"
    names["sub"] = "bn subtraction, a limb"
    names["ctr"] = "AES-CTR, a block"
    print "# Results\n"
    print "Written by `make bench`; `make check` computes them again and compares. How to read them,\n" \
          "and where the figures come from: docs/performance.md.\n"
    print_goals()
    print_beside()
    print_aegis()
    print "Below: cycles a step of the source's loop, that is of a turn over the steps it makes (the\n" \
          "number behind the `x` in the loop's name, which begins with function and line). `default`\n" \
          "and `tuned` are by llvm-mca 22, for the source's tune and for the core's own; `model`\n" \
          "behind each is kgen's. `bound` is what ports, slots or recurrence allow at least.\n"
    for (i = 1; i <= key_count; i++) {
        split(keys[i], part, SUBSEP)
        if (!(part[1] in printed)) {
            printed[part[1]] = 1
            print_module(part[1])
        }
    }
    print_pairs()
}

#!/bin/sh
# grammar_doc_test.sh: docs/grammar.md shows the grammar that bison reads.
#
# Takes the rules and precedences of grammar/kernel.y without actions, comments
# and error alternatives, and those of the ```bison block in docs/grammar.md;
# both as one rule a line with single spaces. Fails with their difference, and
# when the block is longer than two printed pages.
set -eu
cd "$(dirname "$0")/.."

lines_of_two_pages=132
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Reads rules, prints each as one line; {…} and /*…*/ are left out.
normalise() {
    awk '
    function flush_alternative() {
        if (alternative !~ / error( |$)/)
            rule = rule (alternatives++ ? " |" : "") alternative
        alternative = ""
    }
    function take(word) {
        if (word == "%prec") { skip_next = 1; return }
        if (skip_next) { skip_next = 0; return }
        if (word == "|") { flush_alternative(); return }
        if (word == ";") { flush_alternative(); print rule; rule = ""; alternatives = 0; return }
        if (word == ":") { rule = substr(alternative, 2) ":"; alternative = ""; return }
        alternative = alternative " " word
    }
    { text = text $0 "\n" }
    END {
        while (text != "") {
            if (match(text, /^[ \t\n]+/)) { }
            else if (match(text, /^\/\*([^*]|\*+[^*\/])*\*+\//)) { }
            else if (match(text, /^"[^"]*"/)) { if (!depth) take(substr(text, 1, RLENGTH)) }
            else if (match(text, /^[%A-Za-z_][A-Za-z_0-9]*/)) { if (!depth) take(substr(text, 1, RLENGTH)) }
            else {
                match(text, /^./)
                c = substr(text, 1, 1)
                if (c == "{") depth++
                else if (c == "}") depth--
                else if (!depth) take(c)
            }
            text = substr(text, RLENGTH + 1)
        }
    }'
}

precedences() {
    sed -n 's/^%\(left\|nonassoc\|precedence\) /%\1 /p'
}

bison_block() {
    sed -n '/^```bison$/,/^```$/p' docs/grammar.md | sed '/^```/d'
}

precedences <grammar/kernel.y >"$scratch/wanted"
sed -n '/^%%$/,/^%%$/p' grammar/kernel.y | sed '/^%%$/d' | normalise >>"$scratch/wanted"
bison_block | precedences >"$scratch/written"
bison_block | sed '/^%/d' | normalise >>"$scratch/written"

[ "$(wc -l <"$scratch/wanted")" -ge 50 ] || { echo "grammar: too few rules were found" >&2; exit 1; }
if ! diff -u "$scratch/wanted" "$scratch/written"; then
    echo "docs/grammar.md differs from grammar/kernel.y (-: kernel.y, +: grammar.md)" >&2
    exit 1
fi
if [ "$(wc -l <docs/grammar.md)" -gt "$lines_of_two_pages" ]; then
    echo "docs/grammar.md is longer than two pages of $((lines_of_two_pages / 2)) lines" >&2
    exit 1
fi

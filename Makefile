# make          builds build/kgen and regenerates out/
# make check    runs every test
# make asan     the same tests under AddressSanitizer and UBSan
# make bench    measures every loop on every core, and writes bench/RESULTS.md
# make fuzz     builds the fuzz target and runs it for FUZZ_SECONDS
# make clean    removes build/
#
# A tool that is missing is installed when that is possible (tests/need.sh),
# and named otherwise.

BUILD ?= build
FUZZ_SECONDS ?= 60
CFLAGS ?= -O2 -g
BISON ?= bison
FLEX ?= flex

DEFINES := -std=c11 -D_POSIX_C_SOURCE=200809L -Igen -I$(BUILD)/grammar
WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wconversion -Werror
# What flex writes is not ours to correct.
WARN_LEX := -Wno-conversion -Wno-sign-conversion -Wno-sign-compare -Wno-unused-function \
            -Wno-unused-parameter
COMPILE = $(CC) $(DEFINES) $(WARN) $(CFLAGS) $(SANITIZE) -MMD -MP

SOURCES := $(sort $(wildcard gen/*/*.c))
GRAMMAR := $(BUILD)/grammar/kernel.tab.o $(BUILD)/grammar/kernel.lex.o
OBJECTS := $(SOURCES:%.c=$(BUILD)/%.o) $(GRAMMAR)
# Everything but main(), for tests.
PARTS := $(filter-out $(BUILD)/gen/tool/main.o,$(OBJECTS))

TESTS := $(sort $(wildcard tests/*_test.c tests/harness/*.c tests/random/*.c))
TEST_OBJECTS := $(TESTS:%.c=$(BUILD)/%.o) $(BUILD)/tests/main.o
TEST_SCRIPTS := $(sort $(wildcard tests/*_test.sh))
TEST_LIBS := check unicorn capstone libcrypto

.PHONY: all out check unit scripts asan fuzz bench clean need-build need-check
.DELETE_ON_ERROR:
.SECONDARY:

all: out

out: $(BUILD)/kgen
	@mkdir -p out
	@$(BUILD)/kgen gen kernels.def -o out

# -- kgen --

need-build:
	@tests/need.sh build

$(BUILD)/kgen: $(OBJECTS)
	$(CC) $(CFLAGS) $(SANITIZE) -o $@.new $^
	@mv -f $@.new $@

$(BUILD)/%.o: %.c | need-build
	@mkdir -p $(@D)
	$(COMPILE) -c -o $@ $<

$(BUILD)/grammar/kernel.tab.c: grammar/kernel.y | need-build
	@mkdir -p $(@D)
	$(BISON) -Wall -Werror --header=$(@:.c=.h) -o $@ $<

$(BUILD)/grammar/kernel.lex.c: grammar/kernel.l | need-build
	@mkdir -p $(@D)
	$(FLEX) -o $@ $<

$(BUILD)/grammar/kernel.tab.h: $(BUILD)/grammar/kernel.tab.c ;

$(BUILD)/grammar/kernel.tab.o: $(BUILD)/grammar/kernel.tab.c
	$(COMPILE) -c -o $@ $<

$(BUILD)/grammar/kernel.lex.o: $(BUILD)/grammar/kernel.lex.c $(BUILD)/grammar/kernel.tab.h
	$(COMPILE) $(WARN_LEX) -c -o $@ $<

# Sources that include the parser's header.
$(filter $(BUILD)/gen/lang/%,$(OBJECTS)): $(BUILD)/grammar/kernel.tab.h

# -- tests --

need-check: need-build
	@tests/need.sh check

check: out scripts unit

scripts: $(BUILD)/kgen $(BUILD)/bench/executed $(BUILD)/bench/timed need-check
	@for s in $(TEST_SCRIPTS); do \
	    BUILD=$(BUILD) KGEN=$(BUILD)/kgen $$s || { echo "$$s: failed" >&2; exit 1; }; \
	done

unit: $(BUILD)/tests/unit out need-check
	@$(MAKE) --no-print-directory objects
	@BUILD=$(BUILD) KGEN=$(BUILD)/kgen $(BUILD)/tests/unit

# The suites are declared once, in tests/suites.h.
$(BUILD)/tests/suites.inc: tests/suites.h
	@mkdir -p $(@D)
	@sed -n 's/^Suite \*\([a-z0-9_]*\)(void);$$/\1,/p' $< >$@

$(BUILD)/tests/%.o: tests/%.c $(BUILD)/tests/suites.inc | need-check
	@mkdir -p $(@D)
	$(COMPILE) -Itests -I$(BUILD)/tests -c -o $@ $<

$(BUILD)/tests/unit: $(TEST_OBJECTS) $(PARTS)
	$(CC) $(CFLAGS) $(SANITIZE) -o $@.new $^ $$(pkg-config --libs $(TEST_LIBS)) -lm
	@mv -f $@.new $@

# Object files of every output, and of the functions that tests/harness must
# refuse (harness/faults.S), for the tests that load them. A make of its own
# (from unit), because `out` decides which there are.
ASSEMBLE_linux := aarch64-linux-gnu-gcc
ASSEMBLE_apple := clang -target arm64-apple-macos11
ASSEMBLE_win := clang -target aarch64-pc-windows-msvc

define assemble
$(BUILD)/objects/%-$(1).o: out/%-$(1).S
	@mkdir -p $$(@D)
	@$$(ASSEMBLE_$(1)) -c -o $$@ $$<

$(BUILD)/objects/%-$(1).o: tests/harness/%.S
	@mkdir -p $$(@D)
	@$$(ASSEMBLE_$(1)) -c -o $$@ $$<

objects: $(patsubst out/%.S,$(BUILD)/objects/%.o,$(wildcard out/*-$(1).S)) \
         $(BUILD)/objects/faults-$(1).o
endef
.PHONY: objects
$(foreach platform,linux apple win,$(eval $(call assemble,$(platform))))

asan:
	@ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
	$(MAKE) BUILD=build/asan CFLAGS="-O1 -g" \
	    SANITIZE="-fsanitize=address,undefined -fno-sanitize-recover=all" scripts unit

# -- figures --

bench: out $(BUILD)/bench/executed $(BUILD)/bench/timed
	@BUILD=$(BUILD) KGEN=$(BUILD)/kgen bench/bench.sh

$(BUILD)/bench/executed: bench/executed.c $(BUILD)/tests/harness/emulator.o \
        $(patsubst %.c,$(BUILD)/%.o,$(sort $(wildcard tests/harness/object.c tests/harness/object_*.c)))
	@mkdir -p $(@D)
	$(COMPILE) -Itests -o $@ $^ $$(pkg-config --libs unicorn)

$(BUILD)/bench/timed: bench/timed.c | need-build
	@mkdir -p $(@D)
	$(COMPILE) -o $@ $<

# -- fuzzing --

FUZZ_FLAGS := -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all
FUZZ_CC ?= clang-22

fuzz: need-check
	@$(MAKE) BUILD=build/fuzz CC=$(FUZZ_CC) CFLAGS="-O1 -g" \
	    SANITIZE="-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all" \
	    build/fuzz/parse_fuzz
	@tests/fuzz/run.sh build/fuzz/parse_fuzz $(FUZZ_SECONDS)

$(BUILD)/parse_fuzz: tests/fuzz/parse_fuzz.c $(PARTS)
	$(CC) $(DEFINES) $(WARN) $(FUZZ_FLAGS) -o $@ $^

clean:
	rm -rf build

-include $(OBJECTS:.o=.d) $(TEST_OBJECTS:.o=.d)

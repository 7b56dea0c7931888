/* suites.h: every test suite; tests/main.c runs them all. */
#ifndef KGEN_TESTS_SUITES_H
#define KGEN_TESTS_SUITES_H

#include <check.h>

Suite *isa_suite(void);
Suite *isa_assemble_suite(void);
Suite *mean_suite(void);
Suite *mean_terms_suite(void);
Suite *exec_suite(void);
Suite *base_suite(void);
Suite *parser_suite(void);
Suite *rules_suite(void);
Suite *term_suite(void);
Suite *mutate_suite(void);
Suite *prove_suite(void);
Suite *lemma_suite(void);
Suite *emit_suite(void);
Suite *harness_suite(void);
Suite *tables_suite(void);
Suite *count_suite(void);
Suite *emulated_suite(void);
Suite *vpaes_suite(void);
Suite *aes_suite(void);
Suite *aead_suite(void);
Suite *unwind_suite(void);
Suite *field_suite(void);
Suite *range_suite(void);
Suite *check_suite(void);
Suite *bounds_random_suite(void);
Suite *elab_suite(void);
Suite *ir_suite(void);
Suite *shape_suite(void);
Suite *code_suite(void);
Suite *core_suite(void);
Suite *pipeline_suite(void);
Suite *modulo_suite(void);
Suite *trial_suite(void);
Suite *random_suite(void);
Suite *random_proof_suite(void);

#endif

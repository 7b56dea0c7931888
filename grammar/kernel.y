/* kernel.y: the grammar of the kernel description language.
 *
 * Takes the tokens of one file (kernel.l), gives its declarations to
 * struct parser as syntax trees (gen/lang/ast.h). docs/grammar.md shows these
 * rules without actions and error rules; a test compares the two.
 *
 * Holds: no conflicts; no state outside the arguments; an error does not end
 * the reading: it goes on behind the next `;`, `}` or block.
 * Does not: look up names, know types, or compute anything. What has the right
 * shape and means nothing is for lang/ to refuse.
 */
%require "3.8"
%define api.pure full
%define api.prefix {kernel_yy}
%define api.location.type {struct loc}
%define api.token.prefix {TOKEN_}
%define parse.error custom
%define parse.lac full
%locations
%expect 0
%param {void *scanner}
%parse-param {struct parser *p}

%code requires {
#include "lang/parse.h"
}

%union {
    struct node *node;
    struct node_list list;
    struct param_list params;
    struct param_node *param;
    struct clause_list clauses;
    struct clause_node *clause;
    struct name_token name;
    const char *text;           /* of a string; of a keyword: the doc comment before it */
    enum direction direction;
    enum secrecy_mark secrecy;
    bool flag;
    struct { enum loop_shape shape; struct node *widths; } loop;
    struct { struct node *size, *align; } layout;
}

%code {
#define YYMAXDEPTH 10000
#define YYMALLOC mem_alloc
#define YYFREE(old) ((void)(old))

/* The span of a rule: from its first symbol to its last. An empty rule stands
 * just behind what was before it. */
#define YYLLOC_DEFAULT(Current, Rhs, N)                                         \
    ((Current) = (N) != 0 ? span_of(&YYRHSLOC(Rhs, 1), N)                       \
                          : span_after(YYRHSLOC(Rhs, 0)))

int kernel_yylex(KERNEL_YYSTYPE *value, struct loc *loc, void *scanner);
static void kernel_yyerror(const struct loc *loc, void *scanner, struct parser *p,
                           const char *message);
}

%token END 0                "the end of the file"
%token <name> NAME          "a name"
%token <name> TYPE_NAME     "a type name"
%token <node> NUMBER        "a number"
%token <text> STRING        "a string"

%token <text> MODULE "module" EXTERN "extern" STRUCT "struct" TABLE "table" EXPORT "export"
%token <text> INLINE "inline" LOCAL "local" STATIC "static" TEST "test"
%token <name> SIZE "size" ALIGN "align" STEP "step" TUNE "tune" FUSE "fuse" WIPE "wipe" OUT "out"
%token INCLUDE "include" FN "fn" PUBLIC "public" SECRET "secret" IN "in" INOUT "inout"
%token REQUIRES "requires" NOALIAS "noalias" WHERE "where" VARIANT "variant"
%token LET "let" VAR "var" STACK "stack" FOR "for" WHILE "while" IF "if" ELSE "else"
%token RETURN "return" EXPECT "expect" UNROLL "unroll" WEAVE "weave" AS "as"

%token SEMICOLON ";" COMMA "," COLON ":" ASSIGN "=" ARROW "->" DOT "."
%token RANGE ".." RANGE_INCLUSIVE "..="
%token OPEN_BRACE "{" CLOSE_BRACE "}" OPEN_PAREN "(" CLOSE_PAREN ")"
%token OPEN_BRACKET "[" CLOSE_BRACKET "]"
%token LOGIC_OR "||" LOGIC_AND "&&" EQ "==" NE "!=" LT "<" LE "<=" GT ">" GE ">="
%token OR "|" XOR "^" AND "&" SHL "<<" SHR ">>" ROL "<<<" ROR ">>>"
%token ADD "+" SUB "-" MUL "*" DIV "/" MOD "%" NOT "~" LOGIC_NOT "!"

/* From loosest to tightest. */
%left "||"
%left "&&"
%nonassoc "==" "!=" "<" "<=" ">" ">="
%left "|"
%left "^"
%left "&"
%left "<<" ">>" "<<<" ">>>"
%left "+" "-"
%left "*" "/" "%"
%precedence PREFIX
%precedence "as"

%type <node> declaration struct field function type statement block value_opt binding loop
%type <node> condition expression place primary call conditional list iterable range
%type <node> set set_item set_opt align_opt step_opt argument
%type <list> declarations fields types results statements bindings places names expressions
%type <list> expressions_opt set_items arguments arguments_opt
%type <params> params params_opt
%type <param> param
%type <clauses> clauses choices
%type <clause> clause choice
%type <name> name
%type <direction> direction
%type <secrecy> secrecy
%type <flag> static_opt
%type <loop> shape
%type <layout> layout

%initial-action {
    @$ = (struct loc){.file = p->file, .line = 1, .col = 1, .end_col = 1};
    (void)yynerrs;              /* counted by the skeleton, of use to nobody */
}

%%

/* -- declarations -- */

declarations:
      %empty                            { $$ = list_of(NULL); }
    | declarations declaration          { add_declaration(p, $2); }
    ;

declaration:
      "module" STRING ";"               { $$ = string_node(@$, $2);
                                          $$->kind = N_MODULE;
                                          $$->doc = $1; }
    | "include" STRING ";"              { parse_include(p, @2, $2);
                                          $$ = NULL; }
    | "struct" struct                   { $$ = documented($2, @$, $1); }
    | "extern" "struct" struct          { $$ = documented($3, @$, $1);
                                          $$->is_extern = true; }
    | "table" name ":" type align_opt "=" expression ";"
                                        { $$ = named(N_TABLE, @$, $2);
                                          $$->doc = $1;
                                          $$->type = adopt(p, $$, $4);
                                          $$->a = adopt(p, $$, $5);
                                          $$->b = adopt(p, $$, $7); }
    | "static" "let" bindings "=" expression ";"
                                        { $$ = bind(p, N_STATIC_LET, @$, $3, $5);
                                          $$->doc = $1; }
    | "export" function                 { $$ = function_of($2, FN_EXPORT, @$, $1); }
    | "inline" function                 { $$ = function_of($2, FN_INLINE, @$, $1); }
    | "local" function                  { $$ = function_of($2, FN_LOCAL, @$, $1); }
    | "static" function                 { $$ = function_of($2, FN_STATIC, @$, $1); }
    | "test" STRING block               { $$ = new_node(N_TEST, @$);
                                          $$->text = $2;
                                          $$->doc = $1;
                                          $$->body = adopt(p, $$, $3); }
    | error ";"                         { $$ = NULL; }
    | error "}"                         { $$ = NULL; }
    ;

struct:
      NAME layout "{" fields "}"        { $$ = named(N_STRUCT, @$, $1);
                                          $$->a = adopt(p, $$, $2.size);
                                          $$->b = adopt(p, $$, $2.align);
                                          $$->list = adopt(p, $$, $4.first); }
    ;

layout:
      %empty                            { $$.size = NULL; $$.align = NULL; }
    | "size" expression align_opt       { $$.size = $2; $$.align = $3; }
    | "align" expression                { $$.size = NULL; $$.align = $2; }
    ;

fields:
      %empty                            { $$ = list_of(NULL); }
    | fields field                      { $$ = list_add($1, $2); }
    ;

field:
      name ":" secrecy type set_opt ";" { $$ = named(N_FIELD_DECL, @$, $1);
                                          $$->secrecy = $3;
                                          $$->type = adopt(p, $$, $4);
                                          $$->a = adopt(p, $$, $5); }
    | error ";"                         { $$ = NULL; yyerrok; }
    ;

/* -- functions -- */

function:
      "fn" name "(" params_opt ")" results clauses block
                                        { $$ = named(N_FUNCTION, @$, $2);
                                          $$->body = adopt(p, $$, $8);
                                          $$->function = new_function($4, $6, $7, $8); }
    | "fn" error block                  { $$ = NULL; }
    ;

params_opt:
      %empty                            { $$ = (struct param_list){NULL, NULL}; }
    | params
    ;

params:
      param                             { $$ = (struct param_list){$1, $1}; }
    | params "," param                  { $$ = param_add($1, $3); }
    ;

param:
      static_opt name ":" direction secrecy type set_opt align_opt
                                        { $$ = NEW(struct param_node);
                                          *$$ = (struct param_node){
                                              .name = $2.name, .loc = @$, .direction = $4,
                                              .secrecy = $5, .is_static = $1, .type = $6,
                                              .set = $7, .align = $8}; }
    ;

static_opt:
      %empty                            { $$ = false; }
    | "static"                          { $$ = true; }
    ;

direction:
      %empty                            { $$ = DIR_VALUE; }
    | "in"                              { $$ = DIR_IN; }
    | "out"                             { $$ = DIR_OUT; }
    | "inout"                           { $$ = DIR_INOUT; }
    ;

secrecy:
      %empty                            { $$ = MARK_NONE; }
    | "public"                          { $$ = MARK_PUBLIC; }
    | "secret"                          { $$ = MARK_SECRET; }
    ;

results:
      %empty                            { $$ = list_of(NULL); }
    | "->" type                         { $$ = list_of($2); }
    | "->" "(" types ")"                { $$ = $3; }
    ;

clauses:
      %empty                            { $$ = (struct clause_list){NULL, NULL}; }
    | clauses clause                    { $$ = clause_add($1, $2); }
    ;

clause:
      choice
    | "noalias" "(" names ")"           { $$ = new_clause(CLAUSE_NOALIAS, @$, $3.first); }
    | "wipe"                            { $$ = new_clause(CLAUSE_WIPE, @$, NULL); }
    | "where" expression                { $$ = new_clause(CLAUSE_WHERE, @$, NULL);
                                          $$->condition = $2; }
    | "variant" name "{" choices "}"    { $$ = new_clause(CLAUSE_VARIANT, @$, NULL);
                                          $$->name = $2.name;
                                          $$->inner = $4.first; }
    ;

choices:
      %empty                            { $$ = (struct clause_list){NULL, NULL}; }
    | choices choice ";"                { $$ = clause_add($1, $2); }
    ;

choice:
      "requires" names                  { $$ = new_clause(CLAUSE_REQUIRES, @$, $2.first); }
    | "fuse" names                      { $$ = new_clause(CLAUSE_FUSE, @$, $2.first); }
    | "tune" STRING                     { $$ = new_clause(CLAUSE_TUNE, @$,
                                                          string_node(@2, $2)); }
    ;

/* -- types and value sets -- */

type:
      TYPE_NAME                         { $$ = type_node(p, @$, $1, NULL); }
    | TYPE_NAME "[" expression "]"      { $$ = type_node(p, @$, $1, $3); }
    | NAME                              { $$ = type_node(p, @$, $1, NULL); }
    ;

types:
      type                              { $$ = list_of($1); }
    | types "," type                    { $$ = list_add($1, $3); }
    ;

align_opt:
      %empty                            { $$ = NULL; }
    | "align" expression                { $$ = $2; }
    ;

set_opt:
      %empty                            { $$ = NULL; }
    | "in" set                          { $$ = $2; }
    ;

set:
      range
    | "{" set_items "}"                 { $$ = with_list(p, N_SET, @$, $2.first); }
    ;

set_items:
      set_item                          { $$ = list_of($1); }
    | set_items "," set_item            { $$ = list_add($1, $3); }
    ;

set_item:
      expression
    | range
    ;

range:
      expression ".." expression        { $$ = range_node(p, @$, $1, $3, false); }
    | expression "..=" expression       { $$ = range_node(p, @$, $1, $3, true); }
    ;

/* -- statements -- */

block:
      "{" statements "}"                { $$ = with_list(p, N_BLOCK, @$, $2.first); }
    | "{" statements error "}"          { $$ = with_list(p, N_BLOCK, @$, $2.first); yyerrok; }
    ;

statements:
      %empty                            { $$ = list_of(NULL); }
    | statements statement              { $$ = list_add($1, $2); }
    ;

statement:
      "let" bindings value_opt ";"      { $$ = bind(p, N_LET, @$, $2, $3); }
    | "var" bindings value_opt ";"      { $$ = bind(p, N_VAR, @$, $2, $3); }
    | "static" "let" bindings "=" expression ";"
                                        { $$ = bind(p, N_STATIC_LET, @$, $3, $5); }
    | "stack" name ":" type align_opt ";"
                                        { $$ = new_statement(p, N_STACK, @$);
                                          $$->name = $2.name;
                                          $$->name_loc = $2.loc;
                                          $$->type = adopt(p, $$, $4);
                                          $$->b = adopt(p, $$, $5); }
    | places "=" expression ";"         { $$ = bind(p, N_ASSIGN, @$, $1, $3); }
    | call ";"                          { $$ = new_statement(p, N_CALL_STMT, @$);
                                          $$->a = adopt(p, $$, $1); }
    | loop
    | "static" loop                     { $$ = $2;
                                          if ($$ != NULL)
                                              $$->is_static = true; }
    | "while" expression block          { $$ = new_statement(p, N_WHILE, @$);
                                          $$->a = adopt(p, $$, $2);
                                          $$->body = adopt(p, $$, $3); }
    | "while" error block               { $$ = NULL; }
    | condition
    | "static" condition                { $$ = $2; mark_static($$); }
    | "return" expressions_opt ";"      { $$ = new_statement(p, N_RETURN, @$);
                                          $$->list = adopt(p, $$, $2.first); }
    | "expect" expression ";"           { $$ = expect_node(p, @$, $2); }
    | error ";"                         { $$ = NULL; yyerrok; }
    ;

bindings:
      binding                           { $$ = list_of($1); }
    | bindings "," binding              { $$ = list_add($1, $3); }
    ;

binding:
      name                              { $$ = named(N_BINDING, @$, $1); }
    | name ":" type                     { $$ = named(N_BINDING, @$, $1);
                                          $$->type = adopt(p, $$, $3); }
    ;

value_opt:
      %empty                            { $$ = NULL; }
    | "=" expression                    { $$ = $2; }
    ;

loop:
      "for" name "in" iterable step_opt shape block
                                        { $$ = new_statement(p, N_FOR, @$);
                                          $$->name = $2.name;
                                          $$->name_loc = $2.loc;
                                          $$->a = adopt(p, $$, $4);
                                          $$->step = adopt(p, $$, $5);
                                          $$->shape = $6.shape;
                                          $$->widths = adopt(p, $$, $6.widths);
                                          $$->body = adopt(p, $$, $7); }
    | "for" error block                 { $$ = NULL; }
    ;

iterable:
      expression
    | range
    ;

step_opt:
      %empty                            { $$ = NULL; }
    | "step" expression                 { $$ = $2; }
    ;

shape:
      %empty                            { $$.shape = LOOP_PLAIN; $$.widths = NULL; }
    | "unroll" expressions              { $$.shape = LOOP_UNROLL; $$.widths = $2.first; }
    | "weave" expressions               { $$.shape = LOOP_WEAVE; $$.widths = $2.first; }
    ;

condition:
      "if" expression block             { $$ = if_node(p, N_IF, @$, $2, $3, NULL); }
    | "if" expression block "else" block
                                        { $$ = if_node(p, N_IF, @$, $2, $3, $5); }
    | "if" expression block "else" condition
                                        { $$ = if_node(p, N_IF, @$, $2, $3, $5); }
    | "if" error block                  { $$ = NULL; }
    ;

/* -- expressions -- */

expression:
      place
    | primary
    | expression "as" TYPE_NAME         { $$ = with_a(p, N_AS, @$, $1);
                                          $$->type = adopt(p, $$, type_node(p, @3, $3, NULL)); }
    | "-" expression %prec PREFIX       { $$ = unary(p, @$, UN_NEG, $2); }
    | "~" expression %prec PREFIX       { $$ = unary(p, @$, UN_NOT, $2); }
    | "!" expression %prec PREFIX       { $$ = unary(p, @$, UN_LOGIC_NOT, $2); }
    | expression "*" expression         { $$ = binary(p, @$, BIN_MUL, $1, $3); }
    | expression "/" expression         { $$ = binary(p, @$, BIN_DIV, $1, $3); }
    | expression "%" expression         { $$ = binary(p, @$, BIN_MOD, $1, $3); }
    | expression "+" expression         { $$ = binary(p, @$, BIN_ADD, $1, $3); }
    | expression "-" expression         { $$ = binary(p, @$, BIN_SUB, $1, $3); }
    | expression "<<" expression        { $$ = binary(p, @$, BIN_SHL, $1, $3); }
    | expression ">>" expression        { $$ = binary(p, @$, BIN_SHR, $1, $3); }
    | expression "<<<" expression       { $$ = binary(p, @$, BIN_ROL, $1, $3); }
    | expression ">>>" expression       { $$ = binary(p, @$, BIN_ROR, $1, $3); }
    | expression "&" expression         { $$ = binary(p, @$, BIN_AND, $1, $3); }
    | expression "^" expression         { $$ = binary(p, @$, BIN_XOR, $1, $3); }
    | expression "|" expression         { $$ = binary(p, @$, BIN_OR, $1, $3); }
    | expression "==" expression        { $$ = binary(p, @$, BIN_EQ, $1, $3); }
    | expression "!=" expression        { $$ = binary(p, @$, BIN_NE, $1, $3); }
    | expression "<" expression         { $$ = binary(p, @$, BIN_LT, $1, $3); }
    | expression "<=" expression        { $$ = binary(p, @$, BIN_LE, $1, $3); }
    | expression ">" expression         { $$ = binary(p, @$, BIN_GT, $1, $3); }
    | expression ">=" expression        { $$ = binary(p, @$, BIN_GE, $1, $3); }
    | expression "&&" expression        { $$ = binary(p, @$, BIN_LOGIC_AND, $1, $3); }
    | expression "||" expression        { $$ = binary(p, @$, BIN_LOGIC_OR, $1, $3); }
    ;

place:
      name                              { $$ = named(N_NAME, @$, $1); }
    | place "[" expression "]"          { $$ = with_a_b(p, N_INDEX, @$, $1, $3); }
    | place "." name                    { $$ = field_of(p, @$, $1, $3); }
    ;

primary:
      NUMBER
    | STRING                            { $$ = string_node(@$, $1); }
    | call
    | TYPE_NAME "(" expressions ")"     { $$ = with_list(p, N_BUILD, @$, $3.first);
                                          $$->type = adopt(p, $$, type_node(p, @1, $1, NULL)); }
    | "(" expression ")"                { $$ = $2; }
    | "(" expression "," expressions ")"
                                        { $$ = with_list(p, N_TUPLE, @$, chain($2, $4)); }
    | list
    | conditional
    | primary "[" expression "]"        { $$ = with_a_b(p, N_INDEX, @$, $1, $3); }
    | primary "." name                  { $$ = field_of(p, @$, $1, $3); }
    ;

call:
      name "(" arguments_opt ")"        { $$ = named(N_CALL, @$, $1);
                                          $$->list = adopt(p, $$, $3.first); }
    ;

conditional:
      "if" expression "{" expression "}" "else" "{" expression "}"
                                        { $$ = if_node(p, N_IF_EXPR, @$, $2, $4, $8); }
    | "if" expression "{" expression "}" "else" conditional
                                        { $$ = if_node(p, N_IF_EXPR, @$, $2, $4, $7); }
    ;

list:
      "[" expressions_opt "]"           { $$ = with_list(p, N_LIST, @$, $2.first); }
    | "[" "static" "for" name "in" iterable ":" expression "]"
                                        { $$ = named(N_COMPREHENSION, @$, $4);
                                          $$->a = adopt(p, $$, $6);
                                          $$->b = adopt(p, $$, $8); }
    ;

arguments_opt:
      %empty                            { $$ = list_of(NULL); }
    | arguments
    ;

arguments:
      argument                          { $$ = list_of($1); }
    | arguments "," argument            { $$ = list_add($1, $3); }
    ;

argument:
      expression
    | TYPE_NAME                         { $$ = type_node(p, @$, $1, NULL); }
    ;

/* -- lists and names -- */

expressions_opt:
      %empty                            { $$ = list_of(NULL); }
    | expressions
    ;

expressions:
      expression                        { $$ = list_of($1); }
    | expressions "," expression        { $$ = list_add($1, $3); }
    ;

places:
      place                             { $$ = list_of($1); }
    | places "," place                  { $$ = list_add($1, $3); }
    ;

names:
      name                              { $$ = list_of(named(N_NAME, @$, $1)); }
    | names "," name                    { $$ = list_add($1, named(N_NAME, @3, $3)); }
    ;

name:
      NAME
    | "align"
    | "fuse"
    | "out"
    | "size"
    | "step"
    | "tune"
    | "wipe"
    ;

%%

static void kernel_yyerror(const struct loc *loc, void *scanner, struct parser *p,
                           const char *message)
{
    (void)scanner;
    (void)message;              /* "memory exhausted": YYMAXDEPTH was reached */
    report_too_deep(p, *loc);
}

static int yyreport_syntax_error(const yypcontext_t *context, void *scanner, struct parser *p)
{
    yysymbol_kind_t kinds[YYNTOKENS];
    const char *expected[YYNTOKENS];
    const int n = yypcontext_expected_tokens(context, kinds, YYNTOKENS);

    (void)scanner;
    if (n == YYENOMEM)
        return YYENOMEM;
    for (int i = 0; i < n; i++)
        expected[i] = yysymbol_name(kinds[i]);
    report_syntax_error(p, expected, n, yysymbol_name(yypcontext_token(context)));
    return 0;
}

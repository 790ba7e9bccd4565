/* The C API: compile a program, open the package, run requests. C11, and C++ where wanted.
 *
 * What the calls mean is said in compiler.h, package.h and session.h, which this header follows;
 * docs/c_cpp.md has whole programs. What follows holds for every function here.
 *
 * Handles: every ca_… struct is opaque. Those that a function creates (create, open, run, plan,
 * stats, verify) are the caller's and are freed with ca_…_free(), which takes NULL, in any order:
 * a session keeps its package open by itself, responses and plans stay readable without their
 * session. Pointers to const that an accessor returns belong to the handle they were asked of, and
 * are valid until that is freed or, for a ca_status, used again.
 * Errors: a function that can fail takes a `status` last, sets it (to CA_OK, too) and returns its
 * code, or a handle that is NULL on failure. `status` may be NULL. A NULL handle, name or pointer
 * is CA_INVALID_ARGUMENT unless "may be NULL" is said. Memory that runs out is CA_OVER_BUDGET. No
 * exception leaves a function, and nothing is printed.
 * Accessors, which take no status, do not fail: for a NULL handle, an index that is too large or a
 * name that is not there they return NULL, 0, false or -1.
 * Strings are UTF-8 and end with NUL. Arguments are copied, unless "borrowed" is said.
 * Thread safety: functions on a ca_session and on const handles may be called concurrently. What
 * changes or frees a handle needs exclusive use of it; ca_request_cancel() is the exception. Give
 * each thread a ca_status of its own.
 * Units: sizes and strides count elements; names end in _bytes or _us where they count those. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "changeaware/export_macro.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Raised when a function is removed or changes; functions and values that are added leave it. */
#define CA_ABI_VERSION 1
/* CA_ABI_VERSION of the library that is loaded: other than the header's = do not use it. */
CHANGEAWARE_API uint32_t ca_abi_version(void);
/* "0.1.0"; static storage. */
CHANGEAWARE_API const char* ca_version(void);

/* --- Status ----------------------------------------------------------------------------------- */

typedef int32_t ca_code; /* the numbers of changeaware::StatusCode */
enum {
  CA_OK = 0,
  CA_INVALID_ARGUMENT = 1, /* fix the call: wrong name, dtype, shape, option */
  CA_INVALID_PROGRAM = 2,  /* the exported program contradicts itself */
  CA_UNSUPPORTED = 3,      /* well-formed, but not something this build can run exactly */
  CA_OVER_BUDGET = 4,      /* raise a budget or ask for less */
  CA_STALE_PLAN = 5,       /* make a new plan */
  CA_CANCELLED = 6,        /* the caller asked to stop, or the time is over */
  CA_CORRUPT = 7,          /* the file is damaged or is not what it says */
  CA_IO = 8,               /* the operating system refused */
  CA_FAILED_ASSERTION = 9, /* an assertion of the program does not hold for these inputs */
  CA_INTERNAL = 10         /* a bug of this library */
};
/* "InvalidArgument", …, "Unknown" for other numbers; static storage. */
CHANGEAWARE_API const char* ca_code_name(ca_code code);

/* The code and message of the call that used it last. */
typedef struct ca_status ca_status;
/* NULL when memory has run out. */
CHANGEAWARE_API ca_status* ca_status_create(void);
CHANGEAWARE_API void ca_status_free(ca_status* status);
/* CA_INVALID_ARGUMENT for NULL. */
CHANGEAWARE_API ca_code ca_status_code(const ca_status* status);
/* Names the entry, field, node or input at fault; "" when the code is CA_OK. */
CHANGEAWARE_API const char* ca_status_message(const ca_status* status);

/* --- Values ----------------------------------------------------------------------------------- */

typedef int32_t ca_dtype; /* the numbers of changeaware::DType */
enum {
  CA_NO_DTYPE = -1, /* of outputs that are no tensors */
  CA_UINT8 = 0,
  CA_INT8 = 1,
  CA_INT16 = 2,
  CA_INT32 = 3,
  CA_INT64 = 4,
  CA_FLOAT16 = 5,
  CA_FLOAT32 = 6,
  CA_FLOAT64 = 7,
  CA_COMPLEX32 = 8,
  CA_COMPLEX64 = 9,
  CA_COMPLEX128 = 10,
  CA_BOOL = 11, /* one byte, 0 or 1 */
  CA_BFLOAT16 = 12,
  CA_UINT16 = 13,
  CA_UINT32 = 14,
  CA_UINT64 = 15
};
/* "float32", …; "none" for what is no dtype; static storage. */
CHANGEAWARE_API const char* ca_dtype_name(ca_dtype dtype);
/* Bytes of one element; 0 for what is no dtype. */
CHANGEAWARE_API size_t ca_dtype_bytes(ca_dtype dtype);

/* An immutable list of strings, owned by what it was asked of. */
typedef struct ca_strings ca_strings;
CHANGEAWARE_API size_t ca_strings_count(const ca_strings* strings);
CHANGEAWARE_API const char* ca_strings_at(const ca_strings* strings, size_t index);
CHANGEAWARE_API bool ca_strings_contain(const ca_strings* strings, const char* text);

/* Tensors go in as (dtype, shape, rank, strides, data, bytes):
 *   shape    `rank` sizes; may be NULL when rank is 0; rank is at most 64
 *   strides  `rank` steps in elements, not negative; NULL = row-major and dense
 *   data     the first element, aligned for its dtype; may be NULL when a size is 0. Borrowed
 *   bytes    how many bytes may be read from `data` on: CA_INVALID_ARGUMENT when the tensor
 *            reaches past them */

/* --- Compiling -------------------------------------------------------------------------------- */

/* "read", …, and a fraction in [0, 1]; called on the thread that compiles. Must return normally. */
typedef void (*ca_progress)(const char* stage, double fraction, void* user);

typedef struct ca_compile_options ca_compile_options;
CHANGEAWARE_API ca_compile_options* ca_compile_options_create(ca_status* status);
CHANGEAWARE_API void ca_compile_options_free(ca_compile_options* options);
/* Engine threads; 0 = all cores. */
CHANGEAWARE_API ca_code ca_compile_options_set_threads(ca_compile_options* options, int32_t threads,
                                                       ca_status* status);
/* false, as at first: the fast engine, within a tolerance of PyTorch, and the exact one for what it
 * cannot do. true: PyTorch's bits. */
CHANGEAWARE_API ca_code ca_compile_options_set_exact_numerics(ca_compile_options* options,
                                                              bool exact, ca_status* status);
/* true, as at first: choices are made by measured times. false: by shapes alone, which makes the
 * package byte-reproducible. */
CHANGEAWARE_API ca_code ca_compile_options_set_measured_costs(ca_compile_options* options,
                                                              bool measured, ca_status* status);
/* Strategies that retain more are left out. UINT64_MAX = no limit, as at first. */
CHANGEAWARE_API ca_code ca_compile_options_set_retained_budget_bytes(ca_compile_options* options,
                                                                     uint64_t bytes,
                                                                     ca_status* status);
/* At least 1; 16 at first. */
CHANGEAWARE_API ca_code ca_compile_options_set_max_strategies(ca_compile_options* options,
                                                              size_t count, ca_status* status);
/* How far strategies may be from the whole program; changeaware::Tolerance. Not negative. */
CHANGEAWARE_API ca_code ca_compile_options_set_tolerance(ca_compile_options* options, double rtol,
                                                         double atol, double of_scale,
                                                         ca_status* status);
/* The same for the whole program against the exact engine. */
CHANGEAWARE_API ca_code ca_compile_options_set_oracle_tolerance(ca_compile_options* options,
                                                                double rtol, double atol,
                                                                double of_scale, ca_status* status);
/* An example input by name, instead of the file's. `data`: borrowed until the options are freed. */
CHANGEAWARE_API ca_code ca_compile_options_set_example(ca_compile_options* options,
                                                       const char* name, ca_dtype dtype,
                                                       const int64_t* shape, size_t rank,
                                                       const int64_t* strides, const void* data,
                                                       size_t bytes, ca_status* status);
/* An output by name, computed elsewhere from the example inputs, which the program must reproduce.
 * `data`: borrowed until the options are freed. */
CHANGEAWARE_API ca_code ca_compile_options_set_reference(ca_compile_options* options,
                                                         const char* name, ca_dtype dtype,
                                                         const int64_t* shape, size_t rank,
                                                         const int64_t* strides, const void* data,
                                                         size_t bytes, ca_status* status);
/* Folder of PyTorch for the exact engine; "" = looked for. */
CHANGEAWARE_API ca_code ca_compile_options_set_torch_folder(ca_compile_options* options,
                                                            const char* folder, ca_status* status);
/* One more shared library that registers custom operators. */
CHANGEAWARE_API ca_code ca_compile_options_add_op_library(ca_compile_options* options,
                                                          const char* path, ca_status* status);
/* `progress` may be NULL; `user` may be NULL and is passed on as it is. */
CHANGEAWARE_API ca_code ca_compile_options_set_progress(ca_compile_options* options,
                                                        ca_progress progress, void* user,
                                                        ca_status* status);

typedef struct ca_compile_report ca_compile_report;
/* Reads an exported program (.pt2) and writes the package, atomically: after an error a file that
 * was there is untouched. `options` may be NULL = all as at first. `report` may be NULL; else it is
 * set to a new report, to NULL on failure. Takes seconds, and may be called concurrently with
 * other package paths. Errors: CA_IO, CA_CORRUPT, CA_INVALID_PROGRAM, CA_INVALID_ARGUMENT,
 * CA_UNSUPPORTED, as changeaware::compile(). */
CHANGEAWARE_API ca_code ca_compile(const char* model_path, const char* package_path,
                                   const ca_compile_options* options, ca_compile_report** report,
                                   ca_status* status);
CHANGEAWARE_API void ca_compile_report_free(ca_compile_report* report);
CHANGEAWARE_API const ca_strings* ca_compile_report_callables(const ca_compile_report* report);
CHANGEAWARE_API const ca_strings* ca_compile_report_strategies(const ca_compile_report* report);
/* "candidate: why it was turned down". */
CHANGEAWARE_API const ca_strings* ca_compile_report_rejections(const ca_compile_report* report);
/* "node (operator): why the fast engine does not run it". */
CHANGEAWARE_API const ca_strings* ca_compile_report_exact_nodes(const ca_compile_report* report);
CHANGEAWARE_API uint64_t ca_compile_report_nodes_read(const ca_compile_report* report);
CHANGEAWARE_API uint64_t ca_compile_report_nodes_kept(const ca_compile_report* report);
/* The program and its strategies were executed and compared. */
CHANGEAWARE_API bool ca_compile_report_verified(const ca_compile_report* report);
/* The program was compared with PyTorch. */
CHANGEAWARE_API bool ca_compile_report_compared_with_exact(const ca_compile_report* report);

typedef struct ca_verify_report ca_verify_report;
/* Repeats on this machine what ca_compile() proved by execution. Of `options`, which may be NULL,
 * it uses threads, examples, reference, PyTorch's folder, operator libraries and progress. A
 * difference is no error: it is in the report. Errors: those of ca_package_open();
 * CA_INVALID_ARGUMENT when there are no examples. */
CHANGEAWARE_API ca_verify_report* ca_verify(const char* package_path,
                                            const ca_compile_options* options, ca_status* status);
CHANGEAWARE_API void ca_verify_report_free(ca_verify_report* report);
/* Every strategy, for every set of changed inputs. */
CHANGEAWARE_API bool ca_verify_report_equal(const ca_verify_report* report);
CHANGEAWARE_API size_t ca_verify_report_strategy_count(const ca_verify_report* report);
CHANGEAWARE_API const char* ca_verify_report_strategy(const ca_verify_report* report, size_t index);
CHANGEAWARE_API bool ca_verify_report_strategy_equal(const ca_verify_report* report, size_t index);
/* The first difference: output, element, both values; "" when there is none. */
CHANGEAWARE_API const char* ca_verify_report_difference(const ca_verify_report* report,
                                                        size_t index);

/* --- Packages --------------------------------------------------------------------------------- */

/* An open package: immutable. */
typedef struct ca_package ca_package;
/* Maps the file and reads its manifest. Errors: CA_IO, CA_CORRUPT, CA_UNSUPPORTED (another version
 * of the format, or not a package: the message says what it is). */
CHANGEAWARE_API ca_package* ca_package_open(const char* path, ca_status* status);
CHANGEAWARE_API void ca_package_free(ca_package* package);
CHANGEAWARE_API const char* ca_package_path(const ca_package* package);
CHANGEAWARE_API int32_t ca_package_format_major(const ca_package* package);
CHANGEAWARE_API int32_t ca_package_format_minor(const ca_package* package);
CHANGEAWARE_API const char* ca_package_engine_name(const ca_package* package);
CHANGEAWARE_API const char* ca_package_engine_version(const ca_package* package);
/* The version of PyTorch that exported the program. */
CHANGEAWARE_API const char* ca_package_torch_version(const ca_package* package);
/* PyTorch's tree specifications, as JSON text, of (args, kwargs) and of the result. */
CHANGEAWARE_API const char* ca_package_in_spec(const ca_package* package);
CHANGEAWARE_API const char* ca_package_out_spec(const ca_package* package);
CHANGEAWARE_API bool ca_package_exact_numerics(const ca_package* package);
CHANGEAWARE_API bool ca_package_verified(const ca_package* package);

/* An input or output of the program, owned by the package. */
typedef struct ca_port ca_port;
typedef int32_t ca_kind;
enum {
  CA_TENSOR = 0,          /* computed or given */
  CA_CONSTANT_TENSOR = 1, /* fixed at export, as the rest: */
  CA_NONE = 2,
  CA_INT = 3,     /* as a tensor: int64 of rank 0 */
  CA_FLOAT = 4,   /* float64 of rank 0 */
  CA_BOOLEAN = 5, /* bool of rank 0 */
  CA_STRING = 6,
  CA_FIXED_INPUT = 7 /* its value is ca_port_fixed_value() */
};
/* In the program's order. */
CHANGEAWARE_API size_t ca_package_input_count(const ca_package* package);
CHANGEAWARE_API const ca_port* ca_package_input(const ca_package* package, size_t index);
CHANGEAWARE_API size_t ca_package_output_count(const ca_package* package);
CHANGEAWARE_API const ca_port* ca_package_output(const ca_package* package, size_t index);
CHANGEAWARE_API const char* ca_port_name(const ca_port* port);
/* -1 for NULL. */
CHANGEAWARE_API ca_kind ca_port_kind(const ca_port* port);
CHANGEAWARE_API ca_dtype ca_port_dtype(const ca_port* port);
CHANGEAWARE_API size_t ca_port_rank(const ca_port* port);
/* "[1, 3, s0]". */
CHANGEAWARE_API const char* ca_port_shape(const ca_port* port);
/* "3", or a symbolic expression such as "2*s0". */
CHANGEAWARE_API const char* ca_port_dimension(const ca_port* port, size_t index);
/* Text of what was fixed at export, "" for tensors. An input that has it takes no value. */
CHANGEAWARE_API const char* ca_port_fixed_value(const ca_port* port);

/* A callable of the package ("main" first, then the segments in execution order), owned by it. */
typedef struct ca_callable ca_callable;
CHANGEAWARE_API size_t ca_package_callable_count(const ca_package* package);
CHANGEAWARE_API const ca_callable* ca_package_callable(const ca_package* package, size_t index);
CHANGEAWARE_API const char* ca_callable_name(const ca_callable* callable);
/* SHA-256, hexadecimal. */
CHANGEAWARE_API const char* ca_callable_identity(const ca_callable* callable);
/* Program inputs of which the contents, or only the shape, matter. */
CHANGEAWARE_API const ca_strings* ca_callable_dependencies(const ca_callable* callable);
CHANGEAWARE_API const ca_strings* ca_callable_shape_dependencies(const ca_callable* callable);
CHANGEAWARE_API uint64_t ca_callable_weight_bytes(const ca_callable* callable);
/* What it counts against the resident budget. */
CHANGEAWARE_API uint64_t ca_callable_resident_bytes(const ca_callable* callable);
/* Median of a run on the machine that compiled. */
CHANGEAWARE_API double ca_callable_steady_us(const ca_callable* callable);
CHANGEAWARE_API double ca_callable_load_us(const ca_callable* callable);

/* A strategy of the package ("monolithic" first), owned by it. */
typedef struct ca_strategy ca_strategy;
CHANGEAWARE_API size_t ca_package_strategy_count(const ca_package* package);
CHANGEAWARE_API const ca_strategy* ca_package_strategy(const ca_package* package, size_t index);
CHANGEAWARE_API const char* ca_strategy_name(const ca_strategy* strategy);
CHANGEAWARE_API const ca_strings* ca_strategy_callables(const ca_strategy* strategy);
/* Of one version of what it retains, at the example shapes. */
CHANGEAWARE_API uint64_t ca_strategy_retained_bytes(const ca_strategy* strategy);
CHANGEAWARE_API uint64_t ca_strategy_resident_bytes(const ca_strategy* strategy);

/* --- Requests --------------------------------------------------------------------------------- */

/* What to compute. Made once, and run as often as wanted: set again what changes. Several threads
 * may run one request at the same time while nobody changes it. */
typedef struct ca_request ca_request;
CHANGEAWARE_API ca_request* ca_request_create(ca_status* status);
CHANGEAWARE_API void ca_request_free(ca_request* request);
/* An input by name, instead of what it was. `data`: borrowed while a call runs or plans the
 * request; in between it may be written to. An unfit name, dtype or shape is an error of the run.
 */
CHANGEAWARE_API ca_code ca_request_set_input(ca_request* request, const char* name, ca_dtype dtype,
                                             const int64_t* shape, size_t rank,
                                             const int64_t* strides, const void* data, size_t bytes,
                                             ca_status* status);
/* Its value and its version. No error when it has none. */
CHANGEAWARE_API ca_code ca_request_remove_input(ca_request* request, const char* name,
                                                ca_status* status);
/* A version tag: the promise that equal tags of an input mean equal dtype, shape and bytes, so that
 * the bytes need not be read to tell. `tag` may be NULL = fingerprint them, as at first. */
CHANGEAWARE_API ca_code ca_request_set_version(ca_request* request, const char* name,
                                               const char* tag, ca_status* status);
/* The outputs to compute, by name. `count` 0 = all, as at first; `names` may then be NULL. */
CHANGEAWARE_API ca_code ca_request_set_wanted(ca_request* request, const char* const* names,
                                              size_t count, ca_status* status);
/* Forces a strategy; NULL or "" = the session chooses, as at first. */
CHANGEAWARE_API ca_code ca_request_set_strategy(ca_request* request, const char* strategy,
                                                ca_status* status);
/* false: retained values are neither read nor written: a full run. true at first. */
CHANGEAWARE_API ca_code ca_request_set_reuse(ca_request* request, bool reuse, ca_status* status);
/* From the beginning of each run; then it ends as CA_CANCELLED before the next callable. A callable
 * that runs is not interrupted. UINT64_MAX = no limit, as at first. */
CHANGEAWARE_API ca_code ca_request_set_timeout_us(ca_request* request, uint64_t timeout_us,
                                                  ca_status* status);
/* From any thread, also while the request runs: the runs in progress and later ones end as
 * CA_CANCELLED before the next callable, and retain nothing. */
CHANGEAWARE_API ca_code ca_request_cancel(ca_request* request, ca_status* status);
/* Takes back ca_request_cancel(); no run may be in progress. */
CHANGEAWARE_API ca_code ca_request_rearm(ca_request* request, ca_status* status);

/* --- Sessions --------------------------------------------------------------------------------- */

typedef struct ca_session_options ca_session_options;
CHANGEAWARE_API ca_session_options* ca_session_options_create(ca_status* status);
CHANGEAWARE_API void ca_session_options_free(ca_session_options* options);
/* Engine threads; 0 = all cores. */
CHANGEAWARE_API ca_code ca_session_options_set_threads(ca_session_options* options, int32_t threads,
                                                       ca_status* status);
/* Hard limits: of retained tensors (1 GiB at first) and of loaded callables (UINT64_MAX at first =
 * none). */
CHANGEAWARE_API ca_code ca_session_options_set_retained_budget_bytes(ca_session_options* options,
                                                                     uint64_t bytes,
                                                                     ca_status* status);
CHANGEAWARE_API ca_code ca_session_options_set_resident_budget_bytes(ca_session_options* options,
                                                                     uint64_t bytes,
                                                                     ca_status* status);
/* Where compiled callables are kept between processes: "" = the platform's cache folder, as at
 * first; "off" = nowhere. */
CHANGEAWARE_API ca_code ca_session_options_set_blob_folder(ca_session_options* options,
                                                           const char* folder, ca_status* status);
/* Read the bytes of tagged inputs and fail a request whose tag was seen with others. false at
 * first. */
CHANGEAWARE_API ca_code ca_session_options_set_check_versions(ca_session_options* options,
                                                              bool check, ca_status* status);
/* Skip a callable whose inputs, computed again, have the same bits. true at first. */
CHANGEAWARE_API ca_code ca_session_options_set_early_cutoff(ca_session_options* options, bool on,
                                                            ca_status* status);
/* As for ca_compile_options. */
CHANGEAWARE_API ca_code ca_session_options_set_torch_folder(ca_session_options* options,
                                                            const char* folder, ca_status* status);
CHANGEAWARE_API ca_code ca_session_options_add_op_library(ca_session_options* options,
                                                          const char* path, ca_status* status);

typedef struct ca_session ca_session;
typedef struct ca_plan ca_plan;
typedef struct ca_response ca_response;
typedef struct ca_stats ca_stats;
/* `options` may be NULL = all as at first; it may be freed afterwards. Sessions on one package
 * share what they load. */
CHANGEAWARE_API ca_session* ca_session_create(const ca_package* package,
                                              const ca_session_options* options, ca_status* status);
/* No call on the session may be in progress: cancel its requests and wait for them first. */
CHANGEAWARE_API void ca_session_free(ca_session* session);
/* Answers a request, running what is not retained for its inputs. The response is the caller's.
 * Errors: CA_CANCELLED, CA_INVALID_ARGUMENT (unknown, missing or unfit input, output or strategy),
 * CA_FAILED_ASSERTION, CA_UNSUPPORTED (values that the engines cannot compute exactly),
 * CA_OVER_BUDGET, CA_CORRUPT, CA_INTERNAL. A failed request retains nothing. */
CHANGEAWARE_API ca_response* ca_session_run(ca_session* session, const ca_request* request,
                                            ca_status* status);
/* The same as planned. CA_STALE_PLAN, before anything runs, when the request, what is retained or
 * loaded, or a budget is not what it was when the plan was made, or the plan is another session's.
 */
CHANGEAWARE_API ca_response* ca_session_run_planned(ca_session* session, const ca_request* request,
                                                    const ca_plan* plan, ca_status* status);
/* What ca_session_run() would do now. Runs and loads nothing. An input with a version tag is not
 * read. */
CHANGEAWARE_API ca_plan* ca_session_plan(ca_session* session, const ca_request* request,
                                         ca_status* status);
/* Loads callables now rather than on first use, as many as fit into the resident budget. */
CHANGEAWARE_API ca_code ca_session_load(ca_session* session, ca_status* status);
/* Forgets everything retained. */
CHANGEAWARE_API ca_code ca_session_clear(ca_session* session, ca_status* status);
/* From now on. What is retained beyond its budget goes at once, or when requests that use it end.
 */
CHANGEAWARE_API ca_code ca_session_set_budgets(ca_session* session, uint64_t retained_budget_bytes,
                                               uint64_t resident_budget_bytes, ca_status* status);
/* The counters of this moment. */
CHANGEAWARE_API ca_stats* ca_session_stats(const ca_session* session, ca_status* status);

/* --- Decisions, plans ------------------------------------------------------------------------- */

/* What happens to one callable, and why; owned by the plan or report. */
typedef struct ca_decision ca_decision;
typedef int32_t ca_outcome;
enum { CA_RAN = 0, CA_REUSED = 1, CA_NOT_NEEDED = 2 };
typedef int32_t ca_cause;
enum {
  CA_INPUT_CHANGED = 0, /* ran: contents that are new since the last request */
  CA_NOT_RETAINED = 1,  /* ran: inputs as before, but the strategy does not retain what is needed */
  CA_EVICTED = 2,       /* ran: what is needed was retained and had to make room */
  CA_NO_REUSE = 3,      /* ran: the request reuses nothing */
  CA_RETAINED = 4,      /* reused: retained for these inputs */
  CA_SAME_CONTENTS = 5, /* reused: its inputs were computed again and have the same bits */
  CA_SHARED = 6,        /* reused: another request computed it at the same time */
  CA_NOT_DEMANDED = 7   /* not needed: no wanted output and no callable that runs reads it */
};
CHANGEAWARE_API const char* ca_decision_callable(const ca_decision* decision);
/* -1 for NULL, both. */
CHANGEAWARE_API ca_outcome ca_decision_outcome(const ca_decision* decision);
CHANGEAWARE_API ca_cause ca_decision_cause(const ca_decision* decision);
/* The cause in words: "image changed". */
CHANGEAWARE_API const char* ca_decision_reason(const ca_decision* decision);
/* Its outputs are retained after the request; if not, why: "4 MiB is larger than …", or "". */
CHANGEAWARE_API bool ca_decision_retained(const ca_decision* decision);
CHANGEAWARE_API const char* ca_decision_not_retained_why(const ca_decision* decision);

CHANGEAWARE_API void ca_plan_free(ca_plan* plan);
CHANGEAWARE_API const char* ca_plan_strategy(const ca_plan* plan);
/* Every callable of the strategy, in execution order. */
CHANGEAWARE_API size_t ca_plan_decision_count(const ca_plan* plan);
CHANGEAWARE_API const ca_decision* ca_plan_decision(const ca_plan* plan, size_t index);
/* Of running, and of loading what is not loaded; the second, of that loading alone. */
CHANGEAWARE_API double ca_plan_predicted_us(const ca_plan* plan);
CHANGEAWARE_API double ca_plan_predicted_load_us(const ca_plan* plan);
/* Loaded callables after the request. */
CHANGEAWARE_API uint64_t ca_plan_resident_bytes(const ca_plan* plan);

/* --- Responses -------------------------------------------------------------------------------- */

CHANGEAWARE_API void ca_response_free(ca_response* response);

/* One output, dense and row-major, owned by the response; it shares memory with nothing else. */
typedef struct ca_output ca_output;
/* The wanted ones, in the program's order. */
CHANGEAWARE_API size_t ca_response_output_count(const ca_response* response);
CHANGEAWARE_API const ca_output* ca_response_output(const ca_response* response, size_t index);
CHANGEAWARE_API const ca_output* ca_response_find_output(const ca_response* response,
                                                         const char* name);
CHANGEAWARE_API const char* ca_output_name(const ca_output* output);
/* -1 for NULL. */
CHANGEAWARE_API ca_kind ca_output_kind(const ca_output* output);
/* CA_NO_DTYPE, no data and 0 bytes for CA_NONE and CA_STRING. */
CHANGEAWARE_API ca_dtype ca_output_dtype(const ca_output* output);
CHANGEAWARE_API size_t ca_output_rank(const ca_output* output);
/* `rank` sizes; NULL when rank is 0. */
CHANGEAWARE_API const int64_t* ca_output_shape(const ca_output* output);
CHANGEAWARE_API const void* ca_output_data(const ca_output* output);
CHANGEAWARE_API size_t ca_output_bytes(const ca_output* output);
/* Of CA_STRING; else "". */
CHANGEAWARE_API const char* ca_output_text(const ca_output* output);
/* Fills the caller's buffer. CA_INVALID_ARGUMENT when `buffer_bytes` is less than
 * ca_output_bytes(); nothing is written then. */
CHANGEAWARE_API ca_code ca_output_copy(const ca_output* output, void* buffer, size_t buffer_bytes,
                                       ca_status* status);

/* What the request did; owned by the response. */
typedef struct ca_report ca_report;
CHANGEAWARE_API const ca_report* ca_response_report(const ca_response* response);
/* Inputs whose version differs from the previous request's. */
CHANGEAWARE_API const ca_strings* ca_report_changed(const ca_report* report);
CHANGEAWARE_API const char* ca_report_strategy(const ca_report* report);
/* Callables, in execution order. */
CHANGEAWARE_API const ca_strings* ca_report_ran(const ca_report* report);
CHANGEAWARE_API const ca_strings* ca_report_reused(const ca_report* report);
/* Every callable of the strategy, in execution order. */
CHANGEAWARE_API size_t ca_report_decision_count(const ca_report* report);
CHANGEAWARE_API const ca_decision* ca_report_decision(const ca_report* report, size_t index);
/* Of inputs that are not dense, copied for the engine. */
CHANGEAWARE_API uint64_t ca_report_copied_input_bytes(const ca_report* report);
/* Engine time, and loading what was not loaded, as it was planned. */
CHANGEAWARE_API double ca_report_predicted_us(const ca_report* report);
CHANGEAWARE_API double ca_report_fingerprint_us(const ca_report* report);
/* Looking up what is retained and deciding. */
CHANGEAWARE_API double ca_report_plan_us(const ca_report* report);
CHANGEAWARE_API double ca_report_engine_us(const ca_report* report);
CHANGEAWARE_API double ca_report_total_us(const ca_report* report);

/* --- Statistics ------------------------------------------------------------------------------- */

typedef int32_t ca_stat;
enum {
  CA_STAT_REQUESTS = 0,
  CA_STAT_FAILED = 1,
  CA_STAT_HITS = 2,
  CA_STAT_MISSES = 3,
  CA_STAT_EVICTIONS = 4,
  CA_STAT_RETAINED_BYTES = 5,
  CA_STAT_RETAINED_BYTES_PEAK = 6,
  CA_STAT_RETAINED_ENTRIES = 7,
  CA_STAT_RESIDENT_BYTES = 8, /* of all sessions on the package */
  CA_STAT_RESIDENT_BYTES_PEAK = 9,
  CA_STAT_LOADS = 10,
  CA_STAT_UNLOADS = 11,
  CA_STAT_BLOBS_USED = 12, /* compiled callables taken from disk */
  CA_STAT_BLOBS_STORED = 13,
  CA_STAT_PROCESS_ANONYMOUS_BYTES = 14, /* of the process, as the operating system says */
  CA_STAT_PROCESS_FILE_BYTES = 15
};
CHANGEAWARE_API void ca_stats_free(ca_stats* stats);
/* 0 for a number that is none of these. */
CHANGEAWARE_API uint64_t ca_stats_get(const ca_stats* stats, ca_stat which);
/* Engine calls of a callable, and its loaded bytes; 0 when there are none. */
CHANGEAWARE_API uint64_t ca_stats_runs(const ca_stats* stats, const char* callable);
CHANGEAWARE_API uint64_t ca_stats_callable_resident_bytes(const ca_stats* stats,
                                                          const char* callable);
/* The first few reasons why compiled callables on disk were not used. */
CHANGEAWARE_API const ca_strings* ca_stats_blobs_ignored(const ca_stats* stats);
/* What callables left behind for later requests: the largest, at most 256. */
CHANGEAWARE_API size_t ca_stats_retained_count(const ca_stats* stats);
CHANGEAWARE_API const char* ca_stats_retained_callable(const ca_stats* stats, size_t index);
CHANGEAWARE_API uint64_t ca_stats_retained_bytes(const ca_stats* stats, size_t index);
CHANGEAWARE_API uint64_t ca_stats_retained_uses(const ca_stats* stats, size_t index);

#ifdef __cplusplus
}
#endif

/* Several threads: cancellation, timeouts, a shared session. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "test_support.h"

typedef struct {
  ca_request* request;
  atomic_int runs_done;
} cancelled_run;

/* Cancels once the first run is over, so while a later one is in progress or about to be. */
static void* cancel_later(void* argument) {
  cancelled_run* shared = argument;
  const struct timespec a_millisecond = {0, 1000000};
  while (atomic_load(&shared->runs_done) == 0) nanosleep(&a_millisecond, NULL);
  CHECK(ca_request_cancel(shared->request, NULL) == CA_OK);
  return NULL;
}

void another_thread_cancels_a_run(void) {
  values v;
  ca_status* status = ca_status_create();
  ca_session* session = open_session();
  cancelled_run shared = {make_request(&v), 0};
  CHECK(ca_request_set_reuse(shared.request, false, NULL) == CA_OK);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, cancel_later, &shared) == 0);
  ca_response* response = NULL;
  while ((response = ca_session_run(session, shared.request, status)) != NULL) {
    ca_response_free(response);
    atomic_fetch_add(&shared.runs_done, 1);
  }
  CHECK(pthread_join(thread, NULL) == 0);
  CHECK_STATUS(status, CA_CANCELLED, "");
  CHECK(ca_session_run(session, shared.request, status) == NULL); /* it stays so */
  CHECK_STATUS(status, CA_CANCELLED, "");
  CHECK(ca_request_rearm(shared.request, status) == CA_OK);
  response = run(session, shared.request);
  check_report(response, ALL_SEGMENTS, "");
  ca_response_free(response);
  ca_request_free(shared.request);
  ca_session_free(session);
  ca_status_free(status);
}

void a_timeout_ends_a_run(void) {
  values v;
  ca_status* status = ca_status_create();
  ca_session* session = open_session();
  ca_request* request = make_request(&v);
  CHECK(ca_request_set_timeout_us(request, 0, status) == CA_OK);
  CHECK(ca_session_run(session, request, status) == NULL);
  CHECK_STATUS(status, CA_CANCELLED, "");
  ca_stats* stats = ca_session_stats(session, status);
  CHECK(ca_stats_get(stats, CA_STAT_FAILED) == 1);
  CHECK(ca_stats_get(stats, CA_STAT_RETAINED_BYTES) == 0);
  ca_stats_free(stats);
  const uint64_t long_enough[] = {600000000, UINT64_MAX - 1, UINT64_MAX};
  for (size_t i = 0; i < 3; ++i) { /* each run's time begins with the run */
    CHECK(ca_request_set_timeout_us(request, long_enough[i], status) == CA_OK);
    ca_response_free(run(session, request));
  }
  ca_request_free(request);
  ca_session_free(session);
  ca_status_free(status);
}

typedef struct {
  ca_session* session;
  const ca_request* request;
  const ca_response* expected;
} client;

static void* run_often(void* argument) {
  const client* mine = argument;
  for (int i = 0; i < 5; ++i) {
    ca_response* response = run(mine->session, mine->request);
    check_same_outputs(response, mine->expected);
    ca_response_free(response);
    ca_stats* stats = ca_session_stats(mine->session, NULL);
    CHECK(ca_stats_get(stats, CA_STAT_REQUESTS) > 0);
    ca_stats_free(stats);
    CHECK(ca_session_clear(mine->session, NULL) == CA_OK);
  }
  return NULL;
}

void threads_share_a_session_and_a_request(void) {
  enum { THREADS = 4 };
  values v;
  ca_session* session = open_session();
  ca_request* request = make_request(&v);
  ca_response* expected = run(session, request);
  client shared = {session, request, expected};
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i) {
    CHECK(pthread_create(&threads[i], NULL, run_often, &shared) == 0);
  }
  for (int i = 0; i < THREADS; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
  ca_stats* stats = ca_session_stats(session, NULL);
  CHECK(ca_stats_get(stats, CA_STAT_REQUESTS) == 1 + 5 * THREADS);
  CHECK(ca_stats_get(stats, CA_STAT_FAILED) == 0);
  ca_stats_free(stats);
  ca_response_free(expected);
  ca_request_free(request);
  ca_session_free(session);
}

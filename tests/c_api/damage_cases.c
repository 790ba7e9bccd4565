/* Files that are no package, of another version, or damaged. */
#include <stdlib.h>
#include <string.h>

#include "test_support.h"

static void check_not_opened(const char* path, ca_code code, const char* culprit) {
  ca_status* status = ca_status_create();
  CHECK(ca_package_open(path, status) == NULL);
  CHECK_STATUS(status, code, culprit);
  ca_status_free(status);
}

void a_file_that_is_no_package_is_refused(void) {
  check_not_opened("nowhere.pt2", CA_IO, "nowhere.pt2");
  check_not_opened(work_folder, CA_IO, work_folder);
  check_not_opened(model_path, CA_UNSUPPORTED, "compile it first");
  char* path = path_in_work_folder("text.pt2");
  write_file(path, (const unsigned char*)"no archive", 10);
  check_not_opened(path, CA_CORRUPT, "text.pt2");
  free(path);
}

static uint32_t crc32_of(const unsigned char* data, size_t bytes) {
  uint32_t crc = 0xffffffff;
  for (size_t i = 0; i < bytes; ++i) {
    crc ^= data[i];
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc;
}

/* The first place at or after `from` where `text` is; `bytes` when there is none. */
static size_t find(const unsigned char* data, size_t bytes, size_t from, const void* text,
                   size_t length) {
  for (size_t i = from; i + length <= bytes; ++i) {
    if (memcmp(data + i, text, length) == 0) return i;
  }
  return bytes;
}

static uint32_t number(const unsigned char* at, size_t bytes) {
  uint32_t value = 0;
  for (size_t i = 0; i < bytes; ++i) value |= (uint32_t)at[i] << 8 * i;
  return value;
}

/* Changes text of the entry of this name, which is stored, and both of its CRC-32s. */
static void replace_in_entry(unsigned char* data, size_t bytes, const char* name, const char* from,
                             const char* to) {
  const size_t name_at = find(data, bytes, 0, name, strlen(name)) + strlen(name);
  size_t header = name_at;
  while (memcmp(data + header, "PK\3\4", 4) != 0) --header;
  const size_t size = number(data + header + 22, 4);
  const size_t begin = header + 30 + number(data + header + 26, 2) + number(data + header + 28, 2);
  const size_t at = find(data, begin + size, begin, from, strlen(from));
  CHECK(at < begin + size && strlen(from) == strlen(to));
  const uint32_t before = crc32_of(data + begin, size);
  memcpy(data + at, to, strlen(to));
  const uint32_t after = crc32_of(data + begin, size);
  int replaced = 0;
  for (size_t i = 0; i + 4 <= bytes; ++i) {
    if (number(data + i, 4) != before) continue;
    for (size_t k = 0; k < 4; ++k) data[i + k] = (unsigned char)(after >> 8 * k);
    ++replaced;
  }
  CHECK(replaced == 2); /* before the entry, and in the directory */
}

void a_package_of_another_version_is_refused(void) {
  size_t bytes = 0;
  unsigned char* data = read_file(package_path, &bytes);
  replace_in_entry(data, bytes, "extra/manifest.json", "\"format_major\":2", "\"format_major\":9");
  char* path = path_in_work_folder("future.ca.pt2");
  write_file(path, data, bytes);
  check_not_opened(path, CA_UNSUPPORTED, "9");
  free(path);
  free(data);
}

/* Opens and runs what is in the file, as far as it goes; the code of what failed. */
static ca_code code_of_a_run(const char* path, ca_status* status) {
  ca_package* package = ca_package_open(path, status);
  ca_code code = ca_status_code(status);
  if (package == NULL) return code;
  values v;
  ca_session_options* options = make_session_options();
  ca_session* session = ca_session_create(package, options, status);
  ca_request* request = make_request(&v);
  if (session != NULL) ca_response_free(ca_session_run(session, request, status));
  code = ca_status_code(status);
  ca_request_free(request);
  ca_session_free(session);
  ca_session_options_free(options);
  ca_package_free(package);
  return code;
}

void a_damaged_package_is_refused(void) {
  ca_status* status = ca_status_create();
  size_t bytes = 0;
  unsigned char* data = read_file(package_path, &bytes);
  char* path = path_in_work_folder("damaged.ca.pt2");
  CHECK(code_of_a_run(package_path, status) == CA_OK);
  const size_t lengths[] = {0, 1, bytes / 2, bytes - 1};
  for (size_t i = 0; i < 4; ++i) {
    write_file(path, data, lengths[i]);
    check_not_opened(path, CA_CORRUPT, "damaged.ca.pt2");
  }
  /* One bit of the contents of a weight. */
  const char entry[] = "data/weights/weight_0";
  const size_t name_at = find(data, bytes, 0, entry, strlen(entry));
  size_t header = name_at;
  while (memcmp(data + header, "PK\3\4", 4) != 0) --header;
  const size_t begin = header + 30 + number(data + header + 26, 2) + number(data + header + 28, 2);
  data[begin + 2] ^= 1;
  write_file(path, data, bytes);
  CHECK(code_of_a_run(path, status) == CA_CORRUPT);
  CHECK_STATUS(status, CA_CORRUPT, entry);
  free(path);
  free(data);
  ca_status_free(status);
}

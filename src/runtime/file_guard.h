// FileGuard: notices that an open package file was changed in place.
//
// A package is mapped, so whoever truncates or overwrites the file itself takes away, or exchanges,
// what sessions still read: the process would be killed (SIGBUS) or compute with other weights. To
// rename another file over it or to remove it is fine: the mapping keeps the old one.
// What is guarded is checked before a request runs anything and before a callable is loaded. A
// change while either is under way is not noticed in time: files must not be changed in place.
// Thread safety: may be called concurrently. Source: stat(2), mmap(2).
#pragma once

#include <sys/stat.h>

#include <string>

#include "changeaware/status.h"

namespace changeaware {

class FileGuard {
 public:
  // The file as it is now.
  explicit FileGuard(std::string path);
  // Corrupt, naming the file, when it has another size or time of modification than then.
  Status check() const;

 private:
  const std::string path_;
  struct stat then_ = {};
  bool is_guarded_ = false;
};

}  // namespace changeaware

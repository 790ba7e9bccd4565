#include "runtime/file_guard.h"

#include <utility>

#include "base/errors.h"

namespace changeaware {

FileGuard::FileGuard(std::string path) : path_(std::move(path)) {
  is_guarded_ = stat(path_.c_str(), &then_) == 0;
}

Status FileGuard::check() const {
  struct stat now = {};
  if (!is_guarded_ || stat(path_.c_str(), &now) != 0) return {};
  if (now.st_dev != then_.st_dev || now.st_ino != then_.st_ino) return {};
  if (now.st_size == then_.st_size && now.st_mtim.tv_sec == then_.st_mtim.tv_sec &&
      now.st_mtim.tv_nsec == then_.st_mtim.tv_nsec) {
    return {};
  }
  return corrupt("{}: the file was changed in place while it was open ({} bytes then, {} now)",
                 path_, then_.st_size, now.st_size);
}

}  // namespace changeaware

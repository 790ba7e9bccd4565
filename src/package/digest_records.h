// DigestRecords: digests of a package's weights, kept on disk between processes, so that opening it
// again need not read every weight.
//
// They belong to one state of one file (Archive::file_state()): after any change of the file they
// are not found. What is not seen is a medium that changes bytes by itself. A file of records that
// is damaged or of another state is ignored; trouble with writing means that nothing is kept.
// Thread safety: one thread at a time; several processes may use one folder.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/digest.h"

namespace changeaware {

class DigestRecords {
 public:
  // Reads what is there.
  DigestRecords(const std::string& folder, std::string file_state);

  std::optional<Digest> find(const std::string& weight) const;
  void add(const std::string& weight, const Digest& digest);
  // Writes when something was added.
  void save();
  // Forgets everything, on disk too.
  void discard();

 private:
  std::string text() const;

  const std::string path_;
  const std::string file_state_;
  std::map<std::string, std::string> digests_;  // hexadecimal, by weight
  bool is_dirty_ = false;
};

}  // namespace changeaware

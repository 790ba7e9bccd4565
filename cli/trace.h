// The trace that `replay` reads:
//   {"requests": [{"inputs": {"NAME": "FILE.npy"}, "want": ["OUTPUT"], "versions": {"NAME":
//   "TAG"}}]}
// Every member of a request may be left out.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "changeaware/status.h"

namespace changeaware::cli {

struct TraceRequest {
  std::map<std::string, std::string> inputs;    // files by input name
  std::map<std::string, std::string> versions;  // tags by input name
  std::vector<std::string> want;                // empty = all outputs
};

// Relative file names in `text` are taken from `folder`.
// Corrupt, naming the place ("requests[2].inputs.image"), for text that is no such trace.
Result<std::vector<TraceRequest>> parse_trace(std::string_view text, const std::string& folder);

// Reads and parses a file; files in it are relative to the file's own folder. Messages name it.
Result<std::vector<TraceRequest>> read_trace(const std::string& path);

}  // namespace changeaware::cli

// Reads exported programs from a `.pt2` archive (torch.export.save, schema major 8, any minor).
//
// Format: torch/_export/serde/schema.py and torch/export/pt2_archive in PyTorch 2.13.
// What is refused by name: another schema major, a compiled package (AOTInductor), TorchScript,
// pickled payloads, entries of the wrong shape, operators that the op table does not have.
// Errors name the archive entry and the JSON path ("models/model.json: graph_module.graph.nodes[3]
// .inputs[1]").
// Every argument of every node is matched to the operator's schema; one that matches nothing is
// InvalidProgram.
// `aten._assert_async.*` nodes become Graph::assertions. Other assertion nodes stay nodes.
// Thread safety: functions are pure; results share the mapped archive.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "archive/archive.h"
#include "pt2/program.h"

namespace changeaware {

// Names of the programs in the archive ("model"; our packages have several), in file order.
// Unsupported, naming what was found, when the archive is not an exported program.
Result<std::vector<std::string>> list_programs(const Archive& archive);

struct ReadOptions {
  bool sample_inputs = true;
  // Compare the CRC-32 of every payload that the program refers to; Corrupt naming the entry.
  bool verify_payloads = false;
};
Result<ExportedProgram> read_program(std::shared_ptr<const Archive> archive,
                                     const std::string& name, const ReadOptions& options = {});

// Opens `path` and reads its only program; InvalidArgument when it has several.
Result<ExportedProgram> read_pt2(const std::string& path);

}  // namespace changeaware

#include "package/package_writer.h"

#include "base/errors.h"
#include "identity/identity.h"
#include "package/manifest_json.h"
#include "package/ports.h"
#include "pt2/writer.h"

namespace changeaware {

Status write_package(const std::string& path, const Manifest& manifest,
                     const std::vector<ExportedProgram>& regions) {
  if (regions.size() != manifest.callables.size()) {
    return internal_error("{} regions for {} callables", regions.size(), manifest.callables.size());
  }
  Manifest stated = manifest;
  ParameterDigests digests;
  for (size_t i = 0; i < regions.size(); ++i) {
    stated.callables[i].identity =
        to_hex(region_identity(regions[i].graph, numeric_config(manifest), digests));
  }
  if (const Status valid = stated.validate(); !valid.ok()) {
    return internal_error("the manifest to write is not valid: {}", valid.message());
  }
  CA_ASSIGN_OR_RETURN(const auto writer, Pt2Writer::create(path));
  for (const ExportedProgram& region : regions) CA_RETURN_IF_ERROR(writer->add_program(region));
  CA_RETURN_IF_ERROR(writer->add_extra("manifest.json", manifest_to_json(stated)));
  return writer->finish();
}

}  // namespace changeaware

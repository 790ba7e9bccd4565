#include "package/package_writer.h"

#include "base/errors.h"
#include "package/manifest_json.h"
#include "pt2/writer.h"

namespace changeaware {

Status write_package(const std::string& path, const Manifest& manifest,
                     const std::vector<ExportedProgram>& regions) {
  if (const Status valid = manifest.validate(); !valid.ok()) {
    return internal_error("the manifest to write is not valid: {}", valid.message());
  }
  CA_ASSIGN_OR_RETURN(const auto writer, Pt2Writer::create(path));
  for (const ExportedProgram& region : regions) CA_RETURN_IF_ERROR(writer->add_program(region));
  CA_RETURN_IF_ERROR(writer->add_extra("manifest.json", manifest_to_json(manifest)));
  return writer->finish();
}

}  // namespace changeaware

// PackageFile: an open package. The manifest is read when it opens, each region when it is asked
// for.
#pragma once

#include <memory>
#include <string>

#include "archive/archive.h"
#include "changeaware/package.h"
#include "pt2/program.h"

namespace changeaware {

class PackageFile : public Package {
 public:
  static Result<std::shared_ptr<const PackageFile>> open(const std::string& path);

  const Manifest& manifest() const override { return manifest_; }
  const std::string& path() const override { return archive_->path(); }

  // The program of a callable. Its constants are mapped memory, whose CRC-32 was compared; they
  // keep the mapping alive. Corrupt when it is damaged or contradicts the manifest.
  // Thread safety: may be called concurrently.
  Result<ExportedProgram> region(const std::string& name) const;

 private:
  PackageFile(std::shared_ptr<const Archive> archive, Manifest manifest)
      : archive_(std::move(archive)), manifest_(std::move(manifest)) {}

  std::shared_ptr<const Archive> archive_;
  Manifest manifest_;
};

}  // namespace changeaware

// PackageFile: an open package. The manifest is read when it opens, each region when it is asked
// for.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "archive/archive.h"
#include "changeaware/package.h"
#include "identity/parameter_digests.h"
#include "package/digest_records.h"
#include "pt2/program.h"
#include "pt2/unknown_operators.h"

namespace changeaware {

class PackageFile : public Package {
 public:
  static Result<std::shared_ptr<const PackageFile>> open(const std::string& path);

  const Manifest& manifest() const override { return manifest_; }
  const std::string& path() const override { return archive_->path(); }

  // Corrupt once the file was changed in place since it was opened; see Archive.
  Status check_unchanged() const { return archive_->check_unchanged(); }

  // The program of a callable. Its constants are mapped memory and keep the mapping alive. Its
  // identity was computed again, weights included: Corrupt, naming the entry, when it is damaged or
  // contradicts the manifest.
  // Thread safety: may be called concurrently.
  Result<ExportedProgram> region(const std::string& name) const;
  // Makes operators of users' libraries known, before a callable that has them is read.
  Status register_operators(const SchemaSource& schema_of) const {
    return changeaware::register_operators(*archive_, schema_of);
  }
  // From now on digests of weights are kept in `folder` and taken from there while the file is in
  // the state that it was in when they were computed. The first folder given stays.
  void keep_digests_in(const std::string& folder) const;

  // The example inputs that the program was compiled with, one per input of `main`; empty when
  // there were none.
  Result<std::vector<Tensor>> examples() const;

 private:
  PackageFile(std::shared_ptr<const Archive> archive, Manifest manifest)
      : archive_(std::move(archive)), manifest_(std::move(manifest)) {}

  // The identity of what was read. Each weight is digested once per package, whoever asks first.
  std::string identity_of(const ExportedProgram& program, const std::string& expected) const;
  // How a weight is called in the records: where it lies and how it is laid out.
  std::string weight_record(const Tensor& weight) const;
  void take_recorded_digests(const Graph& graph) const;
  void record_digests(const Graph& graph) const;

  // Why the identity is another one: a damaged payload by name, else the identities.
  Status explain_identity(const std::string& name, const std::string& found,
                          const std::string& expected) const;

  std::shared_ptr<const Archive> archive_;
  Manifest manifest_;
  mutable std::mutex digests_mutex_;
  mutable ParameterDigests digests_;  // guarded by digests_mutex_, as the next
  mutable std::optional<DigestRecords> records_;
};

}  // namespace changeaware

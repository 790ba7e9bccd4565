#include "package/package_file.h"

#include <set>

#include "base/errors.h"
#include "identity/identity.h"
#include "package/manifest_json.h"
#include "package/ports.h"
#include "pt2/reader.h"

namespace changeaware {
namespace {

constexpr const char* kManifestEntry = "extra/manifest.json";

bool same_ports(const std::vector<Port>& a, const std::vector<Port>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Port& x, const Port& y) {
    return x.name == y.name && x.dtype == y.dtype && x.shape == y.shape;
  });
}

}  // namespace

Result<std::shared_ptr<const Package>> Package::open(const std::string& path) {
  CA_ASSIGN_OR_RETURN(auto package, PackageFile::open(path));
  return std::shared_ptr<const Package>(std::move(package));
}

Result<std::shared_ptr<const PackageFile>> PackageFile::open(const std::string& path) {
  CA_ASSIGN_OR_RETURN(auto archive, Archive::open(path));
  if (archive->find(kManifestEntry) == nullptr) {
    // Says what the file is when it is no exported program either.
    CA_ASSIGN_OR_RETURN(const auto programs, list_programs(*archive));
    return unsupported("{}: an exported program, not a package (no {}): compile it first", path,
                       kManifestEntry);
  }
  CA_ASSIGN_OR_RETURN(const std::string text, archive->read_text(kManifestEntry));
  auto manifest = manifest_from_json(text);
  if (!manifest.ok()) return manifest.status().with_context(path);
  for (const Callable& c : manifest->callables) {
    if (archive->find("models/" + c.name + ".json") == nullptr) {
      return corrupt("{}: no entry models/{}.json for the callable", path, c.name);
    }
  }
  return std::shared_ptr<const PackageFile>(
      new PackageFile(std::move(archive), *std::move(manifest)));
}

Result<ExportedProgram> PackageFile::region(const std::string& name) const {
  const Callable* expected = manifest_.find_callable(name);
  if (expected == nullptr) return invalid_argument("{}: no callable '{}'", path(), name);
  CA_ASSIGN_OR_RETURN(ExportedProgram program,
                      read_program(archive_, name, {.sample_inputs = false}));
  const Callable found = describe_callable(name, program.graph);
  if (!same_ports(found.inputs, expected->inputs) ||
      !same_ports(found.outputs, expected->outputs) || found.assertions != expected->assertions) {
    return corrupt("{}: models/{}.json contradicts the ports in {}", path(), name, kManifestEntry);
  }
  const std::string identity = identity_of(program, expected->identity);
  if (identity != expected->identity) return explain_identity(name, identity, expected->identity);
  return program;
}

std::string PackageFile::identity_of(const ExportedProgram& program,
                                     const std::string& expected) const {
  const std::lock_guard lock(digests_mutex_);
  const uint64_t before = digests_.computed_bytes();
  const auto compute = [&] {
    return to_hex(region_identity(program.graph, numeric_config(manifest_), digests_));
  };
  if (records_) take_recorded_digests(program.graph);
  std::string identity = compute();
  if (identity != expected && records_) {
    // The records may be what is wrong.
    records_->discard();
    digests_.clear();
    identity = compute();
  }
  // What was read is not needed now.
  if (digests_.computed_bytes() != before) archive_->drop_resident_pages();
  if (identity == expected && records_) record_digests(program.graph);
  return identity;
}

void PackageFile::keep_digests_in(const std::string& folder) const {
  const std::lock_guard lock(digests_mutex_);
  if (!records_ && !folder.empty()) records_.emplace(folder, archive_->file_state());
}

std::string PackageFile::weight_record(const Tensor& weight) const {
  const auto offset = archive_->offset_of(weight.data());
  if (!offset) return {};
  return fmt::format("{} {} {} {}", *offset, dtype_name(weight.dtype()),
                     fmt::join(weight.shape(), ","), fmt::join(weight.strides(), ","));
}

void PackageFile::take_recorded_digests(const Graph& graph) const {
  for (const Constant& constant : graph.constants()) {
    const auto digest = records_->find(weight_record(constant.tensor));
    if (digest) digests_.seed(constant.tensor, *digest);
  }
}

void PackageFile::record_digests(const Graph& graph) const {
  for (const Constant& constant : graph.constants()) {
    const std::string name = weight_record(constant.tensor);
    if (!name.empty()) records_->add(name, digests_.digest(constant.tensor));
  }
  records_->save();
}

Result<std::vector<Tensor>> PackageFile::examples() const {
  CA_ASSIGN_OR_RETURN(ExportedProgram main, read_program(archive_, "main"));
  return std::move(main.sample_inputs);
}

Status PackageFile::explain_identity(const std::string& name, const std::string& found,
                                     const std::string& expected) const {
  const auto checked =
      read_program(archive_, name, {.sample_inputs = false, .verify_payloads = true});
  if (!checked.ok()) return checked.status();
  return corrupt("{}: the identity of models/{}.json is {}, the manifest says {}", path(), name,
                 found, expected);
}

}  // namespace changeaware

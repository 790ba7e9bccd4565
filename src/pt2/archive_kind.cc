#include "pt2/archive_kind.h"

#include <string_view>

#include "base/errors.h"

namespace changeaware {
namespace {

// The first line of which some entry has the beginning or is the name says what the archive is.
struct Sign {
  std::string_view entry;
  std::string_view meaning;
};
constexpr Sign kSigns[] = {
    {"data/aotinductor/", "a compiled package (AOTInductor), which runs only in PyTorch"},
    {"serialized_exported_program.json",
     "an exported program in the format of PyTorch 2.7 and earlier"},
    {"constants.pkl", "a TorchScript program"},
    {"code/", "a TorchScript program"},
    {"data.pkl", "tensors saved with torch.save"},
    {"mlmodel", "a Core ML model"},
};

struct Fixed {
  std::string_view entry;
  std::string_view accepted;
};
// archive_version is the version of the archive layout, apart from the schema version.
constexpr Fixed kFixed[] = {
    {"archive_format", "pt2"}, {"archive_version", "0"}, {"byteorder", "little"}};

}  // namespace

std::string describe_archive(const Archive& archive) {
  for (const Sign& sign : kSigns) {
    for (const ArchiveEntry& entry : archive.entries()) {
      const bool folder = sign.entry.ends_with('/');
      if (folder ? entry.name.starts_with(sign.entry) : entry.name == sign.entry) {
        return fmt::format("{} (it has {})", sign.meaning, entry.name);
      }
    }
  }
  return fmt::format("an archive of another kind (its first entry is {})",
                     archive.entries().empty() ? "missing" : archive.entries().front().name);
}

Status check_archive_format(const Archive& archive) {
  for (const Fixed& fixed : kFixed) {
    if (archive.find(fixed.entry) == nullptr) continue;
    CA_ASSIGN_OR_RETURN(const std::string found, archive.read_text(fixed.entry));
    if (found != fixed.accepted) {
      return unsupported("{}: entry {} is \"{}\"; \"{}\" is accepted", archive.path(), fixed.entry,
                         found.substr(0, 40), fixed.accepted);
    }
  }
  return {};
}

}  // namespace changeaware

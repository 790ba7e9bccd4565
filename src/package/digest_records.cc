#include "package/digest_records.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

namespace changeaware {
namespace {

constexpr std::string_view kHeading = "changeaware digests 1\n";
constexpr size_t kHexDigits = 64;

std::span<const std::byte> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

std::string path_for(const std::string& folder, const std::string& file_state) {
  const std::string name = to_hex(sha256(bytes_of(file_state)));
  return (std::filesystem::path(folder) / (name + ".digests")).string();
}

std::optional<Digest> from_hex(const std::string& hex) {
  if (hex.size() != kHexDigits || hex.find_first_not_of("0123456789abcdef") != std::string::npos) {
    return std::nullopt;
  }
  Digest digest;
  for (size_t i = 0; i < digest.size(); ++i)
    digest[i] = static_cast<std::byte>(std::stoi(hex.substr(2 * i, 2), nullptr, 16));
  return digest;
}

}  // namespace

// The last line is the digest of everything before it.
DigestRecords::DigestRecords(const std::string& folder, std::string file_state)
    : path_(path_for(folder, file_state)), file_state_(std::move(file_state)) {
  std::ifstream file(path_, std::ios::binary);
  const std::string all((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (all.size() < kHexDigits + 1) return;
  const std::string_view body = std::string_view(all).substr(0, all.size() - kHexDigits - 1);
  if (all.substr(body.size(), kHexDigits) != to_hex(sha256(bytes_of(body)))) return;
  std::istringstream lines{std::string(body)};
  std::string line;
  if (!std::getline(lines, line) || line + "\n" != kHeading) return;
  if (!std::getline(lines, line) || line != file_state_) return;
  while (std::getline(lines, line)) {
    if (line.size() <= kHexDigits) continue;
    digests_[line.substr(kHexDigits + 1)] = line.substr(0, kHexDigits);
  }
}

std::optional<Digest> DigestRecords::find(const std::string& weight) const {
  const auto it = digests_.find(weight);
  return it == digests_.end() ? std::nullopt : from_hex(it->second);
}

void DigestRecords::add(const std::string& weight, const Digest& digest) {
  is_dirty_ = digests_.emplace(weight, to_hex(digest)).second || is_dirty_;
}

std::string DigestRecords::text() const {
  std::string out = std::string(kHeading) + file_state_ + "\n";
  for (const auto& [weight, digest] : digests_) out += fmt::format("{} {}\n", digest, weight);
  return out + to_hex(sha256(bytes_of(out))) + "\n";
}

void DigestRecords::save() {
  if (!is_dirty_) return;
  is_dirty_ = false;
  std::error_code ignored;
  const std::filesystem::path path = path_;
  std::filesystem::create_directories(path.parent_path(), ignored);
  const std::string part = fmt::format("{}.{}.part", path_, getpid());
  std::ofstream file(part, std::ios::binary | std::ios::trunc);
  file << text();
  file.close();
  chmod(part.c_str(), S_IRUSR | S_IWUSR);
  if (file) std::filesystem::rename(part, path, ignored);
  if (!file || ignored) std::filesystem::remove(part, ignored);
}

void DigestRecords::discard() {
  digests_.clear();
  is_dirty_ = false;
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

}  // namespace changeaware

#include "conformance/raw_tensors.h"

#include <cstring>
#include <fstream>
#include <sstream>

namespace changeaware::conformance {
namespace {

Status corrupt(const std::string& path, const std::string& what) {
  return {StatusCode::kCorrupt, path + ": " + what};
}

Result<Tensor> read_tensor(std::ifstream& file, const std::string& path) {
  std::string line;
  if (!std::getline(file, line)) return corrupt(path, "ends before the last tensor");
  std::istringstream header(line);
  std::string name;
  size_t rank = 0;
  header >> name >> rank;
  CA_ASSIGN_OR_RETURN(const DType dtype, parse_dtype(name));
  Shape shape(header ? rank : 0);
  std::vector<int64_t> strides(shape.size());
  int64_t offset = 0;
  int64_t elements = 0;
  for (int64_t& size : shape) header >> size;
  for (int64_t& stride : strides) header >> stride;
  header >> offset >> elements;
  if (!header || elements < 0) return corrupt(path, "a header that is no header: " + line);
  const Tensor flat = Tensor::empty(dtype, {elements});
  file.read(reinterpret_cast<char*>(flat.mutable_data()),
            static_cast<std::streamsize>(flat.size_bytes()));
  if (!file) return corrupt(path, "ends inside a tensor");
  return Tensor::view(dtype, std::move(shape), std::move(strides), offset, flat.storage());
}

void write_tensor(std::ofstream& file, const Tensor& tensor) {
  if (!tensor.defined()) {
    file << "none\n";
    return;
  }
  const Tensor dense = tensor.contiguous();
  file << dtype_name(dense.dtype()) << ' ' << dense.rank();
  for (const int64_t size : dense.shape()) file << ' ' << size;
  for (const int64_t stride : contiguous_strides(dense.shape())) file << ' ' << stride;
  file << " 0 " << dense.numel() << '\n';
  file.write(reinterpret_cast<const char*>(dense.data()),
             static_cast<std::streamsize>(dense.size_bytes()));
}

}  // namespace

Result<std::vector<Tensor>> read_raw_tensors(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string line;
  if (!std::getline(file, line)) return Status(StatusCode::kIo, path + ": cannot be read");
  size_t count = 0;
  if (!(std::istringstream(line) >> count)) return corrupt(path, "does not begin with a count");
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < count; ++i) {
    CA_ASSIGN_OR_RETURN(Tensor tensor, read_tensor(file, path));
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

Status write_raw_tensors(const std::string& path, const std::vector<Tensor>& tensors) {
  std::ofstream file(path, std::ios::binary);
  file << tensors.size() << '\n';
  for (const Tensor& tensor : tensors) write_tensor(file, tensor);
  file.close();
  if (!file) return {StatusCode::kIo, path + ": cannot be written"};
  return {};
}

}  // namespace changeaware::conformance

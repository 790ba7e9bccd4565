#include "engine/mixed/loops.h"

#include <utility>

#include "base/errors.h"

namespace changeaware::mixed {
namespace {

Result<bool> truth_of(const Tensor& t) {
  if (t.dtype() != DType::kBool || t.numel() != 1) {
    return invalid_argument("the predicate must be a bool of one element, not {}{}",
                            dtype_name(t.dtype()), shape_to_string(t.shape()));
  }
  return *t.data() != std::byte{0};
}

// Row `index` of a tensor, without a copy.
Result<Tensor> row_of(const Tensor& t, int64_t index) {
  const Shape shape(t.shape().begin() + 1, t.shape().end());
  const std::vector<int64_t> strides(t.strides().begin() + 1, t.strides().end());
  return Tensor::view(t.dtype(), shape, strides, t.storage_offset() + index * t.strides()[0],
                      t.storage());
}

class Branch final : public Executable {
 public:
  Branch(Operands predicate, Operands operands, Body yes, Body no, Results results)
      : predicate_(std::move(predicate)),
        operands_(std::move(operands)),
        yes_(std::move(yes)),
        no_(std::move(no)),
        results_(std::move(results)) {}

  Status run(std::span<const Tensor> inputs, std::span<Tensor> outputs) const override {
    std::vector<Tensor> predicate, operands;
    predicate_.append_to(predicate, inputs);
    operands_.append_to(operands, inputs);
    CA_ASSIGN_OR_RETURN(const bool taken, truth_of(predicate[0]));
    std::vector<Tensor> given(results_.size());
    for (size_t i = 0, o = 0; i < results_.size(); ++i) {
      if (results_[i].named) given[i] = std::move(outputs[o++]);
    }
    CA_RETURN_IF_ERROR((taken ? yes_ : no_).run(operands, given));
    for (size_t i = 0, o = 0; i < results_.size(); ++i) {
      if (results_[i].named) outputs[o++] = std::move(given[i]);
    }
    return {};
  }

 private:
  Operands predicate_, operands_;
  Body yes_, no_;
  Results results_;
};

class WhileLoop final : public Executable {
 public:
  WhileLoop(Body condition, Body body, Operands carried, Operands additional, Results results)
      : condition_(std::move(condition)),
        body_(std::move(body)),
        carried_(std::move(carried)),
        additional_(std::move(additional)),
        results_(std::move(results)) {}

  Status run(std::span<const Tensor> inputs, std::span<Tensor> outputs) const override {
    std::vector<Tensor> state;
    carried_.append_to(state, inputs);
    additional_.append_to(state, inputs);
    bool ran = false;
    while (true) {
      std::vector<Tensor> goes_on(1);
      CA_RETURN_IF_ERROR(condition_.run(state, goes_on));
      CA_ASSIGN_OR_RETURN(const bool more, truth_of(goes_on[0]));
      if (!more) break;
      std::vector<Tensor> next(carried_.size());
      CA_RETURN_IF_ERROR(body_.run(state, next));
      std::move(next.begin(), next.end(), state.begin());
      ran = true;
    }
    for (size_t i = 0, o = 0; i < results_.size(); ++i) {
      if (!results_[i].named) continue;
      Tensor& out = outputs[o++];
      // Without a turn the state is still the caller's.
      CA_RETURN_IF_ERROR(ran ? give_to_output(std::move(state[i]), results_[i].name, out)
                             : copy_to_output(state[i], results_[i].name, out));
    }
    return {};
  }

 private:
  Body condition_, body_;
  Operands carried_, additional_;
  Results results_;
};

class ScanLoop final : public Executable {
 public:
  ScanLoop(Body body, Operands carried, Operands rows, Operands additional, Results results)
      : body_(std::move(body)),
        carried_(std::move(carried)),
        rows_(std::move(rows)),
        additional_(std::move(additional)),
        results_(std::move(results)) {}

  Status run(std::span<const Tensor> inputs, std::span<Tensor> outputs) const override {
    std::vector<Tensor> state, rows;
    carried_.append_to(state, inputs);
    rows_.append_to(rows, inputs);
    CA_ASSIGN_OR_RETURN(const int64_t count, row_count(rows));
    std::vector<Tensor> stacks(results_.size());  // of the results that are not carried
    for (size_t i = 0, o = 0; i < results_.size(); ++i) {
      if (!results_[i].named) continue;
      if (i >= carried_.size()) stacks[i] = outputs[o];
      ++o;
    }
    for (int64_t r = 0; r < count; ++r) {
      CA_RETURN_IF_ERROR(run_row(r, count, inputs, rows, state, stacks));
    }
    return hand_over(count, state, stacks, outputs);
  }

 private:
  static Result<int64_t> row_count(const std::vector<Tensor>& rows) {
    for (const Tensor& t : rows) {
      if (t.rank() == 0 || t.shape()[0] != rows[0].shape()[0]) {
        return invalid_argument("the tensors to go over differ in their first dimension");
      }
    }
    return rows[0].shape()[0];
  }

  Status run_row(int64_t r, int64_t count, std::span<const Tensor> inputs,
                 const std::vector<Tensor>& rows, std::vector<Tensor>& state,
                 std::vector<Tensor>& stacks) const {
    std::vector<Tensor> given = state;
    for (const Tensor& t : rows) {
      CA_ASSIGN_OR_RETURN(Tensor row, row_of(t, r));
      given.push_back(std::move(row));
    }
    additional_.append_to(given, inputs);
    std::vector<Tensor> results(results_.size());
    for (size_t i = carried_.size(); i < results.size(); ++i) {
      if (!stacks[i].defined()) continue;
      if (stacks[i].rank() == 0 || stacks[i].shape()[0] != count || !stacks[i].is_contiguous()) {
        return invalid_argument("the tensor given for output '{}' is {}{}, not one of {} rows",
                                results_[i].name, dtype_name(stacks[i].dtype()),
                                shape_to_string(stacks[i].shape()), count);
      }
      CA_ASSIGN_OR_RETURN(results[i], row_of(stacks[i], r));
    }
    CA_RETURN_IF_ERROR(body_.run(given, results));
    for (size_t i = carried_.size(); i < results.size(); ++i) {
      if (stacks[i].defined() || !results_[i].named) continue;
      // Only now is it known what there is to stack; the rows after this are written in place.
      Shape shape = results[i].shape();
      shape.insert(shape.begin(), count);
      stacks[i] = Tensor::empty(results[i].dtype(), std::move(shape));
      CA_ASSIGN_OR_RETURN(Tensor row, row_of(stacks[i], r));
      CA_RETURN_IF_ERROR(copy_to_output(results[i], results_[i].name, row));
    }
    results.resize(carried_.size());
    state = std::move(results);
    return {};
  }

  Status hand_over(int64_t count, std::vector<Tensor>& state, std::vector<Tensor>& stacks,
                   std::span<Tensor> outputs) const {
    for (size_t i = 0, o = 0; i < results_.size(); ++i) {
      if (!results_[i].named) continue;
      Tensor& out = outputs[o++];
      const std::string& name = results_[i].name;
      if (i < carried_.size()) {
        CA_RETURN_IF_ERROR(count > 0 ? give_to_output(std::move(state[i]), name, out)
                                     : copy_to_output(state[i], name, out));
        continue;
      }
      if (!stacks[i].defined()) {
        CA_ASSIGN_OR_RETURN(stacks[i], nothing_of(results_[i]));
      }
      out = std::move(stacks[i]);
    }
    return {};
  }

  // A stack of no rows.
  static Result<Tensor> nothing_of(const NodeResult& result) {
    Shape shape = result.spec.hint_shape();
    for (size_t d = 1; d < shape.size(); ++d) {
      if (!result.spec.dims[d].fixed()) {
        return invalid_argument("output '{}': no rows tell its size", result.name);
      }
    }
    if (shape.empty()) return internal_error("output '{}' has no rows", result.name);
    shape[0] = 0;
    return Tensor::empty(result.spec.dtype, std::move(shape));
  }

  Body body_;
  Operands carried_, rows_, additional_;
  Results results_;
};

}  // namespace

std::unique_ptr<Executable> make_branch(Operands predicate, Operands operands, Body yes, Body no,
                                        Results results) {
  return std::make_unique<Branch>(std::move(predicate), std::move(operands), std::move(yes),
                                  std::move(no), std::move(results));
}

std::unique_ptr<Executable> make_while_loop(Body condition, Body body, Operands carried,
                                            Operands additional, Results results) {
  return std::make_unique<WhileLoop>(std::move(condition), std::move(body), std::move(carried),
                                     std::move(additional), std::move(results));
}

std::unique_ptr<Executable> make_scan_loop(Body body, Operands carried, Operands rows,
                                           Operands additional, Results results) {
  return std::make_unique<ScanLoop>(std::move(body), std::move(carried), std::move(rows),
                                    std::move(additional), std::move(results));
}

}  // namespace changeaware::mixed

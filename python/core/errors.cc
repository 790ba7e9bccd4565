#include "core/errors.h"

#include <array>
#include <string>

namespace changeaware::python {
namespace {

constexpr const char* kDoc =
    "What the library refuses.\n\n"
    "`code` says what the caller can do: \"InvalidArgument\" (fix the call), \"InvalidProgram\",\n"
    "\"Unsupported\", \"OverBudget\" (raise a budget or ask for less), \"StalePlan\" (make a new\n"
    "plan), \"Cancelled\", \"Corrupt\", \"Io\", \"FailedAssertion\" (of the program itself),\n"
    "\"Internal\" (a bug of the library). The message names the entry, field, input or node at\n"
    "fault.\n\n"
    "    try:\n"
    "        session(image=image)\n"
    "    except changeaware.Error as error:\n"
    "        if error.code != \"InvalidArgument\":\n"
    "            raise\n";

constexpr std::array kCodes = {
    StatusCode::kInvalidArgument, StatusCode::kInvalidProgram,
    StatusCode::kUnsupported,     StatusCode::kOverBudget,
    StatusCode::kStalePlan,       StatusCode::kCancelled,
    StatusCode::kCorrupt,         StatusCode::kIo,
    StatusCode::kFailedAssertion, StatusCode::kInternal,
};

PyObject* error_type = nullptr;  // made once with the module, which lives as long as the process

}  // namespace

void bind_errors(nb::module_& module) {
  nb::dict members;
  members["code"] = "Internal";
  error_type =
      PyErr_NewExceptionWithDoc("changeaware.Error", kDoc, PyExc_RuntimeError, members.ptr());
  if (error_type == nullptr) throw nb::python_error();
  module.attr("Error") = nb::handle(error_type);
}

void raise(const Status& status) {
  const std::string& message = status.message();
  // Names in a file need not be UTF-8.
  const nb::object text = nb::steal(
      PyUnicode_DecodeUTF8(message.data(), static_cast<Py_ssize_t>(message.size()), "replace"));
  if (!text.is_valid()) throw nb::python_error();
  nb::object error = nb::handle(error_type)(text);
  const std::string_view code = status_code_name(status.code());
  error.attr("code") = nb::str(code.data(), code.size());
  PyErr_SetObject(error_type, error.ptr());
  throw nb::python_error();
}

Status status_of(nb::python_error& error, StatusCode fallback) {
  const nb::handle value = error.value();
  try {
    std::string text = nb::cast<std::string>(nb::str(value));
    if (PyErr_GivenExceptionMatches(value.ptr(), error_type) == 0) {
      const std::string type = nb::cast<std::string>(value.type().attr("__name__"));
      return Status(fallback, type + (text.empty() ? "" : ": ") + text);
    }
    const std::string code = nb::cast<std::string>(nb::str(value.attr("code")));
    for (const StatusCode known : kCodes) {
      if (status_code_name(known) == code) return Status(known, std::move(text));
    }
    return Status(fallback, std::move(text));
  } catch (nb::python_error&) {
    return Status(fallback, "an exception that cannot be shown");
  }
}

}  // namespace changeaware::python

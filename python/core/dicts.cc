#include "core/dicts.h"

namespace changeaware::python {

nb::dict dict_of(nb::handle mapping) {
  if (PyDict_Check(mapping.ptr())) return nb::borrow<nb::dict>(mapping);
  PyObject* const made =
      PyObject_CallOneArg(reinterpret_cast<PyObject*>(&PyDict_Type), mapping.ptr());
  if (made == nullptr) throw nb::python_error();
  return nb::steal<nb::dict>(made);
}

nb::object to_value(std::string_view value) {
  PyObject* const text =
      PyUnicode_DecodeUTF8(value.data(), static_cast<Py_ssize_t>(value.size()), "replace");
  if (text == nullptr) throw nb::python_error();
  return nb::steal(text);
}

nb::object to_value(const CompileReport& report) {
  nb::dict out;
  out["nodes_read"] = report.nodes_read;
  out["nodes_kept"] = report.nodes_kept;
  out["callables"] = to_value(report.callables);
  out["strategies"] = to_value(report.strategies);
  out["strategy_candidates"] = report.strategy_candidates;
  out["rejections"] = to_value(report.rejections);
  out["verified"] = report.verified;
  out["compared_with_exact"] = report.compared_with_exact;
  out["exact_nodes"] = to_value(report.exact_nodes);
  out["stage_seconds"] = to_value(report.stage_seconds);
  return out;
}

nb::object to_value(const StrategyVerdict& verdict) {
  nb::dict out;
  out["strategy"] = to_value(verdict.strategy);
  out["masks"] = verdict.masks;
  out["equal"] = verdict.equal;
  out["bits_of_main"] = verdict.bits_of_main;
  out["difference"] = to_value(verdict.difference);
  return out;
}

nb::object to_value(const VerifyReport& report) {
  nb::dict out;
  out["strategies"] = to_value(report.strategies);
  out["equal"] = report.equal;
  return out;
}

nb::object to_value(const SystemPart& part) {
  nb::dict out;
  out["name"] = to_value(part.name);
  out["version"] = to_value(part.version);
  out["present"] = part.present;
  out["note"] = to_value(part.note);
  return out;
}

nb::object to_value(const SystemReport& report) {
  nb::dict out;
  out["version"] = to_value(report.version);
  out["package_format"] = to_value(report.package_format);
  out["cpu_model"] = to_value(report.cpu_model);
  out["cpu_features"] = to_value(report.cpu_features);
  out["cores"] = report.cores;
  out["threads"] = report.threads;
  out["usable_threads"] = report.usable_threads;
  out["memory_bytes"] = report.memory_bytes;
  out["engines"] = to_value(report.engines);
  out["optional_parts"] = to_value(report.optional_parts);
  out["cache_folder"] = to_value(report.cache_folder);
  out["cache_bytes"] = report.cache_bytes;
  out["missing"] = to_value(report.missing);
  return out;
}

nb::object to_value(const ExactEngineReport& report) {
  nb::dict out;
  out["torch_folder"] = to_value(report.torch_folder);
  out["torch_version"] = to_value(report.torch_version);
  out["plugin"] = to_value(report.plugin);
  out["problem"] = to_value(report.problem);
  return out;
}

nb::object to_value(const RetainedEntry& entry) {
  nb::dict out;
  out["callable"] = to_value(entry.callable);
  out["version"] = to_value(entry.version);
  out["bytes"] = entry.bytes;
  out["uses"] = entry.uses;
  return out;
}

nb::object to_value(const SessionStats& stats) {
  nb::dict out;
  out["requests"] = stats.requests;
  out["failed"] = stats.failed;
  out["hits"] = stats.hits;
  out["misses"] = stats.misses;
  out["evictions"] = stats.evictions;
  out["retained_bytes"] = stats.retained_bytes;
  out["retained_bytes_peak"] = stats.retained_bytes_peak;
  out["retained_entries"] = stats.retained_entries;
  out["retained"] = to_value(stats.retained);
  out["resident_bytes"] = stats.resident_bytes;
  out["resident_bytes_peak"] = stats.resident_bytes_peak;
  out["loads"] = stats.loads;
  out["unloads"] = stats.unloads;
  out["resident"] = to_value(stats.resident);
  out["blobs_used"] = stats.blobs_used;
  out["blobs_stored"] = stats.blobs_stored;
  out["blobs_ignored"] = to_value(stats.blobs_ignored);
  out["process_anonymous_bytes"] = stats.process_anonymous_bytes;
  out["process_file_bytes"] = stats.process_file_bytes;
  out["runs"] = to_value(stats.runs);
  return out;
}

}  // namespace changeaware::python

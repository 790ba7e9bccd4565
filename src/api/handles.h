// What the opaque handles of c_api.h hold. Handles own all of it; lists and texts that accessors
// hand out are made when the handle is, so that they need no status.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "changeaware/c_api.h"
#include "changeaware/compiler.h"
#include "changeaware/package.h"
#include "changeaware/session.h"
#include "changeaware/status.h"

struct ca_status {
  changeaware::Status status;
  bool out_of_memory = false;  // then `status` is OK: this needs no memory to say
};

struct ca_strings {
  std::vector<std::string> items;
};

struct ca_compile_options {
  changeaware::CompileOptions options;
};

struct ca_compile_report {
  changeaware::CompileReport report;
  ca_strings callables;
  ca_strings strategies;
  ca_strings rejections;
  ca_strings exact_nodes;
};

struct ca_verify_report {
  changeaware::VerifyReport report;
};

struct ca_port {
  std::string name;
  ca_kind kind = CA_TENSOR;
  ca_dtype dtype = CA_NO_DTYPE;
  std::vector<std::string> dimensions;
  std::string shape;
  std::string fixed_value;
};

struct ca_callable {
  changeaware::Callable callable;
  ca_strings dependencies;
  ca_strings shape_dependencies;
};

struct ca_strategy {
  changeaware::Strategy strategy;
  ca_strings callables;
};

struct ca_package {
  std::shared_ptr<const changeaware::Package> package;
  std::vector<ca_port> inputs;
  std::vector<ca_port> outputs;
  std::vector<ca_callable> callables;
  std::vector<ca_strategy> strategies;
};

struct ca_request {
  changeaware::Request request;  // without deadline: that is counted from the beginning of a run
  uint64_t timeout_us = UINT64_MAX;
  std::stop_source stop;
};

struct ca_session_options {
  changeaware::SessionOptions options;
};

struct ca_session {
  std::vector<ca_port> outputs;  // of the program
  std::unique_ptr<changeaware::Session> session;
};

struct ca_decision {
  changeaware::Decision decision;
};

struct ca_plan {
  changeaware::Plan plan;
  std::vector<ca_decision> decisions;
};

struct ca_output {
  std::string name;
  ca_kind kind = CA_TENSOR;
  changeaware::Tensor tensor;  // dense; not defined for CA_NONE and CA_STRING
  std::string text;
};

struct ca_report {
  changeaware::Report report;
  ca_strings changed;
  ca_strings ran;
  ca_strings reused;
  std::vector<ca_decision> decisions;
};

struct ca_response {
  std::vector<ca_output> outputs;
  ca_report report;
};

struct ca_stats {
  changeaware::SessionStats stats;
  ca_strings blobs_ignored;
};

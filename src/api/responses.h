// Answers of a session as C sees them.
#pragma once

#include <vector>

#include "api/handles.h"
#include "changeaware/session.h"

namespace changeaware::api {

std::vector<ca_decision> make_decisions(std::vector<Decision> decisions);
ca_report make_report(Report report);
// `ports`: the program's outputs, for what is no tensor. Outputs become dense.
std::unique_ptr<ca_response> make_response(Response response, const std::vector<ca_port>& ports);

}  // namespace changeaware::api

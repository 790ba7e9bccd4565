#include "cli/explain_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "cli/explain_report.h"
#include "cli/text_table.h"

namespace changeaware::cli {
namespace {

constexpr std::string_view kStyle = R"(<style>
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem;
       color: #222; background: #fff }
table { border-collapse: collapse; margin: 1rem 0 }
th, td { padding: .25rem .6rem; text-align: left; border-bottom: 1px solid #ddd;
         vertical-align: top }
td.time { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
td.ran { background: #f6c6b7 } td.evicted { background: #f3a48e }
td.reused { background: #cfe8d1 } td.not { color: #999 }
th.callable { writing-mode: vertical-rl; transform: rotate(180deg); font-weight: normal;
              max-height: 16rem }
details { margin: .3rem 0 } code { font-size: 90% }
</style>)";

std::string escaped(std::string_view text) {
  static const std::map<char, std::string_view> kEntities = {
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}};
  std::string out;
  for (const char c : text) {
    const auto it = kEntities.find(c);
    it == kEntities.end() ? out.push_back(c) : void(out.append(it->second));
  }
  return out;
}

// Callables in the order in which they appear first.
std::vector<std::string> callables_of(const std::vector<ReplayResult>& results) {
  std::vector<std::string> names;
  for (const ReplayResult& result : results) {
    for (const Decision& d : result.report.decisions) {
      if (std::find(names.begin(), names.end(), d.callable) == names.end())
        names.push_back(d.callable);
    }
  }
  return names;
}

std::string callable_table(const Manifest& manifest, const std::vector<std::string>& names) {
  std::string out =
      "<table><tr><th>callable<th>depends on<th>operators<th>weights<th>a run, as measured when "
      "compiled</tr>\n";
  for (const std::string& name : names) {
    const auto c = std::find_if(manifest.callables.begin(), manifest.callables.end(),
                                [&](const Callable& callable) { return callable.name == name; });
    if (c == manifest.callables.end()) continue;
    out += fmt::format("<tr><td>{}<td>{}<td>{}<td>{}<td>{}</tr>\n", escaped(name),
                       escaped(join_names(c->dependencies, "nothing")), c->node_count,
                       format_bytes(c->weight_bytes), format_time(c->costs.steady_us));
  }
  return out + "</table>\n";
}

std::string request_row(const ReplayResult& result, const std::vector<std::string>& names) {
  std::string out = fmt::format("<tr><td>{}", result.index);
  if (!result.status.ok()) {
    return out + fmt::format("<td colspan={}>{}</tr>\n", names.size() + 3,
                             escaped(result.status.to_string()));
  }
  out += fmt::format("<td>{}<td class=time>{}<td>{}",
                     escaped(join_names(result.report.changed, "nothing")),
                     format_time(result.microseconds), escaped(result.report.strategy));
  for (const std::string& name : names) {
    const auto& decisions = result.report.decisions;
    const auto it = std::find_if(decisions.begin(), decisions.end(),
                                 [&](const Decision& d) { return d.callable == name; });
    if (it == decisions.end()) {
      out += "<td>";
      continue;
    }
    const std::string_view word = decision_word(*it);
    out += fmt::format("<td class=\"{}\" title=\"{}\">{}", word, escaped(it->reason), word);
  }
  return out + "</tr>\n";
}

std::string request_details(const ReplayResult& result) {
  if (!result.status.ok()) return "";
  std::string out =
      fmt::format("<details><summary>request {}: {} changed, {}, {} predicted</summary><table>\n",
                  result.index, escaped(join_names(result.report.changed, "nothing")),
                  format_time(result.microseconds), format_time(result.report.predicted_us));
  for (const Decision& d : result.report.decisions) {
    out += fmt::format("<tr><td>{}<td>{}<td>{}<td>{}</tr>\n", escaped(d.callable), decision_word(d),
                       escaped(d.reason), d.retained ? "retained" : escaped(d.not_retained_why));
  }
  return out + "</table></details>\n";
}

}  // namespace

std::string explain_page(const std::string& title, const Manifest& manifest,
                         const std::vector<ReplayResult>& results) {
  const std::vector<std::string> names = callables_of(results);
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=en><meta charset=utf-8><title>{0}</title>{1}\n<h1>{0}</h1>\n"
      "<p>The program falls into pieces by which inputs they depend on, as proved from its graph. "
      "A "
      "piece runs when one of its inputs changed and something wanted needs it; what others "
      "computed before is reused, bit for bit.</p>\n<h2>Pieces</h2>\n",
      escaped(title), kStyle);
  out += callable_table(manifest, names);
  out += "<h2>Requests</h2>\n<table><tr><th>#<th>changed<th>time<th>strategy";
  for (const std::string& name : names) out += fmt::format("<th class=callable>{}", escaped(name));
  out += "</tr>\n";
  for (const ReplayResult& result : results) out += request_row(result, names);
  out += "</table>\n<h2>Why</h2>\n";
  for (const ReplayResult& result : results) out += request_details(result);
  return out + "</html>\n";
}

}  // namespace changeaware::cli

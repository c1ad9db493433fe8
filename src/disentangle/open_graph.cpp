// A graph by whatever names it: text, data set, run.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "data/shown_text.h"
#include "factorgcn/base/content_hash.h"
#include "factorgcn/base/error.h"
#include "factorgcn/base/text.h"
#include "factorgcn/disentangle/settings.h"
#include "factorgcn/shelf/open.h"
#include "factorgcn/train/run_config.h"
#include "factorgcn/train/run_directory.h"

namespace factorgcn {
namespace {

namespace fs = std::filesystem;

bool is_graph_text(const fs::path& path) {
  return fs::is_regular_file(path) && path.extension() != ".safetensors" && path.extension() != ".zip";
}

/// The known edges' file, where `known` names one.
KnownRelations known_from_file(const std::string& known, const NamedGraph& graph) {
  require_usage(fs::is_regular_file(known), "--known ", known, ": there is no such file, and ", graph.name,
                " is no edge list that could have a column of that name");
  return read_known_file(known, graph);
}

RequestedGraph open_text(const GraphRequest& request) {
  GraphFiles files = request.files;
  files.edges = request.path;
  const bool file_is_known = fs::is_regular_file(request.known);
  ImportOptions asked = request.columns;  // whatever is named makes a first line a header
  if (!request.known.empty() && !file_is_known && asked.relation.empty()) {
    asked.relation = request.known;
  }
  const GraphTables tables = read_graph_files(files, asked);
  require_usage(request.known.empty() || file_is_known || has_column(tables.edges, request.known), "--known ",
                shown_text(request.known), ": there is no such file, and ", tables.edges.origin,
                " has no column of that name");
  ImportOptions columns = request.columns;
  if (!request.relation_names.empty()) {
    columns.relation_names = read_relation_names(request.relation_names, files);
  }
  const EdgeTable table = read_edge_table(tables, columns, file_is_known ? "" : request.known);
  RequestedGraph result;
  result.graph = named_graph(fs::path(request.path).filename().string(), tables, table);
  if (!request.known.empty()) {
    result.known = file_is_known ? read_known_file(request.known, result.graph)
                                 : read_known_column(tables.edges, table, result.graph);
  }
  return result;
}

/// The data set of a file, of a run, or by name.
std::shared_ptr<const Dataset> open_set(const OpenedData& data, const std::string& path) {
  if (fs::exists(RunPaths(path).config)) {
    const RunConfig config = read_run_config(path);
    return data.open(config.dataset, config.data);
  }
  return data.open(path, data.describe(path, {}).settings);
}

RequestedGraph open_from_set(const GraphRequest& request) {
  const OpenedData data;
  const std::shared_ptr<const Dataset> set = open_set(data, request.path);
  const std::int64_t graphs = set->graphs.num_graphs();
  require_usage(graphs == 1 || request.graph >= 0, request.path, " holds ", format_count(graphs),
                " graphs; choose one with --graph-number N, from 0 to ", graphs - 1);
  RequestedGraph result;
  result.graph = named_graph(*set, std::max<std::int64_t>(request.graph, 0));
  if (request.columns.relation == "none") {
    result.graph.truth_names.clear();
    result.graph.truth.clear();
  }
  if (!request.known.empty()) {
    result.known = known_from_file(request.known, result.graph);
  }
  return result;
}

/// Bytes of plain values, appended one after the other.
template <class T>
void add_bytes(std::string& bytes, const std::vector<T>& values) {
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

void add_bytes(std::string& bytes, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    bytes += name;
    bytes += '\0';
  }
}

std::string fingerprint(const RequestedGraph& requested) {
  const NamedGraph& graph = requested.graph;
  std::string bytes(1, graph.directed ? 'd' : 'u');
  add_bytes(bytes, graph.nodes);
  add_bytes(bytes, graph.sources);
  add_bytes(bytes, graph.targets);
  add_bytes(bytes, graph.weights);
  add_bytes(bytes, graph.self_loops);
  add_bytes(bytes, graph.truth_names);
  add_bytes(bytes, graph.truth);
  for (const NamedAttribute& attribute : graph.attributes) {
    bytes += attribute.name;
    add_bytes(bytes, attribute.categories);
    add_bytes(bytes, attribute.category);
    add_bytes(bytes, attribute.numbers);
  }
  add_bytes(bytes, requested.known.names);
  add_bytes(bytes, requested.known.edges);
  add_bytes(bytes, requested.known.relations);
  return hash_text(content_hash(bytes));
}

}  // namespace

RequestedGraph open_graph(const GraphRequest& request) {
  if (is_graph_text(request.path)) {
    require_usage(request.graph < 0, "--graph-number goes with a data set of many graphs");
    return open_text(request);
  }
  require_usage(request.files.nodes.empty(), "--nodes goes with an edge list: ", request.path,
                " is a data set, which has its nodes' attributes");
  return open_from_set(request);
}

nlohmann::ordered_json settings_json(const std::string& method, const DisentangleOptions& options,
                                     const RequestedGraph& graph) {
  return {{"method", method},
          {"relations", options.relations},
          {"groups", options.groups},
          {"most_relations", options.most_relations},
          {"most_groups", options.most_groups},
          {"starts", options.starts},
          {"resamples", options.resamples},
          {"random_graphs", options.random_graphs},
          {"ask", options.ask},
          {"seed", options.seed},
          {"content", fingerprint(graph)}};
}

}  // namespace factorgcn

// One graph taken apart without labels (`factorgcn disentangle`), in memory.
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <torch/custom_class.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "factorgcn/base/error.h"
#include "factorgcn/base/runtime.h"
#include "factorgcn/disentangle/methods.h"
#include "factorgcn/disentangle/settings.h"
#include "factorgcn/disentangle/summary.h"
#include "factorgcn/disentangle/words.h"
#include "ops/registration.h"
#include "python/classes.h"
#include "python/interrupts.h"
#include "python/told.h"

namespace factorgcn::python {
namespace {

constexpr int kReportWidth = 100;

/// Ctrl-C ends the work.
class InterruptibleObserver : public RelationsObserver {
 public:
  explicit InterruptibleObserver(const CaughtInterrupts& interrupts) : interrupts_(interrupts) {}
  bool stop() override { return interrupts_.any(); }

 private:
  const CaughtInterrupts& interrupts_;
};

template <class Value>
at::Tensor table_of(const std::vector<Value>& values, std::size_t rows, std::size_t columns) {
  at::Tensor table = at::empty({static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns)},
                               c10::CppTypeToScalarType<Value>::value);
  std::copy(values.begin(), values.end(), table.template data_ptr<Value>());
  return table;
}

int small_number(const nlohmann::json& settings, const char* name, int least, int most) {
  const nlohmann::json& value = settings.at(name);
  require_usage(value.is_number_integer(), name, " is ", value.dump(), "; expected a whole number");
  const auto number = value.get<std::int64_t>();
  require_usage(number >= least && number <= most, name, " is ", number, "; it must be in ", least, " .. ", most);
  return static_cast<int>(number);
}

class Disentangling : public torch::CustomClassHolder {
 public:
  /// Edges once each, without loops; weights above 0. settings: {"relations", "groups" (0: found), "method", "seed",
  /// "directed", "name"} as JSON, and "nodes", their names, where they have any.
  Disentangling(std::int64_t nodes, const at::Tensor& sources, const at::Tensor& targets, const OptionalTensor& weights,
                const std::string& text)
      : settings_(nlohmann::json::parse(text)), method_(disentangle_method(settings_.at("method").get<std::string>())) {
    options_.relations = small_number(settings_, "relations", 0, 100);
    options_.groups = small_number(settings_, "groups", 0, 1000);
    options_.seed = settings_.at("seed").get<std::uint64_t>();
    options_.ask = 20;
    require_usage(!method_.needs_relations || options_.relations >= 1, "method ", method_.name,
                  " cannot tell how many relations there are; give relations");
    NamedGraph& graph = requested_.graph;
    graph.name = settings_.at("name").get<std::string>();
    graph.directed = settings_.at("directed").get<bool>();
    require_usage(nodes >= 0 && nodes <= std::numeric_limits<std::int32_t>::max(), "there are ", nodes, " nodes");
    graph.nodes = settings_.value("nodes", std::vector<std::string>());
    require_usage(graph.nodes.empty() || static_cast<std::int64_t>(graph.nodes.size()) == nodes, "there are ",
                  graph.nodes.size(), " names of nodes for ", nodes, " nodes");
    for (auto node = static_cast<std::int64_t>(graph.nodes.size()); node < nodes; ++node) {
      graph.nodes.push_back(std::to_string(node));
    }
    graph.sources = ids("sources", sources, nodes);
    graph.targets = ids("targets", targets, nodes);
    require_usage(graph.sources.size() == graph.targets.size(), "there are ", graph.sources.size(), " sources and ",
                  graph.targets.size(), " targets");
    if (weights.has_value()) {
      graph.weights = edge_weights(*weights, graph.num_edges());
    }
  }

  /// names: of relations; edges: places of some edges; truth: bool [edges, names].
  void set_known(const std::vector<std::string>& names, const at::Tensor& edges, const at::Tensor& truth) {
    require_usage(method_.takes_known, "method ", method_.name, " learns from the graph alone: leave known out");
    const auto count = static_cast<std::int64_t>(names.size());
    require_usage(edges.dim() == 1 && truth.dim() == 2 && truth.size(0) == edges.size(0) && truth.size(1) == count,
                  "known edges have shape ", edges.sizes(), ", their relations ", truth.sizes(), "; there are ", count,
                  " names");
    const at::Tensor places = edges.to(at::kLong).contiguous(), order = places.argsort();
    const at::Tensor rows = truth.to(at::kByte).index_select(0, order).contiguous();
    const at::Tensor sorted = places.index_select(0, order).contiguous();
    KnownRelations known;
    known.names = names;
    known.edges.assign(sorted.data_ptr<std::int64_t>(), sorted.data_ptr<std::int64_t>() + sorted.numel());
    known.relations.assign(rows.data_ptr<std::uint8_t>(), rows.data_ptr<std::uint8_t>() + rows.numel());
    for (const std::int64_t edge : known.edges) {
      require_usage(edge >= 0 && edge < static_cast<std::int64_t>(requested_.graph.num_edges()), "known: there is no ",
                    "edge ", edge);
    }
    requested_.known = std::move(known);
  }

  /// The true relations: names; truth: bool [edges, names]. For a score: nothing else sees them.
  void set_truth(const std::vector<std::string>& names, const at::Tensor& truth) {
    require_usage(truth.dim() == 2 && truth.size(0) == static_cast<std::int64_t>(num_edges()) &&
                      truth.size(1) == static_cast<std::int64_t>(names.size()),
                  "true relations have shape ", truth.sizes(), "; there are ", num_edges(), " edges and ", names.size(),
                  " names");
    const at::Tensor rows = truth.to(at::kByte).contiguous();
    requested_.graph.truth_names = names;
    requested_.graph.truth.assign(rows.data_ptr<std::uint8_t>(), rows.data_ptr<std::uint8_t>() + rows.numel());
  }

  void run() {
    const PreparedThreads threads;
    const CaughtInterrupts interrupts;
    InterruptibleObserver observer(interrupts);
    outcome_ = take_apart(method_, requested_.graph, requested_.known, options_, observer);
  }

  const DisentangleOutcome& outcome() const {
    require(outcome_.has_value(), "nothing was taken apart yet; call run()");
    return *outcome_;
  }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const RelationOutcome& relation : outcome().relations) {
      names.push_back(relation.column);
    }
    return names;
  }

  at::Tensor shares() const { return table_of(outcome().shares, num_edges(), outcome().num_relations()); }
  at::Tensor strongest() const { return table_of(outcome().strongest, num_edges(), 1).squeeze(1).to(at::kLong); }
  at::Tensor certainty() const {
    return table_of(outcome().certainty, outcome().certainty.size(), 1).squeeze(1);  // some methods do not tell
  }

  /// int64 [nodes, relations]
  at::Tensor groups() const {
    std::vector<std::int32_t> columns;
    for (const RelationOutcome& relation : outcome().relations) {
      columns.insert(columns.end(), relation.group.begin(), relation.group.end());
    }
    return table_of(columns, outcome().num_relations(), requested_.graph.nodes.size()).t().to(at::kLong).contiguous();
  }

  std::string summary() const {
    const auto settings = settings_json(method_.name, options_, requested_);
    return summary_json(requested_.graph, outcome(), settings)
        .dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  }

  std::string report() const { return outcome_report(requested_.graph, outcome(), true, kReportWidth); }

 private:
  std::size_t num_edges() const { return requested_.graph.num_edges(); }

  static std::vector<std::int32_t> ids(const char* name, const at::Tensor& given, std::int64_t nodes) {
    require_usage(given.dim() == 1 && at::isIntegralType(given.scalar_type(), false), name,
                  " must be a list of whole numbers");
    const at::Tensor values = given.to(at::kCPU, at::kLong).contiguous();
    std::vector<std::int32_t> result;
    for (std::int64_t edge = 0; edge < values.numel(); ++edge) {
      const std::int64_t node = values.data_ptr<std::int64_t>()[edge];
      require_usage(node >= 0 && node < nodes, name, " holds ", node, " at place ", edge, "; with ", nodes,
                    " nodes ids are 0 to ", nodes - 1);
      result.push_back(static_cast<std::int32_t>(node));
    }
    return result;
  }

  static std::vector<float> edge_weights(const at::Tensor& given, std::size_t edges) {
    require_usage(given.dim() == 1 && given.size(0) == static_cast<std::int64_t>(edges), "weights have shape ",
                  given.sizes(), "; expected ", edges);
    const at::Tensor values = given.detach().to(at::kCPU, at::kFloat).contiguous();
    const float* first = values.data_ptr<float>();
    for (std::size_t edge = 0; edge < edges; ++edge) {
      require_usage(first[edge] > 0 && first[edge] <= std::numeric_limits<float>::max(), "edge ", edge,
                    " has the weight ", first[edge], "; weights must be above 0 and finite");
    }
    return {first, first + edges};
  }

  nlohmann::json settings_;
  const DisentangleMethod& method_;
  DisentangleOptions options_;
  RequestedGraph requested_;
  std::optional<DisentangleOutcome> outcome_;
};

}  // namespace

void register_disentangling() {
  using Self = c10::intrusive_ptr<Disentangling>;
  static const auto disentangling =
      torch::class_<Disentangling>("factorgcn", "Disentangling")
          .def(torch::init([](std::int64_t nodes, const at::Tensor& sources, const at::Tensor& targets,
                              const OptionalTensor& weights, const std::string& settings) {
            return told([&] { return c10::make_intrusive<Disentangling>(nodes, sources, targets, weights, settings); });
          }))
          .def("set_known", [](const Self& self, const std::vector<std::string>& names, const at::Tensor& edges,
                               const at::Tensor& truth) { told([&] { self->set_known(names, edges, truth); }); })
          .def("set_truth", [](const Self& self, const std::vector<std::string>& names,
                               const at::Tensor& truth) { told([&] { self->set_truth(names, truth); }); })
          .def("run", [](const Self& self) { told([&] { self->run(); }); })
          .def("names", [](const Self& self) { return told([&] { return self->names(); }); })
          .def("shares", [](const Self& self) { return told([&] { return self->shares(); }); })
          .def("strongest", [](const Self& self) { return told([&] { return self->strongest(); }); })
          .def("certainty", [](const Self& self) { return told([&] { return self->certainty(); }); })
          .def("groups", [](const Self& self) { return told([&] { return self->groups(); }); })
          .def("summary", [](const Self& self) { return told([&] { return self->summary(); }); })
          .def("report", [](const Self& self) { return told([&] { return self->report(); }); });
}

}  // namespace factorgcn::python

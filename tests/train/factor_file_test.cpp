// Factor graphs as files against a slow twin that looks up each edge's two directions one by one.
#include "factorgcn/train/factor_file.h"

#include <ATen/ops/rand.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>
#include <sstream>

#include "base/temporary_folder.h"
#include "factorgcn/base/files.h"
#include "factorgcn/nn/registry.h"
#include "factorgcn/train/evaluation_mode.h"

namespace factorgcn {
namespace {

using Ends = std::pair<std::int32_t, std::int32_t>;

/// What a source could have written down: each edge in one direction or both, loops among them.
struct Source {
  std::int64_t nodes = 0;
  std::set<Ends> given;
};

Source some_source() {
  Source source;
  source.nodes = *rc::gen::inRange(1, 7);
  for (int count = *rc::gen::inRange(0, 12); count > 0; --count) {
    source.given.emplace(*rc::gen::inRange(0, static_cast<int>(source.nodes)),
                         *rc::gen::inRange(0, static_cast<int>(source.nodes)));
  }
  return source;
}

/// As import makes it: both directions unless directed, a loop for every node, and marks for what was given.
Dataset dataset_of(const std::vector<Source>& sources, bool directed, bool marks) {
  std::vector<Graph> graphs;
  Dataset dataset;
  dataset.name = "test";
  for (const Source& source : sources) {
    Graph graph;
    graph.num_nodes = source.nodes;
    std::set<Ends> entries = source.given;
    for (const auto& [from, to] : source.given) {
      if (!directed) {
        entries.emplace(to, from);
      }
    }
    for (const auto& [from, to] : entries) {
      graph.source.push_back(from);
      graph.target.push_back(to);
    }
    const std::size_t before = graph.source.size();
    add_self_loops(graph);
    dataset.added_self_loops += static_cast<std::int64_t>(graph.source.size() - before);
    graph.features = at::rand({source.nodes, 3});
    graphs.push_back(std::move(graph));
  }
  dataset.graphs = make_store(graphs);
  dataset.task = Task::kGraphClass;
  dataset.num_outputs = 2;
  dataset.targets = at::zeros({static_cast<std::int64_t>(sources.size())}, at::kLong);
  dataset.directed = directed;
  if (marks) {
    dataset.given_edges = at::zeros({dataset.graphs.num_edges()}, at::kBool);
    std::int64_t edge = 0, node = 0;
    for (const Source& source : sources) {
      for (std::int32_t target = 0; target < source.nodes; ++target, ++node) {
        for (int left = dataset.graphs.in_degrees.data_ptr<std::int32_t>()[node]; left > 0; --left, ++edge) {
          const std::int32_t from = dataset.graphs.in_sources.data_ptr<std::int32_t>()[edge];
          dataset.given_edges.data_ptr<bool>()[edge] = source.given.contains({from, target});
        }
      }
    }
  }
  return dataset;
}

LoadedRun untrained(Dataset dataset) {
  LoadedRun run;
  run.config.batch_size = 2;
  run.config.model_settings = {{"hidden", std::int64_t{8}}, {"factors", std::vector<std::int64_t>{4, 2}}};
  run.model = make_model("factorgcn", model_input(dataset), run.config.model_settings, 3);
  run.data = std::make_shared<const Dataset>(std::move(dataset));
  return run;
}

/// graph, source, target -> coefficients, of every stored direction.
std::map<std::tuple<std::int64_t, std::int32_t, std::int32_t>, std::vector<float>> all_coefficients(
    const LoadedRun& run, int layer) {
  const EvaluationMode mode(*run.model);
  std::map<std::tuple<std::int64_t, std::int32_t, std::int32_t>, std::vector<float>> result;
  for (std::int64_t graph = 0; graph < run.data->graphs.num_graphs(); ++graph) {
    const GraphBatch batch = select_graphs(run.data->graphs, std::vector<std::int64_t>{graph});
    const at::Tensor values = run.model->factor_coefficients(batch, layer - 1).to(at::kFloat).contiguous();
    const auto* offsets = batch.edges.in_offsets.data_ptr<std::int64_t>();
    for (std::int64_t target = 0; target < batch.num_nodes(); ++target) {
      for (std::int64_t edge = offsets[target]; edge < offsets[target + 1]; ++edge) {
        const float* row = values.data_ptr<float>() + edge * values.size(1);
        result[{graph, batch.edges.in_sources.data_ptr<std::int32_t>()[edge], static_cast<std::int32_t>(target)}] = {
            row, row + values.size(1)};
      }
    }
  }
  return result;
}

using Rows = std::map<std::tuple<std::int64_t, std::int32_t, std::int32_t>, std::vector<float>>;

Rows rows_of(const std::string& text, std::size_t factors) {
  Rows rows;
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream cells(line);
    std::int64_t graph = 0;
    std::int32_t source = 0, target = 0, layer = 0;
    cells >> graph >> source >> target >> layer;
    std::vector<float> values(factors);
    for (float& value : values) {
      std::string cell;
      cells >> cell;
      value = std::stof(cell);
    }
    RC_ASSERT(rows.emplace(std::tuple{graph, source, target}, values).second);
  }
  return rows;
}

TEST(FactorFile, RowsAreWhatTheSourceWroteDown) {
  const TemporaryFolder folder;
  EXPECT_TRUE(rc::check("each given edge once, with its own or its directions' mean coefficients", [&] {
    std::vector<Source> sources;
    for (int count = *rc::gen::inRange(1, 5); count > 0; --count) {
      sources.push_back(some_source());
    }
    const bool directed = *rc::gen::arbitrary<bool>();
    const LoadedRun run = untrained(dataset_of(sources, directed, /*marks=*/true));
    FactorFileOptions options;
    options.layers = {*rc::gen::inRange(1, 3)};
    const FactorFileCounts counts = write_factors(folder.path() / "f.csv", run, options);
    const auto stored = all_coefficients(run, options.layers[0]);
    Rows wanted;
    for (std::size_t graph = 0; graph < sources.size(); ++graph) {
      const auto number = static_cast<std::int64_t>(graph);
      for (const auto& [from, to] : sources[graph].given) {
        std::vector<float> values = stored.at({number, from, to});
        if (!directed && from != to) {
          const std::vector<float>& other = stored.at({number, to, from});
          for (std::size_t factor = 0; factor < values.size(); ++factor) {
            values[factor] = (values[factor] + other[factor]) / 2;
          }
        }
        wanted[{number, from, to}] = values;
      }
    }
    const Rows rows = rows_of(read_file(folder.path() / "f.csv"), options.layers[0] == 1 ? 4 : 2);
    RC_ASSERT(rows.size() == wanted.size());
    RC_ASSERT(counts.rows == static_cast<std::int64_t>(wanted.size()));
    for (const auto& [ends, values] : wanted) {
      RC_ASSERT(rows.contains(ends));
      for (std::size_t factor = 0; factor < values.size(); ++factor) {
        // Coefficients are computed batch by batch, whose kernels may sum in another order.
        RC_ASSERT(std::abs(rows.at(ends)[factor] - values[factor]) < 1e-5F);
      }
    }
  }));
}

TEST(FactorFile, WithoutMarksAnUndirectedEdgeIsOneRow) {
  const TemporaryFolder folder;
  EXPECT_TRUE(rc::check("one row per pair, the smaller number first", [&] {
    const Source source = some_source();
    const LoadedRun run = untrained(dataset_of({source}, /*directed=*/false, /*marks=*/false));
    write_factors(folder.path() / "f.csv", run, {});
    std::set<Ends> pairs;
    for (const auto& [from, to] : source.given) {
      if (from != to) {
        pairs.insert(std::minmax(from, to));
      }
    }
    std::set<Ends> found;
    for (const auto& [ends, values] : rows_of(read_file(folder.path() / "f.csv"), 4)) {
      if (std::get<1>(ends) != std::get<2>(ends)) {
        found.emplace(std::get<1>(ends), std::get<2>(ends));
      }
    }
    RC_ASSERT(found == pairs);
    FactorFileOptions both;
    both.both_directions = true;
    both.added_self_loops = true;
    RC_ASSERT(write_factors(folder.path() / "f.csv", run, both).rows == run.data->graphs.num_edges());
    RC_ASSERT(rows_of(read_file(folder.path() / "f.csv"), 4) == all_coefficients(run, 1));
  }));
}

TEST(FactorFile, WhoWaitsForOneLargeGraphCanEndItAndNothingIsLeft) {
  const TemporaryFolder folder;
  Source ring;
  ring.nodes = 60'000;
  for (std::int32_t node = 0; node < ring.nodes; ++node) {
    ring.given.emplace(node, (node + 1) % static_cast<std::int32_t>(ring.nodes));
  }
  const LoadedRun run = untrained(dataset_of({ring}, /*directed=*/true, /*marks=*/false));
  struct Enough {};
  FactorFileOptions options;
  options.on_batch = [](std::int64_t done, std::int64_t all) {
    EXPECT_EQ(done, 0);
    EXPECT_EQ(all, 1);
    throw Enough();
  };
  for (const char* name : {"f.csv", "f.csv.gz", "f.graphml", "f.json"}) {
    EXPECT_THROW(write_factors(folder.path() / name, run, options), Enough) << name;
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace factorgcn

// Nodes and edges go to a file for each part; then each part is put together by itself: its edges sorted by target and
// source are joined with its rows, its edges sorted by the owner of their source give the halo. Parts are put together
// side by side, which share the memory for sorting.
#include "factorgcn/partition/edge_list.h"

#include <ATen/ops/zeros.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "factorgcn/base/error.h"
#include "factorgcn/base/parallel.h"
#include "factorgcn/partition/assign.h"
#include "partition/external_sort.h"
#include "partition/scratch.h"
#include "partition/streamed_table.h"

namespace factorgcn {
namespace {

struct ListedEdge {
  std::int64_t target, source;
  auto operator<=>(const ListedEdge&) const = default;
};

/// A place in the part's in_sources that waits for its source's number there. Own sources have owner -1.
struct AwaitedSource {
  std::int64_t owner, source, place;
  auto operator<=>(const AwaitedSource&) const = default;
};

/// What the node table's header says.
struct NodeColumns {
  std::size_t label = 0, split = 0;  ///< split 0: none
  std::vector<std::size_t> features;
  std::vector<std::string> names;

  NodeColumns(StreamedTable& table, const EdgeListOptions& options) {
    require(table.next(), table.where(), ": the node table is empty");
    const auto& columns = table.columns();
    for (std::size_t column = 1; column < columns.size(); ++column) {
      if (columns[column] == options.label) {
        label = column;
      } else if (columns[column] == options.split) {
        split = column;
      } else {
        features.push_back(column);
        names.emplace_back(columns[column]);
      }
    }
    require(label > 0, table.where(), ": there is no column '", options.label,
            "' to read classes from; name it with --label");
    require(!features.empty(), table.where(), ": there are no columns of features beside '", options.label, "'");
  }
};

/// The number that the whole text is, in any locale; none where it is something else.
std::optional<double> number_in(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

bool all_numbers(const std::map<std::string, std::int64_t>& classes) {
  return std::all_of(classes.begin(), classes.end(), [](const auto& entry) { return number_in(entry.first); });
}

class EdgeListCutter {
 public:
  EdgeListCutter(const std::filesystem::path& edges, const std::filesystem::path& nodes,
                 const std::filesystem::path& folder, const EdgeListOptions& options, const CutProgress& progress)
      : edges_(edges),
        nodes_(nodes),
        folder_(folder),
        options_(options),
        progress_(progress),
        scratch_(folder),
        part_rows_(static_cast<std::size_t>(options.parts), 0) {}

  PartsManifest cut() {
    read_classes();
    write_nodes();
    write_edges();
    const std::filesystem::path whole = std::filesystem::weakly_canonical(folder_);
    manifest_.name = (whole.has_filename() ? whole : whole.parent_path()).filename().string();
    manifest_.method = "hash";
    put_together_all();
    check_halos();
    write_manifest(folder_, manifest_);
    return manifest_;
  }

 private:
  /// Every so many lines: whoever shows it may take longer over it than a line takes.
  void tell(const char* step, const StreamedTable& table, double begin, double share) const {
    constexpr std::int64_t kLinesBetween = 4096;
    if (progress_ && table.lines() % kLinesBetween == 0) {
      progress_(step, begin + share * table.share_read());
    }
  }

  void put_together_all() {
    const auto side_by_side = std::min<std::int64_t>(num_threads(), options_.parts);
    sort_memory_ = std::max<std::int64_t>(options_.memory / 2 / side_by_side, std::int64_t{1} << 19U);
    manifest_.parts.resize(static_cast<std::size_t>(options_.parts));
    std::mutex telling;
    std::int64_t done = 0;
    parallel_tasks(options_.parts, [&](std::int64_t part) {
      manifest_.parts[static_cast<std::size_t>(part)] = put_together(part);
      const std::lock_guard lock(telling);
      ++done;
      if (progress_) {
        progress_(concat("part ", done, " of ", options_.parts, " is together"),
                  0.4 + 0.6 * static_cast<double>(done) / static_cast<double>(options_.parts));
      }
    });
    for (const PartEntry& entry : manifest_.parts) {
      manifest_.edges += entry.edges;
    }
    manifest_.added_self_loops = added_self_loops_;
  }

  /// A buffer for each part, a quarter of the memory together.
  std::vector<ScratchWriter> writers() {
    const auto bytes = static_cast<std::size_t>(
        std::clamp<std::int64_t>(options_.memory / 4 / options_.parts, 512, std::int64_t{1} << 20));
    std::vector<ScratchWriter> result;
    for (std::int64_t part = 0; part < options_.parts; ++part) {
      result.emplace_back(scratch_.new_file(), bytes);
    }
    return result;
  }

  std::size_t part_of(std::int64_t node) const {
    return static_cast<std::size_t>(hash_part(node, options_.parts, options_.seed));
  }

  /// In rising order where all are numbers, otherwise in alphabetical order.
  void read_classes() {
    StreamedTable table(nodes_);
    const NodeColumns columns(table, options_);
    while (table.next()) {
      const auto& values = table.columns();
      require(columns.label < values.size(), table.where(), ": it has ", values.size(),
              " columns, fewer than the header");
      if (!values[columns.label].empty()) {
        classes_.emplace(values[columns.label], 0);
      }
      constexpr std::size_t kMostClasses = 10'000;
      require(classes_.size() <= kMostClasses, table.where(), ": more than ", kMostClasses, " classes in column '",
              options_.label, "'; is it the right one?");
      tell("reading classes", table, 0, 0.1);
    }
    require(classes_.size() > 1, nodes_.string(), ": column '", options_.label, "' has ", classes_.size(),
            " classes; at least 2 are needed");
    for (const auto& entry : classes_) {
      manifest_.output_names.push_back(entry.first);
    }
    if (all_numbers(classes_)) {
      std::sort(manifest_.output_names.begin(), manifest_.output_names.end(),
                [](const std::string& left, const std::string& right) { return number_in(left) < number_in(right); });
    }
    for (std::size_t index = 0; index < manifest_.output_names.size(); ++index) {
      classes_[manifest_.output_names[index]] = static_cast<std::int64_t>(index);
    }
    manifest_.outputs = static_cast<std::int64_t>(classes_.size());
    manifest_.feature_columns = static_cast<std::int64_t>(columns.features.size());
    manifest_.feature_names = columns.names;
  }

  NodeRole role_of(std::int64_t node, std::string_view label, std::string_view split, bool given,
                   const StreamedTable& table) const {
    if (!given) {  // 8 of 10 train, 1 validates, 1 tests
      const std::int32_t draw = hash_part(node, 10, options_.seed + 1);
      return label.empty() ? NodeRole::kNone
             : draw < 8    ? NodeRole::kTrain
             : draw == 8   ? NodeRole::kValidation
                           : NodeRole::kTest;
    }
    const NodeRole role = split == "train"                          ? NodeRole::kTrain
                          : split == "validation" || split == "val" ? NodeRole::kValidation
                          : split == "test"                         ? NodeRole::kTest
                                                                    : NodeRole::kNone;
    require(role != NodeRole::kNone || split.empty(), table.where(), ": '", split, "' in column '", options_.split,
            "'; write train, validation, test or nothing");
    require(role == NodeRole::kNone || !label.empty(), table.where(), ": node ", node, " is in the ", split,
            " part but has no class");
    return role;
  }

  /// Number, class, role and features of each node, one file a part.
  void write_nodes() {
    std::vector<ScratchWriter> files = writers();
    StreamedTable table(nodes_);
    const NodeColumns columns(table, options_);
    std::vector<float> features(columns.features.size());
    std::int64_t former = -1;
    while (table.next()) {
      const auto& values = table.columns();
      std::int64_t node = 0;
      require(read_node_number(values[0], node), table.where(), ": '", values[0],
              "' is no node number; number nodes from 0 on");
      require(node > former, table.where(), ": node ", node, " after node ", former,
              "; the node table must be sorted by number (sort -n), each node once");
      former = node;
      require(values.size() > std::max({columns.label, columns.split, columns.features.back()}), table.where(),
              ": it has ", values.size(), " columns, fewer than the header");
      for (std::size_t index = 0; index < features.size(); ++index) {
        const std::string_view text = values[columns.features[index]];
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), features[index]);
        require(error == std::errc() && end == text.data() + text.size() && std::isfinite(features[index]),
                table.where(), ": '", text, "' in column '", columns.names[index], "'; features must be numbers");
        constexpr float kUsualSize = 5;  // as data/feature_facts.h has it
        manifest_.uneven = manifest_.uneven || std::abs(features[index]) > kUsualSize;
      }
      const std::string_view label = values[columns.label];
      const NodeRole role = role_of(node, label, columns.split > 0 ? values[columns.split] : std::string_view(),
                                    columns.split > 0, table);
      const std::size_t part = part_of(node);
      files[part].put(node);
      files[part].put(label.empty() ? std::int64_t{0} : classes_.at(std::string(label)));
      files[part].put(static_cast<std::int64_t>(role));
      files[part].put_bytes(features.data(), features.size() * sizeof(float));
      ++part_rows_[part];
      ++manifest_.nodes;
      tell("reading nodes", table, 0.1, 0.1);
    }
    for (std::size_t part = 0; part < files.size(); ++part) {
      files[part].flush();
      node_files_.push_back(files[part].path());
      require(part_rows_[part] > 0, "part ", part, " of ", options_.parts, " would have none of the ", manifest_.nodes,
              " nodes; cut the graph into fewer parts");
    }
  }

  void write_edges() {
    std::vector<ScratchWriter> files = writers();
    StreamedTable table(edges_);
    bool first = true;
    while (table.next()) {
      const auto& values = table.columns();
      std::int64_t source = 0, target = 0;
      const bool numbers =
          values.size() >= 2 && read_node_number(values[0], source) && read_node_number(values[1], target);
      if (!numbers && std::exchange(first, false)) {
        continue;  // a header
      }
      first = false;
      require(numbers, table.where(), ": '", table.line(), "' does not begin with two node numbers");
      files[part_of(target)].put(ListedEdge{target, source});
      if (!options_.directed && source != target) {
        files[part_of(source)].put(ListedEdge{source, target});
      }
      tell("reading edges", table, 0.2, 0.2);
    }
    for (ScratchWriter& file : files) {
      file.flush();
      edge_files_.push_back(file.path());
    }
  }

  /// The nodes' columns, each in a file of its own, and a loop for each node among the edges.
  void split_columns(std::int64_t part, GraphPart& result) {
    const std::int64_t rows = part_rows_[static_cast<std::size_t>(part)], width = manifest_.feature_columns;
    result.rows = new_array(scratch_.new_file(), {rows}, at::kLong);
    result.targets = new_array(scratch_.new_file(), {rows}, at::kLong);
    result.roles = new_array(scratch_.new_file(), {rows}, at::kByte);
    result.features = new_array(scratch_.new_file(), {rows, width}, at::kFloat);
    const auto& file = node_files_[static_cast<std::size_t>(part)];
    const std::int64_t bytes = 3 * 8 + width * 4;
    const at::Tensor records = map_array(file, {rows, bytes}, at::kByte);
    std::ofstream loops(edge_files_[static_cast<std::size_t>(part)], std::ios::binary | std::ios::app);
    for (std::int64_t row = 0; row < rows; ++row) {
      const auto* const record = records.data_ptr<std::uint8_t>() + row * bytes;
      std::int64_t head[3];
      std::copy_n(record, sizeof(head), reinterpret_cast<std::uint8_t*>(head));
      result.rows.data_ptr<std::int64_t>()[row] = head[0];
      result.targets.data_ptr<std::int64_t>()[row] = head[1];
      result.roles.data_ptr<std::uint8_t>()[row] = static_cast<std::uint8_t>(head[2]);
      std::copy_n(record + sizeof(head), width * 4,
                  reinterpret_cast<std::uint8_t*>(result.features.data_ptr<float>() + row * width));
      const ListedEdge loop{head[0], head[0]};
      loops.write(reinterpret_cast<const char*>(&loop), sizeof(loop));
    }
    loops.close();
    require(loops.good(), "cannot write ", edge_files_[static_cast<std::size_t>(part)].string(), "; is the disk full?");
    std::filesystem::remove(file);
  }

  /// Edges by target and source: offsets, and for each edge a source that is still to be numbered.
  std::filesystem::path sort_by_target(std::int64_t part, GraphPart& result) {
    const std::int64_t rows = result.num_rows();
    result.in_offsets = new_array(scratch_.new_file(), {rows + 1}, at::kLong);
    auto* const offsets = result.in_offsets.data_ptr<std::int64_t>();
    const auto* const node = result.rows.data_ptr<std::int64_t>();
    ScratchWriter awaited(scratch_.new_file(), std::size_t{1} << 16U);
    ListedEdge former{-1, -1};
    std::int64_t row = 0, edges = 0, alike = 0, loops = 0;
    const auto end_run = [&] {  // a loop that is there once was added here
      loops += former.target == former.source && former.target >= 0 && alike == 1;
    };
    ExternalSort<ListedEdge>(scratch_, sort_memory_)
        .run(edge_files_[static_cast<std::size_t>(part)], [&](const ListedEdge& edge) {
          if (edge == former) {
            ++alike;
            return;
          }
          end_run();
          former = edge;
          alike = 1;
          while (row < rows && node[row] < edge.target) {
            offsets[++row] = edges;
          }
          require(row < rows && node[row] == edge.target, edges_.string(), " names node ", edge.target, ", which ",
                  nodes_.string(), " does not have");
          const auto owner = static_cast<std::int64_t>(part_of(edge.source));
          awaited.put(AwaitedSource{owner == part ? -1 : owner, edge.source, edges++});
        });
    end_run();
    added_self_loops_ += loops;
    while (row < rows) {
      offsets[++row] = edges;
    }
    awaited.flush();
    return awaited.path();
  }

  /// Numbers the sources: own rows first, then the halo, part by part.
  void number_sources(const std::filesystem::path& awaited, GraphPart& result) {
    const std::int64_t rows = result.num_rows();
    result.in_sources = new_array(scratch_.new_file(), {result.in_offsets.data_ptr<std::int64_t>()[rows]}, at::kInt);
    result.halo_counts = at::zeros({options_.parts}, at::kLong);
    const auto* const node = result.rows.data_ptr<std::int64_t>();
    ScratchWriter halo(scratch_.new_file(), std::size_t{1} << 16U);
    std::int64_t row = 0, copies = 0, former = -1;
    ExternalSort<AwaitedSource>(scratch_, sort_memory_).run(awaited, [&](const AwaitedSource& edge) {
      std::int64_t number = 0;
      if (edge.owner < 0) {
        while (row < rows && node[row] < edge.source) {
          ++row;
        }
        require(row < rows && node[row] == edge.source, edges_.string(), " names node ", edge.source, ", which ",
                nodes_.string(), " does not have");
        number = row;
      } else {
        if (edge.source != former) {
          former = edge.source;
          halo.put(edge.source);
          ++result.halo_counts.data_ptr<std::int64_t>()[edge.owner];
          ++copies;
        }
        number = rows + copies - 1;
      }
      result.in_sources.data_ptr<std::int32_t>()[edge.place] = static_cast<std::int32_t>(number);
    });
    halo.flush();
    result.halo = map_array(halo.path(), {copies}, at::kLong);
  }

  PartEntry put_together(std::int64_t part) {
    GraphPart result;
    split_columns(part, result);
    number_sources(sort_by_target(part, result), result);
    return write_part(folder_, part, result);
  }

  /// Nodes of a halo must be rows of their owner. Both lists rise.
  void check_halos() {
    for (std::int64_t part = 0; part < options_.parts; ++part) {
      const GraphPart reader = read_part(folder_, manifest_, part);
      const auto* next = reader.halo.data_ptr<std::int64_t>();
      for (std::int64_t owner = 0; owner < options_.parts; ++owner) {
        const auto* const end = next + reader.halo_counts.data_ptr<std::int64_t>()[owner];
        if (next == end) {
          continue;
        }
        const at::Tensor rows = read_part_rows(folder_, manifest_, owner);
        const auto *row = rows.data_ptr<std::int64_t>(), *const last = row + rows.numel();
        for (; next < end; ++next) {
          row = std::lower_bound(row, last, *next);
          require(row != last && *row == *next, edges_.string(), " names node ", *next, ", which ", nodes_.string(),
                  " does not have");
        }
      }
    }
  }

  std::filesystem::path edges_, nodes_, folder_;
  EdgeListOptions options_;
  const CutProgress& progress_;
  ScratchFolder scratch_;
  PartsManifest manifest_;
  std::map<std::string, std::int64_t> classes_;
  std::vector<std::int64_t> part_rows_;
  std::vector<std::filesystem::path> node_files_, edge_files_;  ///< of each part
  std::int64_t sort_memory_ = 0;                                ///< of each part that is at work
  std::atomic<std::int64_t> added_self_loops_ = 0;
};

}  // namespace

PartsManifest cut_edge_list(const std::filesystem::path& edges, const std::filesystem::path& nodes,
                            const std::filesystem::path& folder, const EdgeListOptions& options,
                            const CutProgress& progress) {
  require_usage(options.parts >= 1, "--parts ", options.parts, ": give at least 1");
  require_usage(options.memory >= std::int64_t{1} << 20, "--memory ", options.memory, ": give at least 1 MiB");
  return EdgeListCutter(edges, nodes, folder, options, progress).cut();
}

}  // namespace factorgcn

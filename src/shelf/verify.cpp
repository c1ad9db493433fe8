// What was found wrong becomes text; only trouble that is not the files' (no memory, say) is thrown.
#include "factorgcn/shelf/verify.h"

#include <algorithm>
#include <memory>
#include <new>
#include <system_error>

#include "factorgcn/base/error.h"
#include "factorgcn/base/files.h"
#include "factorgcn/base/text.h"
#include "factorgcn/io/zip_source.h"
#include "factorgcn/shelf/sha256.h"
#include "shelf/mirror.h"

namespace factorgcn {
namespace {

void compare(std::vector<std::string>& departures, std::int64_t published, std::int64_t found, const char* what) {
  if (published != 0 && published != found) {
    departures.push_back(concat(format_count(found), " ", what, ", but ", format_count(published), " are published"));
  }
}

std::string joined(const std::vector<std::string>& texts) {
  std::string result;
  for (const std::string& text : texts) {
    result += (result.empty() ? "" : "; ") + text;
  }
  return result;
}

DatasetFacts read_facts(const DatasetEntry& entry, const DatasetFiles& files) {
  require(entry.read != nullptr, "data set ", entry.name, " is not read from files");
  std::unique_ptr<FileSource> source;
  if (files.is_zip) {
    source = std::make_unique<ZipSource>(files.path);
  } else {
    source = std::make_unique<FolderSource>(files.path);
  }
  return count_facts(entry.read(*source, entry));
}

Finding check_checksum(const std::filesystem::path& archive) {
  const std::filesystem::path kept = archive.string() + ".sha256";
  std::error_code ignored;
  if (!std::filesystem::exists(kept, ignored)) {
    return {true, "no SHA-256 was kept when it came: its content alone is checked"};
  }
  if (!can_compute_sha256()) {
    return {true, "its SHA-256 is not checked: this build has no OpenSSL"};
  }
  try {
    const auto expected = find_sha256(read_file(kept, kLargestChecksumFile), archive.filename().string());
    if (!expected) {
      return {false, concat(kept.string(), " holds no SHA-256 of ", archive.filename().string(), ": remove it")};
    }
    const std::string found = sha256_of_file(archive);
    if (found != *expected) {
      return {false, concat("its SHA-256 is ", found, ", but was ", *expected,
                            " when it came: it was damaged or replaced since; fetch it again with --force")};
    }
  } catch (const Error& error) {
    return {false, error.what()};
  }
  return {true, "its SHA-256 is as when it came"};
}

}  // namespace

DatasetFacts count_facts(const Dataset& dataset) {
  const GraphStore& graphs = dataset.graphs;
  DatasetFacts facts{graphs.num_graphs(), graphs.num_nodes(), 0};
  std::int64_t self_loops = 0;
  const auto* nodes = graphs.node_offsets.data_ptr<std::int64_t>();
  const auto* edges = graphs.edge_offsets.data_ptr<std::int64_t>();
  const auto* degrees = graphs.in_degrees.data_ptr<std::int32_t>();
  const auto* sources = graphs.in_sources.data_ptr<std::int32_t>();
  for (std::int64_t g = 0; g < facts.graphs; ++g) {
    std::int64_t edge = edges[g];
    for (std::int64_t node = nodes[g]; node < nodes[g + 1]; ++node) {
      for (std::int32_t i = 0; i < degrees[node]; ++i) {
        self_loops += sources[edge++] == node - nodes[g] ? 1 : 0;
      }
    }
  }
  facts.undirected_edges = (graphs.num_edges() - self_loops) / 2 + self_loops - dataset.added_self_loops;
  return facts;
}

std::vector<std::string> compare_facts(const DatasetFacts& published, const DatasetFacts& found) {
  std::vector<std::string> departures;
  compare(departures, published.graphs, found.graphs, "graphs");
  compare(departures, published.nodes, found.nodes, "nodes");
  compare(departures, published.undirected_edges, found.undirected_edges, "undirected edges");
  return departures;
}

DatasetFacts check_dataset_files(const DatasetEntry& entry, const DatasetFiles& files) {
  const DatasetFacts found = read_facts(entry, files);
  const auto departures = compare_facts(entry.facts, found);
  require(departures.empty(), files.path.string(), " is not the published ", entry.name, ": ", joined(departures));
  return found;
}

bool VerifyResult::good() const {
  return std::all_of(findings.begin(), findings.end(), [](const Finding& finding) { return finding.good; });
}

VerifyResult verify_dataset(const DatasetEntry& entry) {
  require_usage(!entry.file_stem.empty(), "data set ", entry.name, " is generated: it has no files to verify");
  VerifyResult result;
  result.files = find_dataset_files(entry.file_stem);
  if (!result.files) {
    result.findings.push_back(
        {false, concat("not here: neither ", entry.file_stem, ".zip nor a folder ", entry.file_stem, " with ",
                       entry.file_stem, "_A.txt lies in ", data_root().string())});
    return result;
  }
  if (result.files->is_zip) {
    result.findings.push_back(check_checksum(result.files->path));
  }
  try {
    const DatasetFacts found = read_facts(entry, *result.files);
    result.findings.push_back(
        {true, concat(format_count(found.graphs), " graphs, ", format_count(found.nodes), " nodes and ",
                      format_count(found.undirected_edges), " undirected edges were read")});
    for (const std::string& departure : compare_facts(entry.facts, found)) {
      result.findings.push_back({false, departure});
    }
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    const std::string text = error.what();
    result.findings.push_back({false, text.substr(0, text.find('\n'))});
  }
  return result;
}

}  // namespace factorgcn

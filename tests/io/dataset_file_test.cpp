// Data sets come back as they were saved, and no damaged file is taken for one.
#include "factorgcn/io/dataset_file.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <functional>
#include <stdexcept>
#include <thread>

#include "base/error_text.h"
#include "base/temporary_folder.h"
#include "factorgcn/base/files.h"
#include "factorgcn/base/random.h"
#include "factorgcn/graph/sparse_features.h"
#include "factorgcn/io/file_format.h"
#include "factorgcn/io/safetensors.h"

namespace factorgcn {
namespace {

Graph path_graph(std::int64_t nodes, const at::Tensor& features) {
  Graph graph;
  graph.num_nodes = nodes;
  for (std::int32_t node = 0; node + 1 < nodes; ++node) {
    graph.source.insert(graph.source.end(), {node, node + 1});
    graph.target.insert(graph.target.end(), {node + 1, node});
  }
  graph.features = features;
  return graph;
}

/// Three paths of 2, 3 and 1 nodes with two labels and, for the first two, true relations.
Dataset labelled_paths() {
  Dataset dataset;
  dataset.name = "paths";
  dataset.task = Task::kMultiLabel;
  dataset.num_outputs = 2;
  const std::vector<Graph> graphs = {path_graph(2, at::ones({2, 3})), path_graph(3, at::zeros({3, 3})),
                                     path_graph(1, at::ones({1, 3}).mul(0.25))};
  dataset.graphs = make_store(graphs);
  dataset.targets = at::tensor({1.0F, 0.0F, 0.0F, 1.0F, 0.0F, 0.0F}).view({3, 2});
  dataset.split = {{2, 0}, {1}, {}};
  dataset.truth.type_names = {"left", "right \"quoted\""};
  dataset.truth.begin_graph();
  dataset.truth.add_part(1, std::vector<std::int32_t>{0, 1}, std::vector<std::int32_t>{1, 0});
  dataset.truth.begin_graph();
  dataset.truth.add_part(0, std::vector<std::int32_t>{0, 1}, std::vector<std::int32_t>{1, 0});
  dataset.truth.add_part(1, std::vector<std::int32_t>{1, 2}, std::vector<std::int32_t>{2, 1});
  dataset.truth.begin_graph();
  return dataset;
}

/// The same with every field that version 2 of the format brought.
Dataset named_paths() {
  Dataset dataset = labelled_paths();
  dataset.task = Task::kNodeClass;
  dataset.targets = at::tensor({0, 1, 1, 0, 0, 1}, at::kLong);
  dataset.node_split = true;
  dataset.split = {{5, 0, 3}, {1}, {4, 2}};
  dataset.added_self_loops = 3;
  dataset.directed = true;
  dataset.graphs.edge_weights = at::arange(dataset.graphs.num_edges(), at::kFloat);
  dataset.feature_names = {"a", "b=c", ""};
  dataset.output_names = {"small", "large"};
  dataset.node_names = {"a", "", "\xff no UTF-8", "line\nbreak", std::string("nul\0byte", 8), "\xc3\xa9"};
  dataset.graph_names = {"", "", ""};
  return dataset;
}

TEST(DatasetFile, EdgeTypesComeBackAndMayBeMissing) {
  Dataset dataset = labelled_paths();
  EXPECT_EQ(pack_dataset(dataset).find("graphs.edge_types"), nullptr);
  EXPECT_FALSE(unpack_dataset(pack_dataset(dataset)).graphs.edge_types.defined());
  set_edge_types_from_truth(dataset);
  ASSERT_EQ(dataset.num_edge_types, 2);
  for (const Dataset& back : {unpack_dataset(pack_dataset(dataset)), unpack_checked_dataset(pack_dataset(dataset))}) {
    EXPECT_EQ(back.num_edge_types, 2);
    EXPECT_TRUE(back.graphs.edge_types.equal(dataset.graphs.edge_types));
  }
  TensorFile short_file = pack_dataset(dataset);
  for (auto& [name, tensor] : short_file.tensors) {
    if (name == "graphs.edge_types") {
      tensor = tensor.slice(0, 1).clone();
    }
  }
  EXPECT_NE(error_text([&] { unpack_checked_dataset(short_file); }).find("edge_types"), std::string::npos);
}

/// Graphs alone.
Dataset paths_without_task() {
  Dataset dataset = labelled_paths();
  dataset.task = Task::kNone;
  dataset.num_outputs = 0;
  dataset.targets = at::Tensor();
  return dataset;
}

/// Node types and node classes, no truth.
Dataset typed_paths() {
  Dataset dataset;
  dataset.name = "typed";
  dataset.task = Task::kNodeClass;
  dataset.num_outputs = 2;
  dataset.num_node_types = 5;
  const std::vector<Graph> graphs = {path_graph(2, at::tensor({4, 0}, at::kLong)),
                                     path_graph(1, at::tensor({2}, at::kLong))};
  dataset.graphs = make_store(graphs);
  dataset.targets = at::tensor({0, 1, 1}, at::kLong);
  dataset.split = {{0}, {}, {1}};
  return dataset;
}

void expect_same(const Dataset& a, const Dataset& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.task, b.task);
  EXPECT_EQ(a.num_outputs, b.num_outputs);
  EXPECT_EQ(a.num_node_types, b.num_node_types);
  for (const auto member :
       {&GraphStore::node_offsets, &GraphStore::edge_offsets, &GraphStore::in_degrees, &GraphStore::in_sources,
        &GraphStore::out_degrees, &GraphStore::out_targets, &GraphStore::in_to_out, &GraphStore::features}) {
    EXPECT_EQ((a.graphs.*member).scalar_type(), (b.graphs.*member).scalar_type());
    EXPECT_TRUE(at::equal(a.graphs.*member, b.graphs.*member));
  }
  ASSERT_EQ(a.targets.defined(), b.targets.defined());
  EXPECT_TRUE(!a.targets.defined() || at::equal(a.targets, b.targets));
  EXPECT_EQ(a.node_split, b.node_split);
  EXPECT_EQ(a.added_self_loops, b.added_self_loops);
  EXPECT_EQ(a.directed, b.directed);
  EXPECT_EQ(a.graphs.edge_weights.defined(), b.graphs.edge_weights.defined());
  EXPECT_TRUE(!a.graphs.edge_weights.defined() || at::equal(a.graphs.edge_weights, b.graphs.edge_weights));
  EXPECT_EQ(a.feature_names, b.feature_names);
  EXPECT_EQ(a.output_names, b.output_names);
  EXPECT_EQ(a.node_names, b.node_names);
  EXPECT_EQ(a.graph_names, b.graph_names);
  EXPECT_EQ(a.split.train, b.split.train);
  EXPECT_EQ(a.split.validation, b.split.validation);
  EXPECT_EQ(a.split.test, b.split.test);
  EXPECT_EQ(a.truth.type_names, b.truth.type_names);
  EXPECT_EQ(a.truth.part_offsets, b.truth.part_offsets);
  EXPECT_EQ(a.truth.part_types, b.truth.part_types);
  EXPECT_EQ(a.truth.entry_offsets, b.truth.entry_offsets);
  EXPECT_EQ(a.truth.entry_sources, b.truth.entry_sources);
  EXPECT_EQ(a.truth.entry_targets, b.truth.entry_targets);
}

/// A copy of the file with tensors of its own, so that tests may change them.
TensorFile packed(const Dataset& dataset) {
  TensorFile file = pack_dataset(dataset);
  for (auto& [name, tensor] : file.tensors) {
    tensor = tensor.clone();
  }
  file.origin = "data.safetensors";
  return file;
}

at::Tensor& tensor(TensorFile& file, const std::string& name) {
  for (auto& [each, value] : file.tensors) {
    if (each == name) {
      return value;
    }
  }
  fail("no tensor ", name);
}

/// The error of unpacking a file that `change` has edited, without the file's name in front.
std::string refusal(const std::function<void(TensorFile&)>& change, const Dataset& dataset = labelled_paths()) {
  TensorFile file = packed(dataset);
  change(file);
  const std::string text = error_text([&] { unpack_dataset(file); });
  const std::string name = "data.safetensors: ";
  EXPECT_TRUE(text.starts_with(name)) << text;
  return text.starts_with(name) ? text.substr(name.size()) : text;
}

TEST(DatasetFile, RoundTrip) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "data.safetensors";
  save_dataset(path, labelled_paths());
  expect_same(load_dataset(path), labelled_paths());
}

TEST(DatasetFile, RoundTripWithNodeTypesAndWithoutTruth) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "data.safetensors";
  save_dataset(path, typed_paths());
  const Dataset read = load_dataset(path);
  expect_same(read, typed_paths());
  EXPECT_TRUE(read.truth.empty());
}

TEST(DatasetFile, RoundTripOfEveryTask) {
  Dataset regression = labelled_paths(), classes = labelled_paths();
  regression.task = Task::kRegression;
  regression.targets = at::tensor({1.5F, -2.0F, 0.25F, 4.0F, 0.0F, 9.0F}).view({3, 2});
  classes.task = Task::kGraphClass;
  classes.targets = at::tensor({1, 0, 1}, at::kLong);
  for (const Dataset& dataset : {regression, classes}) {
    expect_same(unpack_dataset(pack_dataset(dataset)), dataset);
  }
}

TEST(DatasetFile, RoundTripOfNamesAndNodeSplit) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "data.safetensors";
  save_dataset(path, named_paths());
  expect_same(load_dataset(path), named_paths());
  const TensorFile file = read_safetensors(path);
  EXPECT_TRUE(at::equal(file.at("output_names.offsets"), at::tensor({0, 5, 10}, at::kLong)));
  EXPECT_EQ(file.at("output_names.bytes").scalar_type(), at::kByte);
  EXPECT_EQ(file.at("graph_names.bytes").numel(), 0);
  EXPECT_EQ(file.metadata_at("node_split"), "true");
  EXPECT_EQ(file.metadata_at("added_self_loops"), "3");
}

TEST(DatasetFile, RoundTripWithoutTask) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "data.safetensors";
  save_dataset(path, paths_without_task());
  EXPECT_EQ(read_safetensors(path).find("targets"), nullptr);
  expect_same(load_dataset(path), paths_without_task());
}

TEST(DatasetFile, NoNamesNoTensors) {
  const TensorFile file = pack_dataset(labelled_paths());
  for (const char* name : {"output_names", "node_names", "graph_names"}) {
    EXPECT_EQ(file.find(concat(name, ".bytes")), nullptr);
    EXPECT_EQ(file.find(concat(name, ".offsets")), nullptr);
  }
}

TEST(DatasetFile, ReadsVersion1) {
  // The file was written by the program when version 1 was the newest.
  const std::filesystem::path fixtures = std::filesystem::path(__FILE__).parent_path().parent_path() / "fixtures";
  const std::filesystem::path path = fixtures / "dataset_v1.safetensors";
  EXPECT_EQ(read_safetensors(path).metadata_at("format_version"), "1");
  expect_same(load_dataset(path), labelled_paths());
}

TEST(DatasetFile, Version1HasNoNames) {
  TensorFile file = packed(named_paths());
  file.metadata["format_version"] = "1";
  file.metadata["node_split"] = "nonsense";
  tensor(file, "split.train") = at::tensor({0, 2}, at::kLong);
  tensor(file, "split.test") = at::zeros({0}, at::kLong);
  const Dataset read = unpack_dataset(file);
  EXPECT_FALSE(read.node_split);
  EXPECT_EQ(read.added_self_loops, 0);
  EXPECT_TRUE(read.node_names.empty());
}

TEST(DatasetFile, LoadedArraysAreViewsOfTheFile) {
  // Saving over the file that the arrays lie in must not disturb them.
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "data.safetensors";
  save_dataset(path, labelled_paths());
  const Dataset first = load_dataset(path);
  save_dataset(path, typed_paths());
  expect_same(first, labelled_paths());
  save_dataset(path, first);
  expect_same(load_dataset(path), labelled_paths());
}

TEST(DatasetFile, LoadsFromAPipe) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "data.safetensors", pipe = folder.path() / "pipe";
  save_dataset(path, labelled_paths());
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(pipe, std::ios::binary) << read_file(path); });
  expect_same(load_dataset(pipe), labelled_paths());
  writer.join();
}

TEST(DatasetFile, UncheckedUnpackingStillLooksAtShapes) {
  const std::vector<Dataset> all = {labelled_paths(), typed_paths(), named_paths(), paths_without_task()};
  for (const Dataset& dataset : all) {
    expect_same(unpack_checked_dataset(pack_checked_dataset(dataset)), dataset);
    const TensorFile whole = packed(dataset);
    for (const auto& [name, value] : whole.tensors) {
      SCOPED_TRACE(name);
      const auto error_with = [&, name = name](const at::Tensor& replaced) {
        TensorFile file = packed(dataset);
        tensor(file, name) = replaced;
        return error_text([&] { unpack_checked_dataset(file); });
      };
      EXPECT_NE(error_with(value.to(at::kDouble)), "no error");
      EXPECT_NE(error_with(value.unsqueeze(0)), "no error");
      if (!name.starts_with("split.")) {  // parts of a split may have any length
        std::vector<std::int64_t> longer = value.sizes().vec();
        ++longer[0];
        EXPECT_NE(error_with(at::zeros(longer, value.options())), "no error");
      }
    }
  }
  // What it is for: values are not looked at.
  TensorFile file = packed(labelled_paths());
  tensor(file, "graphs.in_sources").fill_(99);
  EXPECT_EQ(error_text([&] { unpack_checked_dataset(file); }), "no error");
  tensor(file, "graphs.edge_offsets").fill_(99);
  EXPECT_EQ(error_text([&] { unpack_checked_dataset(file); }),
            "data.safetensors: graphs.edge_offsets must rise from 0 to 6");
}

TEST(DatasetFile, SparseFeaturesStaySparse) {
  Dataset dataset = labelled_paths();
  const at::Tensor dense = dataset.graphs.features;
  dataset.graphs.features = compressed_features(dense);
  const TensorFile file = pack_dataset(dataset);
  EXPECT_EQ(file.metadata.at("format_version"), "3");  // readers from before are told to update
  EXPECT_EQ(file.find("graphs.features"), nullptr);
  for (const Dataset& back : {unpack_dataset(file), unpack_checked_dataset(file)}) {
    ASSERT_TRUE(is_sparse(back.graphs.features));
    EXPECT_TRUE(dense_features(back.graphs.features).equal(dense));
  }
  const auto refusal = [&](const std::function<void(TensorFile&)>& damage) {
    TensorFile damaged = file;
    for (auto& [name, tensor] : damaged.tensors) {
      tensor = tensor.clone();
    }
    damage(damaged);
    return error_text([&] { unpack_dataset(damaged); }) + error_text([&] { unpack_checked_dataset(damaged); });
  };
  const auto part = [](TensorFile& damaged, const std::string& name) -> at::Tensor& {
    for (auto& [own, tensor] : damaged.tensors) {
      if (own == name) {
        return tensor;
      }
    }
    throw std::logic_error(name);
  };
  EXPECT_NE(refusal([&](TensorFile& f) { part(f, "graphs.feature_offsets")[1] = 100; }).find("must rise"),
            std::string::npos);
  EXPECT_NE(refusal([&](TensorFile& f) { f.metadata["feature_columns"] = "0"; }).find("feature_columns is 0"),
            std::string::npos);
  EXPECT_NE(refusal([&](TensorFile& f) {
              part(f, "graphs.feature_offsets") = at::zeros({0}, at::kInt);
            }).find("feature_offsets is empty"),
            std::string::npos);
  EXPECT_NE(refusal([&](TensorFile& f) { part(f, "graphs.feature_values") = at::zeros({1}); }).find("must be"),
            std::string::npos);
  EXPECT_NE(error_text([&] {
              TensorFile damaged = file;
              part(damaged, "graphs.feature_columns") = part(damaged, "graphs.feature_columns") + 9;
              unpack_dataset(damaged);
            }).find("columns must rise within 0 .. 2"),
            std::string::npos);
}

TEST(DatasetFile, MetadataIsReadableByOthers) {
  const std::map<std::string, std::string> expected = {{"format", "factorgcn-dataset"},
                                                       {"format_version", "2"},
                                                       {"name", "paths"},
                                                       {"task", "multi-label"},
                                                       {"num_outputs", "2"},
                                                       {"num_node_types", "0"},
                                                       {"node_split", "false"},
                                                       {"directed", "false"},
                                                       {"added_self_loops", "0"},
                                                       {"type_names", "[\"left\",\"right \\\"quoted\\\"\"]"}};
  EXPECT_EQ(pack_dataset(labelled_paths()).metadata, expected);
}

TEST(DatasetFile, ExtraTensorsAndMetadataAreIgnored) {
  TensorFile file = packed(labelled_paths());
  file.tensors.emplace_back("extra", at::ones({2}));
  file.metadata["note"] = "made for a test";
  expect_same(unpack_dataset(file), labelled_paths());
}

TEST(DatasetFile, RefusesToSaveWhatDoesNotFit) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "data.safetensors";
  Dataset dataset = labelled_paths();
  dataset.split.test = {0};
  EXPECT_NE(error_text([&] { save_dataset(path, dataset); }), "no error");
  EXPECT_FALSE(std::filesystem::exists(path));
  dataset = labelled_paths();
  dataset.truth.type_names[0] = "\xff";
  EXPECT_EQ(error_text([&] { save_dataset(path, dataset); }),
            "paths: a relation type's name is not valid UTF-8 and cannot be written");
}

TEST(DatasetFile, RefusesOtherFormatsAndNewerVersions) {
  EXPECT_EQ(refusal([](TensorFile& file) { file.metadata.erase("format"); }),
            "not a factorgcn-dataset file: its metadata names no format");
  EXPECT_EQ(refusal([](TensorFile& file) { file.metadata["format"] = "factorgcn-model"; }),
            "not a factorgcn-dataset file: its format is \"factorgcn-model\"");
  EXPECT_EQ(refusal([](TensorFile& file) { file.metadata["format_version"] = "4"; }),
            "written by a newer version of this program (format_version 4, this one reads up to 3); update it to read "
            "the file");
  for (const char* version : {"", "0", "-1", "1.0", "one", "1 ", "99999999999999999999"}) {
    EXPECT_EQ(refusal([&](TensorFile& file) { file.metadata["format_version"] = version; }),
              concat("format_version is \"", version, "\"; it must be a whole number from 1"));
  }
  EXPECT_EQ(refusal([](TensorFile& file) { file.metadata.erase("format_version"); }),
            "its metadata has no \"format_version\"");
}

TEST(DatasetFile, RefusesWrongMetadata) {
  for (const char* key :
       {"name", "task", "num_outputs", "num_node_types", "type_names", "node_split", "added_self_loops"}) {
    EXPECT_EQ(refusal([&](TensorFile& file) { file.metadata.erase(key); }),
              concat("its metadata has no \"", key, "\""));
  }
  EXPECT_EQ(refusal([](TensorFile& file) { file.metadata["num_outputs"] = "two"; }),
            "num_outputs is \"two\"; it must be a whole number");
  EXPECT_EQ(refusal([](TensorFile& file) { file.metadata["added_self_loops"] = ""; }),
            "added_self_loops is \"\"; it must be a whole number");
  EXPECT_EQ(refusal([](TensorFile& file) { file.metadata["node_split"] = "1"; }),
            "node_split is \"1\"; it must be true or false");
  EXPECT_TRUE(
      refusal([](TensorFile& file) { file.metadata["task"] = "regresion"; }).starts_with("unknown task 'regresion'"));
  for (const char* names : {"", "{}", "[1]", "[\"a\"", "null"}) {
    EXPECT_TRUE(refusal([&](TensorFile& file) {
                  file.metadata["type_names"] = names;
                }).ends_with("; it must be a JSON array of strings"));
  }
}

TEST(DatasetFile, RefusesMissingAndWrongTensors) {
  const TensorFile whole = packed(labelled_paths());
  for (std::size_t i = 0; i < whole.tensors.size(); ++i) {
    const std::string& name = whole.tensors[i].first;
    EXPECT_EQ(refusal([&](TensorFile& file) { file.tensors.erase(file.tensors.begin() + static_cast<long>(i)); }),
              concat("it has no tensor \"", name, "\" among its ", whole.tensors.size() - 1));
    // Another type, another number of dimensions, another length: all must stop before anything is read through them.
    EXPECT_NE(refusal([&](TensorFile& file) { tensor(file, name) = tensor(file, name).to(at::kDouble); }), "no error");
    EXPECT_NE(refusal([&](TensorFile& file) { tensor(file, name) = tensor(file, name).unsqueeze(0); }), "no error");
    EXPECT_NE(refusal([&](TensorFile& file) { tensor(file, name) = at::ones({}, tensor(file, name).options()); }),
              "no error");
  }
  EXPECT_EQ(refusal([](TensorFile& file) {
              tensor(file, "split.train") = at::zeros({1, 2}, at::kLong);
            }),
            "split.train has shape [1, 2]; it must have 1 dimension");
  EXPECT_EQ(refusal([](TensorFile& file) { tensor(file, "truth.part_types") = at::zeros({3}, at::kLong); }),
            "truth.part_types has type Long; it must be Int");
}

TEST(DatasetFile, RefusesBrokenNames) {
  const auto offsets = [](std::vector<std::int64_t> values) {
    return refusal([&](TensorFile& file) { tensor(file, "output_names.offsets") = at::tensor(values, at::kLong); },
                   named_paths());
  };
  const std::string ends = "output_names.offsets must rise from 0 to 10, the number of bytes of the names";
  EXPECT_EQ(offsets({}), ends);
  EXPECT_EQ(offsets({0}), ends);
  EXPECT_EQ(offsets({0, 5, 11}), ends);
  EXPECT_EQ(offsets({0, 5, 9}), ends);
  EXPECT_EQ(offsets({1, 5, 10}), ends);
  EXPECT_EQ(offsets({-1, 5, 10}), ends);
  EXPECT_EQ(offsets({0, 11, 10}), "output_names.offsets goes from 0 to 11 at name 0; it must rise from 0 to 10");
  EXPECT_EQ(offsets({0, -3, 10}), "output_names.offsets goes from 0 to -3 at name 0; it must rise from 0 to 10");
  EXPECT_EQ(offsets({0, 9223372036854775807, 10}),
            "output_names.offsets goes from 0 to 9223372036854775807 at name 0; it must rise from 0 to 10");
  EXPECT_EQ(offsets({0, 10}), "paths: there are 1 names for 2 outputs; give one to each or to none");

  const TensorFile whole = packed(named_paths());
  for (const std::string part : {"bytes", "offsets"}) {
    for (const std::string list : {"output_names.", "node_names.", "graph_names."}) {
      EXPECT_EQ(refusal(
                    [&](TensorFile& file) {
                      std::erase_if(file.tensors, [&](const auto& each) { return each.first == list + part; });
                    },
                    named_paths()),
                concat("it has no tensor \"", list, part, "\" among its ", whole.tensors.size() - 1));
    }
  }
  EXPECT_EQ(
      refusal([](TensorFile& file) { tensor(file, "node_names.bytes") = at::zeros({3}, at::kInt); }, named_paths()),
      "node_names.bytes has type Int; it must be Byte");
}

TEST(DatasetFile, WrongValuesAreFoundByTheDataSetsOwnCheck) {
  EXPECT_EQ(refusal([](TensorFile& file) { tensor(file, "split.train").fill_(7); }),
            "paths: the train split names graph 7; indices must be in 0 .. 2");
}

TEST(DatasetFile, NamesTheFileInErrors) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "data.safetensors";
  TensorFile file = packed(labelled_paths());
  file.metadata["num_outputs"] = "0";
  write_safetensors(path, file);
  EXPECT_EQ(error_text([&] { load_dataset(path); }),
            path.string() + ": paths: num_outputs is 0; it must be at least 1");
}

TEST(DatasetFile, DamagedFilesNeverCrash) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "data.safetensors";
  save_dataset(path, named_paths());
  const std::string bytes = read_file(path);
  RandomStream random(3, "test/damaged data set");
  int refused = 0;
  constexpr int kRounds = 10000;
  for (int round = 0; round < kRounds; ++round) {
    std::string damaged = bytes;
    const std::uint64_t flips = 1 + random.below(2);
    for (std::uint64_t flip = 0; flip < flips; ++flip) {
      damaged[random.below(damaged.size())] = static_cast<char>(random.below(256));
    }
    try {
      check_dataset(unpack_dataset(parse_safetensors(damaged, "x")));
    } catch (const Error& error) {
      ++refused;
      ASSERT_EQ(std::string(error.what()).rfind("x: ", 0), 0) << error.what();
    }
  }
  EXPECT_GT(refused, kRounds / 2);
  EXPECT_LT(refused, kRounds);
}

}  // namespace
}  // namespace factorgcn

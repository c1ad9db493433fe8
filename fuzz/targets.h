// The fuzz targets as plain functions: run by libFuzzer (fuzz/TARGET_fuzz.cpp) and, on the stored inputs of
// fuzz/corpus/TARGET, by the tests.
//
// A target takes any bytes. It returns where the reader accepted them or refused them by an Error of one line; anything
// else (another exception, a message of several lines, a crash, a hang) is a finding. A new target is
// TARGET_target.cpp, TARGET_fuzz.cpp, a folder of inputs, one line here and, where it knows words, TARGET.dict.
#pragma once

#include <array>
#include <string_view>

namespace factorgcn {

void fuzz_adjacency_list(std::string_view bytes);  ///< an adjacency list, then as a data set
void fuzz_checkpoint(std::string_view bytes);      ///< a run's model or checkpoint
void fuzz_config(std::string_view bytes);          ///< a run's config.json
void fuzz_edge_list(std::string_view bytes);       ///< an edge list with its tables: see fuzz/edge_list_target.cpp
void fuzz_gexf(std::string_view bytes);            ///< a GEXF file, then as a data set
void fuzz_gml(std::string_view bytes);             ///< a GML file, then as a data set
void fuzz_graphml(std::string_view bytes);         ///< a GraphML file, then as a data set
void fuzz_gzip(std::string_view bytes);            ///< a gzip file, then as an edge list
void fuzz_known_edges(std::string_view bytes);     ///< a table of known edges: see fuzz/known_edges_target.cpp
void fuzz_matrix_market(std::string_view bytes);   ///< a Matrix Market file: see fuzz/matrix_market_target.cpp
void fuzz_mpx(std::string_view bytes);             ///< a multilayer network, then as a data set
void fuzz_node_link(std::string_view bytes);       ///< a node-link JSON file, then as a data set
void fuzz_pajek(std::string_view bytes);           ///< a Pajek network, then as a data set
void fuzz_parts(std::string_view bytes);           ///< one graph in parts: see fuzz/parts_target.cpp
void fuzz_run_directory(std::string_view bytes);   ///< a run's folder and data: see fuzz/run_directory_target.cpp
void fuzz_safetensors(std::string_view bytes);     ///< a safetensors file, then as a data set
void fuzz_tu(std::string_view bytes);              ///< several text files of the TU layout: see fuzz/tu_target.cpp
void fuzz_zip(std::string_view bytes);             ///< a zip archive: all its files are read

struct FuzzTarget {
  std::string_view name;
  void (*run)(std::string_view bytes);
};

inline constexpr std::array kFuzzTargets{
    FuzzTarget{"adjacency_list", fuzz_adjacency_list},
    FuzzTarget{"checkpoint", fuzz_checkpoint},
    FuzzTarget{"config", fuzz_config},
    FuzzTarget{"edge_list", fuzz_edge_list},
    FuzzTarget{"gexf", fuzz_gexf},
    FuzzTarget{"gml", fuzz_gml},
    FuzzTarget{"graphml", fuzz_graphml},
    FuzzTarget{"gzip", fuzz_gzip},
    FuzzTarget{"known_edges", fuzz_known_edges},
    FuzzTarget{"matrix_market", fuzz_matrix_market},
    FuzzTarget{"mpx", fuzz_mpx},
    FuzzTarget{"node_link", fuzz_node_link},
    FuzzTarget{"pajek", fuzz_pajek},
    FuzzTarget{"parts", fuzz_parts},
    FuzzTarget{"run_directory", fuzz_run_directory},
    FuzzTarget{"safetensors", fuzz_safetensors},
    FuzzTarget{"tu", fuzz_tu},
    FuzzTarget{"zip", fuzz_zip},
};

}  // namespace factorgcn

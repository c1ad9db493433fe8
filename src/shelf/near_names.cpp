// Names by their likeness. The collection's are those of https://chrsmrrs.github.io/datasets, to suggest and no more:
// any other name is fetched as it is typed.
#include "shelf/near_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <vector>

#include "factorgcn/base/error.h"
#include "factorgcn/base/nearest_name.h"
#include "factorgcn/data/registry.h"
#include "factorgcn/shelf/data_root.h"
#include "factorgcn/shelf/inventory.h"

namespace factorgcn {
namespace {

constexpr std::array<std::string_view, 90> kCollection{"AIDS",
                                                       "alchemy_full",
                                                       "aspirin",
                                                       "benzene",
                                                       "BZR",
                                                       "BZR_MD",
                                                       "COIL-DEL",
                                                       "COIL-RAG",
                                                       "COLORS-3",
                                                       "COX2",
                                                       "COX2_MD",
                                                       "Cuneiform",
                                                       "DBLP_v1",
                                                       "DD",
                                                       "deezer_ego_nets",
                                                       "DHFR",
                                                       "DHFR_MD",
                                                       "ENZYMES",
                                                       "ER_MD",
                                                       "ethanol",
                                                       "facebook_ct1",
                                                       "facebook_ct2",
                                                       "Fingerprint",
                                                       "FIRSTMM_DB",
                                                       "FRANKENSTEIN",
                                                       "github_stargazers",
                                                       "highschool_ct1",
                                                       "highschool_ct2",
                                                       "IMDB-MULTI",
                                                       "infectious_ct1",
                                                       "infectious_ct2",
                                                       "KKI",
                                                       "Letter-high",
                                                       "Letter-low",
                                                       "Letter-med",
                                                       "malonaldehyde",
                                                       "MCF-7",
                                                       "MCF-7H",
                                                       "mit_ct1",
                                                       "mit_ct2",
                                                       "MOLT-4",
                                                       "MOLT-4H",
                                                       "MSRC_9",
                                                       "MSRC_21",
                                                       "MSRC_21C",
                                                       "Mutagenicity",
                                                       "naphthalene",
                                                       "NCI1",
                                                       "NCI109",
                                                       "NCI-H23",
                                                       "NCI-H23H",
                                                       "OHSU",
                                                       "OVCAR-8",
                                                       "OVCAR-8H",
                                                       "P388",
                                                       "P388H",
                                                       "PC-3",
                                                       "PC-3H",
                                                       "Peking_1",
                                                       "PROTEINS",
                                                       "PROTEINS_full",
                                                       "PTC_FM",
                                                       "PTC_FR",
                                                       "PTC_MM",
                                                       "PTC_MR",
                                                       "QM9",
                                                       "REDDIT-BINARY",
                                                       "REDDIT-MULTI-5K",
                                                       "REDDIT-MULTI-12K",
                                                       "reddit_threads",
                                                       "salicylic_acid",
                                                       "SF-295",
                                                       "SF-295H",
                                                       "SN12C",
                                                       "SN12CH",
                                                       "SW-620",
                                                       "SW-620H",
                                                       "SYNTHETIC",
                                                       "SYNTHETICnew",
                                                       "Synthie",
                                                       "toluene",
                                                       "TRIANGLES",
                                                       "TWITTER-Real-Graph-Partial",
                                                       "twitch_egos",
                                                       "UACC257",
                                                       "UACC257H",
                                                       "uracil",
                                                       "Yeast",
                                                       "YeastH",
                                                       "ZINC_full"};

bool differ_in_capitals_alone(std::string_view left, std::string_view right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(), [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  });
}

}  // namespace

std::string collection_spelling(const std::string& name) {
  const auto* const found = std::find_if(kCollection.begin(), kCollection.end(),
                                         [&](std::string_view known) { return differ_in_capitals_alone(known, name); });
  return found == kCollection.end() ? name : std::string(*found);
}

std::string unknown_dataset_text(const std::string& name) {
  const std::vector<InventoryItem> items = take_inventory();
  std::vector<std::string_view> here;
  std::string listed;
  for (const InventoryItem& item : items) {
    if (item.entry != nullptr || item.files) {
      here.emplace_back(item.name);
      listed += concat(listed.empty() ? "" : ", ", item.name);
    }
    if (item.entry != nullptr && !item.entry->file_stem.empty()) {
      here.emplace_back(item.entry->file_stem);
    }
  }
  std::vector<std::string_view> all = here;
  all.insert(all.end(), kCollection.begin(), kCollection.end());
  // Where capitals alone differ, that is the one, wherever it stands.
  const auto same = std::find_if(all.begin(), all.end(),
                                 [&](std::string_view known) { return differ_in_capitals_alone(known, name); });
  const std::string nearest = same != all.end() ? std::string(*same) : nearest_name(name, all);
  if (nearest == name) {  // one of the collection's
    return concat("data set ", name, " is not in ", data_root().string(), "; get it with: factorgcn data fetch ", name);
  }
  const bool is_here = std::find(here.begin(), here.end(), nearest) != here.end();
  const std::string meant = nearest.empty() ? "; known: " : concat("; did you mean '", nearest, "'? Known: ");
  const std::string to_fetch = is_here || nearest.empty() ? name : nearest;
  return concat("unknown data set '", name, "'", meant, listed,
                "; a set of the TU collection is fetched with: factorgcn data fetch ", to_fetch);
}

}  // namespace factorgcn

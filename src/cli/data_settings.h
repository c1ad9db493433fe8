// What train, data make and data info share about naming data.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "factorgcn/base/error.h"
#include "factorgcn/base/settings.h"

namespace factorgcn::cli {

/// The "data" part of a layer made by LayerOptions.
inline Settings data_settings(const nlohmann::json& layer) {
  Settings settings;
  if (layer.contains("data")) {
    for (const auto& [name, value] : layer.at("data").items()) {
      if (value.is_string()) {
        settings[name] = value.get<std::string>();
      } else if (value.is_number_float()) {
        settings[name] = value.get<double>();
      } else {
        settings[name] = value.get<std::int64_t>();
      }
    }
  }
  return settings;
}

/// What looks like a path must exist: "unknown data set" would not help there.
inline void check_data_path(const std::string& name_or_path) {
  const bool path_like = name_or_path.find_first_of("./") != std::string::npos;
  require_usage(!path_like || std::filesystem::exists(name_or_path), "there is no file ", name_or_path,
                ": give a data-set file (see factorgcn data make and data import), a TU set's folder or "
                "archive, or the name of a built-in data set");
}

}  // namespace factorgcn::cli

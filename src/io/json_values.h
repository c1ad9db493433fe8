// Values of a JSON document as cells of a table and in messages.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "data/shown_text.h"

namespace factorgcn {

/// A value as the text of a cell.
inline std::string cell_text(const nlohmann::json& value) {
  if (value.is_string()) {
    return value.get<std::string>();
  }
  return value.is_null() ? "" : value.dump();
}

inline std::string shown_json(const nlohmann::json& value) { return shown_text(value.dump()); }

/// An object's value under a key; null where it is missing, or no object.
inline const nlohmann::json* find_key(const nlohmann::json& object, const char* key) {
  if (!object.is_object()) {
    return nullptr;
  }
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

}  // namespace factorgcn

// Reads a JSON object key by key into typed values. Errors name the object, the key and the value found; keys that
// nobody asked for are errors too, and name the nearest known key.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/shown_text.h"
#include "factorgcn/base/error.h"
#include "factorgcn/base/nearest_name.h"

namespace factorgcn {

/// Runs `read`; whatever it finds wrong in the JSON of a file we wrote becomes an Error that names the file: a damaged
/// file is no wrong use.
template <class Read>
auto reading_file(const std::string& file, Read&& read) {
  try {
    return read();
  } catch (const nlohmann::json::exception& error) {
    fail(file, " is damaged: ", error.what());
  } catch (const Error& error) {
    const std::string message = error.what();
    fail(message.find(file) == std::string::npos ? file + ": " : "", message);
  }
}

class JsonReader {
 public:
  /// `where` opens every message, e.g. a file's name; `prefix` is put before keys, e.g. "schedule.".
  JsonReader(const nlohmann::json& object, std::string where, std::string prefix = "")
      : object_(object), where_(std::move(where)), prefix_(std::move(prefix)) {
    require_usage(object.is_object(), where_, ": ", prefix_.empty() ? "the whole" : prefix_, " is ", shown(object),
                  "; it must be an object {...}");
  }

  /// The value, or null where the key is absent. The key is known from here on.
  const nlohmann::json* find(const std::string& key) {
    known_.insert(key);
    const auto found = object_.find(key);
    return found == object_.end() ? nullptr : &*found;
  }

  /// One word or line: what stands there is shown in messages of one line.
  void read(const std::string& key, std::string& value) {
    if (const nlohmann::json* found = find(key)) {
      require_usage(found->is_string() && is_line(found->get_ref<const std::string&>()),
                    message(key, *found, "a text of one line"));
      value = found->get<std::string>();
    }
  }

  void read_any_text(const std::string& key, std::string& value) {
    if (const nlohmann::json* found = find(key)) {
      require_usage(found->is_string(), message(key, *found, "a text"));
      value = found->get<std::string>();
    }
  }

  void read(const std::string& key, bool& value) {
    if (const nlohmann::json* found = find(key)) {
      require_usage(found->is_boolean(), message(key, *found, "true or false"));
      value = found->get<bool>();
    }
  }

  void read(const std::string& key, std::int64_t& value) {
    if (const nlohmann::json* found = find(key)) {
      require_usage(is_integer(*found), message(key, *found, "an integer"));
      value = found->get<std::int64_t>();
    }
  }

  void read(const std::string& key, int& value) {
    std::int64_t wide = value;
    read(key, wide);
    require_usage(wide >= std::numeric_limits<int>::min() && wide <= std::numeric_limits<int>::max(),
                  message(key, wide, "a smaller number"));
    value = static_cast<int>(wide);
  }

  void read(const std::string& key, std::uint64_t& value) {
    auto wide = static_cast<std::int64_t>(value);
    read(key, wide);
    require_usage(wide >= 0, message(key, wide, "at least 0"));
    value = static_cast<std::uint64_t>(wide);
  }

  /// null stands for a value that was not finite.
  void read(const std::string& key, double& value) {
    if (const nlohmann::json* found = find(key)) {
      require_usage(found->is_number() || (nulls_ && found->is_null()), message(key, *found, "a number"));
      value = found->is_null() ? std::numeric_limits<double>::quiet_NaN() : found->get<double>();
    }
  }

  /// Lets numbers be null from here on.
  void allow_nulls() { nulls_ = true; }

  /// Throws for the first key that was never asked for.
  void finish() const {
    for (const auto& [key, value] : object_.items()) {
      if (!known_.contains(key)) {
        const std::vector<std::string_view> known(known_.begin(), known_.end());
        throw UsageError(concat(where_, ": unknown key ", shown_text(prefix_ + key), known_names_hint(key, known)));
      }
    }
  }

  std::string message(const std::string& key, const nlohmann::json& value, const std::string& expected) const {
    return concat(where_, ": ", shown_text(prefix_ + key), " is ", shown(value), "; it must be ", expected);
  }

  /// Whole numbers may be written as 1e3; all must fit into 64 bits with a sign.
  static bool is_integer(const nlohmann::json& value) {
    if (value.is_number_unsigned()) {
      return value.get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    }
    if (value.is_number_float()) {
      const double number = value.get<double>();
      return std::abs(number) < 9007199254740992.0 && std::nearbyint(number) == number;
    }
    return value.is_number_integer();
  }

  static bool is_line(const std::string& text) {
    return std::none_of(text.begin(), text.end(), [](unsigned char byte) { return byte < 0x20 || byte == 0x7F; });
  }

  static std::string shown(const nlohmann::json& value) {
    std::string text = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    std::replace(text.begin(), text.end(), '\x7F', '?');  // the one control character that JSON leaves as it is
    if (text.size() > kMostShown) {
      text = text.substr(0, kMostShown) + "...";
    }
    return text;
  }

 private:
  static constexpr std::size_t kMostShown = 60;

  const nlohmann::json& object_;
  std::string where_, prefix_;
  std::set<std::string> known_;
  bool nulls_ = false;
};

}  // namespace factorgcn

// A first pass looks at nesting and grammar alone; only then is the tree built.
#include "factorgcn/io/json_text.h"

#include <nlohmann/json.hpp>

#include "factorgcn/base/error.h"
#include "factorgcn/base/files.h"

namespace factorgcn {
namespace {

using nlohmann::json;

/// Watches how deep values are nested and what the parser finds wrong.
class DepthCheck : public nlohmann::json_sax<json> {
 public:
  explicit DepthCheck(const std::string& origin) : origin_(origin) {}

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool key(string_t&) override { return true; }
  bool start_object(std::size_t) override { return deeper(); }
  bool start_array(std::size_t) override { return deeper(); }
  bool end_object() override { return shallower(); }
  bool end_array() override { return shallower(); }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: ..." without its first word.
    const std::string_view text = error.what();
    const std::size_t end = text.find("] ");
    std::string shown;
    for (const char letter : text.substr(end == std::string_view::npos ? 0 : end + 2, 160)) {
      shown += letter >= ' ' && letter < '\x7F' ? letter : '?';
    }
    fail(origin_, ": not valid JSON: ", shown);
  }

 private:
  bool deeper() {
    require(++depth_ <= kDeepestJson, origin_, ": values are nested more than ", kDeepestJson,
            " levels deep; no file of this kind needs that");
    return true;
  }
  bool shallower() {
    --depth_;
    return true;
  }

  const std::string& origin_;
  std::size_t depth_ = 0;
};

}  // namespace

json parse_json(std::string_view text, const std::string& origin, JsonComments comments) {
  const bool skip = comments == JsonComments::kSkipped;
  DepthCheck check(origin);
  json::sax_parse(text.begin(), text.end(), &check, json::input_format_t::json, /*strict=*/true, skip);
  json tree = json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false, skip);
  require(!tree.is_discarded(), origin, ": not valid JSON");
  return tree;
}

json read_json(const std::filesystem::path& path, std::uint64_t most_bytes) {
  return parse_json(read_file(path, most_bytes), path.string());
}

}  // namespace factorgcn

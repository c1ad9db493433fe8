// `factorgcn data fetch`: data sets from the network or a folder into the data root.
#include <fmt/format.h>

#include <cstdlib>
#include <memory>

#include "cli/commands.h"
#include "cli/output.h"
#include "factorgcn/base/error.h"
#include "factorgcn/base/interrupt.h"
#include "factorgcn/base/nearest_name.h"
#include "factorgcn/base/text.h"
#include "factorgcn/io/zip_source.h"
#include "factorgcn/report/download_progress.h"
#include "factorgcn/shelf/fetch.h"
#include "factorgcn/shelf/inventory.h"
#include "factorgcn/shelf/verify.h"

namespace factorgcn::cli {
namespace {

struct FetchFlags {
  std::vector<std::string> names, mirrors;
  std::string sha256;
  double timeout = 30;
  bool force = false, quiet = false;
};

class ShownFetch : public FetchObserver {
 public:
  explicit ShownFetch(const std::string& file) : display_(file) {}
  void message(std::string_view line) override { display_.message(line); }
  void progress(std::uint64_t bytes, std::uint64_t total) override { display_.update({bytes, total}); }

 private:
  DownloadProgress display_;
};

FetchOptions fetch_options(const FetchFlags& flags) {
  FetchOptions options;
  options.mirrors = flags.mirrors;
  options.sha256 = flags.sha256;
  options.force = flags.force;
  options.connect_seconds = options.stall_seconds = flags.timeout;
  if (const char* host = std::getenv("FACTORGCN_TU_HOST"); host != nullptr && *host != '\0') {
    options.public_host = host;
  }
  return options;
}

void report(const DatasetEntry& entry, const FetchResult& result, const FetchFlags& flags) {
  if (flags.quiet) {
    return;
  }
  if (result.status == FetchStatus::kHereAlready) {
    print(fmt::format("{} is here already: {} (--force fetches it again)\n", entry.name, result.path.string()));
    return;
  }
  print(fmt::format("{} is here: {} ({}{})\n", entry.name, result.path.string(), format_bytes(result.bytes),
                    result.sha256.empty() ? "" : ", SHA-256 " + result.sha256));
  const auto used = find_dataset_files(entry.file_stem);
  if (used && !used->is_zip) {
    print(fmt::format("But the folder {} is used first: remove it to use the archive\n", used->path.string()));
  }
}

/// What a name that failed may have meant; empty where nothing is near, or it is listed.
std::string meant_instead(const std::string& name) {
  if (lookup_dataset(name) != nullptr) {
    return "";
  }
  std::vector<std::string_view> names;
  for (const DatasetEntry& entry : dataset_registry()) {
    names.push_back(entry.name);
  }
  const std::string nearest = nearest_name(name, names);
  return nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest);
}

/// Returns the signal that interrupted it, or 0.
int fetch_one(const DatasetEntry& entry, const FetchFlags& flags, const Program& program) {
  FetchOptions options = fetch_options(flags);
  options.validate = [&entry](const std::filesystem::path& archive) { check_dataset_files(entry, {archive, true}); };
  FetchResult result;
  {
    FetchObserver silent;
    ShownFetch shown(entry.file_stem + ".zip");  // off the screen before anything else is printed
    result = fetch_dataset(entry, options, flags.quiet ? silent : shown);
  }
  if (result.status == FetchStatus::kInterrupted) {
    complain(fmt::format(
        "interrupted; {}: {} data fetch {}",
        result.bytes > 0 ? fmt::format("{} are kept, go on with", format_bytes(result.bytes)) : "begin again with",
        program.invoked_as, shell_word(entry.name)));
    return result.signal;
  }
  report(entry, result, flags);
  return 0;
}

int fetch(const FetchFlags& flags, const Program& program) {
  require_usage(flags.names.size() == 1 || flags.sha256.empty(), "--sha256 is of one file: fetch one data set with it");
  for (const std::string& mirror : flags.mirrors) {
    require_usage(flags.names.size() == 1 || !mirror.ends_with(".zip"), "--mirror ", mirror,
                  " is one file: fetch one data set with it, or give what lies above it");
  }
  require_usage(flags.timeout > 0, "--timeout ", flags.timeout, ": must be above 0 seconds");
  require(can_read_zip(),
          "this build cannot read zip archives, so it cannot fetch any: build with libzip "
          "(-DFACTORGCN_WITH_ZIP=ON), or unpack NAME.zip into the folder NAME of the data root");
  std::vector<DatasetEntry> entries;  // all names are looked at before the first byte is asked for
  for (const std::string& name : flags.names) {
    entries.push_back(stored_entry(name));
  }
  const InterruptGuard guard;
  std::vector<std::string> failed;
  for (const DatasetEntry& entry : entries) {
    if (entry.file_stem.empty()) {
      if (!flags.quiet) {
        print(fmt::format("{} is generated: there is nothing to fetch\n", entry.name));
      }
      continue;
    }
    try {
      if (const int signal = fetch_one(entry, flags, program); signal != 0) {
        return 128 + signal;
      }
    } catch (const UsageError&) {
      throw;
    } catch (const Error& error) {
      complain(error.what() + meant_instead(entry.name));
      failed.push_back(entry.name);
    }
  }
  if (failed.empty()) {
    if (!flags.quiet) {
      print(fmt::format("Next: {} data info {}\n", program.invoked_as, shell_word(entries.front().name)));
    }
    return kSuccess;
  }
  if (entries.size() > 1) {
    std::string names;
    for (const std::string& name : failed) {
      names += (names.empty() ? "" : ", ") + name;
    }
    complain(fmt::format("{} of {} data sets could not be fetched: {}", failed.size(), entries.size(), names));
  }
  return kFailure;
}

}  // namespace

void add_data_fetch(CLI::App& parent, Program& program) {
  CLI::App& app = *parent.add_subcommand(
      "fetch",
      "get data sets: download their archives, check them, keep them in the data root\n\n"
      "A download that was cut or interrupted goes on where it stopped. The archive gets its name only after its "
      "checksum, where one is known, and all of its content were checked.");
  auto flags = std::make_shared<FetchFlags>();
  app.add_option("NAME", flags->names,
                 "one or more of `factorgcn data list`, or any other data set of the TU collection (PROTEINS)")
      ->required();
  app.add_option("--mirror", flags->mirrors,
                 "a URL or a folder that holds NAME.zip, or the file itself; tried before the public host; may be "
                 "repeated")
      ->type_name("URL|FOLDER")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--sha256", flags->sha256,
                 "what the archive's SHA-256 must be (default: as in NAME.zip.sha256 beside the archive, where there "
                 "is one)")
      ->type_name("HEX");
  app.add_flag("--force", flags->force, "also where the data set is here already: replaces the archive");
  app.add_option("--timeout", flags->timeout,
                 "give up a connection that does not come up, or brings nothing, for so long; tried three times "
                 "(default: 30)")
      ->type_name("SECONDS");
  app.add_flag("--quiet", flags->quiet, "print nothing but errors");
  app.set_help_flag("-h,--help", "show this help");
  app.footer(
      "Archives come from the public host of the TU collection,\n"
      "  " +
      std::string(kTuHost) +
      "\n"
      "or from $FACTORGCN_TU_HOST in its place. They go to the data root, see\n"
      "factorgcn data list.\n"
      "\n"
      "Examples:\n"
      "  factorgcn data fetch mutag imdb-b\n"
      "  factorgcn data fetch zinc --mirror https://example.org/graphs/\n"
      "  factorgcn data fetch collab --mirror /media/stick/datasets\n"
      "  factorgcn data fetch PROTEINS");
  app.callback([flags, &program] { program.action = [flags, &program] { return fetch(*flags, program); }; });
}

}  // namespace factorgcn::cli

// The public data sets as zip archives, for tests on real files.
//
// FACTORGCN_TEST_DATA names a folder with the sets' text files and a program make-mirror that packs them as the public
// hosts do: make-mirror FOLDER NAME... Tests that need it are skipped where the variable is not set.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/temporary_folder.h"
#include "factorgcn/io/zip_source.h"

namespace factorgcn {

class RealData : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!can_read_zip()) {
      GTEST_SKIP() << "this build has no libzip";
    }
    const char* const folder = std::getenv("FACTORGCN_TEST_DATA");
    if (folder == nullptr || *folder == '\0') {
      GTEST_SKIP() << "FACTORGCN_TEST_DATA is not set";
    }
    script_ = std::filesystem::path(folder) / "make-mirror";
    if (!std::filesystem::exists(script_)) {
      GTEST_SKIP() << script_ << " is missing";
    }
  }

  /// NAME.zip, packed now.
  std::filesystem::path archive(const std::string& name) const {
    const std::string command =
        "python3 '" + script_.string() + "' '" + mirror_.path().string() + "' " + name + " > /dev/null";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    return mirror_.path() / (name + ".zip");
  }

 private:
  std::filesystem::path script_;
  TemporaryFolder mirror_;
};

}  // namespace factorgcn

// Files of weights and states: what is read is what was written, and bad files are refused before anything changes.
#include "factorgcn/train/checkpoint.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "factorgcn/base/error.h"
#include "factorgcn/base/files.h"
#include "factorgcn/io/safetensors.h"
#include "train/tiny_model.h"

namespace factorgcn {
namespace {

using testing::message_of;
using testing::same_bits;
using testing::tiny_dataset;
using testing::TinyModel;

class CheckpointTest : public ::testing::Test {
 protected:
  CheckpointTest() : trainer_(model_, dataset_, options()) {
    Observer nobody;
    trainer_.run(nobody);
    config_.out = "somewhere";
    config_.learning_rate = 0.1;
  }
  static TrainOptions options() {
    TrainOptions options;
    options.epochs = 3;
    options.batch_size = 7;
    return options;
  }
  std::filesystem::path file() const { return folder_.path() / "file.safetensors"; }

  /// Changes the metadata of the file in place.
  void edit(const std::string& key, const std::string& value) const {
    TensorFile content = read_safetensors(file());
    content.metadata[key] = value;
    write_safetensors(file(), content);
  }

  const Dataset dataset_ = tiny_dataset();
  TinyModel model_;
  Trainer trainer_;
  RunConfig config_;
  TemporaryFolder folder_;
};

TEST_F(CheckpointTest, AStateComesBackBitByBit) {
  TrainState state = trainer_.capture();
  state.loss_sum = 0.1 + 0.2;
  state.best_loss = std::numeric_limits<double>::denorm_min();
  state.schedule.rate = 1.0 / 3;
  state.message = "text with \"quotes\"\nand lines";
  state.history[1].validation_loss = std::numeric_limits<double>::infinity();
  save_checkpoint(file(), {config_, state});
  const Checkpoint read = load_checkpoint(file());
  EXPECT_EQ(to_json(read.config).dump(), to_json(config_).dump());
  EXPECT_TRUE(same_bits(read.state.weights, state.weights));
  EXPECT_TRUE(same_bits(read.state.best_weights, state.best_weights));
  EXPECT_TRUE(same_bits(read.state.first_moments, state.first_moments));
  EXPECT_TRUE(same_bits(read.state.second_moments, state.second_moments));
  EXPECT_EQ(read.state.loss_sum, state.loss_sum);
  EXPECT_EQ(read.state.best_loss, state.best_loss);
  EXPECT_EQ(read.state.schedule.rate, state.schedule.rate);
  EXPECT_EQ(read.state.message, state.message);
  EXPECT_EQ(read.state.status, RunStatus::kFinished);
  EXPECT_EQ(read.state.step, state.step);
  EXPECT_EQ(history_text(read.state.history), history_text(state.history));
}

TEST_F(CheckpointTest, AModelComesBackBitByBit) {
  save_model(file(), {config_, 2, trainer_.best_weights()});
  const ModelFile read = load_model(file());
  EXPECT_EQ(read.best_epoch, 2);
  EXPECT_EQ(read.config.learning_rate, 0.1);
  EXPECT_TRUE(same_bits(read.weights, trainer_.best_weights()));
  const TensorFile raw = read_safetensors(file());
  EXPECT_EQ(raw.metadata.at("format"), "factorgcn-model");
  EXPECT_EQ(raw.metadata.at("format_version"), "1");
  EXPECT_EQ(raw.metadata.at("model"), "factorgcn");
  EXPECT_NE(raw.find("weight"), nullptr);
  EXPECT_NE(raw.find("seen"), nullptr) << "buffers belong to the model";
}

TEST_F(CheckpointTest, EveryTruncationIsAnError) {
  save_checkpoint(file(), {config_, trainer_.capture()});
  const std::string bytes = read_file(file());
  for (std::size_t size = 0; size < bytes.size(); size += size < 64 ? 1 : 97) {
    write_file_atomically(file(), bytes.substr(0, size));
    const std::string message = message_of<Error>([&] { load_checkpoint(file()); });
    EXPECT_NE(message.find(file().string()), std::string::npos) << size << ": " << message;
  }
}

TEST_F(CheckpointTest, ForeignNewerAndDamagedFilesAreRefused) {
  const auto message = [&] { return message_of<Error>([&] { load_checkpoint(file()); }); };
  save_model(file(), {config_, 2, trainer_.best_weights()});
  EXPECT_NE(message().find("factorgcn-model"), std::string::npos) << message();
  EXPECT_NE(message().find(file().string()), std::string::npos);

  write_safetensors(file(), TensorFile{});
  EXPECT_NE(message().find("factorgcn-checkpoint"), std::string::npos) << message();

  const auto damaged = [&](const std::string& key, const std::string& value, const std::string& text) {
    save_checkpoint(file(), {config_, trainer_.capture()});
    edit(key, value);
    EXPECT_NE(message().find(text), std::string::npos) << message();
    EXPECT_NE(message().find(file().string()), std::string::npos) << message();
  };
  damaged("format_version", "2", "newer");
  damaged("format_version", "one", "format_version");
  damaged("state", "{\"epoch\": 1", "'state': not valid JSON");
  damaged("state", "{}", "has no 'epoch'");
  damaged("state", "[]", "must be an object");
  damaged("history", "[1]\n", "must be an object");
  damaged("config", "{\"epochz\": 1}", "epochz");
  damaged("history", "{\"epoch\": 1}\nnonsense\n", "history line 2");
  EXPECT_NE(message_of<Error>([&] { load_model(file()); }).find("factorgcn-checkpoint"), std::string::npos);
  // A damaged file is not the user's wrong command.
  EXPECT_EQ(message_of<UsageError>([&] {
              try {
                load_checkpoint(file());
              } catch (const UsageError&) {
                throw;
              } catch (const Error&) {
              }
            }),
            "(nothing was thrown)");
  save_checkpoint(file(), {config_, trainer_.capture()});
  TensorFile content = read_safetensors(file());
  auto state = nlohmann::json::parse(content.metadata.at("state"));
  state["status"] = "lost";
  content.metadata["state"] = state.dump();
  write_safetensors(file(), content);
  EXPECT_NE(message().find(file().string() + ": unknown run status 'lost'"), std::string::npos) << message();
}

TEST_F(CheckpointTest, WeightsOfAnotherModelChangeNothing) {
  TinyModel wide(3, 5);
  save_model(file(), {config_, 1, copy_weights(wide)});
  const NamedTensors before = copy_weights(model_);
  const ModelFile other = load_model(file());
  const std::string message = message_of<Error>([&] { load_weights(model_, other.weights, file().string()); });
  EXPECT_NE(message.find(file().string() + ": tensor 'weight' is [5, 3], the model's is [3, 3]"), std::string::npos)
      << message;
  EXPECT_TRUE(same_bits(copy_weights(model_), before));
}

TEST_F(CheckpointTest, ALastTensorThatDoesNotFitChangesNothingEither) {
  NamedTensors weights = copy_weights(model_);
  for (auto& [name, tensor] : weights) {
    tensor = torch::full_like(tensor, 42);
  }
  weights.back().second = torch::ones({9});
  const NamedTensors before = copy_weights(model_);
  EXPECT_THROW(load_weights(model_, weights, "weights"), Error);
  EXPECT_TRUE(same_bits(copy_weights(model_), before));
}

}  // namespace
}  // namespace factorgcn

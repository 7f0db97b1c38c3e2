// The file of a checkpoint: a mark, what it is of in words, compressed bytes, and the checksum of all that. It is written
// beside its name and renamed, so that whoever ends the process leaves the last whole one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace warpsim::checkpoint {

/// What must be the same in the process that goes on: "the configuration", and what it is.
using Identity = std::vector<std::pair<std::string, std::string>>;

/// Everything throws Error(usage) for what the host's files do not allow.
class FileWriter {
public:
    FileWriter(std::string path, Identity const& identity);
    /// Leaves the file that was there before, if finish() was not called.
    ~FileWriter();
    FileWriter(FileWriter const&) = delete;
    FileWriter& operator=(FileWriter const&) = delete;

    void put(std::span<std::byte const> bytes);
    /// The file has its name from now on.
    void finish();

private:
    struct State;
    std::unique_ptr<State> state_;
};

class FileReader {
public:
    /// Reads all of it once. Throws Error(usage) for what is no checkpoint, or is not as it was written.
    explicit FileReader(std::string path);
    ~FileReader();
    FileReader(FileReader const&) = delete;
    FileReader& operator=(FileReader const&) = delete;

    /// Throws Error(usage) that names what differs.
    void check(Identity const& wanted) const;
    /// The next bytes that were put; throws Error(usage) if there are not so many.
    void get(std::span<std::byte> bytes);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace warpsim::checkpoint

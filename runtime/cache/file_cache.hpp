// A folder of files, each named by the hash of what it was made from.
#pragma once

#include "runtime/cache/settings.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace warpsim::cache {

/// A hash of 128 bits.
using Key = std::array<std::uint64_t, 2>;

/// Makes a key from several texts; the boundaries between them count.
class KeyMaker {
public:
    KeyMaker();
    ~KeyMaker();
    void add(std::string_view text);
    Key key() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Nothing here throws except for lack of memory; failures return a reason. Any number of threads and processes
/// may use one folder at the same time.
class FileCache {
public:
    /// What the files of a folder hold; together they have its room.
    enum class Kind : std::uint8_t { module, code };

    /// `stamp` identifies the format; files with another stamp are ignored. At most 32 characters.
    FileCache(Settings settings, std::string_view stamp, Kind kind = Kind::module);

    struct Found {
        std::optional<std::string> bytes;
        std::string why_not;  // empty: there was no such file
    };
    Found find(Key const& key) const;

    /// Returns "" when the bytes are kept, else the reason why not.
    std::string store(Key const& key, std::string_view bytes) const;

    /// The file for a key, for messages and tests.
    std::string path(Key const& key) const;

private:
    std::string write(std::string const& path, Key const& key, std::string_view bytes) const;
    void make_room() const;

    Settings settings_;
    std::array<char, 32> stamp_{};
    Kind kind_;
};

}  // namespace warpsim::cache

// A folder of files named by the hash of what they were made of.
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

/// Makes a key of several texts; where one ends and the next begins counts.
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

/// Nothing here throws but for lack of memory: what fails says why. Any number of threads and processes may use
/// one folder at once.
class FileCache {
public:
    /// `stamp`: of those who write and read; files of another one do not count. At most 32 characters.
    FileCache(Settings settings, std::string_view stamp);

    struct Found {
        std::optional<std::string> bytes;
        std::string why_not;  // empty: there was no such file
    };
    Found find(Key const& key) const;

    /// Empty: the bytes are kept. Else why not.
    std::string store(Key const& key, std::string_view bytes) const;

    /// The file of a key, for messages and tests.
    std::string path(Key const& key) const;

private:
    std::string write(std::string const& path, Key const& key, std::string_view bytes) const;
    void make_room() const;

    Settings settings_;
    std::array<char, 32> stamp_{};
};

}  // namespace warpsim::cache

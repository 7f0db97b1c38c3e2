// The folder of files: what is kept is found, damaged or foreign files are not, and files beyond the limit are
// deleted.
#include "runtime/cache/file_cache.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

namespace file_cache_test {

using namespace warpsim;
using namespace warpsim::cache;

namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;

constexpr std::string_view stamp = "0123456789abcdef0123456789abcdef";

Key key(std::string_view text) {
    KeyMaker maker;
    maker.add(text);
    return maker.key();
}

FileCache cache_in(std::string const& folder, std::uint64_t most = 1 << 20, std::string_view of = stamp) {
    return FileCache({folder, most}, of);
}

std::string bytes_of(std::string const& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void write(std::string const& path, std::string const& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

void set_age(std::string const& path, int hours) {
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(hours));
}

std::size_t files_in(std::string const& folder) {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

/// The exit status of a process that does this.
template <class Do> int in_child(Do const& act) {
    pid_t const child = fork();
    if (child == 0) {
        int status = 99;
        try {
            status = act();
        } catch (...) {}
        _exit(status);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status;
}

}  // namespace

TEST_CASE("What is kept is found again, by a cache of the same folder and stamp", "[cache]") {
    TemporaryFolder const folder;
    std::string const path = folder / "a/b/c";  // is created
    std::string const bytes(100000, 'x');
    CHECK_FALSE(cache_in(path).find(key("k")).bytes);
    CHECK(cache_in(path).find(key("k")).why_not.empty());
    CHECK(cache_in(path).store(key("k"), bytes).empty());
    CHECK(cache_in(path).find(key("k")).bytes == bytes);
    CHECK_FALSE(cache_in(path).find(key("other")).bytes);
    auto const foreign = cache_in(path, 1 << 20, "another").find(key("k"));
    CHECK_FALSE(foreign.bytes);
    CHECK(foreign.why_not.find("is of something else") != std::string::npos);
    struct stat status {};
    REQUIRE(stat(path.c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0700);
    REQUIRE(stat(cache_in(path).path(key("k")).c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0600);
    CHECK(cache_in(path).store(key("empty"), "").empty());
    CHECK(cache_in(path).find(key("empty")).bytes == "");
}

TEST_CASE("Kinds of files share a folder and its room but not their names", "[cache]") {
    TemporaryFolder const folder;
    FileCache const modules({folder / "c", 10000}, stamp);
    FileCache const codes({folder / "c", 10000}, stamp, FileCache::Kind::code);
    REQUIRE(modules.store(key("k"), std::string(6000, 'm')).empty());
    CHECK_FALSE(codes.find(key("k")).bytes);
    set_age(modules.path(key("k")), 1);
    REQUIRE(codes.store(key("k"), std::string(6000, 'c')).empty());
    CHECK(codes.find(key("k")).bytes == std::string(6000, 'c'));
    CHECK_FALSE(modules.find(key("k")).bytes);  // was the older
}

TEST_CASE("A file that others may write is no file", "[cache]") {
    TemporaryFolder const folder;
    FileCache const cache = cache_in(folder / "c");
    REQUIRE(cache.store(key("k"), "bytes").empty());
    REQUIRE(chmod(cache.path(key("k")).c_str(), 0620) == 0);
    CHECK_FALSE(cache.find(key("k")).bytes);
    CHECK(cache.find(key("k")).why_not.find("written by other users") != std::string::npos);
    REQUIRE(chmod(cache.path(key("k")).c_str(), 0644) == 0);
    CHECK(cache.find(key("k")).bytes == "bytes");
}

TEST_CASE("A key depends on every text and on where each ends", "[cache]") {
    auto const of = [](std::vector<std::string> const& texts) {
        KeyMaker maker;
        for (std::string const& text : texts) maker.add(text);
        return maker.key();
    };
    CHECK(of({"ab", "c"}) == of({"ab", "c"}));
    CHECK(of({"ab", "c"}) != of({"a", "bc"}));
    CHECK(of({"ab", "c"}) != of({"abc"}));
    CHECK(of({"a"}) != of({"a", ""}));
}

TEST_CASE("A damaged file is no file, whichever bit is wrong and wherever it ends", "[cache]") {
    TemporaryFolder const folder;
    FileCache const cache = cache_in(folder / "c");
    REQUIRE(cache.store(key("k"), "some bytes that are kept").empty());
    std::string const file = cache.path(key("k")), whole = bytes_of(file);
    REQUIRE(whole.size() == 96 + 24);
    for (std::size_t size = 0; size < whole.size(); ++size) {
        write(file, whole.substr(0, size));
        CHECK_FALSE(cache.find(key("k")).bytes);
    }
    write(file, whole + "x");
    CHECK_FALSE(cache.find(key("k")).bytes);
    for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
        std::string bytes = whole;
        bytes[bit / 8] = static_cast<char>(static_cast<unsigned char>(bytes[bit / 8]) ^ (1u << bit % 8));
        write(file, bytes);
        INFO(bit);
        CHECK_FALSE(cache.find(key("k")).bytes);
    }
    // A file of another key under this one's name.
    REQUIRE(cache.store(key("other"), "other").empty());
    fs::rename(cache.path(key("other")), file);
    CHECK_FALSE(cache.find(key("k")).bytes);
    // It is written again.
    REQUIRE(cache.store(key("k"), "whole").empty());
    CHECK(cache.find(key("k")).bytes == "whole");
}

TEST_CASE("What is no plain file of the user's is not read", "[cache]") {
    TemporaryFolder const folder;
    FileCache const cache = cache_in(folder / "c");
    REQUIRE(cache.store(key("k"), "bytes").empty());
    std::string const file = cache.path(key("k"));
    fs::rename(file, folder / "elsewhere");
    SECTION("a link") { fs::create_symlink(folder / "elsewhere", file); }
    SECTION("a pipe") { REQUIRE(mkfifo(file.c_str(), 0600) == 0); }
    SECTION("a folder") { fs::create_directory(file); }
    SECTION("another user's") {
        fs::rename(folder / "elsewhere", file);
        if (chown(file.c_str(), 12345, 12345) != 0) return;  // only root may give files away
    }
    auto const found = cache.find(key("k"));
    CHECK_FALSE(found.bytes);
    CHECK_FALSE(found.why_not.empty());
}

TEST_CASE("The files that were used last stay when they are too many", "[cache]") {
    TemporaryFolder const folder;
    std::string const bytes(1000, 'x');
    std::string const path = folder / "c";
    FileCache const cache = cache_in(path, 5 * 1096);
    int age = 10;
    for (char const* const name : {"a", "b", "c", "d", "e"}) {
        REQUIRE(cache.store(key(name), bytes).empty());
        set_age(cache.path(key(name)), age--);
    }
    CHECK(files_in(path) == 5);
    CHECK(cache.find(key("a")).bytes);  // used now: not the oldest any more
    // Foreign files are neither counted nor touched.
    write(path + "/notes.txt", std::string(100000, 'n'));
    set_age(path + "/notes.txt", 1000);
    REQUIRE(cache.store(key("f"), bytes).empty());
    CHECK(cache.find(key("a")).bytes);
    CHECK_FALSE(cache.find(key("b")).bytes);
    CHECK(cache.find(key("c")).bytes);
    CHECK(cache.find(key("f")).bytes);
    CHECK(fs::exists(path + "/notes.txt"));
    CHECK(files_in(path) == 6);
    CHECK(cache.store(key("large"), std::string(5 * 1096, 'x')) == "it is larger than the whole cache may be");
    CHECK(files_in(path) == 6);
    // A smaller limit applies from the next file on.
    REQUIRE(cache_in(path, 2 * 1096).store(key("g"), bytes).empty());
    CHECK(files_in(path) == 3);
    CHECK(cache.find(key("g")).bytes);
}

TEST_CASE("What a process left half written goes when it is old", "[cache]") {
    TemporaryFolder const folder;
    FileCache const cache = cache_in(folder / "c", 1000);
    REQUIRE(cache.store(key("k"), "bytes").empty());
    std::string const left = cache.path(key("x")) + ".123.0.new", fresh = cache.path(key("y")) + ".124.0.new";
    write(left, "half");
    write(fresh, "half");
    set_age(left, 2);
    REQUIRE(cache.store(key("l"), "bytes").empty());
    CHECK_FALSE(fs::exists(left));
    CHECK(fs::exists(fresh));
}

TEST_CASE("Where nothing can be written, that is said and nothing else happens", "[cache]") {
    TemporaryFolder const folder;
    write(folder / "file", "");
    for (std::string const& bad : {folder / "file", (folder / "file") + "/below",
                                   std::string("/proc/warpsim/cache"), std::string("/dev/null/x")}) {
        INFO(bad);
        CHECK_FALSE(cache_in(bad).store(key("k"), "bytes").empty());
        CHECK_FALSE(cache_in(bad).find(key("k")).bytes);
    }
    // A limit on the size of files; writing beyond it would end the process.
    CHECK(in_child([&] {
              rlimit const limit{500, 500};
              setrlimit(RLIMIT_FSIZE, &limit);
              FileCache const cache = cache_in(folder / "c");
              return cache.store(key("k"), std::string(1000, 'x')).empty() ||
                             !cache.store(key("s"), "small").empty()
                         ? 1
                         : 0;
          }) == 0);
}

TEST_CASE("A full disk leaves nothing behind", "[cache]") {
    // A small file system of its own, where that is permitted.
    TemporaryFolder const folder;
    std::string const disk = folder / "disk";
    fs::create_directory(disk);
    std::string const command = "mount -t tmpfs -o size=64k none '" + disk + "' 2>/dev/null";
    if (geteuid() != 0 || std::system(command.c_str()) != 0) {
        WARN("skipped: no file system can be mounted here");
        return;
    }
    FileCache const cache = cache_in(disk + "/c");
    CHECK(cache.store(key("small"), std::string(10000, 'x')).empty());
    CHECK_FALSE(cache.store(key("large"), std::string(100000, 'x')).empty());
    CHECK(files_in(disk + "/c") == 1);
    CHECK(cache.find(key("small")).bytes);
    CHECK(std::system(("mount -o remount,ro '" + disk + "'").c_str()) == 0);
    CHECK_FALSE(cache.store(key("other"), "x").empty());
    CHECK(cache.find(key("small")).bytes);
    CHECK(std::system(("umount '" + disk + "'").c_str()) == 0);
}

TEST_CASE("Four processes and eight threads may use one folder at once", "[cache]") {
    TemporaryFolder const folder;
    std::string const path = folder / "c";
    // There is room for only a part of them: files are deleted while others read them.
    auto const work = [&](unsigned seed) {
        FileCache const cache = cache_in(path, 64000);  // all files are large for it: each store evicts
        for (unsigned i = 0; i < 150; ++i) {
            std::string const name = std::to_string((seed * 7 + i * 13) % 40);
            std::string const bytes(1000 + 97 * std::stoul(name), name[0]);
            auto const found = cache.find(key(name));
            if (found.bytes && *found.bytes != bytes) return false;
            if (!found.bytes && !found.why_not.empty())
                return false;  // a file that is only half written must never be seen
            if (!cache.store(key(name), bytes).empty()) return false;
        }
        return true;
    };
    std::vector<pid_t> children;
    for (unsigned p = 0; p < 4; ++p) {
        pid_t const child = fork();
        if (child == 0) _exit(work(p) ? 0 : 1);
        children.push_back(child);
    }
    std::atomic<int> failed{0};
    {
        std::vector<std::jthread> threads;
        for (unsigned t = 0; t < 8; ++t) threads.emplace_back([&, t] { failed += work(100 + t) ? 0 : 1; });
    }
    CHECK(failed == 0);
    for (pid_t const child : children) {
        int status = 0;
        waitpid(child, &status, 0);
        CHECK(status == 0);
    }
    std::uintmax_t all = 0;
    for (auto const& entry : fs::directory_iterator(path)) {
        CHECK(entry.path().extension() == ".module");
        all += entry.file_size();
    }
    CHECK(all <= 64000);
}

TEST_CASE("Many small files exceed the limit by a few at most", "[cache]") {
    TemporaryFolder const folder;
    FileCache const cache = cache_in(folder / "c", 100000);
    for (int i = 0; i < 400; ++i) REQUIRE(cache.store(key(std::to_string(i)), std::string(900, 'x')).empty());
    CHECK(files_in(folder / "c") >= 100);
    CHECK(files_in(folder / "c") < 100 + 60);
}

}  // namespace file_cache_test

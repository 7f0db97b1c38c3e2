#include "runtime/cache/file_cache.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace warpsim::cache {

namespace {

constexpr std::string_view suffixes[] = {".module", ".code"}, temporary_suffix = ".new";
constexpr std::size_t key_digits = 32;
constexpr std::time_t abandoned_seconds =
    3600;  // a temporary file so old belongs to a process that ended within it

struct Header {
    std::array<char, 16> mark;
    std::array<char, 32> stamp;
    Key key;
    std::uint64_t size;  // of the bytes behind it
    Key checksum;        // of these
    std::uint64_t zero;
};
static_assert(sizeof(Header) == 96);
constexpr std::array<char, 16> mark{'w', 'a', 'r', 'p', 's', 'i', 'm', ' ',
                                    'c', 'a', 'c', 'h', 'e', ' ', '1', '\n'};

Key key_of(XXH128_hash_t hash) { return {hash.high64, hash.low64}; }
Key hash_of(std::string_view bytes) { return key_of(XXH3_128bits(bytes.data(), bytes.size())); }

std::string reason(std::string const& what) { return what + ": " + std::strerror(errno); }

class Descriptor {
public:
    explicit Descriptor(int fd) : fd_(fd) {}
    ~Descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    Descriptor(Descriptor const&) = delete;
    Descriptor& operator=(Descriptor const&) = delete;
    int get() const { return fd_; }
    explicit operator bool() const { return fd_ >= 0; }
    /// Reports a late write error, for example of a network file system.
    bool close() {
        int const fd = fd_;
        fd_ = -1;
        return ::close(fd) == 0;
    }

private:
    int fd_;
};

/// Whether everything was read or written.
template <class Call> bool transfer(Call const& call, std::size_t size) {
    for (std::size_t done = 0; done < size;) {
        ssize_t const n = call(done, size - done);
        if (n < 0 && errno == EINTR) continue;
        if (n == 0) errno = EIO;
        if (n <= 0) return false;
        done += static_cast<std::size_t>(n);
    }
    return true;
}

bool make_folders(std::string const& folder) {
    for (std::size_t at = folder.find('/', 1); at != std::string::npos; at = folder.find('/', at + 1)) {
        ::mkdir(folder.substr(0, at).c_str(), 0700);  // only the result of the last one matters
    }
    struct stat status {};
    return ::mkdir(folder.c_str(), 0700) == 0 ||
           (errno == EEXIST && ::stat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode));
}

bool is_ours(std::string_view name, std::string_view ending) {
    return name.size() > key_digits && name.ends_with(ending) &&
           std::all_of(name.begin(), name.begin() + key_digits,
                       [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

}  // namespace

struct KeyMaker::State {
    XXH3_state_t hash;
};

KeyMaker::KeyMaker() : state_(std::make_unique<State>()) { XXH3_128bits_reset(&state_->hash); }

KeyMaker::~KeyMaker() = default;

void KeyMaker::add(std::string_view text) {
    std::uint64_t const size = text.size();
    XXH3_128bits_update(&state_->hash, &size, sizeof size);
    XXH3_128bits_update(&state_->hash, text.data(), text.size());
}

Key KeyMaker::key() const { return key_of(XXH3_128bits_digest(&state_->hash)); }

FileCache::FileCache(Settings settings, std::string_view stamp, Kind kind)
    : settings_(std::move(settings)), kind_(kind) {
    stamp.copy(stamp_.data(), stamp_.size());
}

std::string FileCache::path(Key const& key) const {
    char name[key_digits + 1];
    std::snprintf(name, sizeof name, "%016llx%016llx", static_cast<unsigned long long>(key[0]),
                  static_cast<unsigned long long>(key[1]));
    return settings_.folder + "/" + name + std::string(suffixes[static_cast<std::size_t>(kind_)]);
}

FileCache::Found FileCache::find(Key const& key) const {
    std::string const name = path(key);
    // Opened without blocking, because a pipe may have the name of the file.
    Descriptor const file(::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (!file) return {std::nullopt, errno == ENOENT ? "" : reason(name)};
    struct stat status {};
    if (::fstat(file.get(), &status) != 0) return {std::nullopt, reason(name)};
    if (!S_ISREG(status.st_mode)) return {std::nullopt, name + " is no file"};
    if (status.st_uid != ::geteuid()) return {std::nullopt, name + " is another user's"};
    if ((status.st_mode & 022) != 0) return {std::nullopt, name + " can be written by other users"};
    auto const size = static_cast<std::uint64_t>(status.st_size);
    if (size < sizeof(Header)) return {std::nullopt, name + " is damaged: its size"};
    if (size > settings_.most_bytes) return {std::nullopt, name + " is larger than the whole cache may be"};
    Header header{};
    auto* const head = reinterpret_cast<char*>(&header);
    if (!transfer([&](std::size_t done, std::size_t left) { return ::read(file.get(), head + done, left); },
                  sizeof header)) {
        return {std::nullopt, reason(name)};
    }
    if (header.mark != mark || header.stamp != stamp_ || header.key != key || header.zero != 0)
        return {std::nullopt, name + " is of something else"};
    if (header.size != size - sizeof header) return {std::nullopt, name + " is damaged: its size"};
    std::string bytes(header.size, '\0');
    if (!transfer(
            [&](std::size_t done, std::size_t left) { return ::read(file.get(), bytes.data() + done, left); },
            bytes.size())) {
        return {std::nullopt, reason(name)};
    }
    if (hash_of(bytes) != header.checksum) return {std::nullopt, name + " is damaged: its checksum"};
    ::futimens(file.get(), nullptr);  // mark the file as used now
    return {std::move(bytes), ""};
}

std::string FileCache::store(Key const& key, std::string_view bytes) const {
    std::uint64_t const size = sizeof(Header) + bytes.size();
    if (size > settings_.most_bytes) return "it is larger than the whole cache may be";
    // Writing more than the process's limit would end the process.
    struct rlimit limit {};
    if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < size)
        return "it is larger than files of this process may be";
    if (!make_folders(settings_.folder)) return reason(settings_.folder);
    static std::atomic<unsigned> number{0};
    std::string const name = path(key);
    std::string const temporary =
        name + "." + std::to_string(::getpid()) + "." + std::to_string(number++) + std::string(temporary_suffix);
    std::string why = write(temporary, key, bytes);
    if (why.empty() && ::rename(temporary.c_str(), name.c_str()) != 0) why = reason(name);
    // Listing all files takes long when they are many and small, so it is done only now and then.
    bool const looks = size >= settings_.most_bytes / 64 || key[1] % 8 == 0;
    if (!why.empty()) ::unlink(temporary.c_str());
    else if (looks) make_room();
    return why;
}

std::string FileCache::write(std::string const& path, Key const& key, std::string_view bytes) const {
    Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file) return reason(path);
    Header const header{mark, stamp_, key, bytes.size(), hash_of(bytes), 0};
    auto const* const head = reinterpret_cast<char const*>(&header);
    bool const is_written =
        transfer([&](std::size_t done, std::size_t left) { return ::write(file.get(), head + done, left); },
                 sizeof header) &&
        transfer(
            [&](std::size_t done, std::size_t left) { return ::write(file.get(), bytes.data() + done, left); },
            bytes.size()) &&
        file.close();
    return is_written ? "" : reason(path);
}

void FileCache::make_room() const {
    DIR* const folder = ::opendir(settings_.folder.c_str());
    if (folder == nullptr) return;
    struct File {
        timespec used;
        std::uint64_t size;
        std::string name;
    };
    std::vector<File> files;
    std::uint64_t all = 0;
    std::time_t const now = std::time(nullptr);
    while (dirent const* const entry = ::readdir(folder)) {
        std::string_view const name = entry->d_name;
        bool const is_temporary = is_ours(name, temporary_suffix);
        struct stat status {};
        bool const is_kept =
            std::any_of(std::begin(suffixes), std::end(suffixes), [&](auto one) { return is_ours(name, one); });
        if (!is_temporary && !is_kept) continue;
        if (::fstatat(::dirfd(folder), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(status.st_mode))
            continue;
        if (!is_temporary) {
            files.push_back({status.st_mtim, static_cast<std::uint64_t>(status.st_size), std::string(name)});
            all += files.back().size;
        } else if (status.st_mtim.tv_sec + abandoned_seconds < now) {
            ::unlinkat(::dirfd(folder), entry->d_name, 0);
        }
    }
    if (all > settings_.most_bytes) {
        std::sort(files.begin(), files.end(), [](File const& a, File const& b) {
            return a.used.tv_sec != b.used.tv_sec ? a.used.tv_sec < b.used.tv_sec
                                                  : a.used.tv_nsec < b.used.tv_nsec;
        });
        for (auto file = files.begin(); all > settings_.most_bytes && file != files.end(); ++file) {
            ::unlinkat(::dirfd(folder), file->name.c_str(), 0);
            all -= file->size;
        }
    }
    ::closedir(folder);
}

}  // namespace warpsim::cache

#include "runtime/checkpoint/file.hpp"
#include "runtime/checkpoint/format.hpp"

#include <zstd.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace warpsim::checkpoint {

struct FileReader::State {
    std::string path;
    File file{nullptr, std::fclose};
    std::uint64_t left = 0;  // bytes in front of the checksum
    Identity identity;
    std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> decompressor{ZSTD_createDCtx(), ZSTD_freeDCtx};
    std::vector<std::byte> compressed = std::vector<std::byte>(std::size_t{1} << 18);
    ZSTD_inBuffer in{compressed.data(), 0, 0};

    void read(void* to, std::size_t size) {
        if (size > left || std::fread(to, 1, size, file.get()) != size) fail(path, "it ends too early");
        left -= size;
    }
    std::string read_text() {
        std::uint64_t size = 0;
        read(&size, sizeof size);
        if (size > left) fail(path, "it ends too early");
        std::string text(size, '\0');
        read(text.data(), size);
        return text;
    }
    /// Nothing of it is looked at before all of it is known to be right.
    void check_sum() {
        struct stat status {};
        if (::fstat(::fileno(file.get()), &status) != 0 || !S_ISREG(status.st_mode)) fail(path, "it is no file");
        auto const size = static_cast<std::uint64_t>(status.st_size);
        if (size < mark.size()) fail(path, "it is no checkpoint of warpsim");
        std::array<char, mark.size()> begin{};
        left = size;
        read(begin.data(), begin.size());
        if (begin != mark) fail(path, "it is no checkpoint of warpsim, or one of another version");
        Checksum sum;
        if (left < sizeof sum) fail(path, "it ends too early");
        Hash hash;
        hash.add(begin.data(), begin.size());
        for (std::uint64_t bytes = left - sizeof sum; bytes != 0;) {
            std::size_t const now = std::min<std::uint64_t>(bytes, compressed.size());
            read(compressed.data(), now);
            hash.add(compressed.data(), now);
            bytes -= now;
        }
        read(&sum, sizeof sum);
        if (!(sum == hash.sum())) fail(path, "it is damaged: its bytes are not those that were written");
        left = size - mark.size() - sizeof sum;
        std::fseek(file.get(), static_cast<long>(mark.size()), SEEK_SET);
    }
};

FileReader::FileReader(std::string path) : state_(std::make_unique<State>()) {
    State& s = *state_;
    s.path = std::move(path);
    // Opened without blocking, because a pipe may have the name of the file.
    int const fd = ::open(s.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) fail(s.path, "cannot be read: " + std::string(std::strerror(errno)));
    s.file.reset(::fdopen(fd, "rb"));
    s.check_sum();
    std::uint64_t count = 0;
    s.read(&count, sizeof count);
    for (std::uint64_t i = 0; i < count; ++i) {
        std::string name = s.read_text();
        s.identity.emplace_back(std::move(name), s.read_text());
    }
}

FileReader::~FileReader() = default;

void FileReader::check(Identity const& wanted) const {
    auto const& kept = state_->identity;
    for (auto const& [name, value] : wanted) {
        auto const found = std::find_if(kept.begin(), kept.end(), [&](auto const& k) { return k.first == name; });
        std::string const there = found == kept.end() ? "" : found->second;
        if (there == value) continue;
        fail(state_->path, "it is of another run: " + name + " there is " + (there.empty() ? "none" : there) +
                               ", here " + (value.empty() ? "none" : value));
    }
}

void FileReader::get(std::span<std::byte> bytes) {
    State& s = *state_;
    ZSTD_outBuffer out{bytes.data(), bytes.size(), 0};
    while (out.pos < out.size) {
        if (s.in.pos == s.in.size) {
            std::size_t const now = std::min<std::uint64_t>(s.left, s.compressed.size());
            if (now == 0) {
                std::size_t const before = out.pos;
                ZSTD_decompressStream(s.decompressor.get(), &out, &s.in);  // what it still holds
                if (out.pos == before) fail(s.path, "it has less than what is looked for");
                continue;
            }
            s.read(s.compressed.data(), now);
            s.in = {s.compressed.data(), now, 0};
        }
        std::size_t const result = ZSTD_decompressStream(s.decompressor.get(), &out, &s.in);
        if (ZSTD_isError(result) != 0) fail(s.path, std::string("it is damaged: ") + ZSTD_getErrorName(result));
    }
}

}  // namespace warpsim::checkpoint

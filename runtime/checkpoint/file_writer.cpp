#include "runtime/checkpoint/file.hpp"
#include "runtime/checkpoint/format.hpp"

#include <zstd.h>

#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace warpsim::checkpoint {

/// State has long runs of the same, and is written while somebody waits.
static constexpr int compression_level = 1;

struct FileWriter::State {
    std::string path, temporary;
    File file{nullptr, std::fclose};
    Hash hash;
    std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> compressor{ZSTD_createCCtx(), ZSTD_freeCCtx};
    std::vector<std::byte> out = std::vector<std::byte>(ZSTD_CStreamOutSize());

    void write(void const* bytes, std::size_t size) {
        hash.add(bytes, size);
        if (size != 0 && std::fwrite(bytes, 1, size, file.get()) != size)
            fail(path, "cannot be written: " + std::string(std::strerror(errno)));
    }
    void write(std::string const& text) {
        std::uint64_t const size = text.size();
        write(&size, sizeof size);
        write(text.data(), text.size());
    }
    void compress(std::span<std::byte const> bytes, ZSTD_EndDirective end) {
        ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
        for (std::size_t left = 1; in.pos < in.size || (end == ZSTD_e_end && left != 0);) {
            ZSTD_outBuffer to{out.data(), out.size(), 0};
            left = ZSTD_compressStream2(compressor.get(), &to, &in, end);
            if (ZSTD_isError(left) != 0)
                fail(path, std::string("cannot be compressed: ") + ZSTD_getErrorName(left));
            write(out.data(), to.pos);
        }
    }
};

FileWriter::FileWriter(std::string path, Identity const& identity) : state_(std::make_unique<State>()) {
    state_->temporary = path + ".new";
    state_->path = std::move(path);
    state_->file.reset(std::fopen(state_->temporary.c_str(), "wb"));
    if (!state_->file) fail(state_->path, "cannot be written: " + std::string(std::strerror(errno)));
    ZSTD_CCtx_setParameter(state_->compressor.get(), ZSTD_c_compressionLevel, compression_level);
    state_->write(mark.data(), mark.size());
    std::uint64_t const count = identity.size();
    state_->write(&count, sizeof count);
    for (auto const& [name, value] : identity) {
        state_->write(name);
        state_->write(value);
    }
}

FileWriter::~FileWriter() {
    if (!state_->file) return;
    state_->file.reset();
    ::unlink(state_->temporary.c_str());
}

void FileWriter::put(std::span<std::byte const> bytes) { state_->compress(bytes, ZSTD_e_continue); }

void FileWriter::finish() {
    State& s = *state_;
    s.compress({}, ZSTD_e_end);
    Checksum const sum = s.hash.sum();
    s.write(&sum, sizeof sum);
    // The name must not lead to bytes that a crash of the machine loses.
    bool const is_there = std::fflush(s.file.get()) == 0 && ::fsync(::fileno(s.file.get())) == 0;
    if (!is_there || ::rename(s.temporary.c_str(), s.path.c_str()) != 0)
        fail(s.path, "cannot be written: " + std::string(std::strerror(errno)));
    s.file.reset();
}

}  // namespace warpsim::checkpoint

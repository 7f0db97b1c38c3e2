#include "program_file.hpp"

#include <elf.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <vector>

namespace warpsim::command {

namespace {

class Elf {
public:
    explicit Elf(std::string const& path) : file_(path, std::ios::binary) {
        Elf64_Ehdr header{};
        if (!read(0, &header, sizeof header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return;
        if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shentsize != sizeof(Elf64_Shdr)) return;
        sections_.resize(header.e_shnum);
        if (!read(header.e_shoff, sections_.data(), sections_.size() * sizeof(Elf64_Shdr))) return;
        if (header.e_shstrndx >= sections_.size()) return;
        names_ = contents(sections_[header.e_shstrndx]);
        is_good_ = true;
    }

    bool is_good() const { return is_good_; }
    Elf64_Shdr const* section(std::string const& name) const {
        for (Elf64_Shdr const& s : sections_) {
            if (text(names_, s.sh_name) == name) return &s;
        }
        return nullptr;
    }
    /// The names of the libraries that it needs.
    std::vector<std::string> needed() {
        std::vector<std::string> list;
        for (Elf64_Shdr const& s : sections_) {
            if (s.sh_type != SHT_DYNAMIC || s.sh_link >= sections_.size()) continue;
            std::string const entries = contents(s), strings = contents(sections_[s.sh_link]);
            for (std::size_t at = 0; at + sizeof(Elf64_Dyn) <= entries.size(); at += sizeof(Elf64_Dyn)) {
                Elf64_Dyn entry;
                std::memcpy(&entry, entries.data() + at, sizeof entry);
                if (entry.d_tag == DT_NEEDED) list.push_back(text(strings, entry.d_un.d_val));
            }
        }
        return list;
    }

private:
    bool read(std::uint64_t at, void* to, std::size_t bytes) {
        file_.clear();
        file_.seekg(static_cast<std::streamoff>(at));
        return static_cast<bool>(file_.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes)));
    }
    std::string contents(Elf64_Shdr const& s) {
        constexpr std::uint64_t most = 64 << 20;
        if (s.sh_type == SHT_NOBITS || s.sh_size > most) return {};
        std::string bytes(s.sh_size, '\0');
        return read(s.sh_offset, bytes.data(), bytes.size()) ? bytes : std::string();
    }
    static std::string text(std::string const& table, std::uint64_t at) {
        return at < table.size() ? table.substr(at, table.find('\0', at) - at) : std::string();
    }

    std::ifstream file_;
    std::vector<Elf64_Shdr> sections_;
    std::string names_;
    bool is_good_ = false;
};

/// NVIDIA's libraries whose kernels come without PTX that could run here, and with their own runtime.
bool has_machine_code_only(std::string const& library) {
    for (std::string const name : {"cublas", "cublasLt", "cudnn", "cufft", "cufftw", "cusolver", "cusolverMg",
                                   "cusparse", "cutensor", "nccl", "nvjpeg"}) {
        if (library.starts_with("lib" + name + ".so") || (name == "cudnn" && library.starts_with("libcudnn_")))
            return true;
    }
    return library.starts_with("libnpp");
}

}  // namespace

std::string find_program(std::string const& name) {
    if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0 ? name : "";
    char const* const path = std::getenv("PATH");
    std::istringstream folders(path != nullptr ? path : "/usr/bin:/bin");
    for (std::string folder; std::getline(folders, folder, ':');) {
        std::string const candidate = (folder.empty() ? "." : folder) + "/" + name;
        if (access(candidate.c_str(), X_OK) == 0) return candidate;
    }
    return "";
}

ProgramFile inspect_program(std::string const& path) {
    ProgramFile program;
    Elf elf(path);
    program.is_elf64 = elf.is_good();
    if (!program.is_elf64) return program;
    program.has_device_code = elf.section(".nvFatBinSegment") != nullptr;
    program.needed = elf.needed();
    for (std::string const& library : program.needed) {
        if (library.starts_with("libcudart.so")) program.cuda_runtime = library;
        if (has_machine_code_only(library)) program.closed_libraries.push_back(library);
    }
    return program;
}

}  // namespace warpsim::command

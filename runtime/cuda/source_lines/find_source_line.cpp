#include "runtime/cuda/source_lines/source_lines.hpp"

#include <elfutils/libdwfl.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <mutex>

namespace warpsim::cuda {

namespace {

/// What the process has loaded, with its DWARF, which is read when a line of it is asked for.
class Loaded {
public:
    void find(Dwarf_Addr code, SourceLine& line) {
        std::lock_guard const lock(mutex_);
        Dwfl_Module* module = session_ != nullptr ? dwfl_addrmodule(session_, code) : nullptr;
        if (module == nullptr) {  // loaded since
            report();
            module = session_ != nullptr ? dwfl_addrmodule(session_, code) : nullptr;
        }
        if (module == nullptr) return;
        Dwfl_Line* const found = dwfl_module_getsrc(module, code);
        int number = 0;
        char const* const file =
            found != nullptr ? dwfl_lineinfo(found, nullptr, &number, nullptr, nullptr, nullptr) : nullptr;
        if (file == nullptr || number <= 0) return;
        std::filesystem::path path = file;
        char const* const folder = path.is_relative() ? dwfl_line_comp_dir(found) : nullptr;
        if (folder != nullptr) path = (folder / path).lexically_normal();
        std::strncpy(line.file, path.c_str(), sizeof line.file - 1);
        line.number = number;
    }

private:
    void report() {
        if (session_ != nullptr) dwfl_end(session_);
        session_ = dwfl_begin(&callbacks_);
        if (session_ == nullptr) return;
        bool const is_known = dwfl_linux_proc_report(session_, getpid()) == 0;
        if (dwfl_report_end(session_, nullptr, nullptr) == 0 && is_known) return;
        dwfl_end(session_);
        session_ = nullptr;
    }

    // Nothing is fetched from servers, as elfutils would do it for what has no debugging information.
    char* debug_path_ = nullptr;
    Dwfl_Callbacks callbacks_{dwfl_linux_proc_find_elf, dwfl_build_id_find_debuginfo, nullptr, &debug_path_};
    std::mutex mutex_;
    Dwfl* session_ = nullptr;
};

}  // namespace

}  // namespace warpsim::cuda

extern "C" __attribute__((visibility("default"))) void warpsim_source_line(void const* code,
                                                                           warpsim::cuda::SourceLine& line) {
    // Never destroyed: programs call from their last destructors.
    static auto* const loaded = new warpsim::cuda::Loaded;
    loaded->find(reinterpret_cast<Dwarf_Addr>(code), line);
}

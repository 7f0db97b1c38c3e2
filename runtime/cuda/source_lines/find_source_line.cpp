#include "runtime/cuda/source_lines/source_lines.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <mutex>

namespace warpsim::cuda {

namespace {

/// What the process has loaded, with its DWARF, which is read when a line of it is asked for.
class Loaded {
public:
    void find(Dwarf_Addr code, unsigned depth, SourceLine& line) {
        std::lock_guard const lock(mutex_);
        Dwfl_Module* module = session_ != nullptr ? dwfl_addrmodule(session_, code) : nullptr;
        if (module == nullptr) {  // loaded since
            report();
            module = session_ != nullptr ? dwfl_addrmodule(session_, code) : nullptr;
        }
        if (module == nullptr) return;
        if (depth != 0) return find_call(module, code, depth, line);
        Dwfl_Line* const found = dwfl_module_getsrc(module, code);
        int number = 0;
        char const* const file =
            found != nullptr ? dwfl_lineinfo(found, nullptr, &number, nullptr, nullptr, nullptr) : nullptr;
        if (file == nullptr || number <= 0) return;
        put(file, number, dwfl_line_comp_dir(found), line);
    }

private:
    static void put(char const* file, int number, char const* folder, SourceLine& line) {
        std::filesystem::path path = file;
        if (path.is_relative() && folder != nullptr) path = (folder / path).lexically_normal();
        std::strncpy(line.file, path.c_str(), sizeof line.file - 1);
        line.number = number;
    }

    /// Where the function is called that was inlined there, or the one around it.
    static void find_call(Dwfl_Module* module, Dwarf_Addr code, unsigned depth, SourceLine& line) {
        Dwarf_Addr bias = 0;
        Dwarf_Die* const unit = dwfl_module_addrdie(module, code, &bias);
        Dwarf_Die* scopes = nullptr;
        int const count = unit != nullptr ? dwarf_getscopes(unit, code - bias, &scopes) : 0;
        std::unique_ptr<Dwarf_Die, void (*)(void*)> const owner(scopes, std::free);
        for (int i = 0; i < count; ++i) {
            if (dwarf_tag(&scopes[i]) != DW_TAG_inlined_subroutine || --depth != 0) continue;
            Dwarf_Attribute attribute;
            Dwarf_Word file = 0, number = 0;
            Dwarf_Files* files = nullptr;
            std::size_t file_count = 0;
            if (dwarf_formudata(dwarf_attr(&scopes[i], DW_AT_call_line, &attribute), &number) != 0 ||
                dwarf_formudata(dwarf_attr(&scopes[i], DW_AT_call_file, &attribute), &file) != 0 ||
                dwarf_getsrcfiles(unit, &files, &file_count) != 0 || file >= file_count)
                return;
            char const* const name = dwarf_filesrc(files, file, nullptr, nullptr);
            if (name == nullptr) return;
            return put(name, static_cast<int>(number),
                       dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute)), line);
        }
    }

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

extern "C" __attribute__((visibility("default"))) void warpsim_source_line(void const* code, unsigned depth,
                                                                           warpsim::cuda::SourceLine& line) {
    // Never destroyed: programs call from their last destructors.
    static auto* const loaded = new warpsim::cuda::Loaded;
    loaded->find(reinterpret_cast<Dwarf_Addr>(code), depth, line);
}

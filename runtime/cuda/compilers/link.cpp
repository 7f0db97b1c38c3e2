#include "runtime/cuda/code/program.hpp"
#include "runtime/cuda/compilers/compilers.hpp"

#include "frontend/link/read_modules.hpp"
#include "runtime/cuda/code/own_functions.hpp"
#include "runtime/fatbin/write.hpp"
#include "sim/error.hpp"

#include <cstring>
#include <span>

namespace warpsim::cuda {

namespace {

[[noreturn]] void refuse(std::string const& what) { throw Error(ErrorKind::ptx, "error: " + what + "\n"); }

/// Calls `take` for every container inside a host's object file or archive, found by its mark at any multiple of 8.
template <class Take> std::size_t for_containers(std::string const& bytes, Take const& take) {
    constexpr char mark[] = {'\x50', '\xed', '\x55', '\xba', 1, 0};
    std::size_t count = 0;
    for (std::size_t at = bytes.find(mark, 0, sizeof mark); at != std::string::npos;
         at = bytes.find(mark, at + sizeof mark, sizeof mark)) {
        // Where it lies in an archive may be no multiple of 8.
        std::string const copy = bytes.substr(at);
        if (copy.size() < 16 || fatbin::container(copy.data()).size() > copy.size()) continue;
        take(copy.data());
        ++count;
    }
    return count;
}

}  // namespace

void PtxLinker::add_container(void const* container, std::string const& name) {
    std::vector<fatbin::Entry> const entries = fatbin::entries(fatbin::container(container));
    fatbin::Choice const choice = fatbin::choose(entries, architecture_);
    if (choice.entry == nullptr && entries.empty()) return;
    if (choice.entry == nullptr) refuse(name + ": " + fatbin::advice_without_ptx(entries, architecture_));
    for (runtime::PtxText& text : parts_of(fatbin::contents(*choice.entry)))
        texts_.push_back({text.name == "ptx" ? name : std::move(text.name), std::move(text.text)});
}

void PtxLinker::add(std::string const& bytes, std::string const& name) {
    switch (fatbin::image_kind(bytes.c_str())) {
        case fatbin::Image::container: add_container(bytes.data(), name); return;
        case fatbin::Image::elf: {
            if (for_containers(bytes, [&](void const* at) { add_container(at, name); }) != 0) return;
            refuse(name + " is machine code without PTX, which cannot be linked here; compile it to PTX");
        }
        case fatbin::Image::text:
            if (bytes.starts_with("!<arch>\n")) {
                // The device runtime is part of the simulator.
                bool const is_own = name.find("cudadevrt") != std::string::npos;
                if (is_own || for_containers(bytes, [&](void const* at) { add_container(at, name); }) != 0) return;
                refuse(name + " is an archive without PTX");
            }
            texts_.push_back({name, bytes.substr(0, bytes.find('\0'))});
            return;
        default: refuse(name + " is neither PTX nor a fat binary nor an object file");
    }
}

std::string PtxLinker::link(std::string_view options) const {
    if (texts_.empty()) refuse("there is nothing to link");
    std::vector<runtime::PtxText> all = texts_;
    add_own_functions(all);
    std::vector<frontend::NamedText> named;
    for (runtime::PtxText const& one : all) named.push_back({one.name, one.text});
    frontend::Linked const linked = frontend::read_modules(std::move(named), 1, {.warns_of_version = false});
    if (linked.error_count != 0) throw Error(ErrorKind::ptx, linked.report);
    // The entry is for what the linked module needs.
    if (texts_.size() == 1) return fatbin::write(texts_.front().text, options);
    std::string const head = ".version " + std::to_string(linked.module.version / 10) + "." +
                             std::to_string(linked.module.version % 10) + "\n.target " + linked.module.target +
                             "\n";
    return fatbin::write(linked_text(texts_), options, head);
}

}  // namespace warpsim::cuda

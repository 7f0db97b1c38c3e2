#include "runtime/cuda/code/program.hpp"

#include "runtime/cuda/code/client_advice.hpp"
#include "runtime/cuda/code/contains.hpp"
#include "runtime/cuda/code/own_functions.hpp"
#include "runtime/cuda/core/errors.hpp"
#include "runtime/cuda/devices/gpu.hpp"
#include "runtime/fatbin/register_counts.hpp"
#include "runtime/log.hpp"
#include "sim/error.hpp"

#include <algorithm>
#include <string_view>

namespace warpsim::cuda {

namespace {

/// nvcc links the device's runtime library into every -rdc program. The simulator has its own.
bool is_device_runtime(std::string_view ptx) { return contains(ptx, " cnpSetLastError"); }

/// The name of a text in messages: the source file where nvcc recorded it.
std::string name_of(fatbin::Entry const& entry, std::size_t number) {
    std::string name = entry.name.empty() ? "device code" : std::string(entry.name);
    if (number != 0) name += " " + std::to_string(number + 1);
    return name + " (" + fatbin::architecture_name(entry) + ")";
}

// Linked texts are kept in one string, each preceded by a line that no PTX begins with.
constexpr std::string_view part_mark = "//!linked part ";

void tell(std::string const& message, std::string* report) {
    if (report != nullptr) *report += message + "\n";
    else log::error(message);
}

/// Those of the machine code that the device would execute in place of PTX.
void add_registers(std::vector<fatbin::Entry> const& entries, std::uint32_t device,
                   runtime::RegisterCounts& registers) {
    fatbin::Entry const* const code = fatbin::choose_machine_code(entries, device);
    if (code == nullptr) return;
    try {
        for (auto const& [kernel, count] : fatbin::machine_code_registers(fatbin::contents(*code)))
            registers[kernel] = count;
    } catch (Error const& error) {
        log::debug(fatbin::architecture_name(*code) + ": " + error.what());
    }
}

}  // namespace

std::vector<runtime::PtxText> parts_of(std::string const& text) {
    if (!text.starts_with(part_mark)) return {{"ptx", text}};
    std::vector<runtime::PtxText> list;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t const line_end = text.find('\n', at);
        std::size_t const next = std::min(text.find("\n" + std::string(part_mark), line_end), text.size() - 1) + 1;
        std::string name = text.substr(at + part_mark.size(), line_end - at - part_mark.size());
        list.push_back({std::move(name), text.substr(line_end + 1, next - line_end - 1)});
        at = next;
    }
    return list;
}

std::string linked_text(std::vector<runtime::PtxText> const& texts) {
    std::string all;
    for (runtime::PtxText const& one : texts) {
        std::string name = one.name;
        std::replace(name.begin(), name.end(), '\n', ' ');
        all.append(part_mark).append(name).append("\n").append(one.text).append("\n");
    }
    return all;
}

void tell_of_linked_runtime() {
    static std::atomic<bool> is_told{false};
    if (is_told.exchange(true)) return;
    log::error(
        "NVIDIA's CUDA runtime, in this program or in a library that it loaded, talks to NVIDIA's driver only. " +
        fatbin::advice_on_linked_runtime());
}

Program::Program(void const* image, runtime::LoadOptions const& options) : options_(options) {
    if (image == nullptr) throw Failure(Result::invalid_value);
    switch (fatbin::image_kind(image)) {
        case fatbin::Image::wrapper:
        case fatbin::Image::container: image_ = image; break;
        case fatbin::Image::text: text_ = static_cast<char const*>(image); break;
        case fatbin::Image::elf:
            log::failure_once("error: " + advice_on_machine_code() + "\n");
            throw Failure(Result::no_binary_for_gpu);
        case fatbin::Image::unknown: throw Failure(Result::invalid_image);
    }
}

std::vector<fatbin::Bytes> Program::containers() const {
    std::vector<fatbin::Bytes> parts;
    for (std::string const& copy : copies_) parts.push_back(std::as_bytes(std::span(copy)));
    if (!parts.empty() || image_ == nullptr) return parts;
    return fatbin::image_kind(image_) == fatbin::Image::wrapper ? fatbin::containers(image_)
                                                                : std::vector{fatbin::container(image_)};
}

void Program::keep_copy() {
    try {
        for (fatbin::Bytes const part : containers())
            copies_.emplace_back(reinterpret_cast<char const*>(part.data()), part.size());
    } catch (Error const& error) {
        log::error(error.what());
        throw Failure(Result::invalid_image);
    }
}

bool Program::is_loaded(Gpu const& gpu) const {
    std::lock_guard const lock(mutex_);
    return modules_.contains(&gpu);
}

std::vector<runtime::PtxText> Program::texts(Gpu const& gpu, std::string* report,
                                             runtime::LoadOptions* load) const {
    if (image_ == nullptr) return parts_of(text_);
    auto const device = static_cast<std::uint32_t>(gpu.device.config().compute_capability.number());
    std::vector<runtime::PtxText> list;
    std::vector<fatbin::Entry> seen;
    for (fatbin::Bytes const part : containers()) {
        std::vector<fatbin::Entry> const entries = fatbin::entries(part);
        fatbin::Choice const choice = fatbin::choose(entries, device);
        seen.insert(seen.end(), entries.begin(), entries.end());
        if (choice.entry == nullptr) continue;
        if (load != nullptr) {
            load->max_registers = std::max(load->max_registers, fatbin::max_registers(*choice.entry));
            add_registers(entries, device, load->registers);
        }
        for (runtime::PtxText& text : parts_of(fatbin::contents(*choice.entry))) {
            if (text.name == "ptx") text.name = name_of(*choice.entry, list.size());
            if (!is_device_runtime(text.text)) list.push_back(std::move(text));
        }
    }
    if (list.empty() && !seen.empty()) {
        tell(fatbin::advice_without_ptx(seen, device), report);
        throw Failure(Result::no_binary_for_gpu);
    }
    return list;
}

void Program::unload(Gpu const& gpu) {
    std::lock_guard const lock(mutex_);
    modules_.erase(&gpu);
}

void Program::end() {
    std::map<Gpu const*, std::shared_ptr<runtime::Module>>
        gone;  // declared before the lock, so that they end after it
    std::lock_guard const lock(mutex_);
    gone.swap(modules_);
    has_ended_ = true;
}

std::shared_ptr<runtime::Module> Program::module(Gpu& gpu, std::string* report) {
    std::lock_guard const lock(mutex_);
    if (has_ended_) throw Failure(Result::context_is_destroyed);
    std::shared_ptr<runtime::Module>& module = modules_[&gpu];
    if (module) return module;
    try {
        runtime::LoadOptions options = options_;
        runtime::LoadOptions recorded;
        std::vector<runtime::PtxText> list = texts(gpu, report, &recorded);
        if (options.max_registers == 0) options.max_registers = recorded.max_registers;
        options.registers = std::move(recorded.registers);
        // A translation unit without device code has an empty container.
        if (list.empty()) list.push_back({"ptx", ".version 6.0\n.target sm_30\n.address_size 64\n"});
        add_own_functions(list);
        module = gpu.device.load_texts(std::move(list), options);
    } catch (Error const& error) {
        modules_.erase(&gpu);
        if (error.kind() == ErrorKind::ptx && report == nullptr) log::plain(log::Level::error, error.what());
        else tell(error.what(), report);
        throw Failure(error.kind() == ErrorKind::ptx ? Result::invalid_ptx : Result::out_of_memory);
    } catch (Failure const&) {
        modules_.erase(&gpu);
        throw;
    }
    if (!gpu.is_eager) return module;
    try {
        gpu.device.prepare(*module);
    } catch (Error const& error) {
        modules_.erase(&gpu);
        tell(error.what(), report);
        throw Failure(Result::not_supported);
    }
    return module;
}

std::vector<Kernel::Parameter> const& Kernel::parameters(Gpu& gpu) {
    std::call_once(known_, [&] {
        std::shared_ptr<runtime::Module> const module = program->module(gpu);
        if (!module->has_kernel(name)) throw Failure(Result::not_found);
        for (runtime::Module::Parameter const& p : module->parameters(name))
            parameters_.push_back({p.offset, p.size});
    });
    return parameters_;
}

std::uint64_t Kernel::fixed_shared(Gpu& gpu) {
    std::call_once(shared_known_,
                   [&] { fixed_shared_ = gpu.device.attributes(*program->module(gpu), name).shared_bytes; });
    return fixed_shared_;
}

}  // namespace warpsim::cuda

#include "runtime/plan/run.hpp"

#include "runtime/log.hpp"
#include "runtime/plan/arguments.hpp"
#include "runtime/plan/compare.hpp"
#include "runtime/plan/npy.hpp"
#include "runtime/plan/pictures.hpp"
#include "runtime/plan/png.hpp"
#include "runtime/plan/replay.hpp"
#include "runtime/plan/sequence.hpp"
#include "sim/fault_kind.hpp"
#include "sim/stop_request.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace warpsim::plan {

namespace {

/// Floats from 0 to 1 as bytes; what is outside becomes the nearest of these, and what is no number 0.
std::vector<std::byte> bytes_of_fractions(std::vector<std::byte> const& floats) {
    std::vector<std::byte> bytes;
    for (std::size_t at = 0; at < floats.size(); at += sizeof(float)) {
        float value = 0;
        std::memcpy(&value, floats.data() + at, sizeof value);
        float const inside = value > 0 ? std::min(value, 1.0f) : 0;
        bytes.push_back(static_cast<std::byte>(std::lround(inside * 255)));
    }
    return bytes;
}

// A plan being run, and where its arrays are.
class Run {
public:
    Run(LaunchPlan const& plan, sim::Config const& config, RunOptions const& options)
        : plan_(plan), options_(options), device_(config, options.device) {}

    std::vector<runtime::LaunchResult> run() {
        runtime::LoadOptions load;
        if (plan_.memory) load.placement = plan_.memory->placement;
        for (Launch const& launch : plan_.launches) {
            if (launch.registers != 0) load.registers[launch.kernel] = launch.registers;
            load.max_registers = std::max(load.max_registers, launch.max_registers);
        }
        module_ = plan_.text ? device_.load_texts({*plan_.text}, load) : device_.load_files(plan_.modules, load);
        // All launches are checked before the first one runs: a slip in the last would waste all the others.
        for (std::size_t i = 0; i < plan_.launches.size(); ++i) kernels_.push_back(kernel(i));
        make_arrays();
        if (plan_.memory) place_memory(*plan_.memory, device_, plan_.path);
        bind_symbols();
        for (std::size_t i = 0; i < plan_.launches.size(); ++i) bind_arguments(i);
        if (is_kept()) check_launches();
        std::vector<runtime::LaunchResult> results;
        for (std::size_t i = 0; i < plan_.launches.size(); ++i)
            for (std::uint64_t n = 0; n < plan_.launches[i].repeat; ++n) {
                end_if_stopped(i);
                pictures_.before_launch(used_[i]);
                results.push_back(device_.launch(*module_, kernels_[i], plan_.launches[i].shape, arguments_[i]));
                pictures_.after_launch(used_[i]);
                if (options_.launched) options_.launched(results.back());
            }
        for (Save const& s : plan_.saves) save(s);
        if (options_.inspect)
            for (Placed const& p : arrays_) {
                if (p.array.is_symbol) continue;
                turn_to("the plan, which prints '" + p.array.name + "'");
                options_.inspect(p.array, contents(p));
            }
        compare_all();
        return results;
    }

private:
    struct Placed {
        Array array;  // with its count, which is now known even for a symbol
        runtime::DevicePointer address = 0;
    };

    [[noreturn]] void fail(std::string const& place, std::string const& message) const {
        throw Error(ErrorKind::plan, plan_.path + ": " + place + (place.empty() ? "" : ": ") + message);
    }

    bool is_kept() const { return !options_.device.checkpoint.file.empty(); }

    /// What cannot be kept is told of before anything runs.
    void check_launches() {
        for (std::size_t i = 0; i < plan_.launches.size(); ++i)
            device_.check(*module_, kernels_[i], plan_.launches[i].shape, arguments_[i].bytes().size());
    }

    /// A run that is kept is stopped inside of the next launch, from where it can go on.
    void end_if_stopped(std::size_t i) const {
        sim::StopRequest const* const stop = options_.device.stop.get();
        if (stop == nullptr || !stop->is_on() || is_kept()) return;
        throw FaultError(stop->kind, stop->what + ": the run was stopped " + stop->why + ", before launch " +
                                         std::to_string(i) + ", " + kernels_[i]);
    }

    std::string launch_place(std::size_t i) const {
        return plan_.one_line ? "" : "launches[" + std::to_string(i) + "]";
    }

    std::string kernel(std::size_t i) const {
        std::string const& name = plan_.launches[i].kernel;
        std::vector<std::string> const kernels = module_->kernels();
        std::vector<std::string_view> const known(kernels.begin(), kernels.end());
        std::string const place = plan_.one_line ? "--kernel" : launch_place(i) + ".kernel";
        if (kernels.empty()) fail("", "it has no kernels");
        if (name.empty() && kernels.size() == 1) return kernels.front();
        if (name.empty())
            fail(place, "it has " + std::to_string(kernels.size()) + " kernels; name one" + suggestion("", known));
        if (!module_->has_kernel(name)) fail(place, "there is no kernel '" + name + "'" + suggestion(name, known));
        return name;
    }

    std::uint64_t resolve(Address const& address) const {
        for (Placed const& p : arrays_)
            if (!p.array.is_symbol && p.array.name == address.buffer) return p.address + address.offset;
        fail("buffers", "there is no buffer '" + address.buffer + "'");
    }
    Resolve address_resolver() const {
        return [this](Reference const& address) { return resolve(std::get<Address>(address)); };
    }
    /// What handles refer to becomes one of those that are used.
    Resolve resolver(Pictures::Used& used) {
        return [this, &used](Reference const& reference) {
            if (auto const* const object = std::get_if<TextureObject>(&reference))
                return pictures_.handle(*object, used);
            return resolve(std::get<Address>(reference));
        };
    }

    void make_arrays() {
        for (Array const& array : plan_.arrays) {
            Placed placed{array, 0};
            turn_to("the plan as '" + array.name + "'");
            if (array.is_symbol) place_symbol(placed);
            else placed.address = device_.allocate(array.bytes());
            arrays_.push_back(std::move(placed));
        }
        for (Placed const& p : arrays_) {
            // Buffers are zeroed when they are allocated, but a variable may have an initial value.
            bool const is_kept = p.array.is_symbol && !p.array.has_init;
            if (is_kept || p.array.init.kind == Init::Kind::undefined) continue;
            if (p.array.init.kind == Init::Kind::zero && !p.array.is_symbol) {
                device_.tell_set(p.address, p.array.bytes());
                continue;
            }
            warn_of_zeros(p.array);
            std::vector<std::byte> const bytes =
                make_bytes(p.array.init, p.array.type, p.array.count, resolver(used_by_all_));
            if (p.array.is_symbol) module_->write_symbol(p.array.name, 0, bytes.data(), bytes.size());
            else device_.write(p.address, bytes.data(), bytes.size());
        }
    }

    // The default bounds are meant for reals; the only integer between them is 0.
    void warn_of_zeros(Array const& array) const {
        Init const& init = array.init;
        if (init.kind == Init::Kind::uniform && !isa::is_float(array.type) && init.low.as_double() == 0 &&
            init.high.as_double() == 1)
            log::warning(plan_.path + ": " + array.name +
                         ": uniform integers from 0 up to but without 1 are all 0; " + "give a larger high");
    }

    void place_symbol(Placed& placed) const {
        Array& array = placed.array;
        std::string const place = "symbols." + array.name;
        runtime::Module::Symbol symbol;
        try {
            symbol = module_->symbol(array.name);
        } catch (Error const& e) {
            fail(place, e.what());
        }
        std::size_t const size = size_of(array.type);
        if (array.count == 0 && symbol.size % size == 0) {
            array.count = symbol.size / size;
            if (std::string const wrong = check(array.init, array.type, array.count); !wrong.empty())
                fail(place, wrong);
        }
        if (array.bytes() != symbol.size)
            fail(place, "wrong count: the variable has " + std::to_string(symbol.size) + " bytes, but " +
                            std::to_string(array.count) + " elements of " + std::string(isa::name(array.type)) +
                            " have " + std::to_string(array.bytes()));
        placed.address = symbol.address;
    }

    /// What the plan does not say of a sampler, the variable's declaration may.
    TextureObject as_declared(ObjectSymbol const& symbol) const {
        TextureObject object = symbol.object;
        auto const complete = [&](sim::texture::Sampler& s, SamplerKeys const& keys) {
            sim::texture::Sampler declared = s;
            module_->apply_settings(symbol.name, declared);
            if (!keys.has_filter) s.filter = declared.filter;
            if (!keys.has_address) s.address = declared.address;
            if (!keys.has_normalized) s.is_normalized = declared.is_normalized;
        };
        if (auto* const t = std::get_if<TextureArgument>(&object)) complete(t->sampler, t->keys);
        if (auto* const s = std::get_if<SamplerArgument>(&object)) complete(s->sampler, s->keys);
        return object;
    }

    void bind_symbols() {
        for (ObjectSymbol const& symbol : plan_.objects) {
            std::string const place = "symbols." + symbol.name;
            sim::texture::Handle const handle = pictures_.handle(as_declared(symbol), used_by_all_);
            try {
                if (module_->symbol(symbol.name).size != sizeof handle)
                    fail(place, "a texture, surface or sampler has 8 bytes");
                module_->write_symbol(symbol.name, 0, &handle, sizeof handle);
            } catch (Error const& e) {
                if (e.kind() == ErrorKind::plan) throw;
                fail(place, e.what());
            }
        }
    }

    void bind_arguments(std::size_t i) {
        Pictures::Used used = used_by_all_;
        arguments_.push_back(make_arguments(plan_.launches[i].arguments, kernels_[i],
                                            module_->parameters(kernels_[i]), plan_.path + ": " + launch_place(i),
                                            plan_.one_line, resolver(used)));
        used_.push_back(std::move(used));
    }

    void turn_to(std::string const& what) const {
        if (options_.turns_to) options_.turns_to(what);
    }

    std::vector<std::byte> contents(Placed const& p) const {
        std::vector<std::byte> bytes(p.array.bytes());
        if (p.array.is_symbol) module_->read_symbol(p.array.name, 0, bytes.data(), bytes.size());
        else device_.read(bytes.data(), p.address, bytes.size());
        return bytes;
    }

    Placed const& placed(std::string const& name) const {
        for (Placed const& p : arrays_)
            if (p.array.name == name) return p;
        fail("buffers", "there is no buffer '" + name + "'");
    }

    void save(Save const& wanted) const {
        namespace fs = std::filesystem;
        Placed const& p = placed(wanted.name);
        turn_to("the plan, which saves '" + wanted.name + "'");
        fs::path const path = fs::path(options_.out.empty() ? plan_.folder : options_.out) / wanted.file;
        std::error_code ignored;  // opening the file will report the error
        if (path.has_parent_path()) fs::create_directories(path.parent_path(), ignored);
        std::vector<std::byte> const bytes = contents(p);
        if (wanted.width != 0) {
            save_picture(p, path.string(), wanted, bytes);
            return;
        }
        std::ofstream file(path, std::ios::binary | std::ios::trunc);
        if (path.extension() == ".npy") {
            std::string const header = npy_header_bytes(p.array.type, p.array.count);
            file.write(header.data(), static_cast<std::streamsize>(header.size()));
        }
        file.write(reinterpret_cast<char const*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
        file.close();
        if (!file) fail("save." + wanted.name, "cannot write '" + path.string() + "': " + std::strerror(errno));
    }

    void save_picture(Placed const& p, std::string const& path, Save const& wanted,
                      std::vector<std::byte> const& bytes) const {
        std::uint64_t const texels = std::uint64_t{wanted.width} * wanted.height;
        PngSize const size{wanted.width, wanted.height, static_cast<std::uint32_t>(p.array.count / texels)};
        if (size.channels == 0 || size.channels > 4 || size.bytes() != p.array.count)
            fail("save." + wanted.name, "its elements are not 1 to 4 channels of so many texels");
        write_png(path, size, p.array.type == Type::u8 ? bytes : bytes_of_fractions(bytes));
    }

    void compare_all() const {
        std::string failures;
        for (Expectation const& e : plan_.expectations) {
            Placed const& p = placed(e.name);
            std::string const place = "expect." + e.name;
            turn_to("the plan, which compares '" + e.name + "'");
            if (std::string const wrong = check(e.want, p.array.type, p.array.count); !wrong.empty())
                fail(place, wrong);
            std::vector<std::byte> const got = contents(p);
            std::vector<std::byte> const want =
                make_bytes(e.want, p.array.type, p.array.count, address_resolver());
            Tolerance const tolerance{e.absolute, e.relative};
            Comparison const c = compare(p.array.type, got, want, tolerance);
            std::string failure;
            if (c.differing != 0)
                failure = plan_.path + ": " + place + ": " + report(e.name, p.array.type, got, want, tolerance, c);
            if (options_.judged) options_.judged(e, failure);
            if (!failure.empty()) failures += (failures.empty() ? "" : "\n") + failure;
        }
        if (plan_.memory) {
            std::string const failure = compare_memory(*plan_.memory, device_, plan_.path);
            if (!failure.empty()) failures += (failures.empty() ? "" : "\n") + failure;
        }
        if (!failures.empty()) throw Error(ErrorKind::comparison, failures);
    }

    LaunchPlan const& plan_;
    RunOptions const& options_;
    runtime::Device device_;
    std::shared_ptr<runtime::Module> module_;
    std::vector<std::string> kernels_;  // one per launch
    std::vector<Placed> arrays_;
    std::vector<runtime::Arguments> arguments_;  // one per launch
    Pictures pictures_{device_, address_resolver()};
    Pictures::Used used_by_all_;        // by way of symbols and buffers
    std::vector<Pictures::Used> used_;  // one per launch
};

}  // namespace

std::vector<runtime::LaunchResult> run_plan(LaunchPlan const& plan, sim::Config const& config,
                                            RunOptions const& options) {
    return Run(plan, config, options).run();
}

}  // namespace warpsim::plan

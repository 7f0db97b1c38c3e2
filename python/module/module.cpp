// warpsim._core: the simulator as the package's Python code sees it. What is decided is decided on either side of it.
#include "bytes.hpp"
#include "errors.hpp"
#include "interruptible.hpp"
#include "parts.hpp"
#include "runtime/embed/device.hpp"
#include "runtime/embed/modules.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>
#include <utility>

namespace nb = nanobind;
using namespace nb::literals;

namespace warpsim::python {

namespace {

using Dimensions = std::array<std::uint32_t, 3>;

void add_launches(nb::module_& m) {
    nb::class_<LaunchHandle>(m, "Launch", "What a launch did.")
        .def_prop_ro(
            "statistics", [](LaunchHandle const& l) { return embed::statistics_of(*l.launch); },
            "Its counts, as JSON.")
        .def_prop_ro(
            "children", [](LaunchHandle const& l) { return embed::children_of(*l.launch); },
            "The counts of the grids that its kernels launched, as a JSON array.")
        .def_prop_ro(
            "lines", [](LaunchHandle const& l) { return embed::lines_of(*l.launch); },
            "What its lines did, as JSON.")
        .def_prop_ro(
            "has_lines", [](LaunchHandle const& l) { return l.launch->texts != nullptr; },
            "Whether anybody counted by line.")
        .def_prop_ro(
            "findings", [](LaunchHandle const& l) { return embed::json_of(l.launch->findings); },
            "A check report, as JSON.")
        .def_prop_ro(
            "fault", [](LaunchHandle const& l) { return l.launch->fault; },
            "What has ended it, as JSON; empty: it came to its end.")
        .def_prop_ro(
            "begin_ps", [](LaunchHandle const& l) { return l.launch->begin; },
            "When it began, in picoseconds of simulated time.")
        .def_prop_ro(
            "end_ps", [](LaunchHandle const& l) { return l.launch->end; },
            "When it ended, in picoseconds of simulated time.")
        .def(
            "table", [](LaunchHandle const& l) { return embed::table_of(*l.launch); }, "Its counts, for people.");
    m.def(
        "page",
        [](std::vector<LaunchHandle> const& launches, std::string const& title) {
            std::vector<std::shared_ptr<embed::Launch const>> all;
            for (LaunchHandle const& one : launches) all.push_back(one.launch);
            nb::gil_scoped_release const released;
            return embed::page_of(all, title);
        },
        "launches"_a, "title"_a, "A page of HTML about launches of one device.");
}

void add_modules(nb::module_& m) {
    nb::class_<runtime::Module>(m, "Module", "PTX that is on a device.")
        .def("kernels", &runtime::Module::kernels, "The names of its kernels, as PTX has them.")
        .def("kernel", &embed::kernel_named, "name"_a, "The kernel that is called so in PTX or in its source.")
        .def(
            "demangled", [](runtime::Module const&, std::string const& name) { return embed::demangled(name); },
            "name"_a, "A kernel's name, as its source has it.")
        .def(
            "parameters",
            [](runtime::Module const& module, std::string const& kernel) {
                std::vector<std::tuple<std::string, std::string, std::uint64_t, std::uint64_t, std::uint64_t>> all;
                for (runtime::Module::Parameter const& p : module.parameters(kernel))
                    all.emplace_back(p.name, p.type, p.offset, p.size, p.address_bytes);
                return all;
            },
            "kernel"_a, "Of each parameter its name, type, offset, size and the size of an address, in bytes.")
        .def(
            "symbol",
            [](runtime::Module const& module, std::string const& name) {
                runtime::Module::Symbol const s = module.symbol(name);
                return std::tuple(s.address, s.size, s.is_constant, s.type);
            },
            "name"_a, "The address of a variable, its size in bytes, whether it is constant, and its type.")
        .def(
            "write_symbol",
            [](runtime::Module& module, std::string const& name, std::uint64_t offset, nb::handle from) {
                Bytes const bytes(from, false);
                module.write_symbol(name, offset, bytes.data(), bytes.size());
            },
            "name"_a, "offset"_a, "data"_a)
        .def(
            "read_symbol",
            [](runtime::Module const& module, std::string const& name, std::uint64_t offset, nb::handle to) {
                Bytes const bytes(to, true);
                module.read_symbol(name, offset, bytes.data(), bytes.size());
            },
            "name"_a, "offset"_a, "data"_a);
}

void add_memory(nb::class_<embed::Device>& device) {
    device
        .def(
            "allocate", [](embed::Device& d, std::uint64_t bytes) { return d.device().allocate(bytes); },
            "bytes"_a, "Zeroed memory; its address.")
        .def(
            "free", [](embed::Device& d, std::uint64_t address) { d.free(address); }, "address"_a)
        .def(
            "write",
            [](embed::Device& d, std::uint64_t to, nb::handle from) {
                Bytes const bytes(from, false);
                nb::gil_scoped_release const released;
                d.write(to, bytes.data(), bytes.size());
            },
            "address"_a, "data"_a)
        .def(
            "read",
            [](embed::Device& d, std::uint64_t from, nb::handle to) {
                Bytes const bytes(to, true);
                nb::gil_scoped_release const released;
                d.read(bytes.data(), from, bytes.size());
            },
            "address"_a, "data"_a)
        .def("copy", &embed::Device::copy, "to"_a, "from_"_a, "bytes"_a, nb::call_guard<nb::gil_scoped_release>(),
             "Inside of the device's memory.")
        .def(
            "is_allocated",
            [](embed::Device& d, std::uint64_t address, std::uint64_t bytes) {
                return d.device().is_allocated(address, bytes);
            },
            "address"_a, "bytes"_a, "Whether all of it lies in one allocation.")
        .def("used_bytes", [](embed::Device& d) { return d.device().used_bytes(); })
        .def("capacity_bytes", [](embed::Device& d) { return d.device().capacity_bytes(); })
        .def(
            "dlpack",
            [](embed::Device& d, std::uint64_t address, std::vector<std::size_t> const& shape,
               std::vector<std::int64_t> const& strides, std::pair<int, int> type, nb::object owner) {
                (void)d;
                nb::dlpack::dtype dtype;
                dtype.code = static_cast<std::uint8_t>(type.first);
                dtype.bits = static_cast<std::uint8_t>(type.second);
                dtype.lanes = 1;
                // Device memory is memory of this process, at the same address.
                // NOLINTNEXTLINE(performance-no-int-to-ptr)
                return nb::ndarray<>(reinterpret_cast<void*>(address), shape.size(), shape.data(), owner,
                                     strides.data(), dtype);
            },
            "address"_a, "shape"_a, "strides"_a, "dtype"_a, "owner"_a,
            nb::sig("def dlpack(self, address: int, shape: Sequence[int], strides: Sequence[int], dtype: "
                    "tuple[int, int], "
                    "owner: object) -> object"),
            "A capsule of DLPack, whose memory is the device's own. Strides count elements.");
}

void add_devices(nb::module_& m) {
    nb::class_<embed::Options>(m, "Options", "How a device is made.")
        .def(nb::init<>())
        .def_rw("config", &embed::Options::config)
        .def_rw("overrides", &embed::Options::overrides)
        .def_rw("mode", &embed::Options::mode)
        .def_rw("engine", &embed::Options::engine)
        .def_rw("threads", &embed::Options::threads)
        .def_rw("max_instructions", &embed::Options::max_instructions)
        .def_rw("interval_cycles", &embed::Options::interval_cycles)
        .def_rw("lines", &embed::Options::lines)
        .def_rw("steps", &embed::Options::steps)
        .def_rw("check", &embed::Options::check)
        .def_rw("suppressions", &embed::Options::suppressions);
    nb::class_<embed::Queue::Order>(m, "Order", "A kernel with its arguments and the shape of its launch.")
        .def(
            "__init__",
            [](embed::Queue::Order* order, std::shared_ptr<runtime::Module> module, std::string const& kernel,
               Dimensions grid, Dimensions block, std::uint32_t shared, Dimensions cluster, bool cooperative,
               nb::bytes const& arguments) {
                runtime::LaunchShape shape;
                shape.grid = grid;
                shape.block = block;
                shape.dynamic_shared = shared;
                shape.cluster = cluster;
                shape.cooperative = cooperative;
                new (order) embed::Queue::Order{std::move(module), kernel, shape, {}};
                if (arguments.size() != 0) order->arguments.add_bytes(arguments.data(), arguments.size(), 1);
            },
            "module"_a, "kernel"_a, "grid"_a, "block"_a, "dynamic_shared"_a, "cluster"_a, "cooperative"_a,
            "arguments"_a);
    nb::class_<embed::Device> device(m, "Device", "A simulated GPU.", nb::is_weak_referenceable());
    device.def(nb::init<embed::Options const&>(), "options"_a, nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro(
            "name", [](embed::Device const& d) { return d.about().session.config; }, "The configuration's name.")
        .def_prop_ro(
            "config", [](embed::Device const& d) { return d.config(); },
            "Its configuration with all overrides, as JSON.")
        .def(
            "load_files",
            [](embed::Device& d, std::vector<std::string> const& paths, std::uint32_t max_registers) {
                return d.device().load_files(paths, {max_registers});
            },
            "paths"_a, "max_registers"_a = 0, nb::call_guard<nb::gil_scoped_release>())
        .def(
            "load_texts",
            [](embed::Device& d, std::vector<std::pair<std::string, std::string>> const& texts,
               std::map<std::string, std::string> const& sources, std::uint32_t max_registers) {
                std::vector<runtime::PtxText> all;
                for (auto const& [name, text] : texts) all.push_back({name, text});
                return d.load(all, sources, {max_registers});
            },
            "texts"_a, "sources"_a, "max_registers"_a = 0, nb::call_guard<nb::gil_scoped_release>())
        .def("attributes", &embed::attributes_of, "module"_a, "kernel"_a, nb::call_guard<nb::gil_scoped_release>(),
             "What a kernel needs, as JSON.")
        .def(
            "ctas_per_sm",
            [](embed::Device& d, runtime::Module& module, std::string const& kernel, Dimensions block,
               std::uint32_t shared) {
                runtime::LaunchShape shape;
                shape.block = block;
                shape.dynamic_shared = shared;
                return d.device().ctas_per_sm(module, kernel, shape);
            },
            "module"_a, "kernel"_a, "block"_a, "dynamic_shared"_a)
        .def(
            "launch",
            [](embed::Device& d, embed::Queue::Order const& order) {
                return LaunchHandle{interruptible(
                    d, [&] { return d.launch(order.module, order.kernel, order.shape, order.arguments); })};
            },
            "order"_a, "Runs a kernel to its end.")
        .def("interrupt", &embed::Device::interrupt, "Ends the launch that is under way.")
        .def("take_output", &embed::Device::take_output, "What kernels have printed since the last call.")
        .def(
            "take_findings", [](embed::Device& d) { return embed::json_of(d.take_findings()); },
            "What was found since the last call by reads of the host: a check report, as JSON.")
        .def_prop_ro("is_checked", &embed::Device::is_checked);
    add_memory(device);
    add_streams(m, device);
    add_images(m);
}

}  // namespace

}  // namespace warpsim::python

NB_MODULE(_core, m) {
    m.doc() = "The simulator, for the Python code of the package warpsim.";
    warpsim::python::translate_errors();
    warpsim::python::add_launches(m);
    warpsim::python::add_modules(m);
    warpsim::python::add_devices(m);
    m.def("configs", &warpsim::embed::configs, "Names and descriptions of the GPUs that there are.");
    m.def("config", &warpsim::embed::config_of, nanobind::arg("config"), nanobind::arg("overrides"),
          "A configuration, as JSON.");
}

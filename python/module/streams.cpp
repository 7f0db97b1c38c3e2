// Streams, and images with their textures and surfaces.
#include "bytes.hpp"
#include "interruptible.hpp"
#include "parts.hpp"
#include "runtime/embed/image.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>

namespace nb = nanobind;
using namespace nb::literals;

namespace warpsim::python {

void add_streams(nb::module_& m, nb::class_<embed::Device>& device) {
    nb::class_<embed::Work>(m, "Work", "What a stream was given: a launch, a copy, or a point in it.")
        .def_prop_ro("is_over", &embed::Work::is_over, "Whether it has ended, in whatever way.")
        .def_prop_ro("begin_ps", &embed::Work::begin, "When it began, in picoseconds of simulated time.")
        .def_prop_ro("end_ps", &embed::Work::end, "When it ended, in picoseconds of simulated time.")
        .def(
            "launch",
            [](embed::Work const& work) -> nb::object {
                std::shared_ptr<embed::Launch const> const launch = work.launch();
                return launch ? nb::cast(LaunchHandle{launch}) : nb::none();
            },
            nb::sig("def launch(self) -> Launch | None"), "What it did; raises what it has ended with.");
    nb::class_<embed::Stream>(m, "Stream", "Work that goes in order.")
        .def_prop_ro("number", &embed::Stream::number);
    device.def("make_stream", &embed::Device::make_stream, "priority"_a, nb::call_guard<nb::gil_scoped_release>())
        .def(
            "submit",
            [](embed::Device& d, embed::Stream& stream, embed::Queue::Order const& order) {
                return interruptible(d, [&] { return d.submit(stream, order); });
            },
            "stream"_a, "order"_a, "Launches a kernel in a stream.")
        .def(
            "submit_write",
            [](embed::Device& d, embed::Stream& stream, std::uint64_t to, nb::handle from) {
                Bytes const bytes(from, false);
                nb::gil_scoped_release const released;
                return d.submit_write(stream, to, bytes.data(), bytes.size());
            },
            "stream"_a, "address"_a, "data"_a)
        .def(
            "submit_read",
            [](embed::Device& d, embed::Stream& stream, std::uint64_t from, nb::handle to) {
                // The caller keeps it until the copy is over.
                Bytes const bytes(to, true);
                nb::gil_scoped_release const released;
                return d.submit_read(stream, bytes.data(), from, bytes.size());
            },
            "stream"_a, "address"_a, "data"_a)
        .def("submit_copy", &embed::Device::submit_copy, "stream"_a, "to"_a, "from_"_a, "bytes"_a,
             nb::call_guard<nb::gil_scoped_release>())
        .def("record", &embed::Device::record, "stream"_a, nb::call_guard<nb::gil_scoped_release>(),
             "The point that a stream has come to.")
        .def("wait", &embed::Device::wait, "stream"_a, "point"_a, nb::call_guard<nb::gil_scoped_release>(),
             "What the stream is given from now on begins when that is over.")
        .def(
            "finish", [](embed::Device& d, embed::Work const& work) { interruptible(d, [&] { d.finish(work); }); },
            "work"_a, "Goes on until it is over.")
        .def(
            "finish_all", [](embed::Device& d) { interruptible(d, [&] { d.finish_all(); }); },
            "Goes on until no stream has work any more.")
        .def_prop_ro("is_idle", &embed::Device::is_idle, "Whether no stream has work.");
}

void add_images(nb::module_& m) {
    nb::class_<embed::Image>(m, "Image", "Texels in the memory of a device.")
        .def(
            "__init__",
            [](embed::Image* image, std::shared_ptr<embed::Device> device, std::string const& format,
               std::vector<std::uint32_t> const& size, std::uint32_t layers) {
                embed::ImageShape shape{format, 1, 1, 1, static_cast<std::uint32_t>(size.size()), layers};
                if (!size.empty()) shape.width = size[0];
                if (size.size() > 1) shape.height = size[1];
                if (size.size() > 2) shape.depth = size[2];
                new (image) embed::Image(std::move(device), shape);
            },
            "device"_a, "format"_a, "size"_a, "layers"_a, "`size`: texels in x, y and z.")
        .def_prop_ro("bytes", &embed::Image::bytes)
        .def(
            "write",
            [](embed::Image& image, nb::handle from) {
                Bytes const bytes(from, false);
                nb::gil_scoped_release const released;
                image.write(bytes.data(), bytes.size());
            },
            "data"_a)
        .def(
            "read",
            [](embed::Image const& image, nb::handle to) {
                Bytes const bytes(to, true);
                nb::gil_scoped_release const released;
                image.read(bytes.data(), bytes.size());
            },
            "data"_a)
        .def(
            "texture",
            [](embed::Image& image, std::string const& filter, std::vector<std::string> const& address,
               bool is_normalized, bool reads_fractions, std::vector<float> const& border) {
                return image.texture({filter, address, is_normalized, reads_fractions, border});
            },
            "filter"_a, "address"_a, "is_normalized"_a, "reads_fractions"_a, "border"_a)
        .def("surface", &embed::Image::surface);
}

}  // namespace warpsim::python

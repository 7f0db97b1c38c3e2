// Tensor copies in kernels, against the walk of their boxes (tests/tensor holds that to the manual's formulas): in both modes,
// under both models of control flow, at once and late.
#include "sim/tensor/box_walk.hpp"
#include "sim/tensor/elements.hpp"
#include "sim/tensor/swizzle.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

#include <cstring>
#include <random>

namespace tensor_copy_test {

using namespace warpsim;
using namespace warpsim::test;
namespace tensor = sim::tensor;
using tensor::Element;
using tensor::Mode;
using tensor::TensorMap;

namespace {

using Memory = std::vector<std::byte>;

struct Way {
    std::string control_flow = "independent";
    bool late = false;
    bool timed = false;
};
std::vector<Way> const ways{
    {"independent", false, false}, {"stack", true, false}, {"independent", false, true}, {"stack", false, true}};

/// A device with a tensor in its memory.
struct Machine {
    Machine(std::string const& text, Way const& way, std::size_t bytes, std::string const& gpu = "h100")
        : device(sim::load_config(gpu, overrides(way)), options(way)), module(device.load_text("test.ptx", text)) {
        std::mt19937 random(7);
        contents.resize(bytes);
        for (std::byte& b : contents) b = static_cast<std::byte>(random());
        memory = device.upload(contents);
    }
    static std::vector<std::string> overrides(Way const& way) {
        return {"sm.control_flow=" + way.control_flow,
                std::string("functional.late_async=") + (way.late ? "true" : "false")};
    }
    static runtime::DeviceOptions options(Way const& way) {
        runtime::DeviceOptions options;
        options.threads = 1;
        options.mode = way.timed ? runtime::Mode::timing : runtime::Mode::functional;
        return options;
    }
    /// k(map, out, in)
    void launch(tensor::MapBytes const& map, runtime::DevicePointer out, runtime::DevicePointer in,
                std::uint32_t cluster = 0) {
        runtime::Arguments arguments;
        arguments.add_bytes(map.data(), map.size(), 128);
        arguments.add(out);
        arguments.add(in);
        runtime::LaunchShape shape;
        shape.block = {32, 1, 1};
        if (cluster != 0) shape.cluster = shape.grid = {cluster, 1, 1};
        device.launch(*module, "k", shape, arguments);
    }

    runtime::Device device;
    std::shared_ptr<runtime::Module> module;
    Memory contents;
    runtime::DevicePointer memory = 0;
};

/// k(map, out, in) for 32 threads. %r0: the thread in its CTA, %p1: not the first of them; %rank of the CTA; %map: the
/// generic address of the parameter.
std::string text(std::string const& body, std::string const& target = "sm_90") {
    return ".version 8.7\n.target " + target + R"(
.address_size 64
.shared .align 8 .b64 bar; .shared .align 1024 .b8 cells[16384];
.visible .entry k(.param .align 128 .b8 p_map[128], .param .u64 p_out, .param .u64 p_in) {
.reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<16>, %rank; .reg .b64 %d<16>, %map, %out, %in;
mov.b64 %d0, p_map; cvta.param.u64 %map, %d0; ld.param.u64 %out, [p_out]; ld.param.u64 %in, [p_in];
mov.u32 %r0, %tid.x; setp.ne.u32 %p1, %r0, 0; mov.u32 %r1, cells; mov.u32 %rank, %cluster_ctarank;
@!%p1 mbarrier.init.shared.b64 [bar], 1; fence.mbarrier_init.release.cluster; bar.sync 0;
)" + body + "\nret;\n}\n";
}

std::string const wait = "WAIT: mbarrier.try_wait.parity.shared.b64 %p0, [bar], 0; @!%p0 bra WAIT;\n";
std::string expect(std::uint64_t bytes) {
    return "@!%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], " + std::to_string(bytes) + ";\n";
}
/// Copies words of `cells` to out + rank * bytes.
std::string show(std::uint64_t bytes) {
    return "mul.wide.u32 %d1, %rank, " + std::to_string(bytes) +
           R"(; add.u64 %d1, %d1, %out; mul.lo.u32 %r2, %r0, 4;
NEXT: setp.ge.u32 %p2, %r2, )" +
           std::to_string(bytes) + R"(; @%p2 bra DONE; add.u32 %r3, %r1, %r2; ld.shared.u32 %r4, [%r3];
cvt.u64.u32 %d2, %r2; add.u64 %d2, %d2, %d1; st.global.u32 [%d2], %r4; add.u32 %r2, %r2, 128; bra NEXT; DONE:
)";
}
/// Fills `cells` from `in`.
std::string fill(std::uint64_t bytes) {
    return R"(mul.lo.u32 %r2, %r0, 4;
FILL: setp.ge.u32 %p2, %r2, )" +
           std::to_string(bytes) + R"(; @%p2 bra FILLED; add.u32 %r3, %r1, %r2; cvt.u64.u32 %d2, %r2;
add.u64 %d2, %d2, %in; ld.global.u32 %r4, [%d2]; st.shared.u32 [%r3], %r4; add.u32 %r2, %r2, 128; bra FILL; FILLED:
fence.proxy.async; bar.sync 0;
)";
}
std::string braced(std::vector<std::int64_t> const& numbers, std::string const& registers, std::string const& type,
                   std::string& setup) {
    std::string list;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        std::string const name = registers + std::to_string(5 + i);
        setup += "mov." + type + " " + name + ", " + std::to_string(numbers[i]) + ";\n";
        list += (i == 0 ? "{" : ", ") + name;
    }
    return list + "}";
}

struct Copy {
    TensorMap map;  // its address counts from the beginning of the memory
    tensor::Request request;
    std::string mode;  // ".tile"
    std::string target = "sm_90", gpu = "h100";

    std::size_t coordinates() const { return request.is_gather ? 5 : map.rank; }
    std::size_t offsets() const {
        return request.is_store || request.mode == Mode::tile ? 0
               : request.mode == Mode::im2col                 ? map.rank - 2
                                                              : 2;
    }
    std::string operands(std::string& setup, std::string const& at = "%map") const {
        return "[" + at + ", " +
               braced({request.at.begin(), request.at.begin() + static_cast<std::ptrdiff_t>(coordinates())}, "%r",
                      "s32", setup) +
               "]";
    }
    std::string offset_list(std::string& setup) const {
        if (offsets() == 0) return {};
        return ", " +
               braced({request.offsets.begin(), request.offsets.begin() + static_cast<std::ptrdiff_t>(offsets())},
                      "%h", "u16", setup);
    }
    std::string dimensions() const { return "." + std::to_string(map.rank) + "d"; }
    std::uint64_t bytes() const { return size_of(map, request).shared_bytes(); }
    /// What the mbarrier counts: 4 or 6 bits of each narrow element, of which shared memory has 8.
    std::uint64_t counted() const { return size_of(map, request).global_bytes(); }
    TensorMap at(runtime::DevicePointer memory) const {
        TensorMap placed = map;
        placed.address += memory;
        return placed;
    }
};

/// What shared memory holds after a load, with zeros between.
Memory want_loaded(Copy const& copy, Memory const& contents) {
    tensor::BoxSize const size = size_of(copy.map, copy.request);
    Memory box(size.global_bytes()), data(size.shared_bytes()), shared((data.size() + 127) / 128 * 128);
    fill(copy.map, box.data(), box.size());
    for (tensor::Run const& run : walk(copy.map, copy.request))
        std::memcpy(box.data() + run.offset, contents.data() + run.address, run.bytes);
    expand(copy.map, box.data(), box.size(), data.data());
    for (std::size_t i = 0; i < data.size(); ++i) shared[tensor::swizzled(copy.map, i)] = data[i];
    return shared;
}

void check_load(Copy const& copy) {
    std::string setup;
    std::string const from = copy.operands(setup), offsets = copy.offset_list(setup);
    std::string const instruction = "@!%p1 cp.async.bulk.tensor" + copy.dimensions() + ".shared::cluster.global" +
                                    copy.mode + ".mbarrier::complete_tx::bytes [cells], " + from + ", [bar]" +
                                    offsets + ";\n";
    std::uint64_t const bytes = (copy.bytes() + 127) / 128 * 128;
    for (Way const& way : ways) {
        if (way.timed && copy.gpu != "h100") continue;  // only that configuration has all that timing needs
        INFO(instruction << way.control_flow << (way.late ? " late" : "") << (way.timed ? " timed" : ""));
        Machine machine(text(setup + expect(copy.counted()) + instruction + wait + show(bytes), copy.target), way,
                        1 << 16, copy.gpu);
        runtime::DevicePointer const out = machine.device.allocate(bytes);
        machine.launch(encode(copy.at(machine.memory)), out, 0);
        CHECK(machine.device.download<std::byte>(out, bytes) == want_loaded(copy, machine.contents));
    }
}

void check_store(Copy const& copy, std::string const& operation = {},
                 std::function<std::uint32_t(std::uint32_t, std::uint32_t)> const& combine = {}) {
    std::string setup;
    std::string const to = copy.operands(setup);
    std::string const instruction = std::string("@!%p1 cp") + (combine ? ".reduce" : "") + ".async.bulk.tensor" +
                                    copy.dimensions() + ".global.shared::cta" + operation + copy.mode +
                                    ".bulk_group " + to + ", [cells];\n";
    std::uint64_t const bytes = (copy.bytes() + 127) / 128 * 128;
    for (Way const& way : ways) {
        if (way.timed && copy.gpu != "h100") continue;  // only that configuration has all that timing needs
        INFO(instruction << way.control_flow << (way.late ? " late" : "") << (way.timed ? " timed" : ""));
        Machine machine(
            text(setup + fill(bytes) + instruction +
                     "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; cp.async.bulk.wait_group 0;",
                 copy.target),
            way, 1 << 16, copy.gpu);
        Memory const cells(machine.contents.begin() + 100,
                           machine.contents.begin() + 100 + static_cast<std::ptrdiff_t>(bytes));
        runtime::DevicePointer const in = machine.device.upload(cells);
        machine.launch(encode(copy.at(machine.memory)), 0, in);
        Memory want = machine.contents;
        tensor::BoxSize const size = size_of(copy.map, copy.request);
        Memory data(size.shared_bytes()), box(size.global_bytes());
        for (std::size_t i = 0; i < data.size(); ++i) data[i] = cells[tensor::swizzled(copy.map, i)];
        pack(copy.map, data.data(), box.size(), box.data());
        for (tensor::Run const& run : walk(copy.map, copy.request)) {
            for (std::size_t i = 0; i < run.bytes; i += combine ? 4u : 1u) {
                if (!combine) {
                    want[run.address + i] = box[run.offset + i];
                    continue;
                }
                std::uint32_t there, here;
                std::memcpy(&there, want.data() + run.address + i, 4);
                std::memcpy(&here, box.data() + run.offset + i, 4);
                there = combine(there, here);
                std::memcpy(want.data() + run.address + i, &there, 4);
            }
        }
        CHECK(machine.device.download<std::byte>(machine.memory, want.size()) == want);
    }
}

Copy tile(Element element, std::vector<std::uint64_t> const& dims, std::vector<std::uint64_t> const& strides,
          std::vector<std::uint32_t> const& box, std::vector<std::int32_t> const& at) {
    Copy copy;
    copy.map.element = element;
    copy.map.address = 512;
    copy.map.rank = copy.request.rank = static_cast<std::uint32_t>(dims.size());
    std::copy(dims.begin(), dims.end(), copy.map.dims.begin());
    std::copy(strides.begin(), strides.end(), copy.map.strides.begin());
    std::copy(box.begin(), box.end(), copy.map.box.begin());
    std::copy(at.begin(), at.end(), copy.request.at.begin());
    copy.mode = ".tile";
    return copy;
}
Copy plane() { return tile(Element::u32, {40, 30}, {176}, {16, 10}, {-3, 25}); }

Copy columns() {
    Copy copy = tile(Element::f16, {16, 9, 7, 3}, {32, 288, 2016}, {}, {0, -1, 2, 1});
    copy.map.mode = copy.request.mode = Mode::im2col;
    copy.map.channels = 16;
    copy.map.pixels = 50;
    copy.map.lower = {-1, -1, 0};
    copy.map.upper = {-1, -1, 0};
    copy.request.offsets = {1, 2, 0};
    copy.mode = ".im2col";
    return copy;
}

/// The report of a launch that has to fail.
std::string fault(std::string const& body, tensor::MapBytes const& map, Way const& way = {}) {
    Machine machine(text(body), way, 4096);
    try {
        machine.launch(map, machine.memory, machine.memory);
    } catch (Error const& error) {
        return error.what();
    }
    return {};
}
std::string fault_of(Copy const& copy, std::string const& rank = {}) {
    std::string setup;
    std::string const from = copy.operands(setup);
    return fault(setup + "@!%p1 cp.async.bulk.tensor" + (rank.empty() ? copy.dimensions() : rank) +
                     ".shared::cluster.global.tile.mbarrier::complete_tx::bytes [cells], " + from + ", [bar];",
                 encode(copy.map));
}

}  // namespace

TEST_CASE("Tiles of 1 to 5 dimensions are loaded, and filled outside of the tensor", "[exec][engine]") {
    check_load(tile(Element::u8, {200}, {}, {64}, {150}));
    check_load(plane());
    check_load(tile(Element::u64, {10, 5, 6}, {80, 400}, {4, 3, 3}, {-1, 3, 4}));
    check_load(tile(Element::f64, {10, 5, 6, 3}, {80, 400, 2400}, {4, 2, 3, 2}, {0, -1, 4, 2}));
    Copy five = tile(Element::f16, {16, 4, 3, 4, 2}, {32, 128, 384, 1536}, {8, 4, 2, 4, 2}, {8, 1, 1, -1, 0});
    five.map.element_strides = {1, 2, 1, 3, 1};
    five.map.fill = tensor::Fill::nan;
    check_load(five);
    check_load(tile(Element::u32, {8, 8}, {32}, {8, 8}, {100, 100}));  // nothing of it is inside
}

TEST_CASE("Tiles are swizzled, interleaved and padded", "[exec][engine]") {
    for (std::uint32_t s = 1; s < static_cast<std::uint32_t>(tensor::Swizzle::count); ++s) {
        Copy copy = tile(Element::f16, {100, 40}, {208}, {16, 20}, {7, 30});
        copy.map.swizzle = static_cast<tensor::Swizzle>(s);
        copy.map.box[0] = tensor::span_bytes(copy.map.swizzle) / 2;
        check_load(copy);
    }
    for (std::uint32_t a = 1; a < static_cast<std::uint32_t>(tensor::Atomicity::count); ++a) {
        Copy copy = tile(Element::f32, {100, 40}, {400}, {32, 20}, {7, 30});
        copy.map.swizzle = tensor::Swizzle::bytes_128;
        copy.map.atomicity = static_cast<tensor::Atomicity>(a);
        check_load(copy);
    }
    Copy sliced = tile(Element::f16, {20, 6, 4}, {16, 400}, {24, 4, 3}, {0, 3, -1});
    sliced.map.interleave = tensor::Interleave::bytes_16;
    check_load(sliced);
    Copy packed = tile(Element::b6x16_p32, {256, 10}, {192}, {128, 4}, {128, 8});
    check_load(packed);
    packed.map.element = Element::b4x16_p64;
    packed.map.strides[0] = 128;
    check_load(packed);
}

TEST_CASE("Columns of images are loaded and stored", "[exec][engine]") {
    Copy copy = columns();
    check_load(copy);
    copy.mode = ".im2col_no_offs";
    copy.request.is_store = true;
    copy.request.offsets = {};
    check_store(copy);
}

TEST_CASE("Rows are gathered and scattered, and columns loaded along W", "[exec][engine]") {
    Copy rows = tile(Element::u32, {40, 30}, {176}, {16, 1}, {5, 3, 29, 30, 0});
    rows.request.is_gather = true;
    rows.target = "sm_100a";
    rows.gpu = "b200";
    rows.mode = ".tile::gather4";
    check_load(rows);
    rows.request.is_store = true;
    rows.mode = ".tile::scatter4";
    check_store(rows);
    Copy wide = columns();
    wide.target = "sm_100a";
    wide.gpu = "b200";
    wide.map.swizzle = tensor::Swizzle::bytes_64;
    wide.map.mode = wide.request.mode = Mode::im2col_w;
    wide.mode = ".im2col::w";
    check_load(wide);
    wide.map.mode = wide.request.mode = Mode::im2col_w_128;
    wide.mode = ".im2col::w::128";
    check_load(wide);
}

TEST_CASE("Tiles are stored inside of the tensor only", "[exec][engine]") {
    Copy copy = plane();
    copy.request.is_store = true;
    check_store(copy);
    copy.map.swizzle = tensor::Swizzle::bytes_64;
    check_store(copy);
    Copy packed = tile(Element::b6x16_p32, {256, 10}, {192}, {128, 4}, {128, 8});
    packed.request.is_store = true;
    check_store(packed);
}

TEST_CASE("Tensor reductions combine elements by the type of the map", "[exec][engine]") {
    Copy copy = plane();
    copy.request.is_store = true;
    check_store(copy, ".add", [](std::uint32_t a, std::uint32_t b) { return a + b; });
    check_store(copy, ".max", [](std::uint32_t a, std::uint32_t b) { return std::max(a, b); });
    check_store(copy, ".xor", [](std::uint32_t a, std::uint32_t b) { return a ^ b; });
    check_store(copy, ".inc", [](std::uint32_t a, std::uint32_t b) { return a >= b ? 0u : a + 1; });
    check_store(copy, ".dec", [](std::uint32_t a, std::uint32_t b) { return a == 0 || a > b ? b : a - 1; });
    copy.map.element = Element::s32;
    check_store(copy, ".min", [](std::uint32_t a, std::uint32_t b) {
        return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) ? a : b;
    });
    check_store(copy, ".and", [](std::uint32_t a, std::uint32_t b) { return a & b; });
    check_store(copy, ".or", [](std::uint32_t a, std::uint32_t b) { return a | b; });
}

TEST_CASE("A multicast brings a tile to several blocks of a cluster", "[exec][engine]") {
    Copy const copy = plane();
    std::string setup;
    std::string const from = copy.operands(setup);
    std::uint64_t const bytes = copy.bytes();
    std::string const body =
        setup + expect(bytes) +
        "barrier.cluster.arrive; barrier.cluster.wait; setp.ne.u32 %p3, %rank, 1; or.pred "
        "%p3, %p3, %p1; mov.u16 %h0, 5;\n"
        "@!%p3 "
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes."
        "multicast::cluster.L2::cache_hint [cells], " +
        from + ", [bar], %h0, %in;\nand.b32 %r14, %rank, 1; setp.eq.u32 %p3, %r14, 1; @%p3 bra DONE;" + wait +
        show(bytes) + "barrier.cluster.arrive; barrier.cluster.wait;";
    for (Way const& way : ways) {
        INFO(way.control_flow << (way.late ? " late" : "") << (way.timed ? " timed" : ""));
        Machine machine(text(body), way, 1 << 16);
        runtime::DevicePointer const out = machine.device.upload(Memory(4 * bytes));
        machine.launch(encode(copy.at(machine.memory)), out, 0, 4);
        Memory const want = want_loaded(copy, machine.contents);
        Memory const got = machine.device.download<std::byte>(out, 4 * bytes);
        for (std::uint64_t rank : {0u, 2u}) CHECK(std::memcmp(got.data() + rank * bytes, want.data(), bytes) == 0);
    }
}

TEST_CASE("Copies of a pair of blocks report to the mbarrier of one of them", "[exec][engine]") {
    Copy const copy = plane();
    std::string setup;
    std::string const from = copy.operands(setup);
    std::uint64_t const bytes = copy.bytes();
    std::string const begin = setup +
                              "mapa.shared::cluster.u32 %r14, bar, 0; setp.ne.u32 %p3, %rank, 0; "
                              "or.pred %p4, %p1, %p3; @!%p4 mbarrier.arrive.expect_tx.shared.b64 _, [bar], " +
                              std::to_string(2 * bytes) + "; barrier.cluster.arrive; barrier.cluster.wait;\n";
    std::string const load = "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes";
    // Each block loads for itself, or the second for both.
    std::string const each = "@!%p1 " + load + ".cta_group::2 [cells], " + from + ", [%r14];\n";
    std::string const both = "not.pred %p5, %p3; or.pred %p5, %p5, %p1; mov.u16 %h0, 3; @!%p5 " + load +
                             ".multicast::cluster.cta_group::2 [cells], " + from + ", [%r14], %h0;\n";
    std::string const finish =
        "@%p3 bra OVER; " + wait + "OVER: barrier.cluster.arrive; barrier.cluster.wait;\n" + show(bytes);
    for (Way const& way : ways) {
        if (way.timed) continue;  // no GPU with such pairs has all that timing needs
        for (std::string const& loads : {each, both}) {
            INFO(loads << way.control_flow << (way.late ? " late" : ""));
            Machine machine(text(begin + loads + finish, "sm_100a"), way, 1 << 16, "b200");
            runtime::DevicePointer const out = machine.device.allocate(2 * bytes);
            machine.launch(encode(copy.at(machine.memory)), out, 0, 2);
            Memory const want = want_loaded(copy, machine.contents);
            Memory const got = machine.device.download<std::byte>(out, 2 * bytes);
            CHECK(Memory(got.begin(), got.begin() + static_cast<std::ptrdiff_t>(bytes)) == want);
            CHECK(Memory(got.begin() + static_cast<std::ptrdiff_t>(bytes), got.end()) == want);
        }
    }
}

TEST_CASE("A tensor map in memory can be changed field by field", "[exec][engine]") {
    Copy const copy = plane();
    // The template has another tensor, or is nothing but zeros; every field is replaced in shared memory, then it goes to
    // global memory.
    TensorMap other;
    other.rank = 4;
    other.element = Element::u8;
    other.dims = {1, 1, 1, 1, 1};
    other.box = {16, 1, 1, 1, 1};
    std::string setup;
    std::string const from = copy.operands(setup, "%out");
    std::string const in_shared = "tensormap.replace.tile.";
    std::string const rest = ".shared::cta.b1024.b32 [cells], ";
    std::string const replace =
        fill(128) + setup + "@%p1 bra REPLACED; ld.global.u64 %d3, [%in+128];" + in_shared +
        "global_address.shared::cta.b1024.b64 [cells], %d3;" + in_shared + "rank" + rest + "1;" + in_shared +
        "box_dim" + rest + "0, 16;" + in_shared + "box_dim" + rest + "1, 10;" + in_shared + "global_dim" + rest +
        "0, 40;" + in_shared + "global_dim" + rest + "1, 30;" + "mov.u64 %d4, 176;" + in_shared +
        "global_stride.shared::cta.b1024.b64 [cells], 0, %d4;" + in_shared + "element_stride" + rest + "0, 1;" +
        in_shared + "element_stride" + rest + "1, 1;" + in_shared + "elemtype" + rest + "2;" + in_shared +
        "interleave_layout" + rest + "0;" + in_shared + "swizzle_mode" + rest + "0;" + in_shared +
        "swizzle_atomicity" + rest + "0;" + in_shared + "fill_mode" + rest +
        "0; REPLACED: bar.warp.sync 0xffffffff;"
        "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%out], [cells], "
        "128;"
        "fence.proxy.tensormap::generic.acquire.gpu [%out], 128; bar.sync 0;";
    std::uint64_t const bytes = copy.bytes();
    std::string const body =
        replace + expect(bytes) +
        "@!%p1 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [cells], " + from +
        ", [bar];" + wait + "add.u64 %out, %out, 128;" + show(bytes);
    for (Way const& way : ways) {
        for (tensor::MapBytes const& before : {encode(other), tensor::MapBytes{}}) {
            INFO(way.control_flow << (way.late ? " late" : "") << (way.timed ? " timed" : ""));
            Machine machine(text(body, "sm_90a"), way, 1 << 16);
            Memory in(136);
            std::memcpy(in.data(), before.data(), 128);
            std::uint64_t const address = machine.memory + copy.map.address;
            std::memcpy(in.data() + 128, &address, 8);
            runtime::DevicePointer const out = machine.device.allocate(128 + bytes);
            machine.launch({}, out, machine.device.upload(in));
            Memory const got = machine.device.download<std::byte>(out, 128 + bytes);
            CHECK(Memory(got.begin() + 128, got.end()) == want_loaded(copy, machine.contents));
        }
    }
}

TEST_CASE("Wrong uses of tensor copies are named", "[exec]") {
    Copy const good = plane();
    CHECK(contains(fault("@!%p1 cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes "
                         "[cells], [%map, {%r0}], [bar];",
                         {}),
                   "tensor copy with 128 bytes that are no tensor map"));
    CHECK(contains(fault("@!%p1 cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes "
                         "[cells], [%in+8, {%r0}], [bar];",
                         {}),
                   "misaligned address"));
    CHECK(contains(fault("add.u64 %map, %map, 64; @!%p1 "
                         "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [cells], "
                         "[%map, {%r0}], [bar];",
                         {}),
                   "a tensor map at byte 64 of"));
    Copy copy = good;
    copy.map.strides[0] = 24;
    CHECK(contains(fault_of(copy), "'strides[0]' is wrong: a stride must be a multiple of 16; it is 24"));
    CHECK(contains(fault_of(tile(Element::u32, {8, 8, 8}, {32, 256}, {4, 4, 4}, {0, 0, 0})), "illegal address"));
    copy = tile(Element::u32, {8, 8, 8}, {32, 256}, {4, 4, 4}, {0, 0});
    copy.request.rank = 2;
    std::string setup;
    CHECK(contains(fault("@!%p1 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                         "[cells], [%map, {%r0, %r0}], [bar];",
                         encode(copy.map)),
                   "a map of 3 dimensions in a copy of 2"));
    copy = good;
    copy.map.box = {64, 256, 1, 1, 1};
    CHECK(contains(fault_of(copy), "a box of 65536 bytes, with"));
    CHECK(contains(
        fault(
            "mov.u32 %r5, 9999; @!%p1 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
            "[cells+16], [%map, {%r5, %r5}], [bar];",
            encode(good.map)),
        "is not a multiple of 128"));
    copy = good;
    copy.map.element = Element::u16;
    CHECK(contains(fault("mov.u32 %r5, 0; @!%p1 cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group "
                         "[%map, {%r5, %r5}], [cells];",
                         encode(copy.map)),
                   "tensor reduction that elements of the map's type do not have"));
}

TEST_CASE("Random maps and coordinates touch nothing outside, or say why", "[exec]") {
    std::mt19937 random(11);
    auto const number = [&](std::uint32_t most) { return static_cast<std::uint32_t>(random()) % (most + 1); };
    int copied = 0, refused = 0;
    for (int round = 0; round < 200; ++round) {
        Copy copy;
        TensorMap& m = copy.map;
        m.rank = copy.request.rank = 1 + number(4);
        m.element = static_cast<Element>(number(number(3) == 0 ? 15 : 9));
        m.interleave = static_cast<tensor::Interleave>(number(5) == 0 ? number(2) : 0);
        m.swizzle = static_cast<tensor::Swizzle>(number(1) * number(4));
        m.atomicity = static_cast<tensor::Atomicity>(number(4) == 0 ? number(3) : 0);
        m.address = 16 * number(10) + (number(20) == 0 ? number(15) : 0);
        for (std::size_t i = 0; i < 5; ++i) {
            m.dims[i] = number(20) == 0 ? static_cast<std::uint64_t>(random()) << number(31) : 1 + number(20);
            m.box[i] = number(20) == 0 ? number(300) : 1 + number(i == 0 ? 31 : 3);
            if (i == 0 && number(3) != 0) m.box[0] = (m.box[0] + 15) / 16 * 16;
            m.element_strides[i] = 1 + number(number(20) == 0 ? 20 : 1);
            copy.request.at[i] =
                number(20) == 0 ? static_cast<std::int32_t>(random()) : static_cast<std::int32_t>(number(20)) - 8;
        }
        for (std::size_t i = 0; i < 4; ++i)
            m.strides[i] = 16 * (1 + number(1u << (2 * i + 4))) + (number(30) == 0 ? 8 : 0);
        std::string setup;
        std::string const from = copy.operands(setup);
        std::string const body =
            setup + "@!%p1 cp.async.bulk.tensor" + copy.dimensions() +
            (number(1) == 0 ? ".shared::cluster.global.mbarrier::complete_tx::bytes [cells], " + from + ", [bar];"
                            : ".global.shared::cta.bulk_group " + from +
                                  ", [cells]; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;");
        Machine machine(text(body), ways[static_cast<std::size_t>(round) % ways.size()], 1 << 16);
        tensor::MapBytes bytes = encode(copy.at(machine.memory));
        if (number(30) == 0) bytes[number(127)] ^= std::byte{1};
        try {
            machine.launch(bytes, 0, 0);
            ++copied;
        } catch (Error const& error) {
            std::string const what = error.what();
            INFO(what);
            CHECK((contains(what, "tensor copy") || contains(what, "illegal address") ||
                   contains(what, "misaligned")));
            ++refused;
        }
    }
    CHECK(copied > 10);
    CHECK(refused > 10);
}

}  // namespace tensor_copy_test

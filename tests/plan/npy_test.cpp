#include "runtime/plan/npy.hpp"
#include "sim/error.hpp"
#include "tests/support/catch.hpp"

#include <cstring>

namespace npy_test {

using namespace warpsim;

namespace {

std::span<std::byte const> bytes_of(std::string const& text) {
    return {reinterpret_cast<std::byte const*>(text.data()), text.size()};
}

std::string file(int version, std::string const& header) {
    std::string text = "\x93NUMPY";
    text += static_cast<char>(version);
    text += '\0';
    text += static_cast<char>(header.size() & 0xff);
    text += static_cast<char>(header.size() >> 8);
    if (version > 1) text += std::string(2, '\0');
    return text + header;
}

plan::NpyHeader read(std::string const& text, std::uint64_t data) {
    return plan::read_npy_header(bytes_of(text), text.size() + data);
}

std::string complaint(std::string const& text, std::uint64_t data = 0) {
    try {
        read(text, data);
    } catch (Error const& e) {
        return e.what();
    }
    return "";
}

bool mentions(std::string const& text, char const* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("A .npy header of versions 1 and 2 is read", "[plan]") {
    for (int const version : {1, 2}) {
        auto const header =
            read(file(version, "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }\n"), 48);
        CHECK(header.dtype == "<f4");
        CHECK(header.count == 12);
        CHECK(header.element_bytes == 4);
    }
    CHECK(read(file(1, "{\"shape\": (), \"descr\": \"|u1\", \"fortran_order\": False}"), 1).count == 1);
    CHECK(read(file(1, "{'descr': '<i8', 'fortran_order': True, 'shape': (5,)}"), 40).count == 5);
    CHECK(read(file(1, "{'descr': '<i8', 'fortran_order': False, 'shape': (5, 0)}"), 0).count == 0);
}

TEST_CASE("What is written is read back, and data begin at a multiple of 64 bytes", "[plan]") {
    for (std::uint64_t const count : {std::uint64_t{0}, std::uint64_t{7}, std::uint64_t{123456789012}}) {
        std::string const text = plan::npy_header_bytes(isa::Type::f64, count);
        CHECK(text.size() % 64 == 0);
        auto const header = plan::read_npy_header(bytes_of(text), text.size() + 8 * count);
        CHECK(header.dtype == "<f8");
        CHECK(header.count == count);
        CHECK(header.data_offset == text.size());
    }
    CHECK(plan::npy_dtype(isa::Type::bf16) == "<u2");
}

TEST_CASE("A .npy file that is no such file says why", "[plan]") {
    CHECK(mentions(complaint(""), "not a .npy file"));
    CHECK(mentions(complaint("PK\x03\x04 something else"), "not a .npy file"));
    CHECK(mentions(complaint(file(9, "{}")), "unknown version 9"));
    CHECK(mentions(complaint(file(1, "{}")), "lacks"));
    CHECK(mentions(complaint(file(1, "{'descr': '<f4")), "does not end"));
    CHECK(
        mentions(complaint(file(1, "{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}"), 4), "big-endian"));
    CHECK(mentions(complaint(file(1, "{'descr': '<f4', 'fortran_order': True, 'shape': (2,2)}"), 16), "Fortran"));
    CHECK(mentions(complaint(file(1, "{'descr': [('a', '<f4')], 'fortran_order': True, 'shape': (2,)}"), 8),
                   "records"));
    CHECK(mentions(complaint(file(1, "{'descr': '|O', 'fortran_order': False, 'shape': (2,)}"), 8),
                   "plain numbers"));
    CHECK(mentions(complaint(file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}"), 8), "12 bytes"));
}

TEST_CASE("A .npy header that promises too much is refused before anything is allocated", "[plan]") {
    std::string const huge = "18446744073709551615";
    CHECK(mentions(complaint(file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (" + huge + ",)}")),
                   "more elements"));
    CHECK(mentions(complaint(file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (" + huge + "0,)}")),
                   "not a number"));
    CHECK(mentions(complaint(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff{", 13)), "header"));
    CHECK(mentions(complaint(std::string("\x93NUMPY\x02\x00\xff", 9)), "not a .npy"));
}

}  // namespace npy_test

#include "runtime/plan/arguments.hpp"

#include "runtime/plan/sequence.hpp"
#include "sim/error.hpp"

#include <cstring>

namespace warpsim::plan {

namespace {

using Parameter = runtime::Module::Parameter;

std::string describe(Parameter const& p) {
    Type const type = isa::type_named(p.type);
    bool const is_array = type == Type::none || size_of(type) != p.size;
    return "'" + p.name + "' (." + p.type + (is_array ? "[" + std::to_string(p.size) + "]" : "") + ")";
}

std::string signature(std::vector<Parameter> const& parameters) {
    std::string text;
    for (Parameter const& p : parameters) text += (text.empty() ? "" : ", ") + ("." + p.type);
    return text.empty() ? text : " (" + text + ")";
}

// Writes one argument to `to`, which has room for the parameter. Returns what is wrong, or "".
std::string place_argument(Argument const& argument, Parameter const& p, std::byte* to, Resolve const& resolve) {
    Type const type = isa::type_named(p.type);
    if (auto const* const number = std::get_if<Number>(&argument)) {
        if (type == Type::none || size_of(type) != p.size)
            return "parameter " + describe(p) + " is a struct of " + std::to_string(p.size) +
                   " bytes; give {\"fields\": [...]}, {\"type\": ..., \"value\": ...} or {\"hex\": ...}";
        std::string const wrong = encode(*number, type, IntegerRange::twos_complement, to);
        return wrong.empty() ? wrong : wrong + ", parameter " + describe(p);
    }
    if (auto const* const address = std::get_if<Address>(&argument)) {
        if ((p.size != 8 && p.size != p.address_bytes) || isa::is_float(type))
            return "parameter " + describe(p) + " cannot hold the address of buffer '" + address->buffer + "'";
        std::uint64_t const value = resolve(*address);
        std::memcpy(to, &value, p.size);  // of an address of 32 bits the lower half
        return {};
    }
    if (auto const* const tensor = std::get_if<TensorMapArgument>(&argument)) {
        if (p.size != sim::tensor::map_bytes)
            return "parameter " + describe(p) + " has " + std::to_string(p.size) +
                   " bytes, and a tensor map has " + std::to_string(sim::tensor::map_bytes);
        sim::tensor::TensorMap map = tensor->map;
        map.address = resolve(tensor->address);
        sim::tensor::MapBytes const bytes = sim::tensor::encode(map);
        std::memcpy(to, bytes.data(), bytes.size());
        return {};
    }
    if (auto const* const object = std::get_if<TextureObject>(&argument)) {
        std::uint64_t const value = resolve(*object);
        if (p.size != sizeof value || isa::is_float(type))
            return "parameter " + describe(p) + " cannot hold a texture, surface or sampler, which are 8 bytes";
        std::memcpy(to, &value, sizeof value);
        return {};
    }
    auto const& given = std::get<ArgumentBytes>(argument);
    if (given.bytes.size() != p.size)
        return "parameter " + describe(p) + " has " + std::to_string(p.size) + " bytes, but " +
               std::to_string(given.bytes.size()) + " are given";
    std::vector<std::byte> bytes = given.bytes;
    write_references(given.references, bytes, resolve);
    std::memcpy(to, bytes.data(), bytes.size());
    return {};
}

}  // namespace

runtime::Arguments make_arguments(std::vector<Argument> const& arguments, std::string const& kernel,
                                  std::vector<Parameter> const& parameters, std::string const& place,
                                  bool one_line, Resolve const& resolve) {
    if (arguments.size() != parameters.size())
        throw Error(ErrorKind::plan, place + (one_line ? "--arg: " : ".args: ") + "kernel '" + kernel +
                                         "' takes " + std::to_string(parameters.size()) +
                                         (parameters.size() == 1 ? " argument" : " arguments") +
                                         signature(parameters) + ", but " + std::to_string(arguments.size()) +
                                         (arguments.size() == 1 ? " is given" : " are given"));
    std::vector<std::byte> block;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        Parameter const& p = parameters[i];
        if (block.size() < p.offset + p.size) block.resize(p.offset + p.size);
        std::string const wrong = place_argument(arguments[i], p, block.data() + p.offset, resolve);
        if (wrong.empty()) continue;
        std::string const where =
            one_line ? "--arg number " + std::to_string(i + 1) + ": " : ".args[" + std::to_string(i) + "]: ";
        throw Error(ErrorKind::plan, place + where + wrong);
    }
    runtime::Arguments result;
    if (!block.empty()) result.add_bytes(block.data(), block.size(), 1);
    return result;
}

}  // namespace warpsim::plan

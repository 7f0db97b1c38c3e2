// What a program has passed to the function that it has called, for those who tell of its calls.
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>

namespace warpsim::cuda {

/// The arguments of the outermost call that the thread is in, for as long as this lives: the first line of functions that
/// programs call. Costs a comparison where nobody wants to know.
class Arguments {
public:
    template <class... T> explicit Arguments(T const&... values) {
        if (are_wanted.load(std::memory_order_relaxed) && begin()) (add(text_of(values)), ...);
    }
    ~Arguments() {
        if (is_outermost_) end();
    }
    Arguments(Arguments const&) = delete;
    Arguments& operator=(Arguments const&) = delete;

    /// "0x7ffd1c, 4096, (1,1,1)"; a structure is "...".
    static std::string const& text();
    static std::atomic<bool> are_wanted;

private:
    template <class T> static std::string text_of(T const& value) {
        if constexpr (std::is_same_v<T, char const*>) return quoted(value);
        else if constexpr (std::is_pointer_v<T>) return hexadecimal(reinterpret_cast<std::uint64_t>(value));
        else if constexpr (std::is_enum_v<T>) return std::to_string(static_cast<long long>(value));
        else if constexpr (std::is_arithmetic_v<T>) return std::to_string(value);
        else if constexpr (requires {
                               { value.z } -> std::convertible_to<unsigned>;
                           })
            return "(" + std::to_string(value.x) + "," + std::to_string(value.y) + "," + std::to_string(value.z) +
                   ")";
        else return "...";
    }
    static std::string quoted(char const* text);
    static std::string hexadecimal(std::uint64_t value);

    bool begin();
    static void add(std::string const& text);
    static void end();

    bool is_outermost_ = false;
};

}  // namespace warpsim::cuda

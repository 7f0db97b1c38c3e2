// What a program has passed to the function that it has called, for those who tell of its calls.
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>

namespace warpsim::cuda {

/// Hears of the calls of a program, when they return.
class CallObserver {
public:
    virtual ~CallObserver() = default;
    /// A call begins. Returns the time.
    virtual std::uint64_t begins() = 0;
    /// `from`: what begins() said; 0 of the first, which has made the observer.
    virtual void called(char const* function, std::string const& arguments, std::uint64_t from) = 0;
};

/// What Arguments of all types have in common.
class CallArguments {
public:
    CallArguments(CallArguments const&) = delete;
    CallArguments& operator=(CallArguments const&) = delete;

    /// "0x7ffd1c, 4096, (1,1,1)"; a structure is "...".
    static std::string const& text();
    static std::atomic<bool> are_wanted;
    static std::atomic<CallObserver*> observer;

protected:
    CallArguments() = default;
    ~CallArguments() {
        if (is_outermost_) end();
    }

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

    bool begin(char const* function);
    static void add(std::string const& text);
    static void end();

private:
    bool is_outermost_ = false;
};

/// The name of the function in whose body it is made by default.
struct CalledFunction {
    explicit CalledFunction(char const* its_name) : name(its_name) {}
    char const* name;
};

/// The arguments of the outermost call that the thread is in, for as long as this lives: the first line of functions that
/// programs call. Costs a comparison where nobody wants to know.
template <class... T> class Arguments : public CallArguments {
public:
    explicit Arguments(T const&... values, CalledFunction function = CalledFunction(__builtin_FUNCTION())) {
        if (are_wanted.load(std::memory_order_relaxed) && begin(function.name)) (add(text_of(values)), ...);
    }
};
template <class... T> Arguments(T const&...) -> Arguments<T...>;

}  // namespace warpsim::cuda

#include "runtime/sha256.hpp"

#include <sha2.h>

#include <array>

namespace warpsim::runtime {

std::string sha256(std::span<std::string_view const> texts) {
    SHA2_CTX context;
    SHA256Init(&context);
    for (std::string_view const text : texts)
        SHA256Update(&context, reinterpret_cast<std::uint8_t const*>(text.data()), text.size());
    std::array<char, SHA256_DIGEST_STRING_LENGTH> digits{};
    SHA256End(&context, digits.data());
    return digits.data();
}

}  // namespace warpsim::runtime

#include "frontend/isa/types.hpp"

#include "frontend/isa/row.hpp"

#include <algorithm>
#include <charconv>

namespace warpsim::isa {
std::string_view name(StateSpace space) {
    switch (space) {
        case StateSpace::generic: return "";
        case StateSpace::reg: return "reg";
        case StateSpace::sreg: return "sreg";
        case StateSpace::constant: return "const";
        case StateSpace::global: return "global";
        case StateSpace::local: return "local";
        case StateSpace::param: return "param";
        case StateSpace::param_entry: return "param::entry";
        case StateSpace::param_func: return "param::func";
        case StateSpace::shared: return "shared";
        case StateSpace::shared_cluster: return "shared::cluster";
        case StateSpace::texture: return "tex";
    }
    return "";
}

std::string_view name(Unit unit) {
    switch (unit) {
        case Unit::alu: return "alu";
        case Unit::fma: return "fma";
        case Unit::fp64: return "fp64";
        case Unit::fp16: return "fp16";
        case Unit::sfu: return "sfu";
        case Unit::tensor: return "tensor";
        case Unit::lsu: return "lsu";
        case Unit::texture: return "texture";
        case Unit::branch: return "branch";
        case Unit::barrier: return "barrier";
        case Unit::uniform: return "uniform";
        case Unit::none: return "none";
        case Unit::count: break;
    }
    return "";
}

std::string_view name(InstructionClass c) {
    switch (c) {
        case InstructionClass::integer: return "int";
        case InstructionClass::fp32: return "fp32";
        case InstructionClass::fp64: return "fp64";
        case InstructionClass::fp16: return "fp16";
        case InstructionClass::sfu: return "sfu";
        case InstructionClass::tensor: return "tensor";
        case InstructionClass::load: return "load";
        case InstructionClass::store: return "store";
        case InstructionClass::atomic: return "atomic";
        case InstructionClass::control: return "control";
        case InstructionClass::barrier: return "barrier";
        case InstructionClass::other: return "other";
        case InstructionClass::count: break;
    }
    return "";
}

namespace {

/// Targets of one family run the code of its lower members. The tens digit is the family; sm_101 was renamed
/// sm_110.
int family_of(int sm) { return sm == 101 ? 11 : sm / 10; }

bool names_target(std::string_view word, int sm, char suffix) {
    int first = 0;
    auto const rest = std::from_chars(word.data(), word.data() + word.size(), first);
    char const kind = rest.ptr == word.data() + word.size() ? '\0' : *rest.ptr;
    if (kind == 'a') return sm == first && suffix == 'a';
    if (kind == 'f') return suffix != 0 && family_of(sm) == family_of(first) && sm >= first;
    int last = first;
    if (kind == '-') std::from_chars(rest.ptr + 1, word.data() + word.size(), last);
    return sm >= first && sm <= last;
}

}  // namespace

bool Since::allows(int sm, char suffix) const {
    if (only.empty()) return sm >= target;
    for (std::size_t at = 0; at < only.size();) {
        std::size_t const end = std::min(only.find(' ', at), only.size());
        if (names_target(only.substr(at, end - at), sm, suffix)) return true;
        at = end + 1;
    }
    return false;
}

}  // namespace warpsim::isa

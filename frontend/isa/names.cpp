// Instruction names of several words. The manual prints all modifiers in one order; in fact only those of the name
// have to stand where they do. Taken from where ptxas reports an unknown modifier.
#include "frontend/isa/names.hpp"

#include "frontend/isa/syntax_line.hpp"
#include "frontend/isa/table.hpp"

#include <algorithm>

namespace warpsim::isa {
namespace {

// clang-format off
constexpr std::string_view names[] = {
    "bar.warp", "bar{.cta}", "bar{.cta}.arrive", "bar{.cta}.red", "barrier.cluster.arrive", "barrier.cluster.wait",
    "barrier{.cta}", "barrier{.cta}.arrive", "barrier{.cta}.red", "brx.idx",
    "clmad.hi", "clmad.lo", "clusterlaunchcontrol.query_cancel", "clusterlaunchcontrol.try_cancel.async",
    "cp.async", "cp.async.bulk", "cp.async.bulk.commit_group", "cp.async.bulk.prefetch", "cp.async.bulk.prefetch.tensor",
    "cp.async.bulk.tensor", "cp.async.bulk.wait_group", "cp.async.commit_group", "cp.async.mbarrier.arrive",
    "cp.async.wait_all", "cp.async.wait_group", "cp.reduce.async.bulk", "cp.reduce.async.bulk.tensor",
    "createpolicy.cvt", "createpolicy.fractional", "createpolicy.range", "cvt.pack", "cvta.to", "div.full",
    "dp2a.hi", "dp2a.lo", "fabric.submit", "fabric.try_get.async", "fabric.try_pullred.async", "fabric.try_put.async",
    "fabric.try_red.async", "fabric.wait", "fence.proxy",
    "mad.hi", "mad.lo", "mad.wide", "mad24.hi", "mad24.lo", "madc.hi", "madc.lo",
    "mbarrier.arrive", "mbarrier.arrive.expect_tx", "mbarrier.arrive_drop", "mbarrier.arrive_drop.expect_tx",
    "mbarrier.check_layout", "mbarrier.complete_tx", "mbarrier.expect_tx", "mbarrier.init", "mbarrier.inval", "mbarrier.pending_count",
    "mbarrier.test_wait", "mbarrier.test_wait.parity", "mbarrier.try_wait", "mbarrier.try_wait.parity",
    "membar.proxy", "mul.hi", "mul.lo", "mul.wide", "mul24.hi", "mul24.lo",
    "multimem.cp.async.bulk", "multimem.cp.reduce.async.bulk", "multimem.ld_reduce", "multimem.red",
    "multimem.red.async", "multimem.st", "multimem.st.async", "pmevent.mask", "red.async",
    "setmaxnreg.action_setmaxnreg", "shf.l", "shf.r", "st.async", "st.bulk",
    "suld.b", "sured.b", "sured.p", "sust.b", "sust.p",
    "tcgen05.alloc", "tcgen05.commit", "tcgen05.cp", "tcgen05.dealloc", "tcgen05.fence::after_thread_sync",
    "tcgen05.fence::before_thread_sync", "tcgen05.ld", "tcgen05.ld.red", "tcgen05.mma", "tcgen05.mma.ws",
    "tcgen05.relinquish_alloc_permit", "tcgen05.shift", "tcgen05.st", "tcgen05.wait::ld", "tcgen05.wait::st",
    "tensormap.cp_fenceproxy", "tensormap.replace", "tex.grad", "tex.level", "tex{.base}", "txq.level",
    "wgmma.commit_group", "wgmma.fence", "wgmma.mma_async", "wgmma.wait_group",
    "wmma.load.a", "wmma.load.b", "wmma.load.c", "wmma.mma", "wmma.store.d",
};
// clang-format on

}  // namespace

std::string_view instruction_name(std::string_view syntax) {
    std::string_view longest = syntax.substr(0, syntax.find_first_of(".{ \t\n;"));
    for (std::string_view const name : names) {
        if (name.size() < longest.size() || name.front() != syntax.front() || !syntax.starts_with(name)) continue;
        bool const ends = syntax.size() == name.size() ||
                          std::string_view(".{ \t\n;").find(syntax[name.size()]) != std::string_view::npos;
        if (ends) longest = syntax.substr(0, name.size());
    }
    return longest;
}

std::string operation_name(std::string_view syntax) {
    std::string name;
    bool is_optional = false;
    for (char const c : instruction_name(syntax)) {
        if (c == '{') is_optional = true;
        if (!is_optional) name += c;
        if (c == '}') is_optional = false;
    }
    return name;
}

std::vector<std::string_view> modifiers_of(std::string_view syntax) {
    std::vector<std::string_view> modifiers;
    std::string_view const mnemonic = syntax.substr(0, syntax.find_first_of(" \t\n;"));
    for (std::size_t at = mnemonic.find('.'); at < mnemonic.size();) {
        std::size_t const end = std::min(mnemonic.find_first_of(".{}", at + 1), mnemonic.size());
        std::string_view const word = mnemonic.substr(at, end - at);
        auto const members = modifier_class(word);
        if (!members.empty()) modifiers.insert(modifiers.end(), members.begin(), members.end());
        else if (!stands_for_type(word) && type_named(word.substr(1)) == Type::none) modifiers.push_back(word);
        at = mnemonic.find('.', end);
    }
    return modifiers;
}

}  // namespace warpsim::isa

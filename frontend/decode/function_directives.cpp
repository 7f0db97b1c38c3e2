// Directives between a function's header and its body: launch bounds, and registers that the function preserves.
#include "frontend/decode/decoder.hpp"

#include <algorithm>

namespace warpsim::frontend {

namespace {

std::vector<std::uint32_t> numbers(Decoder& decoder, syntax::Directive const& directive) {
    std::vector<std::uint32_t> values;
    for (syntax::Node const& node : decoder.tree.node_range(directive.operands)) {
        std::optional<Constant> value;
        if (node.kind == syntax::Node::Kind::expression)
            value = evaluate(decoder.tree.token_range(node.tokens)).value;
        else value = parse_literal(node.text);
        bool const is_cluster = directive.name == ".reqnctapercluster" || directive.name == ".maxclusterrank";
        if (value && value->is_integer() && value->bits == 0 && is_cluster) {
            decoder.diagnostics.warning(node.text, "a cluster has at least one CTA; the directive is ignored");
            return {};
        }
        if (!value || !value->is_integer() || node.minus || value->bits == 0 || value->bits > UINT32_MAX) {
            decoder.diagnostics.error(node.text, quoted(directive.name) + " takes positive integers");
            return {};
        }
        values.push_back(static_cast<std::uint32_t>(value->bits));
    }
    return values;
}

void extents(Decoder& decoder, syntax::Directive const& directive, std::array<std::uint32_t, 3>& to) {
    std::vector<std::uint32_t> const values = numbers(decoder, directive);
    if (values.size() > 3) {
        decoder.diagnostics.error(directive.text, quoted(directive.name) + " takes at most three extents");
        return;
    }
    if (values.empty()) return;
    to = {1, 1, 1};
    std::copy(values.begin(), values.end(), to.begin());
}

void single(Decoder& decoder, syntax::Directive const& directive, std::uint32_t& to) {
    std::vector<std::uint32_t> const values = numbers(decoder, directive);
    if (values.size() == 1) to = values[0];
    else if (!values.empty())
        decoder.diagnostics.error(directive.text, quoted(directive.name) + " takes one number");
}

void read_bound(Decoder& decoder, syntax::Directive const& directive, ir::LaunchBounds& bounds) {
    std::string_view const name = directive.name;
    if (name == ".maxntid") extents(decoder, directive, bounds.max_threads);
    else if (name == ".reqntid") extents(decoder, directive, bounds.required_threads);
    else if (name == ".reqnctapercluster") extents(decoder, directive, bounds.required_cluster);
    else if (name == ".minnctapersm") single(decoder, directive, bounds.min_ctas_per_sm);
    else if (name == ".maxnctapersm") {
        std::uint32_t most = 0;
        single(decoder, directive, most);
        // PTX 2.0 renamed the directive to what it had always meant.
        if (decoder.module.version < 20) bounds.min_ctas_per_sm = most;
        else
            decoder.diagnostics.warning(directive.text,
                                        "'.maxnctapersm' ended with PTX version 2.0 and is ignored");
    } else if (name == ".maxnreg") single(decoder, directive, bounds.max_registers);
    else if (name == ".maxclusterrank") single(decoder, directive, bounds.max_cluster_rank);
    else if (name == ".explicitcluster") bounds.explicit_cluster = true;
    else if (name == ".blocksareclusters") bounds.blocks_are_clusters = true;
    else if (name != ".pragma") {
        decoder.diagnostics.error(directive.text, quoted(name) + " cannot stand before a kernel's body");
    }
}

/// The PTX version and target that introduced a directive.
struct Since {
    std::string_view name;
    int version;
    int sm;
};
// clang-format off
constexpr Since directives[] = {
    {".maxnreg", 13, 0},           {".maxntid", 13, 0},       {".reqntid", 21, 0},
    {".minnctapersm", 20, 0},      {".maxnctapersm", 13, 0},  {".reqnctapercluster", 78, 90},
    {".explicitcluster", 78, 90},  {".maxclusterrank", 78, 90}, {".blocksareclusters", 90, 90},
    {".abi_preserve", 90, 80},     {".abi_preserve_control", 90, 80},
};
// clang-format on

void check_since(Decoder& decoder, syntax::Directive const& directive) {
    auto const* const found = std::find_if(std::begin(directives), std::end(directives),
                                           [&](Since const& since) { return since.name == directive.name; });
    if (found != std::end(directives)) require(decoder, directive.text, found->name, found->version, found->sm);
}

/// `.abi_preserve` may appear once. Of the other directives the last one counts, as in ptxas.
void check_twice(Decoder& decoder, syntax::Function const& declared, std::uint32_t at) {
    syntax::Directive const* const all = decoder.tree.directives.data() + declared.directives.first;
    if (!all[at].name.starts_with(".abi")) return;
    for (std::uint32_t i = 0; i < at; ++i) {
        if (all[i].name != all[at].name) continue;
        decoder.diagnostics.error(all[at].text, quoted(all[at].name) + " stands here twice");
        decoder.diagnostics.note(all[i].text, "first here");
    }
}

void report_exclusion(Decoder& decoder, syntax::Function const& declared, std::string_view one,
                      std::string_view other) {
    std::string_view places[2];  // the first of them and the last
    for (std::uint32_t i = 0; i < declared.directives.count; ++i) {
        syntax::Directive const& directive = decoder.tree.directives[declared.directives.first + i];
        if (directive.name == one || directive.name == other) places[places[0].empty() ? 0 : 1] = directive.text;
    }
    decoder.diagnostics.error(places[1], std::string(one) + " and " + std::string(other) + " exclude each other");
    decoder.diagnostics.note(places[0], "the other is here");
}

/// `.abi_preserve 10`
void read_preserved(Decoder& decoder, syntax::Directive const& directive, Signature& signature) {
    auto const nodes = decoder.tree.node_range(directive.operands);
    bool const is_number = nodes.size() == 1 && nodes[0].kind == syntax::Node::Kind::literal && !nodes[0].minus;
    auto const value = is_number ? parse_literal(nodes[0].text) : std::nullopt;
    if (!value || !value->is_integer() || value->bits >= ir::none) {
        decoder.diagnostics.error(directive.text, quoted(directive.name) + " takes one number of registers");
        return;
    }
    signature.preserved[directive.name == ".abi_preserve" ? 0 : 1] = static_cast<std::uint32_t>(value->bits);
}

void check_bounds(Decoder& decoder, syntax::Function const& declared, ir::Function& function) {
    ir::LaunchBounds const& bounds = function.bounds;
    if (bounds.max_threads[0] != 0 && bounds.required_threads[0] != 0) {
        report_exclusion(decoder, declared, ".maxntid", ".reqntid");
    }
    bool const has_size = bounds.max_threads[0] != 0 || bounds.required_threads[0] != 0;
    if (bounds.min_ctas_per_sm != 0 && !has_size && decoder.module.version >= 21) {
        decoder.diagnostics.warning(declared.text, ".minnctapersm counts only with .maxntid or .reqntid");
        function.bounds.min_ctas_per_sm = 0;
    }
    if (bounds.max_cluster_rank != 0 && bounds.required_cluster[0] != 0) {
        report_exclusion(decoder, declared, ".maxclusterrank", ".reqnctapercluster");
    }
    if (bounds.blocks_are_clusters && (bounds.required_threads[0] == 0 || bounds.required_cluster[0] == 0)) {
        decoder.diagnostics.error(declared.text, ".blocksareclusters needs .reqntid and .reqnctapercluster");
    }
}

}  // namespace

void read_function_directives(Decoder& decoder, syntax::Function const& declared, Signature& signature,
                              ir::Function* kernel) {
    std::string_view const kind =
        declared.kind == syntax::Function::Kind::prototype ? "a prototype" : "a function";
    for (std::uint32_t i = 0; i < declared.directives.count; ++i) {
        syntax::Directive const& directive = decoder.tree.directives[declared.directives.first + i];
        bool const is_of_functions = directive.name.starts_with(".abi");
        if (kernel != nullptr && is_of_functions) {
            decoder.diagnostics.error(directive.text,
                                      quoted(directive.name) + " belongs to functions (.func) only");
        } else if (kernel == nullptr && directive.name == ".pragma") {
            decoder.diagnostics.error(directive.text,
                                      "'.pragma' cannot stand in the header of " + std::string(kind));
        } else if (kernel == nullptr && !is_of_functions) {
            decoder.diagnostics.error(directive.text,
                                      quoted(directive.name) + " belongs to kernels (.entry) only");
        } else if (kernel != nullptr && !declared.has_body) {
            decoder.diagnostics.error(directive.text,
                                      quoted(directive.name) + " stands where the kernel has its body");
        } else {
            check_since(decoder, directive);
            check_twice(decoder, declared, i);
            if (is_of_functions) read_preserved(decoder, directive, signature);
            else read_bound(decoder, directive, kernel->bounds);
        }
    }
    if (kernel != nullptr) check_bounds(decoder, declared, *kernel);
}

}  // namespace warpsim::frontend

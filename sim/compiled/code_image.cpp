#include "sim/compiled/code_image.hpp"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

namespace warpsim::sim {

namespace {

constexpr std::size_t most_names = 64;

class ImageWriter {
public:
    void number(std::uint64_t value) { bytes_.append(reinterpret_cast<char const*>(&value), sizeof value); }
    void text(std::string_view text) {
        number(text.size());
        bytes_.append(text);
    }
    std::string take() { return std::move(bytes_); }

private:
    std::string bytes_;
};

/// Reads what ImageWriter wrote; whatever is wrong is noted, and what is read then is 0 or empty.
class ImageReader {
public:
    explicit ImageReader(std::string_view bytes) : rest_(bytes) {}
    /// At most `limit`.
    std::uint32_t number(std::uint64_t limit) {
        std::uint64_t value = 0;
        if (rest_.size() < sizeof value) return fail();
        std::memcpy(&value, rest_.data(), sizeof value);
        rest_.remove_prefix(sizeof value);
        return value <= limit ? static_cast<std::uint32_t>(value) : fail();
    }
    std::string text() {
        std::uint32_t const size = number(rest_.size());
        if (size > rest_.size()) fail();
        if (failed_) return {};
        std::string text(rest_.substr(0, size));
        rest_.remove_prefix(size);
        return text;
    }
    bool is_good() const { return !failed_; }
    bool is_at_end() const { return rest_.empty(); }

private:
    std::uint32_t fail() {
        failed_ = true;
        return 0;
    }
    std::string_view rest_;
    bool failed_ = false;
};

/// Pages that are written first, and run when they are complete.
class CodePages {
public:
    explicit CodePages(std::size_t bytes) : size_(bytes) {
        void* const at = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (at != MAP_FAILED) begin_ = static_cast<std::byte*>(at);
    }
    ~CodePages() {
        if (begin_ != nullptr) ::munmap(begin_, size_);
    }
    CodePages(CodePages const&) = delete;
    CodePages& operator=(CodePages const&) = delete;
    std::byte* begin() const { return begin_; }
    bool finish() const { return ::mprotect(begin_, size_, PROT_READ | PROT_EXEC) == 0; }

private:
    std::byte* begin_ = nullptr;
    std::size_t size_;
};

}  // namespace

std::string pack(CodeImage const& image) {
    ImageWriter out;
    out.text(image.bytes);
    out.number(image.imports_at);
    out.number(image.imports.size());
    for (std::string const& name : image.imports) out.text(name);
    out.number(image.functions.size());
    for (CodeImage::Function const& function : image.functions) {
        out.number(function.begin);
        out.number(function.ops_compiled);
        out.number(function.entries.size());
        for (std::uint32_t const entry : function.entries) out.number(entry);
        out.number(function.edges.size());
        for (CompiledFunction::Edge const& edge : function.edges) {
            out.number(edge.branch);
            out.number(edge.to);
            out.number((edge.is_taken ? 1u : 0u) + (edge.is_guarded ? 2u : 0u));
        }
    }
    return out.take();
}

std::optional<CodeImage> unpack(std::string_view bytes, KernelPlan const& plan) {
    ImageReader in(bytes);
    CodeImage image;
    image.bytes = in.text();
    image.imports_at = in.number(image.bytes.size());
    image.imports.resize(in.number(most_names));
    for (std::string& name : image.imports) name = in.text();
    if (image.imports_at + 8 * image.imports.size() > image.bytes.size()) return std::nullopt;
    if (in.number(plan.functions.size()) != plan.functions.size()) return std::nullopt;
    image.functions.resize(plan.functions.size());
    for (std::size_t i = 0; i < plan.functions.size(); ++i) {
        CodeImage::Function& function = image.functions[i];
        std::size_t const ops = plan.functions[i].ops.size();
        function.begin = in.number(image.bytes.size());
        function.ops_compiled = in.number(ops);
        function.entries.resize(in.number(ops));
        if (!function.entries.empty() && function.entries.size() != ops) return std::nullopt;
        for (std::uint32_t& entry : function.entries) entry = in.number(UINT32_MAX);
        function.edges.resize(in.number(4 * ops));
        for (CompiledFunction::Edge& edge : function.edges) {
            edge.branch = in.number(ops);
            edge.to = in.number(ops);
            std::uint32_t const kind = in.number(3);
            edge.is_taken = (kind & 1) != 0;
            edge.is_guarded = (kind & 2) != 0;
        }
        if (!in.is_good()) return std::nullopt;
    }
    if (!in.is_good() || !in.is_at_end()) return std::nullopt;
    return image;
}

std::shared_ptr<CompiledKernel const> load(CodeImage const& image, CodeLanes lanes,
                                           std::shared_ptr<CompiledKernel const> const& others) {
    auto const pages = std::make_shared<CodePages>(std::max<std::size_t>(image.bytes.size(), 1));
    if (pages->begin() == nullptr) return nullptr;
    std::memcpy(pages->begin(), image.bytes.data(), image.bytes.size());
    for (std::size_t i = 0; i < image.imports.size(); ++i) {
        void* const found = ::dlsym(RTLD_DEFAULT, image.imports[i].c_str());
        if (found == nullptr) return nullptr;
        std::memcpy(pages->begin() + image.imports_at + 8 * i, &found, sizeof found);
    }
    if (!pages->finish()) return nullptr;
    auto kernel = std::make_shared<CompiledKernel>();
    kernel->code = {pages, others};
    kernel->functions.resize(image.functions.size());
    for (std::size_t i = 0; i < image.functions.size(); ++i) {
        CodeImage::Function const& from = image.functions[i];
        CompiledFunction& to = kernel->functions[i];
        if (others) to = others->functions[i];
        if (from.entries.empty()) continue;
        to.entries = from.entries;
        to.edges = from.edges;
        to.ops_compiled = from.ops_compiled;
        auto* const run = reinterpret_cast<CompiledRun>(pages->begin() + from.begin);
        (lanes == CodeLanes::all ? to.all_lanes : to.some_lanes) = run;
    }
    return kernel;
}

}  // namespace warpsim::sim

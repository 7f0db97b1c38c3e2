// Asks a GPU for the results of instructions:
//
//     ask INSTRUCTIONS ANSWERS [--part K/N] [--quick] [--known FILE --differences FOLDER]
//
// writes a line `digest digest digest statement` for each statement: of 1,024 threads, of 16,384 and of 1,048,576
// (65,536 for products of warpgroups). A statement that the driver refuses has `refused` in place of them. --quick, for simulators, leaves out
// the last digest (it is 0). Where FILE, answers from elsewhere, says something else, the
// results of 16,384 threads go to FOLDER/<line>.bin, words of 64 bits (of 1,024 where a thread has more than four).
#include "tests/hw/driver.hpp"
#include "tests/hw/statements.hpp"

#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <iostream>
#include <map>
#include <stdexcept>

namespace {

using namespace warpsim::hw;

constexpr std::uint32_t fewest = 1024, few = 16384, many = 1048576;
/// Products of warpgroups have up to 128 results: of them 65,536 threads are many.
std::uint32_t many_of(std::uint32_t words) { return words > 8 ? 65536 : many; }
constexpr std::size_t module_statements = 50;

struct Options {
    std::string instructions, answers, known, differences;
    std::size_t part = 0, parts = 1;
    bool is_quick = false;
};

Options options_of(int count, char** arguments) {
    Options options;
    std::vector<std::string> places;
    for (int i = 1; i < count; ++i) {
        std::string const word = arguments[i];
        auto const next = [&]() -> std::string {
            if (i + 1 == count) throw std::runtime_error(word + " needs a value");
            return arguments[++i];
        };
        if (word == "--part") {
            if (std::sscanf(next().c_str(), "%zu/%zu", &options.part, &options.parts) != 2 || options.parts == 0)
                throw std::runtime_error("--part is written K/N");
        } else if (word == "--quick") options.is_quick = true;
        else if (word == "--known") options.known = next();
        else if (word == "--differences") options.differences = next();
        else places.push_back(word);
    }
    if (places.size() != 2)
        throw std::runtime_error(
            "usage: ask INSTRUCTIONS ANSWERS [--part K/N] [--quick] [--known FILE --differences FOLDER]");
    options.instructions = places[0];
    options.answers = places[1];
    return options;
}

/// The first digest of every statement in a file of answers.
std::map<std::string, std::uint64_t> known_answers(std::string const& path) {
    std::map<std::string, std::uint64_t> known;
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);) {
        if (line.size() > 51 && line[0] != '#' && line[0] != 'r')
            known[line.substr(51)] = std::stoull(line.substr(17, 16), nullptr, 16);
    }
    return known;
}

class Asking {
public:
    explicit Asking(Options options)
        : options_(std::move(options)),
          known_(known_answers(options_.known)),
          in_(driver_.allocate(tables().size() * 8)),
          out_(driver_.allocate(std::size_t{many} * 8 * 8)),
          file_(options_.answers) {
        driver_.upload(in_, tables().data(), tables().size() * 8);
        if (options_.part == 0) file_ << "# " << driver_.device_name() << '\n';
    }

    void all() {
        std::vector<std::string> const statements = read_statements(options_.instructions);
        std::size_t number = 0;
        for (std::size_t begin = 0; begin < statements.size(); begin += module_statements, ++number) {
            if (number % options_.parts != options_.part) continue;
            std::size_t const count = std::min(module_statements, statements.size() - begin);
            ask(std::span(statements).subspan(begin, count), begin);
        }
    }

private:
    void ask(std::span<std::string const> statements, std::size_t first) {
        std::string log;
        void* const module = driver_.load(module_of(statements), log);
        if (module == nullptr && statements.size() > 1) {
            std::size_t const half = statements.size() / 2;
            ask(statements.first(half), first);
            ask(statements.subspan(half), first + half);
            return;
        }
        if (module == nullptr) {
            file_ << "refused          refused          refused          " << statements[0] << '\n';
            std::cerr << statements[0] << ": " << log << '\n';
            return;
        }
        for (std::size_t i = 0; i < statements.size(); ++i) {
            std::string const kernel = "f" + std::to_string(i);
            std::uint32_t const words = result_count(statements[i]);
            std::uint64_t const smallest = digest(run(module, kernel, fewest, words));
            std::uint64_t const small = digest(run(module, kernel, few, words));
            if (auto const found = known_.find(statements[i]); found != known_.end() && found->second != small) {
                if (words > 4) run(module, kernel, fewest, words);
                std::ofstream(options_.differences + "/" + std::to_string(first + i) + ".bin", std::ios::binary)
                    .write(reinterpret_cast<char const*>(results_.data()),
                           static_cast<std::streamsize>(results_.size() * 8));
            }
            std::uint64_t const large = options_.is_quick ? 0 : digest(run(module, kernel, many_of(words), words));
            char line[56];
            std::snprintf(line, sizeof line, "%016llx %016llx %016llx ", static_cast<unsigned long long>(smallest),
                          static_cast<unsigned long long>(small), static_cast<unsigned long long>(large));
            file_ << line << statements[i] << std::endl;
        }
        driver_.unload(module);
    }

    std::span<std::uint64_t const> run(void* module, std::string const& kernel, std::uint32_t count,
                                       std::uint32_t words) {
        void* arguments[] = {&in_, &out_, &count};
        driver_.launch(module, kernel, count / block_threads, block_threads, arguments);
        results_.resize(std::size_t{count} * words);
        driver_.download(results_.data(), out_, results_.size() * 8);
        return results_;
    }

    Options options_;
    Driver driver_;
    std::map<std::string, std::uint64_t> known_;
    Driver::Pointer in_, out_;
    std::ofstream file_;
    std::vector<std::uint64_t> results_;
};

}  // namespace

int main(int count, char** arguments) try {
    Asking(options_of(count, arguments)).all();
    return 0;
} catch (std::exception const& error) {
    std::cerr << "ask: " << error.what() << '\n';
    return 1;
}

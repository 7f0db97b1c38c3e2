// The table of a sweep: its text, and what is left of it when a process was killed.
#include "runtime/sweep/results_file.hpp"
#include "sim/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include <atomic>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace sweep_results_test {

using namespace warpsim;
using Catch::Matchers::Contains;
using sweep::Fields;
using sweep::ResultsFile;

namespace {

Fields const columns{"plan", "launches", "message", "point"};
bool keep_all(Fields const&) { return true; }

/// Three points, of which the second has two rows, with whatever needs quotes.
std::vector<std::vector<Fields>> const written{
    {{"a.json", "1", "", "p1"}},
    {{"b,\"c\".json", "2", "", "p2"}, {"b,\"c\".json", "2", "two\nlines", "p2"}},
    {{"a.json", "1", "\"", "p3"}}};

}  // namespace

TEST_CASE("Fields come back from a line as they were", "[sweep]") {
    Fields const fields{"plain", "", "a,b", "say \"no\"", "two\r\nlines", " blank ", "\""};
    std::string const text = sweep::to_csv(fields);
    CHECK(text == "plain,,\"a,b\",\"say \"\"no\"\"\",\"two\r\nlines\", blank ,\"\"\"\"\n");
    REQUIRE(sweep::read_csv(text + text).size() == 2);
    CHECK(sweep::read_csv(text + text)[1].fields == fields);
    CHECK(sweep::read_csv("a,b\r\nc").size() == 1);
    CHECK(sweep::read_csv("a,b\r\n")[0].fields == Fields{"a", "b"});
}

TEST_CASE("A table that was cut anywhere has the points again that were whole", "[sweep]") {
    test::TemporaryFolder const folder;
    std::string const path = folder / "results.csv";
    std::vector<std::size_t> ends;
    {
        ResultsFile file(path, columns, keep_all);
        ends.push_back(folder.read("results.csv").size());
        for (auto const& rows : written) {
            file.append(rows);
            ends.push_back(folder.read("results.csv").size());
        }
    }
    std::string const whole = folder.read("results.csv");
    for (std::size_t length = 0; length <= whole.size(); ++length) {
        INFO(length);
        folder.write("results.csv", whole.substr(0, length));
        ResultsFile file(path, columns, keep_all);
        std::set<std::string> expected;
        for (std::size_t i = 0; i < written.size(); ++i)
            if (length >= ends[i + 1]) expected.insert(written[i][0].back());
        REQUIRE(file.finished() == expected);
        REQUIRE(folder.read("results.csv") == whole.substr(0, ends[expected.size()]));
        // What was lost is added, and the table is whole again.
        for (std::size_t i = expected.size(); i < written.size(); ++i) file.append(written[i]);
        REQUIRE(folder.read("results.csv") == whole);
    }
}

TEST_CASE("A point that is not kept goes with all of its rows", "[sweep]") {
    test::TemporaryFolder const folder;
    std::string const path = folder / "results.csv";
    {
        ResultsFile file(path, columns, keep_all);
        for (auto const& rows : written) file.append(rows);
    }
    ResultsFile const file(path, columns, [](Fields const& row) { return row[2].empty() || row[3] == "p3"; });
    CHECK(file.finished() == std::set<std::string>{"p1", "p3"});
    CHECK(file.removed() == 2);
    CHECK_THAT(folder.read("results.csv"), !Contains("p2"));
}

TEST_CASE("What is no table of this sweep is left as it is", "[sweep]") {
    test::TemporaryFolder const folder;
    std::string const path = folder.write("results.csv", "something else\n");
    CHECK_THROWS_WITH(ResultsFile(path, columns, keep_all), Contains("other columns (something else)"));
    CHECK(folder.read("results.csv") == "something else\n");
    folder.write("results.csv", "something else");
    CHECK_THROWS_WITH(ResultsFile(path, columns, keep_all), Contains("no table of results"));
    CHECK(folder.read("results.csv") == "something else");
    CHECK_THROWS_AS(ResultsFile(folder / "no/such/folder.csv", columns, keep_all), Error);
}

TEST_CASE("Two sweeps do not write one table", "[sweep]") {
    test::TemporaryFolder const folder;
    ResultsFile const file(folder / "results.csv", columns, keep_all);
    CHECK_THROWS_WITH(ResultsFile(folder / "results.csv", columns, keep_all),
                      Contains("another sweep is writing it"));
}

TEST_CASE("Sweeps that begin at the same time lose no row of each other", "[sweep]") {
    test::TemporaryFolder const folder;
    std::string const path = folder / "results.csv";
    std::atomic<int> added{0};
    auto const sweep = [&](std::string const& name) {
        for (int i = 0; i < 150; ++i) {
            try {
                ResultsFile file(path, columns, keep_all);
                file.append({{"a.json", "1", "", name + std::to_string(i)}});
                ++added;
                // A row that is not finished makes the next one replace the file.
                std::ofstream(path, std::ios::app) << "a.json,1";
            } catch (Error const&) {
                std::this_thread::yield();  // the other one has it
            }
        }
    };
    std::thread other([&] { sweep("other"); });
    sweep("one");
    other.join();
    ResultsFile const file(path, columns, keep_all);
    CHECK(added > 0);
    CHECK(file.finished().size() == static_cast<std::size_t>(added));
}

}  // namespace sweep_results_test

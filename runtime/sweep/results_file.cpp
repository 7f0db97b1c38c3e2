#include "runtime/sweep/results_file.hpp"

#include "sim/error.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>

namespace warpsim::sweep {

namespace {

/// What is to remain of the rows: of points that are complete and wanted.
std::string remaining(std::string const& text, std::vector<Record> const& records, Fields const& columns,
                      std::function<bool(Fields const&)> const& keeps, std::set<std::string>& finished) {
    auto const launches =
        static_cast<std::size_t>(std::find(columns.begin(), columns.end(), "launches") - columns.begin());
    std::map<std::string, std::size_t> rows;
    for (std::size_t i = 1; i < records.size(); ++i)
        if (records[i].fields.size() == columns.size()) ++rows[records[i].fields.back()];
    // A point goes as a whole.
    std::set<std::string> unwanted;
    for (std::size_t i = 1; i < records.size(); ++i) {
        Fields const& fields = records[i].fields;
        if (fields.size() != columns.size()) continue;
        if (fields[launches] != std::to_string(rows[fields.back()]) || !keeps(fields))
            unwanted.insert(fields.back());
    }
    std::string kept = text.substr(0, records.front().end);
    for (std::size_t i = 1; i < records.size(); ++i) {
        Fields const& fields = records[i].fields;
        if (fields.size() != columns.size() || unwanted.contains(fields.back())) continue;
        kept.append(text, records[i].begin, records[i].end - records[i].begin);
        finished.insert(fields.back());
    }
    return kept;
}

}  // namespace

ResultsFile::ResultsFile(std::string path, Fields columns, std::function<bool(Fields const&)> const& keeps)
    : path_(std::move(path)), columns_(std::move(columns)) {
    open(path_, 0, 0666);
    std::string const text = contents();
    std::vector<Record> const records = read_csv(text);
    std::string const head = to_csv(columns_);
    // A first line that was not finished is one of a sweep that had no time to write more.
    if (records.empty() && !head.starts_with(text)) fail("it is there and no table of results");
    if (records.empty()) {
        replace(head);
        return;
    }
    if (records.front().fields != columns_) {
        fail("it has results with other columns (" + text.substr(0, records.front().end - 1) +
             "); name another file, or remove this one");
    }
    std::string const kept = remaining(text, records, columns_, keeps, finished_);
    removed_ = records.size() - read_csv(kept).size();
    if (kept.size() != text.size()) replace(kept);
    if (::lseek(file_.number(), 0, SEEK_END) < 0) fail(std::strerror(errno));
}

OpenFile::~OpenFile() {
    if (number_ >= 0) ::close(number_);
}

void ResultsFile::open(std::string const& path, int flags, mode_t mode) {
    while (true) {
        OpenFile opened(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | flags, mode));
        if (opened.number() < 0) fail(std::strerror(errno));
        if (::flock(opened.number(), LOCK_EX | LOCK_NB) != 0)
            fail(errno == EWOULDBLOCK ? "another sweep is writing it" : std::strerror(errno));
        // Another sweep may have put a file in its place between the two, and have ended.
        struct stat own {
        }, there{};
        if (::fstat(opened.number(), &own) != 0) fail(std::strerror(errno));
        if (::stat(path.c_str(), &there) != 0 || own.st_ino != there.st_ino || own.st_dev != there.st_dev)
            continue;
        file_.swap(opened);
        return;
    }
}

std::string ResultsFile::contents() const {
    std::string text;
    std::vector<char> buffer(1 << 16);
    while (true) {
        ssize_t const got = ::read(file_.number(), buffer.data(), buffer.size());
        if (got < 0) fail(std::strerror(errno));
        if (got == 0) return text;
        text.append(buffer.data(), static_cast<std::size_t>(got));
    }
}

void ResultsFile::write(std::string const& text) {
    for (std::size_t at = 0; at < text.size();) {
        ssize_t const put = ::write(file_.number(), text.data() + at, text.size() - at);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) fail(std::strerror(errno));
        at += static_cast<std::size_t>(put);
    }
    if (::fdatasync(file_.number()) != 0 && errno != EINVAL) fail(std::strerror(errno));
}

/// At no time is there less in the file than before.
void ResultsFile::replace(std::string const& text) {
    struct stat status {};
    if (::fstat(file_.number(), &status) == 0 && !S_ISREG(status.st_mode))
        fail("it is no file that can be gone on with");
    std::string const made = path_ + ".new";
    OpenFile before;
    before.swap(file_);  // stays locked until the new one is in its place
    open(made, O_TRUNC, status.st_mode & 0777);
    write(text);
    if (std::rename(made.c_str(), path_.c_str()) != 0) fail(std::strerror(errno));
}

void ResultsFile::append(std::vector<Fields> const& rows) {
    std::string text;
    for (Fields const& fields : rows) text += to_csv(fields);
    write(text);
    finished_.insert(rows.back().back());
}

void ResultsFile::fail(std::string const& what) const { throw Error(ErrorKind::usage, path_ + ": " + what); }

}  // namespace warpsim::sweep

#include "runtime/coverage/shared_file.hpp"

#include "sim/error.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

namespace warpsim::coverage {

namespace {

[[noreturn]] void fail(std::string const& path) {
    throw Error(ErrorKind::usage, "cannot write the coverage to '" + path + "': " + std::strerror(errno));
}

bool is_lcov(std::string const& path) { return path.ends_with(".info"); }

/// The file, which no other process replaces meanwhile. A new state of it is written beside it and takes its name, so the lock
/// of one that has waited may be that of a state that is gone.
class Locked {
public:
    explicit Locked(std::string const& path) : path_(path) {
        while (true) {
            file_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
            if (file_ < 0) fail(path);
            while (flock(file_, LOCK_EX) != 0) {
                if (errno != EINTR) fail_and_close();
            }
            struct stat held {
            }, named{};
            bool const is_same = fstat(file_, &held) == 0 && stat(path.c_str(), &named) == 0 &&
                                 held.st_ino == named.st_ino && held.st_dev == named.st_dev;
            if (is_same) return;
            close(file_);
        }
    }
    ~Locked() { close(file_); }
    Locked(Locked const&) = delete;
    Locked& operator=(Locked const&) = delete;

    Report read() const {
        std::ifstream stream(path_, std::ios::binary);
        std::string const text(std::istreambuf_iterator<char>(stream), {});
        if (text.find_first_not_of(" \t\r\n") == std::string::npos) return {};
        return is_lcov(path_) ? from_lcov(path_, text) : from_json(path_, text);
    }
    void write(Report const& report) const {
        std::string const text = is_lcov(path_) ? to_lcov(report) : to_json(report);
        struct stat status {};
        // What is no file, /dev/stdout for example, is not replaced.
        bool const is_file = fstat(file_, &status) == 0 && S_ISREG(status.st_mode);
        std::string const beside = is_file ? path_ + "." + std::to_string(getpid()) + ".new" : path_;
        std::ofstream stream(beside, std::ios::binary | std::ios::trunc);
        stream << text;
        stream.close();
        if (is_file) chmod(beside.c_str(), status.st_mode & 0777);
        if (stream && (!is_file || std::rename(beside.c_str(), path_.c_str()) == 0)) return;
        int const error = errno;
        if (is_file) unlink(beside.c_str());
        errno = error;
        fail(path_);
    }

private:
    [[noreturn]] void fail_and_close() const {
        int const error = errno;
        close(file_);
        errno = error;
        fail(path_);
    }

    std::string const path_;
    int file_ = -1;
};

}  // namespace

void check_file(std::string const& path) { static_cast<void>(Locked(path).read()); }

Report add_to_file(std::string const& path, Report const& report) {
    Locked const file(path);
    Report all = file.read();
    all += is_lcov(path) ? from_lcov(path, to_lcov(report)) : report;  // a tracefile knows less of each file
    file.write(all);
    return all;
}

}  // namespace warpsim::coverage

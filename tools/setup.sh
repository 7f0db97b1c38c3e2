# shellcheck shell=sh
# Sourced by tools/demo and tools/test: installs what is missing and finds a generator. POSIX sh.

root=$(CDPATH="" cd -- "$(dirname -- "$0")/.." && pwd)
cd "$root" || exit 1

say() { printf '== %s\n' "$*"; }

# The packages of Debian 12 and Ubuntu 24.04, and the command or file that shows that each one is there.
packages() {
    cat <<'LIST'
g++ g++
cmake cmake
ninja-build ninja
libboost-dev /usr/include/boost/spirit/home/x3.hpp
libtbb-dev /usr/include/tbb/task_group.h
libspdlog-dev /usr/include/spdlog/spdlog.h
nlohmann-json3-dev /usr/include/nlohmann/json.hpp
libcli11-dev /usr/include/CLI/CLI.hpp
catch2 /usr/include/catch2
libbenchmark-dev /usr/include/benchmark/benchmark.h
libmpfr-dev /usr/include/mpfr.h
libzstd-dev /usr/include/zstd.h
liblz4-dev /usr/include/lz4.h
libxxhash-dev /usr/include/xxhash.h
libcereal-dev /usr/include/cereal/cereal.hpp
libpng-dev /usr/include/png.h
zlib1g-dev /usr/include/zlib.h
libmd-dev /usr/include/sha2.h
libdw-dev /usr/include/elfutils/libdwfl.h
libedit-dev /usr/include/histedit.h
LIST
}

# What makes native code of kernels; without it they are interpreted.
compilers() {
    cat <<'LIST'
llvm-16-dev /usr/lib/llvm-16/include/llvm/IR/Module.h
clang-16 clang++-16
LIST
}

# What instruments code; g++ does it too where this is missing, in twice the time.
instrumenters() {
    cat <<'LIST'
clang-16 clang++-16
libclang-rt-16-dev /usr/lib/llvm-16/lib/clang/16/lib/linux/libclang_rt.asan-x86_64.a
LIST
}

# What else the checks of formatting, style, schemas and completions need.
checkers() {
    cat <<'LIST'
clang-format-14 clang-format-14
clang-tidy-14 clang-tidy-14
python3-jsonschema /usr/lib/python3/dist-packages/jsonschema/__init__.py
zsh zsh
fish fish
LIST
}

# What makes packages of the installed tree.
packagers() {
    cat <<'LIST'
dpkg-dev dpkg-shlibdeps
file file
patchelf patchelf
LIST
}

# missing_of LIST: its packages that are not here.
missing_of() {
    "$1" | while read -r package sign; do
        [ -e "$sign" ] || command -v "$sign" >/dev/null 2>&1 || printf ' %s' "$package"
    done
}

# install_missing [LIST]: LIST is packages, compilers, instrumenters, packagers or checkers.
install_missing() {
    missing=$(missing_of "${1:-packages}")
    [ -n "$missing" ] || return 0
    if ! command -v apt-get >/dev/null 2>&1; then
        say "no apt-get here; if the build fails, install what Debian calls:$missing"
        return 0
    fi
    sudo=
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null 2>&1; then
            echo "error: these packages are missing and neither root nor sudo is here to install them:$missing" >&2
            exit 1
        fi
        sudo=sudo
    fi
    say "installing:$missing"
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get -q update >/dev/null
    # shellcheck disable=SC2086 # a list of names
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq -y install --no-install-recommends $missing >/dev/null
}

jobs() { nproc 2>/dev/null || echo 2; }

# Warnings are errors in the release build with the compiler that the project is written with. Newer compilers see
# more, and so do instrumented builds, rightly or wrongly: there warnings stay warnings.
warnings_as_errors() {
    case $1/$("${CXX:-c++}" --version 2>/dev/null | head -n 1) in
        *clang*) echo OFF ;;
        release/*" 12."* | package/*" 12."*) echo ON ;;
        *) echo OFF ;;
    esac
}

# What cmake is told for a build that is to be there soon: lane code for this machine alone, large pieces, and no warnings, a
# third of the time less. A folder that is built already stays what it is.
for_a_start() {
    cache=build/release/CMakeCache.txt
    if [ -e "$cache" ]; then
        sed -n 's/^\(WARPSIM_\(HOSTS\|UNITY_SIZE\|WARNINGS\)\):[A-Z]*=/-D\1=/p' "$cache"
    else
        echo "-DWARPSIM_HOSTS=$(own_host) -DWARPSIM_UNITY_SIZE=64 -DWARPSIM_WARNINGS=OFF"
    fi
}
own_host() {
    flags=" $(sed -n 's/^flags[[:space:]]*: //p' /proc/cpuinfo | head -n 1) "
    host=avx512
    for flag in avx512f avx512bw avx512cd avx512dq avx512vl; do
        case $flags in *" $flag "*) ;; *) host=avx2 ;; esac
    done
    for flag in avx2 fma bmi1 bmi2 f16c movbe; do
        case $flags in *" $flag "*) ;; *) host=baseline ;; esac
    done
    echo "$host"
}

# build PRESET "TARGET..." [ARGUMENT...]: configures, with more arguments for cmake, and builds.
build() {
    preset=$1
    targets=$2
    shift 2
    set -- "$@" "-DWARPSIM_WARNINGS_AS_ERRORS=$(warnings_as_errors "$preset")"
    # A build folder keeps the generator and the compiler it was made with.
    if [ ! -e "build/$preset/CMakeCache.txt" ]; then
        if [ -z "$CMAKE_GENERATOR" ] && command -v ninja >/dev/null 2>&1; then set -- -G Ninja "$@"; fi
        if [ "$preset" = asan ] && [ -z "$CXX" ] && [ -z "$(missing_of instrumenters)" ]; then
            set -- -D CMAKE_C_COMPILER=clang-16 -D CMAKE_CXX_COMPILER=clang++-16 "$@"
        fi
    fi
    say "configuring build/$preset"
    mkdir -p "build/$preset"
    cmake --preset "$preset" "$@" >"build/$preset/configure.log" 2>&1 || {
        cat "build/$preset/configure.log" >&2
        exit 1
    }
    say "building $targets with $(jobs) jobs"
    # shellcheck disable=SC2086  # several words
    cmake --build --preset "$preset" --target $targets --parallel "$(jobs)" || exit 1
}

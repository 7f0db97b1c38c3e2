// The main() of warpsim-tests. Catch2 3 brings its own, Catch2 2 wants it compiled here.
#if !__has_include(<catch2/catch_all.hpp>)
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif

#ifdef WARPSIM_SANITIZED
/// oneTBB keeps its note of an arena's observer as long as a worker is in the arena, which may be until the process ends.
// NOLINTNEXTLINE(bugprone-reserved-identifier): the name that the sanitizer asks for
extern "C" char const* __lsan_default_suppressions();
// NOLINTNEXTLINE(bugprone-reserved-identifier)
extern "C" char const* __lsan_default_suppressions() { return "leak:tbb::detail::r1::observe\n"; }
#endif

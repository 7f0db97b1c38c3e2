# Lane code is compiled once for each host instruction set; which of them runs is chosen when the program starts.
set(WARPSIM_HOSTS "baseline;avx2;avx512" CACHE STRING "Instruction sets that lane code is compiled for")
# Where there are others, the baseline is for processors from before 2013: vectorising it for them takes longer than half of its
# compilation.
set(warpsim_options_baseline "")
if(NOT WARPSIM_HOSTS STREQUAL "baseline")
    set(warpsim_options_baseline -O1)
endif()
set(warpsim_options_avx2 -march=x86-64-v3)
set(warpsim_options_avx512 -march=x86-64-v4 -mprefer-vector-width=512)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # g++ 12 takes the operand that its own intrinsics leave undefined for ours (GCC bug 105593).
    list(APPEND warpsim_options_avx512 -Wno-uninitialized -Wno-maybe-uninitialized)
endif()
# What some hosts with AVX-512 have beyond it: asked for by the code of avx512 when it runs.
set(warpsim_options_avx512vnni ${warpsim_options_avx512} -mavx512vnni)
foreach(host IN LISTS WARPSIM_HOSTS)
    if(NOT host MATCHES "^(baseline|avx2|avx512)$")
        message(FATAL_ERROR "WARPSIM_HOSTS contains '${host}'; it is a list of baseline, avx2 and avx512")
    endif()
endforeach()
if(NOT WARPSIM_HOSTS)
    message(FATAL_ERROR "WARPSIM_HOSTS is empty; it is a list of baseline, avx2 and avx512")
endif()

# For C++: WARPSIM_HOSTS(use, arguments...) is use(name, arguments...) for each of these, and WARPSIM_FIRST_HOST one that there is.
set(uses ${WARPSIM_HOSTS})
list(TRANSFORM uses REPLACE "(.+)" " use(\\1 __VA_OPT__(,) __VA_ARGS__)")
string(JOIN "" uses ${uses})
list(GET WARPSIM_HOSTS 0 first)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/frontend/isa/host_list.hpp
     CONTENT "#pragma once\n#define WARPSIM_HOSTS(use, ...)${uses}\n#define WARPSIM_FIRST_HOST ${first}\n")

# warpsim_host_objects(NAME SOURCES sources... [OPTIONS options...] [LINKS targets...] [HOSTS hosts...]
#                      [PRECOMPILED headers...])
# Compiles the sources for each host (those given, if any) as warpsim_NAME_<host>, in the namespace WARPSIM_HOST;
# ${warpsim_NAME_objects} are the objects of all.
function(warpsim_host_objects name)
    cmake_parse_arguments(LANES "" "" "SOURCES;OPTIONS;LINKS;HOSTS;PRECOMPILED" ${ARGN})
    if(NOT LANES_HOSTS)
        set(LANES_HOSTS ${WARPSIM_HOSTS})
    endif()
    set(objects)
    foreach(host IN LISTS LANES_HOSTS)
        set(target warpsim_${name}_${host})
        add_library(${target} OBJECT ${LANES_SOURCES})
        target_compile_definitions(${target} PRIVATE WARPSIM_HOST=${host})
        target_compile_options(${target} PRIVATE ${WARPSIM_LANE_OPTIONS} ${LANES_OPTIONS} ${warpsim_options_${host}})
        target_link_libraries(${target} PRIVATE warpsim_flags ${LANES_LINKS})
        warpsim_include_root(${target} PRIVATE)
        # Compiler caches know nothing of such headers: they do better without.
        if(LANES_PRECOMPILED AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
            target_precompile_headers(${target} PRIVATE ${LANES_PRECOMPILED})
        endif()
        list(APPEND objects $<TARGET_OBJECTS:${target}>)
    endforeach()
    set(warpsim_${name}_objects ${objects} PARENT_SCOPE)
endfunction()

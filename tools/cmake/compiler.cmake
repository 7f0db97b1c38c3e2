# Compiler flags that every target of the project shares, as one interface target.
add_library(warpsim_flags INTERFACE)
set(warnings
    -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Woverloaded-virtual
    # Where sources are compiled together, a local variable may have the name of something that is another source's own;
    # of clang's warnings none leaves that out.
    $<IF:$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>,$<$<CXX_COMPILER_ID:GNU>:-Wshadow=local>,-Wshadow>)
if(NOT WARPSIM_WARNINGS)
    set(warnings -w)
endif()
target_compile_options(warpsim_flags INTERFACE
    ${warnings}
    # Results must not depend on whether the compiler fused a multiply and an add.
    -ffp-contract=off
    # All objects are position independent for the shared library; without this g++ inlines no exported function.
    -fno-semantic-interposition
    # g++ 12 sees overlapping copies in `"literal" + std::string` that are none (GCC bug 105651). A tenth of its time it would
    # spend on finding memory to use again, of which it saves 130 MB.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;--param=ggc-min-heapsize=500000>)
if(WARPSIM_WARNINGS_AS_ERRORS)
    target_compile_options(warpsim_flags INTERFACE -Werror)
endif()

# Lane code is vectorised by -O3, also in debug builds, where nobody steps through 32 lanes. With sanitizers there is
# little to vectorise, and it takes long: two minutes for the products of matrices.
set(WARPSIM_LANE_OPTIONS -O3)
if(WARPSIM_SANITIZE)
    set(WARPSIM_LANE_OPTIONS -O1)
endif()

# Sanitizers go to every target alike: an inline function compiled both with and without them would be one of the two.
if(WARPSIM_SANITIZE)
    add_compile_options(-fsanitize=${WARPSIM_SANITIZE} -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${WARPSIM_SANITIZE})
    if(WARPSIM_SANITIZE MATCHES "undefined")
        # A null pointer that is used ends a test by itself, and where an object ends the address sanitizer knows: these
        # two cost a fifth of the time of compilation and find nothing more.
        add_compile_options(-fno-sanitize-recover=undefined -fno-sanitize=null,object-size)
    endif()
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        # g++ 12 warns about std::regex itself then.
        add_compile_options(-Wno-maybe-uninitialized)
    endif()
    if(WARPSIM_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        # The fences of kernels are fences of the host, which the sanitizer does not model and g++ warns about.
        add_compile_options(-Wno-tsan)
    endif()
    if(WARPSIM_SANITIZE MATCHES "thread")
        # g++ 12 loses AVX-512 masks across its calls of this sanitizer (a comparison of 32 lanes comes
        # out wrong), and a warp's columns belong to one host thread at a time anyway.
        list(APPEND WARPSIM_LANE_OPTIONS -fno-sanitize=thread)
    endif()
endif()
# The fuzzer's coverage counters belong in every object; only the fuzz targets themselves get its main().
if(WARPSIM_FUZZ)
    if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
        message(FATAL_ERROR "WARPSIM_FUZZ needs clang: configure with -DCMAKE_CXX_COMPILER=clang++")
    endif()
    add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-omit-frame-pointer)
    add_link_options(-fsanitize=address,undefined)
endif()

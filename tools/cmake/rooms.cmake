# A room is a folder with a library target of its own. Other rooms see its headers only through that target: each
# room's headers are linked into a private include root, so an include of a room that is not linked does not compile.

# Sources of a library are compiled some at a time, as most of the time goes into reading headers; each is still to include
# what it uses, and what is in its unnamed namespace has a name of its own in the room.
option(WARPSIM_UNITY "Compile several sources at a time" ON)
set(WARPSIM_UNITY_SIZE 8 CACHE STRING "... so many of a library: more build all in less time, and one change in more")
function(warpsim_unity target)
    set(size ${WARPSIM_UNITY_SIZE})
    if(ARGC GREATER 1 AND ARGV1 GREATER size)
        set(size ${ARGV1})
    endif()
    if(WARPSIM_UNITY)
        set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${size})
    endif()
endfunction()

# What runs once a call, a launch or a module: optimising it for speed takes longer than it ever saves. With sanitizers nothing of it
# is worth optimising.
function(warpsim_warm target)
    if(WARPSIM_SANITIZE)
        target_compile_options(${target} PRIVATE -O0)
    else()
        target_compile_options(${target} PRIVATE $<$<CONFIG:Release,RelWithDebInfo>:-O1>)
    endif()
endfunction()

# What runs once a run: g++ takes a quarter less time for -Og than for -O1, and sees uninitialised variables then where there are none.
if(WARPSIM_SANITIZE)
    set(WARPSIM_COLD_OPTIONS -O0)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(WARPSIM_COLD_OPTIONS $<$<CONFIG:Release,RelWithDebInfo>:-Og> -Wno-maybe-uninitialized)
else()
    set(WARPSIM_COLD_OPTIONS $<$<CONFIG:Release,RelWithDebInfo>:-O1>)
endif()
function(warpsim_cold target)
    target_compile_options(${target} PRIVATE ${WARPSIM_COLD_OPTIONS})
endfunction()

# What runs for each instruction of a warp. How g++ inlines it depends on what else it sees at a time, so that stays the same.
function(warpsim_hot target)
    set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE 8)
endfunction()

# For some sources of a room, which are compiled alone then: little optimisation, or all of it.
function(warpsim_cold_sources)
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "${WARPSIM_COLD_OPTIONS}" SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
function(warpsim_hot_sources)
    if(NOT WARPSIM_SANITIZE)
        set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release,RelWithDebInfo>:-O3>
                                    SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
endfunction()

# Headers that a target's sources have read already, as others' have: those of the standard library, or those that another target
# has precompiled. Only g++ lets targets with different options share them. Compiler caches know nothing of such headers, and
# sanitizers have options of their own for some rooms: these do better without.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_CXX_COMPILER_LAUNCHER AND NOT WARPSIM_SANITIZE)
    set(WARPSIM_PRECOMPILES ON)
else()
    set(WARPSIM_PRECOMPILES OFF)
endif()
# None that declares std::quoted, which calls of our quoted() would find.
set(WARPSIM_COMMON_HEADERS <algorithm> <array> <atomic> <bit> <charconv> <cstdint> <cstdio> <cstring> <deque> <functional> <map>
    <memory> <mutex> <optional> <set> <span> <sstream> <stdexcept> <string> <string_view> <tuple> <unordered_map> <utility> <variant>
    <vector>)
if(WARPSIM_PRECOMPILES)
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/warpsim_common_headers.cpp CONTENT "// CMake wants a source.\n")
    add_library(warpsim_common_headers OBJECT ${PROJECT_BINARY_DIR}/warpsim_common_headers.cpp)
    target_link_libraries(warpsim_common_headers PRIVATE warpsim_flags)
    target_precompile_headers(warpsim_common_headers PRIVATE ${WARPSIM_COMMON_HEADERS})
endif()

# warpsim_reads(TARGET [<headers>... | FROM other])
# The target's sources mostly read these headers of the project, too, or those that `other` was told of.
function(warpsim_reads target)
    if(NOT WARPSIM_PRECOMPILES)
        return()
    endif()
    # The name of the target, which CMake defines for shared libraries, would make headers differ.
    set_target_properties(${target} PROPERTIES DEFINE_SYMBOL "")
    # In precompiled strings g++ 12 sees copies of half the memory that there are not, and may see more of the kind.
    target_compile_options(${target} PRIVATE -Wno-stringop-overflow -Wno-array-bounds -Wno-error=stringop-overread
        -Wno-error=maybe-uninitialized -Wno-error=use-after-free -Wno-error=free-nonheap-object)
    if(ARGV1 STREQUAL "FROM")
        target_precompile_headers(${target} REUSE_FROM ${ARGV2})
    elseif(ARGN)
        target_precompile_headers(${target} PRIVATE ${WARPSIM_COMMON_HEADERS} ${ARGN})
        set_property(GLOBAL APPEND PROPERTY WARPSIM_PRECOMPILED_FOR ${target})
    else()
        target_precompile_headers(${target} REUSE_FROM warpsim_common_headers)
    endif()
endfunction()

# warpsim_room(NAME [COLD | WARM | HOT] [FOLDERS subfolders...] [EXCLUDE sources...] [USES rooms...] [PRIVATE_LINKS targets...]
#              [PRECOMPILED headers...])
# Makes the static library `warpsim_NAME` of this folder's *.cpp and *.hpp, and of those of the subfolders. What most of its
# sources read can be precompiled, for them and for those of the rooms that use it.
function(warpsim_room name)
    cmake_parse_arguments(ROOM "COLD;WARM;HOT" "" "FOLDERS;EXCLUDE;USES;PRIVATE_LINKS;PRECOMPILED" ${ARGN})
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
    foreach(folder IN LISTS ROOM_FOLDERS)
        file(GLOB more CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp)
        list(APPEND sources ${more})
    endforeach()
    foreach(excluded IN LISTS ROOM_EXCLUDE)
        list(REMOVE_ITEM sources ${CMAKE_CURRENT_SOURCE_DIR}/${excluded})
    endforeach()
    set(target warpsim_${name})
    if(sources)
        add_library(${target} STATIC ${sources})
        set(scope PUBLIC)
        target_link_libraries(${target} PRIVATE warpsim_flags ${ROOM_PRIVATE_LINKS})
        warpsim_unity(${target})
        get_property(precompiled GLOBAL PROPERTY WARPSIM_PRECOMPILED_FOR)
        foreach(used IN LISTS ROOM_USES)
            if(used IN_LIST precompiled AND NOT ROOM_PRECOMPILED)
                set(ROOM_PRECOMPILED FROM ${used})
            endif()
        endforeach()
        warpsim_reads(${target} ${ROOM_PRECOMPILED})
        if(ROOM_COLD)
            warpsim_cold(${target})
        elseif(ROOM_WARM)
            warpsim_warm(${target})
        elseif(ROOM_HOT)
            warpsim_hot(${target})
        endif()
    else()
        add_library(${target} INTERFACE)
        set(scope INTERFACE)
    endif()
    warpsim_include_root(${target} ${scope})
    target_link_libraries(${target} ${scope} ${ROOM_USES})
    set_property(GLOBAL APPEND PROPERTY WARPSIM_ROOMS ${target})
endfunction()

# warpsim_choices(NAME PREFIX FILE)
# For what is chosen or found by name: FILE, included as if it stood in this folder, has a line WARPSIM_CHOICE(name) for
# every PREFIX_name.cpp of it. A PREFIX that ends in a slash is a folder, of every name.cpp in it.
function(warpsim_choices name prefix file)
    if(NOT prefix MATCHES "/$")
        set(prefix ${prefix}_)
    endif()
    file(GLOB sources RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${prefix}*.cpp)
    list(TRANSFORM sources REPLACE "^${prefix}(.*).cpp$" "WARPSIM_CHOICE(\\1)\n")
    string(JOIN "" lines ${sources})
    set(root ${PROJECT_BINARY_DIR}/choices)
    file(RELATIVE_PATH here ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
    file(CONFIGURE OUTPUT ${root}/${here}/${file} CONTENT "${lines}")
    target_include_directories(warpsim_${name} PUBLIC $<BUILD_INTERFACE:${root}>)
endfunction()

# Links this folder's headers into the target's own include root, with those of its subfolders that are no rooms.
function(warpsim_include_root target scope)
    set(root ${PROJECT_BINARY_DIR}/include-roots/${target})
    file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.hpp)
    file(GLOB_RECURSE inner RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/CMakeLists.txt)
    list(REMOVE_ITEM inner CMakeLists.txt)
    list(TRANSFORM inner REPLACE "/CMakeLists.txt$" "")
    # A header that was deleted or moved must not be found any more.
    file(REMOVE_RECURSE ${root})
    file(MAKE_DIRECTORY ${root})
    foreach(header IN LISTS headers)
        file(RELATIVE_PATH here ${CMAKE_CURRENT_SOURCE_DIR} ${header})
        set(foreign FALSE)
        foreach(room IN LISTS inner)
            string(FIND "${here}" "${room}/" at)
            if(at EQUAL 0)
                set(foreign TRUE)
            endif()
        endforeach()
        if(NOT foreign)
            file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${header})
            get_filename_component(folder ${path} DIRECTORY)
            file(MAKE_DIRECTORY ${root}/${folder})
            file(CREATE_LINK ${header} ${root}/${path} SYMBOLIC)
        endif()
    endforeach()
    target_include_directories(${target} ${scope} $<BUILD_INTERFACE:${root}>)
endfunction()

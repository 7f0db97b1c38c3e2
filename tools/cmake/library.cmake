# libwarpsim.so, and what `cmake --install` makes of the project: a tree that can be moved and that
# find_package(warpsim) finds.
include(CMakePackageConfigHelpers)

# Makes `libwarpsim.so` of the archives of all rooms that exist so far, so that no source is compiled twice.
function(warpsim_shared_library)
    get_property(rooms GLOBAL PROPERTY WARPSIM_ROOMS)
    set(archives "")
    foreach(room IN LISTS rooms)
        get_target_property(type ${room} TYPE)
        if(type STREQUAL "STATIC_LIBRARY")
            list(APPEND archives ${room})
        endif()
    endforeach()
    set(script ${PROJECT_SOURCE_DIR}/tools/cmake/exports.map)
    add_library(warpsim_shared SHARED ${PROJECT_BINARY_DIR}/warpsim_shared.cpp)
    add_library(warpsim::warpsim ALIAS warpsim_shared)
    # CMake wants a source to know the language by.
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/warpsim_shared.cpp CONTENT "// The library is the rooms' archives.\n")
    set_target_properties(warpsim_shared PROPERTIES
        OUTPUT_NAME warpsim
        EXPORT_NAME warpsim
        SOVERSION ${PROJECT_VERSION_MAJOR}
        LINK_DEPENDS ${script}
        BUILD_WITH_INSTALL_RPATH ON
        INSTALL_RPATH "$ORIGIN")
    # A wheel has no links: each would be another copy.
    if(SKBUILD)
        set(links NAMELINK_SKIP)
    else()
        set(links "")
        set_target_properties(warpsim_shared PROPERTIES VERSION ${PROJECT_VERSION})
    endif()
    # The files come whole; the targets after them add nothing but the third-party libraries they need.
    list(TRANSFORM archives REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE files)
    target_link_libraries(warpsim_shared PRIVATE
        warpsim_flags -Wl,--whole-archive ${files} -Wl,--no-whole-archive ${archives})
    target_link_options(warpsim_shared PRIVATE "LINKER:--version-script=${script}")
    target_compile_features(warpsim_shared INTERFACE cxx_std_20)
    target_include_directories(warpsim_shared INTERFACE $<INSTALL_INTERFACE:include/warpsim>)
    # Inside this build the headers are those of the rooms.
    foreach(archive IN LISTS archives)
        target_include_directories(warpsim_shared INTERFACE
            $<BUILD_INTERFACE:$<TARGET_PROPERTY:${archive},INTERFACE_INCLUDE_DIRECTORIES>>)
    endforeach()

    # What plug-ins are compiled with: headers, and nothing to link.
    add_library(warpsim_plugin_headers INTERFACE)
    add_library(warpsim::plugin ALIAS warpsim_plugin_headers)
    set_target_properties(warpsim_plugin_headers PROPERTIES EXPORT_NAME plugin)
    target_compile_features(warpsim_plugin_headers INTERFACE cxx_std_20)
    target_include_directories(warpsim_plugin_headers INTERFACE
        $<INSTALL_INTERFACE:include/warpsim> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
    install(TARGETS warpsim_plugin_headers EXPORT warpsim COMPONENT ${WARPSIM_DEVELOPMENT})

    set(cmake_folder ${CMAKE_INSTALL_LIBDIR}/cmake/warpsim)
    install(TARGETS warpsim_shared EXPORT warpsim
            LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_COMPONENT ${WARPSIM_DEVELOPMENT} ${links})
    install(EXPORT warpsim NAMESPACE warpsim:: FILE warpsimTargets.cmake DESTINATION ${cmake_folder}
            COMPONENT ${WARPSIM_DEVELOPMENT})
    configure_package_config_file(${PROJECT_SOURCE_DIR}/tools/cmake/warpsimConfig.cmake.in
        ${PROJECT_BINARY_DIR}/warpsimConfig.cmake INSTALL_DESTINATION ${cmake_folder})
    write_basic_package_version_file(${PROJECT_BINARY_DIR}/warpsimConfigVersion.cmake COMPATIBILITY SameMinorVersion)
    install(FILES ${PROJECT_BINARY_DIR}/warpsimConfig.cmake ${PROJECT_BINARY_DIR}/warpsimConfigVersion.cmake
                  ${PROJECT_SOURCE_DIR}/tools/cmake/warpsimCudaTest.cmake
            DESTINATION ${cmake_folder} COMPONENT ${WARPSIM_DEVELOPMENT})
    # Debian's packages have a file of their own that says both.
    if(NOT WARPSIM_PACKAGE STREQUAL "deb")
        install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION share/doc/warpsim)
        install(FILES ${PROJECT_SOURCE_DIR}/runtime/report/page/d3/LICENSE DESTINATION share/doc/warpsim RENAME LICENSE.d3)
    endif()
    warpsim_install_headers()
endfunction()

# The public headers are these and whatever they include.
function(warpsim_install_headers)
    set(todo runtime/device.hpp runtime/launch.hpp runtime/log.hpp sim/plugin/plugin.hpp)
    set(public "")
    while(todo)
        list(POP_FRONT todo header)
        if(header IN_LIST public OR NOT EXISTS ${PROJECT_SOURCE_DIR}/${header})
            continue()
        endif()
        list(APPEND public ${header})
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${header})
        file(STRINGS ${PROJECT_SOURCE_DIR}/${header} includes REGEX "^#include \"")
        foreach(line IN LISTS includes)
            string(REGEX REPLACE "^#include \"([^\"]*)\".*" "\\1" included "${line}")
            list(APPEND todo ${included})
        endforeach()
        get_filename_component(folder ${header} DIRECTORY)
        install(FILES ${PROJECT_SOURCE_DIR}/${header} DESTINATION include/warpsim/${folder}
                COMPONENT ${WARPSIM_DEVELOPMENT})
    endwhile()
endfunction()

# Installs the program that `folder` builds.
function(warpsim_install_command folder)
    get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target IN LISTS targets)
        get_target_property(type ${target} TYPE)
        if(type STREQUAL "EXECUTABLE")
            set_target_properties(${target} PROPERTIES
                BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN/../lib")
            install(TARGETS ${target} RUNTIME DESTINATION bin)
            # The command tells itself what shells complete, and what its manual says.
            set(share ${PROJECT_BINARY_DIR}/share)
            add_custom_target(command-words ALL
                COMMAND ${CMAKE_COMMAND} -D command=$<TARGET_FILE:${target}> -D share=${share} -D zsh=${WARPSIM_ZSH_FOLDER}
                        -P ${PROJECT_SOURCE_DIR}/tools/cmake/words.cmake
                DEPENDS ${PROJECT_SOURCE_DIR}/tools/cmake/words.cmake)
            add_dependencies(command-words ${target})
            install(DIRECTORY ${share}/ DESTINATION share)
            set(WARPSIM_COMMAND_TARGET ${target} PARENT_SCOPE)
        endif()
    endforeach()
endfunction()

# How sources of this folder are compiled that belong to a CUDA library.
function(warpsim_cuda_sources target)
    warpsim_include_root(${target} PRIVATE)
    target_link_libraries(${target} PRIVATE warpsim_flags warpsim_shared)
    # These have short sources and read much, even where it is precompiled.
    warpsim_unity(${target} 16)
    warpsim_warm(${target})
    # What a call does when it fails stays part of its function, whose name tells checkers which call it was.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fno-reorder-blocks-and-partition>)
endfunction()

# warpsim_cuda_library(TARGET NAME [SOVERSION [SUBFOLDER [INNER]]])
# Makes of this folder's *.cpp a lib/cuda/[SUBFOLDER/]libNAME.so over libwarpsim, which exports what exports.map says. With INNER,
# its *.cpp belong to it too, and what it exports is said there. The target cuda-libraries builds them all.
function(warpsim_cuda_library target name)
    set(folders ${CMAKE_CURRENT_SOURCE_DIR})
    if(ARGC GREATER 4)
        list(PREPEND folders ${CMAKE_CURRENT_SOURCE_DIR}/${ARGV4})
    endif()
    list(GET folders 0 own)
    list(TRANSFORM folders APPEND /names.hpp OUTPUT_VARIABLE names)
    list(TRANSFORM folders APPEND /*.cpp OUTPUT_VARIABLE sources)
    file(GLOB sources CONFIGURE_DEPENDS ${sources})
    add_library(${target} SHARED ${sources})
    warpsim_cuda_sources(${target})
    target_link_options(${target} PRIVATE "LINKER:--version-script=${own}/exports.map")
    if(NOT TARGET cuda-libraries)
        add_custom_target(cuda-libraries)
    endif()
    add_dependencies(cuda-libraries ${target})
    file(GLOB lists CONFIGURE_DEPENDS ${names} ${own}/entry_list.hpp)
    if(lists)
        warpsim_cuda_functions(${target} "${folders}" "${sources}" "${lists}")
    endif()
    set(folder cuda)
    set(root "$ORIGIN/..")
    if(ARGC GREATER 3 AND ARGV3)
        string(APPEND folder /${ARGV3})
        string(APPEND root "/..")
    endif()
    set_target_properties(${target} PROPERTIES
        OUTPUT_NAME ${name}
        LINK_DEPENDS ${own}/exports.map
        LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/${folder}
        BUILD_WITH_INSTALL_RPATH ON
        INSTALL_RPATH "${root}")
    if(ARGC GREATER 2 AND ARGV2)
        set_target_properties(${target} PROPERTIES SOVERSION ${ARGV2})
    endif()
    install(TARGETS ${target} LIBRARY DESTINATION ${WARPSIM_OWN_LIBDIR}/${folder})
endfunction()

# The lists of functions that follow from the definitions in the folders, as cuda_functions.cmake describes them; the target
# finds them in a folder of their own, by the folder's path and functions/.
function(warpsim_cuda_functions target folders sources lists)
    set(script ${PROJECT_SOURCE_DIR}/tools/cmake/cuda_functions.cmake)
    file(RELATIVE_PATH here ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
    set(root ${CMAKE_CURRENT_BINARY_DIR}/generated/${target})
    set(out ${root}/${here}/functions)
    set(made ${out}/not_supported.hpp ${out}/functions.hpp)
    if("${lists}" MATCHES "entry_list.hpp")
        list(APPEND made ${out}/entries.hpp)
    endif()
    add_custom_command(OUTPUT ${made}
        COMMAND ${CMAKE_COMMAND} "-DFOLDERS=${folders}" -D OUT=${out} -P ${script}
        DEPENDS ${sources} ${lists} ${script}
        COMMENT "Listing the functions of ${target}"
        VERBATIM)
    target_sources(${target} PRIVATE ${made})
    target_include_directories(${target} PRIVATE ${root})
    set_target_properties(${target} PROPERTIES WARPSIM_CUDA_FUNCTIONS ${out}/functions.hpp)
endfunction()

# Run by CPack on what becomes Debian's packages: adds what Debian wants beside the program.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
    return()
endif()

function(run)
    execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# Debian's changelog is about the package; what has changed in the program stands beside it.
string(REPLACE "." "\\." pattern "${CPACK_PACKAGE_VERSION}")
file(STRINGS ${CPACK_WARPSIM_CHANGELOG} head REGEX "^## \\[${pattern}\\] - ")
if(NOT head MATCHES "- ([0-9-]+)$")
    message(FATAL_ERROR "CHANGELOG.md has no section '## [${CPACK_PACKAGE_VERSION}] - YYYY-MM-DD'")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C date -u -R -d ${CMAKE_MATCH_1}
                OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(CONCAT changelog "warpsim (${CPACK_WARPSIM_VERSION}) ${CPACK_WARPSIM_CODENAME}; urgency=medium\n\n"
       "  * Version ${CPACK_PACKAGE_VERSION}: see changelog.gz for what is new.\n\n"
       " -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")

# The license of D3 stands in its folder, in Debian's form.
file(READ ${CPACK_WARPSIM_D3_LICENSE} d3)
string(REGEX REPLACE "^.*\n\n( Redistribution)" "\\1" d3 "${d3}")
string(STRIP "${d3}" d3)

foreach(package IN LISTS CPACK_COMPONENTS_ALL)
    set(root ${CPACK_TEMPORARY_DIRECTORY}/${package}/usr)
    set(doc ${root}/share/doc/${package})
    configure_file(${CPACK_WARPSIM_FOLDER}/copyright.in ${doc}/copyright @ONLY)
    file(WRITE ${doc}/changelog.Debian "${changelog}")
    file(COPY_FILE ${CPACK_WARPSIM_CHANGELOG} ${doc}/changelog)
    run(gzip -9n ${doc}/changelog.Debian ${doc}/changelog)
    if(EXISTS ${CPACK_WARPSIM_FOLDER}/lintian/${package})
        file(COPY ${CPACK_WARPSIM_FOLDER}/lintian/${package} DESTINATION ${root}/share/lintian/overrides)
    endif()
    file(GLOB pages ${root}/share/man/man1/*.1)
    if(pages)
        run(gzip -9n ${pages})
    endif()
endforeach()
# Where users of Debian look for them; images of containers leave out what is in share/doc.
file(CREATE_LINK ../../warpsim/examples ${CPACK_TEMPORARY_DIRECTORY}/warpsim/usr/share/doc/warpsim/examples SYMBOLIC)

# Writes embedded_page.cpp: page.html with style.css and the scripts in their places. Arguments: OUTPUT, FOLDER.
file(READ "${FOLDER}/page.html" page)
file(READ "${FOLDER}/style.css" style)
file(READ "${FOLDER}/d3/LICENSE" licence)
set(scripts "<script>/*\n${licence}*/</script>\n")
foreach(name d3/d3-array d3/d3-collection d3/d3-color d3/d3-interpolate d3/d3-format d3/d3-time d3/d3-time-format d3/d3-scale d3/d3-path
             d3/d3-shape d3/d3-selection d3/d3-axis)
    file(READ "${FOLDER}/${name}.min.js" text)
    string(APPEND scripts "<script>${text}</script>\n")
endforeach()
file(GLOB own "${FOLDER}/*.js")
list(SORT own)
foreach(file IN LISTS own)
    file(READ "${file}" text)
    string(APPEND scripts "<script>\n${text}</script>\n")
endforeach()
string(REPLACE "/*STYLE*/" "${style}" page "${page}")
string(REPLACE "<!--SCRIPTS-->" "${scripts}" page "${page}")
file(WRITE "${OUTPUT}.html" "${page}")
file(READ "${OUTPUT}.html" bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
# Compilers are slow on, and editors lost in, one line of 100 KB.
string(REGEX REPLACE "(('[^']*',){32})" "\\1\n" bytes "${bytes}")
file(WRITE "${OUTPUT}" "// Generated from page/.
#include \"runtime/report/embedded_page.hpp\"

namespace warpsim::report {

namespace {

constexpr char text[] = {
${bytes}};

}  // namespace

std::string_view embedded_page() { return {text, sizeof text}; }

}  // namespace warpsim::report
")

#include "sim/config/resolve.hpp"

#include <nlohmann/json.hpp>

#include <set>

namespace warpsim::sim {

namespace {

/// Follows the parser to find keys that appear twice in one object; the parser itself keeps the last.
class DuplicateKeys {
public:
    DuplicateKeys(std::string const& label, Problems& problems) : label_(label), problems_(problems) {}

    bool operator()(Json::parse_event_t event, Json const& parsed) {
        if (event == Json::parse_event_t::object_start) {
            open_.emplace_back();
        } else if (event == Json::parse_event_t::object_end) {
            open_.pop_back();
        } else if (event == Json::parse_event_t::key) {
            Object& object = open_.back();
            object.current = parsed.get<std::string>();
            if (!object.keys.insert(object.current).second) {
                problems_.push_back(label_ + ": " + path() + ": given twice");
            }
        }
        return true;
    }

private:
    struct Object {
        std::set<std::string> keys;
        std::string current;
    };

    std::string path() const {
        std::string result;
        for (Object const& object : open_) {
            result += (result.empty() ? "" : ".") + object.current;
        }
        return result;
    }

    std::string const& label_;
    Problems& problems_;
    std::vector<Object> open_;
};

/// "[json.exception.parse_error.101] parse error at line 3, column 5: syntax error ..." -> ":3:5: syntax error"
std::string placed(std::string const& what) {
    std::string const marker = "parse error at line ";
    std::size_t const at = what.find(marker);
    std::size_t const comma = what.find(", column ", at);
    std::size_t const colon = what.find(": ", comma);
    if (at == std::string::npos || comma == std::string::npos || colon == std::string::npos) {
        std::size_t const end = what.find("] ");
        return ": " + (end == std::string::npos ? what : what.substr(end + 2));
    }
    std::size_t const line = at + marker.size();
    std::size_t const column = comma + std::string(", column ").size();
    return ":" + what.substr(line, comma - line) + ":" + what.substr(column, colon - column) + what.substr(colon);
}

}  // namespace

Json parse_json(std::string const& label, std::string_view text, Problems& problems) {
    std::size_t const before = problems.size();
    DuplicateKeys duplicates(label, problems);
    Json document(Json::value_t::discarded);
    try {
        auto const watch = [&](int, Json::parse_event_t event, Json& parsed) { return duplicates(event, parsed); };
        document = Json::parse(text.begin(), text.end(), watch, true, true);
    } catch (Json::exception const& error) {
        problems.push_back(label + placed(error.what()));
    }
    if (problems.size() != before) {
        return Json::value_t::discarded;
    }
    return document;  // moved, because copying recurses as deeply as a hostile file likes
}

}  // namespace warpsim::sim

#include "sim/config/schema.hpp"

#include "sim/nearest.hpp"
#include "sim/plugin/components.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace warpsim::sim {

namespace {

constexpr std::array keywords{
    "$schema", "$id",      "$defs",    "$ref",    "title",      "description",          "default",
    "type",    "enum",     "minimum",  "maximum", "properties", "additionalProperties", "required",
    "items",   "minItems", "maxItems", "plugins",
};
constexpr std::array types{"object", "array", "string", "integer", "number", "boolean"};

template <class Words> bool among(Words const& words, std::string const& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

void check_keywords(Json const& node) {
    if (!node.is_object()) {
        throw std::logic_error("configuration schema: a schema is no object");
    }
    for (auto const& [key, value] : node.items()) {
        if (!among(keywords, key)) {
            throw std::logic_error("configuration schema: keyword '" + key + "' is not implemented");
        }
        if (key == "type" && !(value.is_string() && among(types, value.get<std::string>()))) {
            throw std::logic_error("configuration schema: type " + value.dump() + " is not implemented");
        }
        if (key == "properties" || key == "$defs") {
            for (Json const& inner : value) {
                check_keywords(inner);
            }
        }
        if (key == "items" || (key == "additionalProperties" && !value.is_boolean())) {
            check_keywords(value);
        }
    }
}

Json const& follow(Json const& root, Json const& node) {
    auto const reference = node.find("$ref");
    if (reference == node.end()) {
        return node;
    }
    std::string const text = reference->get<std::string>();
    return root.at(Json::json_pointer(text.substr(1)));
}

std::string joined(std::string const& path, std::string const& key) {
    return path.empty() ? key : path + "." + key;
}

std::string with_article(std::string const& type) {
    return (type == "object" || type == "array" || type == "integer" ? "an " : "a ") + type;
}

std::string type_of(Json const& value) {
    return value.is_null() ? "null" : with_article(value.is_number() ? "number" : value.type_name());
}

/// JSON has one kind of number: 2.0 and 2e0 are integers too.
bool is_integral(Json const& value) {
    constexpr double exact = 9007199254740992.0;
    if (value.is_number_float()) {
        double const number = value.get<double>();
        return std::trunc(number) == number && std::abs(number) <= exact;
    }
    return value.is_number_integer();
}

bool has_type(Json const& value, std::string const& type) {
    if (type == "object") {
        return value.is_object();
    }
    if (type == "array") {
        return value.is_array();
    }
    if (type == "string") {
        return value.is_string();
    }
    if (type == "boolean") {
        return value.is_boolean();
    }
    if (type == "number") {
        return value.is_number();
    }
    return is_integral(value) || (value.is_number() && std::abs(value.get<double>()) > 1e15);
}

std::vector<std::string> names_of(Json const& object) {
    std::vector<std::string> names;
    for (auto const& [key, value] : object.items()) {
        names.push_back(key);
    }
    return names;
}

/// One traversal of a document, guided by the schema.
class Check {
public:
    Check(Json const& root, Origin const& origin, Problems& problems)
        : root_(root), origin_(origin), problems_(problems) {}

    void value(Json const& schema_node, Json const& value, std::string const& path) {
        Json const& node = follow(root_, schema_node);
        std::string const type = node.at("type").get<std::string>();
        if (!has_type(value, type)) {
            problem(path, "must be " + with_article(type) + ", not " +
                              (value.is_number() && type == "integer" ? value.dump() : type_of(value)));
        } else if (type == "object") {
            object(node, value, path);
        } else if (type == "array") {
            array(node, value, path);
        } else if (type == "integer" || type == "number") {
            range(node, value, path);
        } else if (node.contains("enum")) {
            choice(node, value, path);
        }
    }

    void missing(Json const& schema_node, Json const& value, std::string const& path) {
        Json const& node = follow(root_, schema_node);
        if (!value.is_object() || !node.contains("properties")) {
            return;
        }
        if (auto const required = node.find("required"); required != node.end()) {
            for (Json const& key : *required) {
                std::string const name = key.get<std::string>();
                if (!value.contains(name)) {
                    problem(joined(path, name), "missing");
                }
            }
        }
        for (auto const& [key, inner] : node.at("properties").items()) {
            if (auto const member = value.find(key); member != value.end()) {
                missing(inner, *member, joined(path, key));
            }
        }
    }

private:
    void problem(std::string const& path, std::string const& text) {
        problems_.push_back(origin_.message(path, text));
    }

    void object(Json const& node, Json const& value, std::string const& path) {
        static Json const none = Json::object();
        auto const properties = node.find("properties");
        Json const& known = properties == node.end() ? none : *properties;
        Json const& others = node.at("additionalProperties");
        for (auto const& [key, member] : value.items()) {
            if (auto const found = known.find(key); found != known.end()) {
                this->value(*found, member, joined(path, key));
            } else if (others.is_object()) {
                this->value(others, member, joined(path, key));
            } else {
                problem(joined(path, key), "unknown key" + did_you_mean(key, names_of(known)));
            }
        }
    }

    void array(Json const& node, Json const& value, std::string const& path) {
        std::size_t const least = node.at("minItems").get<std::size_t>();
        std::size_t const most = node.at("maxItems").get<std::size_t>();
        if (value.size() < least || value.size() > most) {
            std::string const wanted =
                least == most ? std::to_string(least) : std::to_string(least) + " to " + std::to_string(most);
            problem(path, "must have " + wanted + " elements, not " + std::to_string(value.size()));
            return;
        }
        for (std::size_t i = 0; i < value.size(); ++i) {
            this->value(node.at("items"), value[i], path + "[" + std::to_string(i) + "]");
        }
    }

    void range(Json const& node, Json const& value, std::string const& path) {
        Json const& least = node.at("minimum");
        Json const& most = node.at("maximum");
        if (value < least) {
            problem(path, "must be at least " + least.dump());
        } else if (value > most) {
            problem(path, "must be at most " + most.dump());
        }
    }

    void choice(Json const& node, Json const& value, std::string const& path) {
        Json const& choices = node.at("enum");
        if (std::find(choices.begin(), choices.end(), value) != choices.end()) {
            return;
        }
        std::vector<std::string> names = choices.get<std::vector<std::string>>();
        if (auto const kind = node.find("plugins"); kind != node.end()) {
            auto const& components = plugin::Components::all();
            if (components.has_plugin(kind->get<std::string>(), value.get<std::string>())) return;
            for (std::string& name : components.plugin_names(kind->get<std::string>()))
                names.push_back(std::move(name));
        }
        std::string list;
        for (std::string const& name : names) {
            list += (list.empty() ? "'" : ", '") + name + "'";
        }
        problem(path, "must be one of " + list + did_you_mean(value.get<std::string>(), names));
    }

    Json const& root_;
    Origin const& origin_;
    Problems& problems_;
};

Json complete(Json const& root, Json const& schema_node, Json const& value) {
    Json const& node = follow(root, schema_node);
    if (value.is_number() && node.at("type") == "number") {
        return value.get<double>();
    }
    if (value.is_number_float()) {
        return value.get<std::int64_t>();
    }
    if (value.is_array()) {
        Json result = Json::array();
        for (Json const& element : value) {
            result.push_back(complete(root, node.at("items"), element));
        }
        return result;
    }
    auto const properties = node.find("properties");
    if (!value.is_object() || properties == node.end()) {
        return value;
    }
    Json result = Json::object();
    for (auto const& [key, inner] : properties->items()) {
        if (auto const member = value.find(key); member != value.end()) {
            result[key] = complete(root, inner, *member);
        } else if (auto const standard = inner.find("default"); standard != inner.end()) {
            result[key] = complete(root, inner, *standard);
        }
    }
    return result;
}

}  // namespace

std::string Origin::message(std::string const& path, std::string const& text) const {
    bool const named = path.empty() || path == key;
    return label + ": " + (named ? "" : path + ": ") + text;
}

Schema::Schema(std::string_view text) {
    try {
        root_ = std::make_unique<Json>(Json::parse(text));
    } catch (Json::exception const& error) {
        throw std::logic_error(std::string("configuration schema: ") + error.what());
    }
    check_keywords(*root_);
}

Schema::~Schema() = default;

void Schema::check(Json const& document, Origin const& origin, Problems& problems) const {
    Check(*root_, origin, problems).value(*root_, document, "");
}

void Schema::check_complete(Json const& document, Origin const& origin, Problems& problems) const {
    Check(*root_, origin, problems).missing(*root_, document, "");
}

Json Schema::completed(Json const& document) const { return complete(*root_, *root_, document); }

bool Schema::is_string(std::vector<std::string> const& path) const {
    Json const* node = root_.get();
    for (std::string const& key : path) {
        auto const properties = node->find("properties");
        if (properties == node->end() || !properties->contains(key)) {
            return node->contains("additionalProperties") && node->at("additionalProperties").is_object();
        }
        node = &follow(*root_, properties->at(key));
    }
    return node->at("type") == "string";
}

}  // namespace warpsim::sim

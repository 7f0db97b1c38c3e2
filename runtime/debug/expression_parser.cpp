#include "runtime/debug/expression_node.hpp"
#include "sim/error.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <utility>

namespace warpsim::debug {

namespace {

using Node = Expression::Node;
using NodePointer = std::unique_ptr<Node>;

std::optional<sim::SpaceKind> space_named(std::string_view name) {
    if (name == "global") return sim::SpaceKind::global;
    if (name == "shared") return sim::SpaceKind::shared;
    if (name == "local") return sim::SpaceKind::local;
    if (name == "parameter" || name == "param") return sim::SpaceKind::param_entry;
    if (name == "generic") return sim::SpaceKind::generic;
    return std::nullopt;
}

class Parser {
public:
    Parser(std::string_view text, Scope& types) : text_(text), types_(types) { next(); }

    NodePointer whole() {
        NodePointer node = assignment();
        if (!token_.empty()) complain("'" + token_ + "' was not expected");
        return node;
    }

private:
    [[noreturn]] void complain(std::string const& what) const {
        throw Error(ErrorKind::usage, what + " in '" + std::string(text_) + "', at " + std::to_string(begin_ + 1));
    }

    static bool is_letter(char c) {
        return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
    }
    static bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

    /// `operand`: where one is expected, % begins the name of a register.
    void next(bool operand = true) {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
        begin_ = at_;
        if (at_ == text_.size()) {
            token_.clear();
            return;
        }
        char const c = text_[at_];
        bool const is_register = operand && c == '%' && at_ + 1 < text_.size() && is_letter(text_[at_ + 1]);
        if (is_letter(c) || is_register) {
            ++at_;
            while (at_ < text_.size()) {
                bool const is_scope =
                    text_.substr(at_, 2) == "::" && at_ + 2 < text_.size() && is_letter(text_[at_ + 2]);
                if (!is_letter(text_[at_]) && !is_digit(text_[at_]) && !is_scope) break;
                at_ += is_scope ? 2 : 1;
            }
        } else if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) {
            while (at_ < text_.size()) {
                char const d = text_[at_];
                bool const is_sign = (d == '+' || d == '-') && (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E') &&
                                     text_.substr(begin_, 2) != "0x";
                if (!is_letter(d) && !is_digit(d) && d != '.' && !is_sign) break;
                ++at_;
            }
        } else if (c == '\'') {
            std::size_t const end = text_.find('\'', at_ + (text_.substr(at_ + 1, 1) == "\\" ? 3 : 2));
            if (end == std::string_view::npos) complain("the character does not end");
            at_ = end + 1;
        } else {
            static constexpr std::array two{"==", "!=", "<=", ">=", "<<", ">>", "&&", "||", "->"};
            bool const is_two =
                std::any_of(two.begin(), two.end(), [&](char const* t) { return text_.substr(at_, 2) == t; });
            at_ += is_two ? 2 : 1;
        }
        token_ = text_.substr(begin_, at_ - begin_);
    }

    void expect(char const* token, bool operand) {
        if (token_ != token) complain(std::string("expected '") + token + "'");
        next(operand);
    }

    static NodePointer make(Node::Kind kind, std::string text, NodePointer a = nullptr, NodePointer b = nullptr,
                            NodePointer c = nullptr) {
        auto node = std::make_unique<Node>();
        node->kind = kind;
        node->text = std::move(text);
        for (NodePointer* const operand : {&a, &b, &c})
            if (*operand) node->operands.push_back(std::move(*operand));
        return node;
    }

    NodePointer assignment() {
        if (++depth_ > 200) complain("it is nested too deeply");
        NodePointer left = conditional();
        if (token_ == "=") {
            next();
            left = make(Node::Kind::assignment, "=", std::move(left), assignment());
        }
        --depth_;
        return left;
    }

    NodePointer conditional() {
        NodePointer test = binary(0);
        if (token_ != "?") return test;
        next();
        NodePointer yes = assignment();
        expect(":", true);
        return make(Node::Kind::conditional, "?", std::move(test), std::move(yes), conditional());
    }

    static int precedence(std::string const& token) {
        static constexpr std::array<std::pair<char const*, int>, 19> all{{{"||", 1},
                                                                          {"&&", 2},
                                                                          {"|", 3},
                                                                          {"^", 4},
                                                                          {"&", 5},
                                                                          {"==", 6},
                                                                          {"!=", 6},
                                                                          {"<", 7},
                                                                          {">", 7},
                                                                          {"<=", 7},
                                                                          {">=", 7},
                                                                          {"<<", 8},
                                                                          {">>", 8},
                                                                          {"@", 9},
                                                                          {"+", 10},
                                                                          {"-", 10},
                                                                          {"*", 11},
                                                                          {"/", 11},
                                                                          {"%", 11}}};
        for (auto const& [name, level] : all)
            if (token == name) return level;
        return 0;
    }

    NodePointer binary(int above) {
        NodePointer left = unary();
        while (precedence(token_) > above) {
            std::string const which = token_;
            next();
            left = make(Node::Kind::binary, which, std::move(left), binary(precedence(which)));
        }
        return left;
    }

    NodePointer unary() {
        for (char const* const which : {"-", "+", "!", "~", "*", "&"}) {
            if (token_ != which) continue;
            if (++depth_ > 200) complain("it is nested too deeply");
            next();
            NodePointer node = make(Node::Kind::unary, which, unary());
            --depth_;
            return node;
        }
        if (token_ == "sizeof") {
            next();
            if (token_ == "(") {
                std::size_t const back = begin_;
                next();
                if (TypePointer const type = type_name(false)) {
                    expect(")", false);
                    NodePointer node = make(Node::Kind::literal, "");
                    node->value = integer_value(type->bytes, type_named("size_t"));
                    return node;
                }
                at_ = back;
                next();
            }
            return make(Node::Kind::unary, "sizeof", unary());
        }
        if (token_ == "(") {
            std::size_t const back = begin_;
            next();
            if (TypePointer const type = type_name(false)) {
                expect(")", true);
                NodePointer node = make(Node::Kind::cast, "", unary());
                node->type = type;
                return node;
            }
            at_ = back;
            next();
        }
        return postfix(primary());
    }

    NodePointer postfix(NodePointer node) {
        while (true) {
            if (token_ == "[") {
                next();
                NodePointer index = assignment();
                expect("]", false);
                node =
                    make(Node::Kind::unary, "*", make(Node::Kind::binary, "+", std::move(node), std::move(index)));
            } else if (token_ == "." || token_ == "->") {
                bool const is_arrow = token_ == "->";
                next();
                std::string const name = token_;
                if (name.empty() || !is_letter(name.front())) complain("expected the name of a member");
                next(false);
                node = make(is_arrow ? Node::Kind::arrow : Node::Kind::member, name, std::move(node));
            } else {
                return node;
            }
        }
    }

    NodePointer primary() {
        if (token_.empty()) complain("something is missing");
        if (token_ == "(") {
            next();
            NodePointer node = assignment();
            expect(")", false);
            return node;
        }
        if (is_letter(token_.front()) || (token_.front() == '%' && token_.size() > 1)) {
            NodePointer node = make(Node::Kind::name, token_);
            if (token_ == "true" || token_ == "false") {
                node->kind = Node::Kind::literal;
                node->value = integer_value(token_ == "true", boolean_type());
            }
            next(false);
            return node;
        }
        NodePointer node = make(Node::Kind::literal, token_);
        node->value = literal();
        next(false);
        return node;
    }

    Value literal() {
        if (token_.front() == '\'') {
            bool const is_escape = token_[1] == '\\';
            char const c = token_[is_escape ? 2 : 1];
            char const meant = !is_escape ? c : c == 'n' ? '\n' : c == 't' ? '\t' : c == '0' ? '\0' : c;
            return integer_value(static_cast<std::uint64_t>(meant), debug::type_named("char"));
        }
        if (!is_digit(token_.front()) && token_.front() != '.') complain("'" + token_ + "' was not expected");
        bool const is_hexadecimal = token_.starts_with("0x") || token_.starts_with("0X");
        if (!is_hexadecimal && token_.find_first_of(".eE") != std::string::npos) {
            char* end = nullptr;
            double const value = std::strtod(token_.c_str(), &end);
            std::string const rest = end;
            if (!rest.empty() && rest != "f" && rest != "F") complain("'" + token_ + "' is no number");
            return floating_value(value, floating_type(rest.empty() ? isa::Type::f64 : isa::Type::f32));
        }
        std::uint64_t value = 0;
        char const* const first = token_.data() + (is_hexadecimal ? 2 : 0);
        auto const [end, error] =
            std::from_chars(first, token_.data() + token_.size(), value, is_hexadecimal ? 16 : 10);
        std::string suffix(end, static_cast<std::size_t>(token_.data() + token_.size() - end));
        if (suffix == "f" && !is_hexadecimal)
            return floating_value(static_cast<double>(value), floating_type(isa::Type::f32));
        std::transform(suffix.begin(), suffix.end(), suffix.begin(),
                       [](unsigned char c) { return std::tolower(c); });
        bool const is_suffix = suffix.find_first_not_of("ul") == std::string::npos && suffix.size() <= 3;
        if (error != std::errc() || !is_suffix) complain("'" + token_ + "' is no number");
        bool const is_long = suffix.find('l') != std::string::npos || value > 0x7fffffff;
        bool const is_signed = suffix.find('u') == std::string::npos && value <= INT64_MAX;
        return integer_value(value, integer_type(is_long ? 8 : 4, is_signed));
    }

    /// A type behind which `)` follows; null, with the tokens used up, if it is none.
    TypePointer type_name(bool) {
        sim::SpaceKind space = sim::SpaceKind::generic;
        if (token_ == "@") {
            next();
            std::optional<sim::SpaceKind> const wanted = space_named(token_);
            if (!wanted)
                complain("'@" + token_ + "' is no state space: global, shared, local, parameter or generic");
            space = *wanted;
            next();
        }
        std::string name;
        while (!token_.empty() && (is_letter(token_.front()) || token_ == ".")) {
            bool const is_noise =
                token_ == "const" || token_ == "volatile" || token_ == "struct" || token_ == "enum";
            if (token_ == ".") name += ".";
            else if (!is_noise) name += (name.empty() || name.ends_with('.') ? "" : " ") + token_;
            next();
        }
        if (name.empty()) return nullptr;
        bool const is_void = name == "void";
        TypePointer type = is_void ? nullptr : types_.type(name);
        if (!type && !is_void) type = debug::type_named(name);
        if (!type && !is_void) return nullptr;
        if (token_ != ")" && token_ != "*") return nullptr;
        for (; token_ == "*"; next()) type = pointer_to(type, space);
        if (token_ != ")") return nullptr;
        return type;
    }

    std::string_view const text_;
    Scope& types_;
    std::size_t at_ = 0, begin_ = 0;
    std::string token_;
    int depth_ = 0;
};

}  // namespace

std::unique_ptr<Expression::Node> parsed(std::string_view text, Scope& types) {
    return Parser(text, types).whole();
}

}  // namespace warpsim::debug

#include "runtime/check/findings/schema.hpp"

namespace warpsim::check {

std::string_view schema() {
    return R"json({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "warpsim-check/1",
  "description": "What the checkers of a run have found",
  "type": "object",
  "required": ["schema", "command", "checked", "launches", "kernels", "findings", "summary", "suppressed"],
  "additionalProperties": false,
  "properties": {
    "schema": {"const": "warpsim-check/1"},
    "command": {"type": "string", "description": "The process's words"},
    "checked": {"type": "array", "items": {"$ref": "#/$defs/kind"}},
    "launches": {"type": "integer", "minimum": 0},
    "kernels": {"type": "integer", "minimum": 0, "description": "Different ones among the launches"},
    "findings": {"type": "array", "items": {"$ref": "#/$defs/finding"}},
    "summary": {
      "description": "Findings of each kind",
      "type": "object",
      "propertyNames": {"$ref": "#/$defs/kind"},
      "additionalProperties": {"type": "integer", "minimum": 0}
    },
    "suppressed": {"type": "integer", "minimum": 0, "description": "Findings that --suppressions has silenced"}
  },
  "$defs": {
    "kind": {"enum": ["memory", "race", "init", "sync", "leak", "api"]},
    "place": {"type": "array", "items": {"type": "integer", "minimum": 0}, "minItems": 3, "maxItems": 3},
    "line": {
      "type": "object", "required": ["file", "line"], "additionalProperties": false,
      "properties": {
        "file": {"type": "string"},
        "line": {"type": "integer", "minimum": 0},
        "text": {"type": "string", "description": "Of a line of PTX"}
      }
    },
    "act": {
      "description": "What one thread did, or the host where there is no thread",
      "type": "object", "additionalProperties": false,
      "properties": {
        "block": {"$ref": "#/$defs/place"},
        "thread": {"$ref": "#/$defs/place", "description": "In its block"},
        "verb": {"type": "string"},
        "value": {"type": "string", "description": "That it wrote or read"},
        "source": {"$ref": "#/$defs/line"},
        "ptx": {"$ref": "#/$defs/line"}
      }
    },
    "finding": {
      "type": "object",
      "required": ["kind", "what", "message", "count", "suppression"],
      "additionalProperties": false,
      "properties": {
        "kind": {"$ref": "#/$defs/kind"},
        "what": {"type": "string", "description": "In a few words, the same for all of its sort"},
        "message": {"type": "string"},
        "kernel": {"type": "string", "description": "As in PTX"},
        "demangled": {"type": "string"},
        "launch": {"type": "integer", "minimum": 0, "description": "Of the process, from 0"},
        "count": {"type": "integer", "minimum": 1},
        "space": {"type": "string"},
        "address": {"type": "integer", "minimum": 0},
        "bytes": {"type": "integer", "minimum": 0},
        "block": {"$ref": "#/$defs/place"},
        "thread": {"$ref": "#/$defs/place"},
        "verb": {"type": "string"},
        "value": {"type": "string"},
        "source": {"$ref": "#/$defs/line"},
        "ptx": {"$ref": "#/$defs/line"},
        "other": {"$ref": "#/$defs/act", "description": "The second of two accesses"},
        "allocation": {
          "type": "object", "required": ["address", "bytes"], "additionalProperties": false,
          "properties": {"address": {"type": "integer"}, "bytes": {"type": "integer"}}
        },
        "notes": {"type": "array", "items": {"type": "string"}, "description": "What is missing, and what else helps"},
        "suppression": {"type": "string", "description": "The line for --suppressions that silences it"}
      }
    }
  }
}
)json";
}

}  // namespace warpsim::check

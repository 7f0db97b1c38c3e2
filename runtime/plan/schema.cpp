#include "runtime/plan/schema.hpp"

#include <string_view>

namespace warpsim::plan {

namespace {

/// Of what a buffer holds at first, and of what it is expected to hold.
constexpr std::string_view init_schema = R"json("fill": {"$ref": "#/$defs/number"},
            "values": {"type": "array", "items": {"$ref": "#/$defs/value"}},
            "iota": {
              "type": "object", "additionalProperties": false,
              "properties": {"start": {"$ref": "#/$defs/number"}, "step": {"$ref": "#/$defs/number"}}
            },
            "uniform": {
              "type": "object", "additionalProperties": false,
              "properties": {"seed": {"$ref": "#/$defs/number"}, "low": {"$ref": "#/$defs/number"}, "high": {"$ref": "#/$defs/number"}}
            },
            "file": {"type": "string"},
            "channels": {"type": "integer", "minimum": 1, "maximum": 4, "description": "Of a picture"},
            "hex": {"type": "string"})json";
constexpr std::string_view picture_schema = R"json(
        "buffer": {"type": "string"},
        "offset": {"type": "integer", "minimum": 0, "description": "Bytes"},
        "format": {"type": "string", "pattern": "^[a-z]+[0-9]+(x[24])?$", "description": "A channel and how many, as unorm8x4"},
        "size": {"type": "array", "items": {"type": "integer", "minimum": 1}, "minItems": 1, "maxItems": 3, "description": "Texels"},
        "layout": {"enum": ["array", "rows", "line"]},
        "pitch": {"type": "integer", "minimum": 1, "description": "Bytes from row to row"},
        "layers": {"type": "integer", "minimum": 1},
        "cube": {"type": "boolean"},
        "levels": {"type": "integer", "minimum": 1})json";
constexpr std::string_view sampler_schema = R"json(
        "filter": {"enum": ["point", "linear"]},
        "level_filter": {"enum": ["point", "linear"]},
        "address": {
          "anyOf": [
            {"enum": ["wrap", "clamp", "mirror", "border", "clamp_ogl"]},
            {"type": "array", "minItems": 1, "maxItems": 3, "items": {"enum": ["wrap", "clamp", "mirror", "border", "clamp_ogl"]}}
          ]
        },
        "normalized": {"type": "boolean"},
        "border": {"type": "array", "maxItems": 4, "items": {"type": "number"}},
        "level_bias": {"type": "number"},
        "min_level": {"type": "number"},
        "max_level": {"type": "number"},
        "seamless": {"type": "boolean"},
        "compare": {"enum": ["never", "less", "equal", "less_equal", "greater", "not_equal", "greater_equal", "always"]},
        "anisotropy": {"type": "integer", "minimum": 1})json";

/// What a schema cannot say, the reader does: counts that follow from files, names of buffers, what fits a type.
constexpr std::string_view text = R"json({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "warpsim-plan/1",
  "description": "A launch plan of warpsim: which kernels run on which data, what is saved and what is expected",
  "type": "object",
  "required": ["launches"],
  "oneOf": [{"required": ["module"]}, {"required": ["modules"]}],
  "additionalProperties": false,
  "properties": {
    "schema": {"const": "warpsim-plan/1"},
    "module": {"type": "string", "description": "A PTX file; paths are relative to the plan"},
    "modules": {"type": "array", "items": {"type": "string"}, "minItems": 1, "description": "PTX files that are linked together"},
    "config": {"type": "string", "description": "A built-in configuration or a file"},
    "mode": {"enum": ["functional", "timing"]},
    "set": {"type": "object", "description": "Overrides of the configuration, by JSON path"},
    "buffers": {"type": "object", "additionalProperties": {"$ref": "#/$defs/buffer"}, "description": "Device memory, by name"},
    "symbols": {
      "type": "object",
      "additionalProperties": {"anyOf": [{"$ref": "#/$defs/symbol"}, {"$ref": "#/$defs/object"}]},
      "description": "Variables of the module, by name"
    },
    "memory": {
      "description": "What a captured launch has touched, at the addresses that it had",
      "type": "object", "additionalProperties": false,
      "properties": {
        "before": {"type": "string", "description": "A .npy.gz file: the bytes of all that is touched"},
        "after": {"type": "string", "description": "A .npy.gz file: the bytes of all that is written, afterwards"},
        "regions": {
          "type": "array",
          "items": {
            "type": "object", "required": ["address", "bytes"], "additionalProperties": false,
            "properties": {
              "address": {"$ref": "#/$defs/number"},
              "bytes": {"type": "integer", "minimum": 1},
              "touched": {"$ref": "#/$defs/parts"},
              "written": {"$ref": "#/$defs/parts"}
            }
          }
        },
        "placement": {"type": "array", "items": {"$ref": "#/$defs/number"}, "description": "Addresses of the module's variables"}
      }
    },
    "launches": {"type": "array", "items": {"$ref": "#/$defs/launch"}, "description": "In the order in which they run"},
    "save": {
      "type": "object",
      "description": "Buffers and symbols that are written to files",
      "additionalProperties": {
        "anyOf": [
          {"type": "string", "pattern": "\\.(npy|bin)$"},
          {
            "type": "object",
            "required": ["file", "size"],
            "additionalProperties": false,
            "properties": {
              "file": {"type": "string", "pattern": "\\.png$"},
              "size": {"type": "array", "items": {"type": "integer", "minimum": 1}, "minItems": 2, "maxItems": 2, "description": "Texels, width and height"}
            }
          }
        ]
      }
    },
    "expect": {
      "type": "object",
      "description": "What buffers and symbols hold in the end",
      "additionalProperties": {"$ref": "#/$defs/expectation"}
    }
  },
  "$defs": {
    "type": {"enum": ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64", "f16", "bf16", "f32", "f64"]},
    "parts": {
      "description": "Pairs: where in the region, and how many bytes",
      "type": "array",
      "items": {"type": "array", "items": {"type": "integer", "minimum": 0}, "minItems": 2, "maxItems": 2}
    },
    "number": {
      "anyOf": [
        {"type": "number"},
        {"type": "string", "pattern": "^([-+]?(nan|inf)|[-+]?0[xX][0-9a-fA-F]+)$"}
      ]
    },
    "extent": {
      "description": "One to three numbers, in x, y and z",
      "type": "array", "items": {"type": "integer", "minimum": 1}, "minItems": 1, "maxItems": 3
    },
    "address": {
      "anyOf": [
        {"type": "string"},
        {
          "type": "object", "required": ["buffer"], "additionalProperties": false,
          "properties": {"buffer": {"type": "string"}, "offset": {"type": "integer", "minimum": 0, "description": "Bytes"}}
        }
      ]
    },
    "value": {"anyOf": [{"$ref": "#/$defs/number"}, {"$ref": "#/$defs/address"}, {"$ref": "#/$defs/object"}]},
    "init": {
      "anyOf": [
        {"enum": ["zero", "undefined"]},
        {
          "type": "object",
          "minProperties": 1,
          "additionalProperties": false,
          "properties": {
            @INIT@
          }
        }
      ]
    },
    "symbol": {
      "type": "object", "required": ["type"], "additionalProperties": false,
      "properties": {
        "type": {"$ref": "#/$defs/type"},
        "count": {"type": "integer", "minimum": 1, "description": "Elements"},
        "init": {"$ref": "#/$defs/init"}
      }
    },
    "buffer": {
      "type": "object", "required": ["type"], "additionalProperties": false,
      "properties": {
        "type": {"$ref": "#/$defs/type"},
        "count": {"type": "integer", "minimum": 1, "description": "Elements"},
        "init": {"$ref": "#/$defs/init"},
        "space": {"enum": ["global", "const"]}
      }
    },
    "launch": {
      "type": "object", "required": ["kernel"], "additionalProperties": false,
      "properties": {
        "kernel": {"type": "string", "minLength": 1},
        "grid": {"$ref": "#/$defs/extent"},
        "block": {"$ref": "#/$defs/extent"},
        "shared": {"type": "integer", "minimum": 0, "maximum": 4294967295, "description": "Dynamic shared memory of a CTA, bytes"},
        "cluster": {"$ref": "#/$defs/extent"},
        "args": {"type": "array", "items": {"$ref": "#/$defs/argument"}},
        "repeat": {"type": "integer", "minimum": 1, "maximum": 4294967295},
        "cooperative": {"type": "boolean"},
        "registers": {"type": "integer", "minimum": 1, "description": "Registers of a thread of the kernel, as its machine code takes them"},
        "max_registers": {"type": "integer", "minimum": 1, "description": "The most registers of a thread, as .maxnreg, of all kernels of the module"}
      }
    },
    "argument": {
      "anyOf": [
        {"$ref": "#/$defs/value"},
        {
          "type": "object", "required": ["hex"], "additionalProperties": false,
          "properties": {"hex": {"type": "string", "pattern": "^[0-9a-fA-F\\s]+$"}}
        },
        {
          "type": "object", "required": ["type", "value"], "additionalProperties": false,
          "properties": {"type": {"$ref": "#/$defs/type"}, "value": {"$ref": "#/$defs/value"}}
        },
        {
          "type": "object", "required": ["fields"], "additionalProperties": false,
          "properties": {"fields": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/argument"}}}
        },
        {
          "type": "object", "required": ["tensormap"], "additionalProperties": false,
          "properties": {"tensormap": {"$ref": "#/$defs/tensormap"}}
        }
      ]
    },
    "integers": {"type": "array", "items": {"type": "integer"}, "maxItems": 5},
    "tensormap": {
      "description": "The parameter of 128 bytes that tensor copies read; the rules are those of cuTensorMapEncodeTiled and its like",
      "type": "object", "required": ["address", "type", "dims"], "additionalProperties": false,
      "properties": {
        "address": {"$ref": "#/$defs/address"},
        "mode": {"enum": ["tile", "im2col", "im2col_w", "im2col_w_128"]},
        "type": {
          "enum": ["u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f32_ftz", "f64", "bf16", "tf32", "tf32_ftz",
                   "b4x16", "b4x16_p64", "b6x16_p32"]
        },
        "dims": {"$ref": "#/$defs/integers"},
        "strides": {"$ref": "#/$defs/integers", "description": "Bytes, of all dimensions but the first"},
        "box": {"$ref": "#/$defs/integers"},
        "element_strides": {"$ref": "#/$defs/integers"},
        "channels": {"type": "integer"},
        "pixels": {"type": "integer"},
        "lower": {"anyOf": [{"type": "integer"}, {"$ref": "#/$defs/integers"}]},
        "upper": {"anyOf": [{"type": "integer"}, {"$ref": "#/$defs/integers"}]},
        "interleave": {"enum": ["none", "16B", "32B"]},
        "swizzle": {"enum": ["none", "32B", "64B", "128B", "96B", "128B_atom_32B", "128B_atom_32B_flip_8B", "128B_atom_64B"]},
        "l2_promotion": {"enum": ["none", "64B", "128B", "256B"]},
        "fill": {"enum": ["zeros", "nan"]}
      }
    },
    "object": {
      "anyOf": [
        {
          "type": "object", "required": ["texture"], "additionalProperties": false,
          "properties": {"texture": {"$ref": "#/$defs/texture"}}
        },
        {
          "type": "object", "required": ["surface"], "additionalProperties": false,
          "properties": {"surface": {"$ref": "#/$defs/surface"}}
        },
        {
          "type": "object", "required": ["sampler"], "additionalProperties": false,
          "properties": {"sampler": {"$ref": "#/$defs/sampler"}}
        }
      ]
    },
    "surface": {
      "type": "object", "required": ["buffer", "format", "size"], "additionalProperties": false,
      "properties": {@PICTURE@
      }
    },
    "sampler": {
      "type": "object", "additionalProperties": false,
      "properties": {@SAMPLER@
      }
    },
    "texture": {
      "type": "object", "required": ["buffer", "format", "size"], "additionalProperties": false,
      "properties": {@PICTURE@,@SAMPLER@
      }
    },
    "expectation": {
      "anyOf": [
        {"enum": ["zero"]},
        {
          "type": "object", "additionalProperties": false,
          "properties": {
            "abs": {"type": "number", "minimum": 0, "description": "|got - want| <= abs + rel * |want|"},
            "rel": {"type": "number", "minimum": 0},
            @INIT@
          }
        }
      ]
    }
  }
}
)json";

void replace_all(std::string& all, std::string_view mark, std::string_view by) {
    for (std::size_t at = all.find(mark); at != std::string::npos; at = all.find(mark, at + by.size()))
        all.replace(at, mark.size(), by);
}

}  // namespace

std::string schema() {
    std::string all(text);
    replace_all(all, "@INIT@", init_schema);
    replace_all(all, "@PICTURE@", picture_schema);
    replace_all(all, "@SAMPLER@", sampler_schema);
    return all;
}

}  // namespace warpsim::plan

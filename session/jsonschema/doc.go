// Package jsonschema checks values against JSON Schemas that come from a server. It loads
// nothing, and everything has a limit: the size and depth of schemas and values, and
// how often a check applies a part of the schema. Check checks one value; Compile
// keeps a schema for several.
package jsonschema

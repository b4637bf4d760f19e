//go:build long

package shape

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"mcpdbg/internal/wording"
	"mcpdbg/session/mcp"
)

// conformance is the package whose script has the official JSON Schemas of the
// revisions since 2025-03-26.
const conformance = "@modelcontextprotocol/conformance@0.2.0-alpha.12"

// extract prints the object literals of a script that are JSON Schemas with
// definitions, as a JSON array.
const extract = `
const text = require('fs').readFileSync(0, 'utf8'), found = [];
const begin = /\{\$schema:[^,]*,(?:definitions|\$defs):\{Annotations:/g;
for (let match; (match = begin.exec(text)); ) {
  let depth = 0, i = match.index;
  for (; i < text.length; i++) {
    const c = text[i];
    if (c === '"' || c === "'" || c === '\x60') {
      for (i++; text[i] !== c; i++) if (text[i] === '\\') i++;
    } else if (c === '{') depth++;
    else if (c === '}' && --depth === 0) break;
  }
  found.push(require('vm').runInNewContext('(' + text.slice(match.index, i + 1) + ')'));
}
console.log(JSON.stringify(found));
`

// official returns the official schemas by revision. It skips the test if they could
// not be fetched; with CI=true it fails.
func official(t *testing.T) map[string]map[string]any {
	t.Helper()
	schemas, err := fetchOfficial(t)
	if err != nil && os.Getenv("CI") != "true" {
		t.Skip("npm and node could not provide the official schemas: ", err)
	}
	require.NoError(t, err)
	return schemas
}

func fetchOfficial(t *testing.T) (map[string]map[string]any, error) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	dir := t.TempDir()
	pack := exec.CommandContext(ctx, "npm", "pack", "--silent", conformance)
	pack.Dir = dir
	if out, err := pack.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("npm pack: %w: %s", err, out)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(files) != 1 {
		return nil, fmt.Errorf("npm pack left %d archives", len(files))
	}
	script, err := fromArchive(files[0], "package/dist/index.js")
	if err != nil {
		return nil, err
	}
	node := exec.CommandContext(ctx, "node", "-e", extract)
	node.Stdin = bytes.NewReader(script)
	out, err := node.Output()
	if err != nil {
		return nil, fmt.Errorf("node: %w", err)
	}
	var all []map[string]any
	if err := json.Unmarshal(out, &all); err != nil {
		return nil, err
	}
	byRevision := map[string]map[string]any{}
	for _, schema := range all {
		byRevision[revisionOf(definitions(schema))] = schema
	}
	return byRevision, nil
}

// fromArchive returns a file of a compressed archive.
func fromArchive(archive, file string) ([]byte, error) {
	f, err := os.Open(archive)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	for r := tar.NewReader(unzipped); ; {
		header, err := r.Next()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if header.Name == file {
			return io.ReadAll(r)
		}
	}
}

// definitions returns the definitions of a schema.
func definitions(schema map[string]any) map[string]any {
	if defs, ok := schema["$defs"].(map[string]any); ok {
		return defs
	}
	return schema["definitions"].(map[string]any)
}

// revisionOf returns the revision of a schema, which its text does not name.
func revisionOf(defs map[string]any) string {
	for _, newest := range []struct{ definition, revision string }{
		{"DiscoverRequest", mcp.V20260728}, {"TaskStatus", mcp.V20251125}, {"ElicitRequest", mcp.V20250618}, {"AudioContent", mcp.V20250326},
	} {
		if _, ok := defs[newest.definition]; ok {
			return newest.revision
		}
	}
	return mcp.V20241105
}

// before2025 makes the schema of 2024-11-05, which the package does not have, from
// that of 2025-03-26: it has no audio, annotations of tools, completions, or message of
// progress.
func before2025(schema map[string]any) map[string]any {
	var older map[string]any
	data, _ := json.Marshal(schema)
	_ = json.Unmarshal(data, &older)
	walkJSON(older, func(object map[string]any) {
		if of, ok := object["anyOf"].([]any); ok {
			object["anyOf"] = slices.DeleteFunc(of, func(v any) bool {
				ref, _ := v.(map[string]any)["$ref"].(string)
				return strings.HasSuffix(ref, "/AudioContent")
			})
		}
	})
	for definition, property := range map[string]string{"Tool": "annotations", "ServerCapabilities": "completions"} {
		delete(at(definitions(older), definition, "properties").(map[string]any), property)
	}
	delete(at(definitions(older), "ProgressNotification", "properties", "params", "properties").(map[string]any), "message")
	return older
}

// walkJSON calls f for each object of a value.
func walkJSON(v any, f func(map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		f(v)
		for _, e := range v {
			walkJSON(e, f)
		}
	case []any:
		for _, e := range v {
			walkJSON(e, f)
		}
	}
}

// An exception is a difference to the official schema that is intended.
type exception struct {
	what    string         // part of the name of the compared definition
	pointer *regexp.Regexp // of the changed value
	strict  bool           // the official schema is the stricter one
	why     string
	used    bool
}

func exceptions() []*exception {
	return []*exception{
		{pointer: regexp.MustCompile(`/(requestedSchema|inputSchema|outputSchema)/`), strict: true,
			why: "other rules check JSON Schemas"},
		{what: "elicitation/create result", pointer: regexp.MustCompile(`^/content/`), strict: true,
			why: "the official schema refuses fractions by a mistake of its generator, and lists of strings before 2025-11-25; other rules compare the content with the form"},
		{what: "subscriptions/listen result", pointer: regexp.MustCompile(`^/_meta`), strict: true,
			why: "other rules check that the id of the subscription is there"},
		{what: "result", pointer: regexp.MustCompile(`^/resultType$`),
			why: "the official schema allows any text"},
	}
}

// An oracle compares the walker with the official schema of one revision.
type oracle struct {
	t          *testing.T
	revision   string
	defs       map[string]any
	compiler   *jsonschema.Compiler
	base       string // URL of the definitions
	exceptions []*exception
	compared   int
	rejected   int
	differ     map[string]int
	examples   map[string]string
	meta       map[string]int
}

// TestLongOracle generates values that fit the official schemas, changes each part of
// them, and compares the verdicts.
func TestLongOracle(t *testing.T) {
	schemas := official(t)
	require.Len(t, schemas, 4)
	schemas[mcp.V20241105] = before2025(schemas[mcp.V20250326])
	known := exceptions()
	for _, revision := range slices.Sorted(maps.Keys(schemas)) {
		t.Run(revision, func(t *testing.T) { newOracle(t, revision, schemas[revision], known).compare() })
	}
	for _, e := range known {
		require.True(t, e.used, "not needed: %s %s", e.pointer, e.why)
	}
}

// refuse loads nothing: the schemas are complete.
type refuse struct{}

func (refuse) Load(string) (any, error) {
	return nil, errors.New("the schema refers to another document")
}

func newOracle(t *testing.T, revision string, schema map[string]any, known []*exception) *oracle {
	walkJSON(schema, func(object map[string]any) {
		if format, ok := object["format"].(string); ok && format != "" {
			delete(object, "format") // rules for URIs and base64 check them
		}
	})
	if defs := definitions(schema); defs["JSONValue"] != nil {
		defs["JSONValue"] = map[string]any{} // its generator forgot null and fractions
		defs["JSONObject"] = map[string]any{"type": "object"}
	}
	o := &oracle{t: t, revision: revision, defs: definitions(schema), exceptions: known, compiler: jsonschema.NewCompiler(),
		differ: map[string]int{}, examples: map[string]string{}, meta: map[string]int{}}
	o.compiler.UseLoader(refuse{})
	o.base = "mcp.json#/definitions/"
	if schema["$defs"] != nil {
		o.base = "mcp.json#/$defs/"
	}
	require.NoError(t, o.compiler.AddResource("mcp.json", schema))
	return o
}

// compare compares the params and results of all methods of the revision.
func (o *oracle) compare() {
	methods := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(o.defs)) {
		properties, _ := o.defs[name].(map[string]any)["properties"].(map[string]any)
		method, _ := at(properties, "method", "const").(string)
		if method == "" {
			continue
		}
		if methods[method] {
			continue // a union of one
		}
		methods[method] = true
		require.NotNil(o.t, mcp.MethodIn(method, o.revision), "%s is not in the table", method)
		if params, ok := properties["params"]; ok {
			inResult := mcp.MethodIn(method, o.revision).By == mcp.InResult
			if !inResult {
				o.values(method+" params", Params(method), name+"/properties/params", params)
			}
		}
		for _, result := range o.results(strings.TrimSuffix(name, "Request")) {
			if shape := Result(method, o.revision); shape != nil {
				o.values(method+" result "+result, shape, result, o.defs[result])
			}
		}
	}
	for _, m := range mcp.Methods(o.revision) {
		require.Equal(o.t, m.Extension == "", methods[m.Name], m.Name)
	}
	require.Greater(o.t, o.compared, 5000)
	require.Greater(o.t, o.rejected, 1000)
	o.t.Logf("%d values, %d of them invalid", o.compared, o.rejected)
	for _, place := range slices.Sorted(maps.Keys(o.differ)) {
		o.t.Errorf("%s: %d differences, such as %s", place, o.differ[place], o.examples[place])
	}
}

// results returns the definitions of the results of a request.
func (o *oracle) results(request string) []string {
	var names []string
	if o.defs[request+"Result"] != nil {
		names = append(names, request+"Result")
	}
	if mcp.IsModern(o.revision) && request == "CallTool" {
		names = append(names, "InputRequiredResult")
	}
	if o.revision == mcp.V20251125 && slices.Contains([]string{"CallTool", "CreateMessage", "Elicit"}, request) {
		names = append(names, "CreateTaskResult")
	}
	return names
}

func at(v any, path ...string) any {
	for _, name := range path {
		object, _ := v.(map[string]any)
		v = object[name]
	}
	return v
}

// values compares the generated values of a definition, and their changes.
func (o *oracle) values(what string, shape *Shape, ref string, schema any) {
	valid, err := o.compiler.Compile(o.base + ref)
	require.NoError(o.t, err)
	resultType := "complete"
	if strings.HasPrefix(ref, "InputRequired") {
		resultType = "input_required"
	}
	for _, v := range o.generate(schema, 0) {
		if object, ok := v.(map[string]any); ok && object["resultType"] != nil {
			object["resultType"] = resultType
		}
		o.judge(what, shape, valid, v, "")
		o.change(v, "", func(pointer string) { o.judge(what, shape, valid, v, pointer) })
	}
}

// judge compares the verdicts about a value, of which the part at pointer was changed.
func (o *oracle) judge(what string, shape *Shape, schema *jsonschema.Schema, v any, pointer string) {
	data, err := json.Marshal(v)
	require.NoError(o.t, err)
	decoded, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	require.NoError(o.t, err)
	accepted := schema.Validate(decoded) == nil
	var w Walker
	found, _ := w.Walk(shape, data, o.revision)
	var mine []string
	for _, p := range found {
		if p.Kind != Newer && p.Kind != Misspelled && p.Kind != Deprecated {
			mine = append(mine, p.Pointer+": "+p.String())
		}
	}
	o.compared++
	if !accepted {
		o.rejected++
	}
	if accepted == (len(mine) == 0) {
		return
	}
	for _, e := range o.exceptions {
		if strings.Contains(what, e.what) && e.pointer.MatchString(pointer) && e.strict == !accepted {
			e.used = true
			return
		}
	}
	place := what + " " + pointer
	o.differ[place]++
	o.examples[place] = fmt.Sprintf("%s\nofficial: %t, %v\nours: %v", data, accepted, schema.Validate(decoded), mine)
}

// change changes each part of a value in turn, calls f, and restores it.
func (o *oracle) change(v any, pointer string, f func(pointer string)) {
	if strings.HasSuffix(pointer, "/requestedSchema/properties") {
		return // large, and for other rules
	}
	if strings.HasPrefix(pointer, "/_meta/") {
		if o.meta[pointer]++; o.meta[pointer] > 20 {
			return // the same in all requests
		}
	}
	others := []any{nil, true, "other", 1.5, -3, []any{"x"}, map[string]any{}}
	replace := func(set func(any), old any, pointer string) {
		for _, other := range others {
			set(other)
			f(pointer)
		}
		set(old)
		o.change(old, pointer, f)
	}
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			old, at := v[name], pointer+"/"+wording.EscapePointer(name)
			delete(v, name)
			f(at)
			replace(func(x any) { v[name] = x }, old, at)
		}
	case []any:
		for i, old := range v {
			replace(func(x any) { v[i] = x }, old, pointer+"/*")
		}
	}
}

// sample returns the first of the values that are generated for one schema, fewer the
// deeper it is.
func sample(values []any, depth int) []any { return values[:min(len(values), max(3, 10-depth))] }

// generate returns values that fit a schema: with all members and with the required
// ones only, and one for each alternative.
func (o *oracle) generate(schema any, depth int) []any {
	s, ok := schema.(map[string]any)
	if !ok || depth > 14 {
		return []any{"any"}
	}
	if ref, ok := s["$ref"].(string); ok {
		return o.generate(o.defs[ref[strings.LastIndexByte(ref, '/')+1:]], depth+1)
	}
	if c, ok := s["const"]; ok {
		return []any{c}
	}
	if names, ok := s["enum"].([]any); ok {
		return []any{names[0]}
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		if of, ok := s[key].([]any); ok {
			return o.alternatives(of, depth)
		}
	}
	if of, ok := s["allOf"].([]any); ok {
		merged := map[string]any{}
		for _, part := range of {
			maps.Copy(merged, o.generate(part, depth+1)[0].(map[string]any))
		}
		return []any{merged}
	}
	kind := s["type"]
	if kinds, ok := kind.([]any); ok {
		kind = kinds[0]
	}
	switch kind {
	case "string":
		return []any{"text"}
	case "integer", "number":
		return []any{1}
	case "boolean":
		return []any{true}
	case "null":
		return []any{nil}
	case "array":
		return []any{sample(o.generate(s["items"], depth+1), depth)}
	case "object":
		return o.generateObject(s, depth)
	}
	return []any{"any"}
}

// alternatives returns values of each alternative, the first of each first.
func (o *oracle) alternatives(of []any, depth int) []any {
	var each [][]any
	longest := 0
	for _, alternative := range of {
		values := o.generate(alternative, depth+1)
		each, longest = append(each, values), max(longest, len(values))
	}
	var all []any
	for i := range longest {
		for _, values := range each {
			if i < len(values) {
				all = append(all, values[i])
			}
		}
	}
	return all
}

func (o *oracle) generateObject(s map[string]any, depth int) []any {
	properties, _ := s["properties"].(map[string]any)
	required, _ := s["required"].([]any)
	least, most := map[string]any{}, map[string]any{}
	variants := map[string][]any{}
	for name, of := range properties {
		values := o.generate(of, depth+1)
		most[name] = values[0]
		if slices.Contains(required, any(name)) {
			least[name] = values[0]
		}
		if len(values) > 1 {
			variants[name] = values[1:]
		}
	}
	if of, ok := s["additionalProperties"].(map[string]any); ok && len(of) > 0 && depth < 10 {
		for i, v := range sample(o.generate(of, depth+1), depth) {
			most[fmt.Sprintf("k%d", i)] = v
		}
	}
	all := []any{most, least}
	for _, name := range slices.Sorted(maps.Keys(variants)) {
		for _, v := range sample(variants[name], depth) {
			other := maps.Clone(least)
			other[name] = v
			all = append(all, other)
		}
	}
	return sample(all, depth)
}

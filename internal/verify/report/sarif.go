package report

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"mcpdbg/internal/verify"
)

// A Run describes what found the problems of a document.
type Run struct {
	Version string // of the program
	RuleSet string // version of the rules
	Checked string // what the rules check
	Verdict string // in one line; "" for none
}

const sarifSchema = "https://json.schemastore.org/sarif-2.1.0.json"

// The parts of a document that are written.
type (
	sarifLog struct {
		Schema  string `json:"$schema"`
		Version string `json:"version"`
		// Properties come before the runs, with the verdict at the top.
		Properties map[string]any `json:"properties,omitempty"`
		Runs       []sarifRun     `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool      `json:"tool"`
		ColumnKind string         `json:"columnKind"`
		Results    []sarifResult  `json:"results"`
		Properties map[string]any `json:"properties,omitempty"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID      string         `json:"id"`
		Name    string         `json:"name,omitempty"`
		Short   sarifText      `json:"shortDescription"`
		Full    *sarifText     `json:"fullDescription,omitempty"`
		Help    *sarifText     `json:"help,omitempty"`
		Default sarifDefault   `json:"defaultConfiguration"`
		Props   map[string]any `json:"properties,omitempty"`
	}
	sarifDefault struct {
		Level string `json:"level"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID       string             `json:"ruleId"`
		RuleIndex    int                `json:"ruleIndex"`
		Level        string             `json:"level"`
		Message      sarifText          `json:"message"`
		Locations    []sarifLocation    `json:"locations"`
		Fingerprints map[string]string  `json:"partialFingerprints"`
		Occurrences  int                `json:"occurrenceCount,omitempty"`
		Suppressions []sarifSuppression `json:"suppressions,omitempty"`
	}
	sarifLocation struct {
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
	}
	sarifLogical struct {
		Name string `json:"name"`
		Full string `json:"fullyQualifiedName"`
		Kind string `json:"kind"`
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Status        string `json:"status"`
		Justification string `json:"justification,omitempty"`
	}
)

// WithoutSource returns a note about results without a file, or "".
func WithoutSource(all []verify.Reported) string {
	for i := range all {
		if all[i].Source == "" {
			return "the SARIF results have no file, and viewers such as GitHub code scanning drop them: --source PATH names one"
		}
	}
	return ""
}

// SARIF writes a SARIF 2.1.0 document. A problem is at its line of its source file, and its
// logical location is the tool, prompt or resource, or else the server. Accepted problems
// are suppressed.
func SARIF(w io.Writer, run Run, all []verify.Reported) error {
	driver := sarifDriver{Name: "mcpdbg", Version: run.Version, Rules: []sarifRule{}}
	index, alike := map[string]int{}, map[string]int{}
	results := make([]sarifResult, 0, len(all))
	for i := range all {
		p := &all[i]
		at, known := index[p.ID]
		if !known {
			at = len(driver.Rules)
			index[p.ID] = at
			driver.Rules = append(driver.Rules, sarifRuleOf(p))
		}
		hash := lineHash(p)
		alike[hash]++
		results = append(results, sarifResultOf(p, at, fmt.Sprintf("%s:%d", hash, alike[hash])))
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	var top map[string]any
	if run.Verdict != "" {
		top = map[string]any{"verdict": visible(run.Verdict)}
	}
	return e.Encode(sarifLog{sarifSchema, "2.1.0", top, []sarifRun{{
		Tool: sarifTool{driver}, ColumnKind: "unicodeCodePoints", Results: results,
		Properties: map[string]any{"ruleSet": run.RuleSet, "checked": run.Checked},
	}}})
}

func sarifRuleOf(p *verify.Reported) sarifRule {
	r := sarifRule{ID: p.ID, Name: camelCase(p.Title), Short: sarifText{visible(p.Title)}, Default: sarifDefault{sarifLevel(p.Severity)}}
	if r.Short.Text == "" {
		r.Short.Text = p.ID
	}
	if p.Rule.Severity != "" {
		r.Default.Level = sarifLevel(p.Rule.Severity)
	}
	if p.Rule.Explanation != "" {
		r.Full = &sarifText{p.Rule.Explanation}
		help := p.Rule.Explanation
		if p.Rule.Reference != "" {
			help += "\n\nSpecification: " + p.Rule.Reference
		}
		if p.Rule.Impact != "" {
			help += "\n\nImpact: " + p.Rule.Impact
		}
		r.Help = &sarifText{help}
	}
	return r
}

// hash is unique in the document, and rule an index.
func sarifResultOf(p *verify.Reported, rule int, hash string) sarifResult {
	r := sarifResult{
		RuleID: p.ID, RuleIndex: rule, Level: sarifLevel(p.Severity), Message: sarifText{visible(p.Message())}, Occurrences: max(p.Count, 1),
		Locations:    []sarifLocation{{Logical: []sarifLogical{logical(p)}}},
		Fingerprints: map[string]string{"mcpdbg/v1": visible(p.Fingerprint), "primaryLocationLineHash": hash},
	}
	if p.Source != "" {
		r.Locations[0].Physical = &sarifPhysical{sarifArtifact{fileURI(p.Source)}, sarifRegion{max(p.Line, 1)}}
	}
	if p.Accepted {
		r.Suppressions = []sarifSuppression{{Kind: "external", Status: "accepted", Justification: visible(p.Reason)}}
	}
	return r
}

func logical(p *verify.Reported) sarifLogical {
	server := visible(p.Place())
	if p.Name == "" {
		return sarifLogical{Name: server, Full: server, Kind: "module"}
	}
	kind := "member"
	if strings.HasPrefix(p.Method, "tools/") {
		kind = "function"
	}
	return sarifLogical{Name: visible(p.Name), Full: visible(strings.Join([]string{p.Place(), p.Method, p.Name}, "/")), Kind: kind}
}

// lineHash is of server and fingerprint: GitHub follows a problem by it, numbered among equal
// ones, from one run to the next.
func lineHash(p *verify.Reported) string {
	h := fnv.New64a()
	_, _ = io.WriteString(h, p.Place()+"\x00"+p.Fingerprint) // never fails
	return hex.EncodeToString(h.Sum(nil))
}

func sarifLevel(severity string) string {
	switch severity {
	case "error", "warning":
		return severity
	}
	return "note"
}

// Relative if its name is.
func fileURI(path string) string {
	path = filepath.ToSlash(path)
	if filepath.IsAbs(filepath.FromSlash(path)) {
		if !strings.HasPrefix(path, "/") {
			path = "/" + path // C:/...
		}
		return (&url.URL{Scheme: "file", Path: path}).String()
	}
	return (&url.URL{Path: path}).String() // a colon in the first part gets ./
}

func camelCase(title string) string {
	var b strings.Builder
	for _, word := range strings.FieldsFunc(title, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	}) {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

package report

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"mcpdbg/internal/verify"
)

// A qualityIssue is an element of GitLab's code quality report.
type qualityIssue struct {
	Description string          `json:"description"`
	Check       string          `json:"check_name"`
	Fingerprint string          `json:"fingerprint"`
	Severity    string          `json:"severity"`
	Location    qualityLocation `json:"location"`
}

type qualityLocation struct {
	Path  string `json:"path"`
	Lines struct {
		Begin int `json:"begin"`
	} `json:"lines"`
}

// CodeQuality writes failed targets and then problems for GitLab, which shows those of a
// path in the repository. Accepted problems have none.
func CodeQuality(w io.Writer, r *verify.Report) error {
	issues := []qualityIssue{}
	add := func(id, check, severity, text, source string, line int) {
		if filepath.IsAbs(source) || source == "" {
			source = "mcpdbg"
		}
		sum := sha256.Sum256([]byte(id))
		issue := qualityIssue{visible(text), visible(check), hex.EncodeToString(sum[:16]), severity, qualityLocation{Path: visible(source)}}
		issue.Location.Lines.Begin = max(line, 1)
		issues = append(issues, issue)
	}
	for i := range r.Targets {
		if t := &r.Targets[i]; t.Outcome == verify.OutcomeFailed {
			at, line := placeOf(t)
			add("target\n"+t.ID+"\n"+string(t.Cause), string(t.Cause), "critical", t.ID+": "+failure(t), at, line)
		}
	}
	for _, p := range r.Reported() {
		if !p.Accepted {
			severity := map[string]string{"error": "major", "warning": "minor"}[p.Severity]
			add(p.Server+"\n"+p.Host+"\n"+p.Fingerprint, p.ID, cmp.Or(severity, "info"), p.Message(), p.Source, p.Line)
		}
	}
	return writeLine(w, issues)
}

// placeOf returns the place of a target in a hosts file, or else the file of its problems.
func placeOf(t *verify.Result) (file string, line int) {
	if at := strings.LastIndexByte(t.At, ':'); at > 0 {
		if n, err := strconv.Atoi(t.At[at+1:]); err == nil {
			return t.At[:at], n
		}
	}
	return t.Source, 0
}

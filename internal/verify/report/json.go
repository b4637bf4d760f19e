// Package report writes the report of a run, and problems of any command: as JSON, for
// build servers (JUnit, TAP, SARIF, annotations of a GitHub workflow) and for people (text,
// Markdown, HTML). Texts of hosts and servers are always plain text, never with control
// characters. The documents of version 1 are in v1.go.
package report

import (
	"bytes"
	_ "embed" // the schema
	"encoding/json"
	"fmt"
	"io"

	"mcpdbg/internal/verify"
	"mcpdbg/internal/wording"
)

//go:embed smoke.json
var smokeSchema []byte

//go:embed check.json
var checkSchema []byte

//go:embed report.json
var reportSchema []byte

// Schema is the JSON Schema of the report of version 2.
func Schema() []byte { return bytes.Clone(reportSchema) }

// SmokeSchema is the JSON Schema of the document that JSON writes.
func SmokeSchema() []byte { return bytes.Clone(smokeSchema) }

// CheckSchema is the JSON Schema of the document of mcpdbg check --json.
func CheckSchema() []byte { return bytes.Clone(checkSchema) }

// LineSchema is the JSON Schema of each line of the line format.
func LineSchema() []byte {
	return bytes.Replace(smokeSchema, []byte(`"#/$defs/report"`), []byte(`"#/$defs/line"`), 1)
}

// JSON writes the command's document of version 1 on one line; see docs/reference/smoke.md
// and check.md.
func JSON(w io.Writer, r *verify.Report) error {
	if r.Command == "check" {
		return writeLine(w, checkV1(r))
	}
	return writeLine(w, smokeV1(r))
}

// Version2 writes the report of version 2 on one line.
func Version2(w io.Writer, r *verify.Report) error { return writeLine(w, r) }

// Version2Lines writes the report of version 2 in lines: the report without targets, each
// target, and again the report, with its counts and failures.
func Version2Lines(w io.Writer, r *verify.Report) error {
	s := Version2Stream(w)
	err := s.Begin(r)
	for i := range r.Targets {
		if err == nil {
			err = s.Done(i, &r.Targets[i])
		}
	}
	if err != nil {
		return err
	}
	return s.Finish(r)
}

// Version2Stream writes these lines as soon as they are known.
func Version2Stream(w io.Writer) Sink {
	whole := func(line string, r *verify.Report) error {
		head := *r
		head.Targets = []verify.Result{}
		return writeLine(w, struct {
			Line string `json:"line"`
			verify.Report
		}{line, head})
	}
	return Sink{
		Begin: func(head *verify.Report) error { return whole(lineStart, head) },
		Done: func(target int, r *verify.Result) error {
			return writeLine(w, struct {
				Version int    `json:"mcpdbg_report"`
				Line    string `json:"line"`
				Index   int    `json:"index"`
				verify.Result
			}{2, lineTarget, target, *r})
		},
		Finish: func(r *verify.Report) error { return whole(lineEnd, r) },
	}
}

// Kinds of line.
const (
	lineStart  = "start"
	lineTarget = "target"
	lineEnd    = "end"
)

func startLine(w io.Writer, r *verify.Report, targets int) error {
	return writeLine(w, struct {
		Version  int    `json:"mcpdbg_smoke"`
		Line     string `json:"line"`
		Tool     string `json:"tool"`
		Started  string `json:"started"`
		Seed     uint64 `json:"seed"`
		Scenario string `json:"scenario,omitempty"`
		Baseline string `json:"baseline,omitempty"`
		Total    int    `json:"total"`
	}{1, lineStart, r.Tool, r.Started.Format("2006-01-02T15:04:05.999999999Z07:00"), r.Seed, r.Scenario, r.Baseline, targets})
}

// index counts from 0.
func targetLine(w io.Writer, index int, r *verify.Result) error {
	return writeLine(w, struct {
		Version int    `json:"mcpdbg_smoke"`
		Line    string `json:"line"`
		Index   int    `json:"index"`
		TargetV1
	}{1, lineTarget, index, targetV1(r)})
}

func endLine(w io.Writer, r *verify.Report) error {
	byCause := map[verify.Cause]int{}
	for i := range r.Targets {
		if cause := r.Targets[i].Cause; cause != "" {
			byCause[cause]++
		}
	}
	counts := r.Tally()
	return writeLine(w, struct {
		Version    int                  `json:"mcpdbg_smoke"`
		Line       string               `json:"line"`
		DurationMS float64              `json:"duration_ms"`
		OK         bool                 `json:"ok"`
		Passed     int                  `json:"passed"`
		Doubtful   int                  `json:"doubtful,omitempty"`
		Failed     int                  `json:"failed"`
		Cancelled  int                  `json:"cancelled"`
		Causes     map[verify.Cause]int `json:"causes"`
	}{1, lineEnd, r.DurationMS, r.OK, counts.Passed, counts.Doubtful, counts.Failed + counts.Tolerated, counts.Cancelled + counts.Stopped, byCause})
}

func writeLine(w io.Writer, document any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(document); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	_, err := w.Write(wording.VisibleJSON(b.Bytes()))
	return err
}

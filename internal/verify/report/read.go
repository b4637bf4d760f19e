package report

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"mcpdbg/framing"
	"mcpdbg/internal/verify"
)

// Limits of a report that is read.
const (
	maxReport  = 256 << 20 // bytes
	maxTargets = 100_000
)

// ErrNotReport is returned for input that is not a report of any version.
var ErrNotReport = errors.New("not a report of mcpdbg")

// A header identifies a report of any version, or a line of one.
type header struct {
	Version int    `json:"mcpdbg_report"`
	Smoke   int    `json:"mcpdbg_smoke"`
	Check   int    `json:"mcpdbg_check"`
	Line    string `json:"line"`
}

// Read reads a report of version 2, as a document or in lines, or a document of version 1
// that smoke --json, smoke --jsonl or check --json wrote. Of version 1 it has the members
// that both versions share.
func Read(r io.Reader) (*verify.Report, error) {
	limited := &io.LimitedReader{R: r, N: maxReport}
	var report *verify.Report
	for d := json.NewDecoder(limited); ; {
		var raw json.RawMessage
		switch err := d.Decode(&raw); {
		case errors.Is(err, io.EOF) && report != nil:
			report.Settle()
			return report, nil
		case limited.N <= 0:
			return nil, fmt.Errorf("larger than %d MiB", maxReport>>20)
		case err != nil && report == nil:
			return nil, ErrNotReport
		case err != nil:
			return nil, fmt.Errorf("incomplete or damaged: %w", err)
		}
		var doc header
		if err := framing.Unmarshal(raw, &doc); err != nil {
			return nil, ErrNotReport
		}
		if report == nil {
			report = &verify.Report{Version: 2}
		}
		if err := doc.add(report, raw); err != nil {
			return nil, err
		}
		if len(report.Targets) > maxTargets {
			return nil, fmt.Errorf("more than %d targets", maxTargets)
		}
	}
}

func (h *header) add(r *verify.Report, raw []byte) error {
	var err error
	switch {
	case h.Version == 2 && h.Line == lineTarget:
		var t verify.Result
		err = framing.Unmarshal(raw, &t)
		r.Targets = append(r.Targets, t)
	case h.Version == 2: // the last line replaces the first
		targets := r.Targets
		err = framing.Unmarshal(raw, r)
		r.Targets = append(targets, r.Targets...)
	case h.Smoke == 1 && h.Line == lineTarget:
		var t TargetV1
		err = framing.Unmarshal(raw, &t)
		r.Targets = append(r.Targets, t.result())
	case h.Smoke == 1:
		var doc SmokeV1
		err = framing.Unmarshal(raw, &doc)
		doc.addTo(r)
	case h.Check == 1:
		var doc CheckV1
		err = framing.Unmarshal(raw, &doc)
		doc.addTo(r)
	case h.Version+h.Smoke+h.Check > 0:
		return fmt.Errorf("unsupported version %d of a report", h.Version+h.Smoke+h.Check)
	default:
		return ErrNotReport
	}
	if err != nil {
		return fmt.Errorf("damaged: %w", err)
	}
	return nil
}

func (d *SmokeV1) addTo(r *verify.Report) {
	// Of the lines the first has some members, and the last the others.
	r.Command, r.Tool, r.Started, r.Seed = "smoke", cmp.Or(d.Tool, r.Tool), cmp.Or(d.Started, r.Started), cmp.Or(d.Seed, r.Seed)
	r.DurationMS, r.OK, r.Scenario, r.Baseline = d.DurationMS, d.OK, cmp.Or(d.Scenario, r.Scenario), cmp.Or(d.Baseline, r.Baseline)
	r.Checked, r.RuleSet = d.Checked, d.RuleSet
	for i := range d.Targets {
		r.Targets = append(r.Targets, d.Targets[i].result())
	}
}

func (t *TargetV1) result() verify.Result {
	r := verify.Result{
		Host: t.Host, Server: t.Server, OK: t.OK, Phase: t.Phase, Cause: t.Cause, Code: t.Code, Message: t.Message, Hint: t.Hint, Said: t.Said,
		Exit: t.Exit, ExitBy: t.ExitBy, StartedMS: t.StartedMS, DurationMS: t.DurationMS, Offers: t.Offers,
		ProblemsMore: t.ProblemsMore, ProblemsBad: t.ProblemsBad, Errors: t.Errors, Warnings: t.Warnings, Remarks: t.Remarks,
		Drift: t.Drift, Notices: t.Notices, Orphans: t.Orphans, Spared: t.Spared, CannotTell: t.CannotTell,
	}
	if t.Recording != "" {
		r.Recordings = []string{t.Recording}
	}
	if t.Protocol != "" {
		server := verify.Server{Era: t.Era, Protocol: t.Protocol}
		if t.ServerInfo != nil {
			server.Name, server.Version = t.ServerInfo.Name, t.ServerInfo.Version
		}
		r.Servers = []verify.Server{server}
	}
	if wait := t.Timings.Wait; wait != nil {
		r.WaitMS = *wait
		r.DurationMS = max(r.DurationMS-*wait, 0)
	}
	for _, s := range t.Timings.steps() {
		if s.ms != nil {
			r.Steps = append(r.Steps, verify.Step{Name: s.name, Status: verify.Passed, DurationMS: *s.ms})
		}
	}
	for _, p := range t.Problems {
		r.Problems = append(r.Problems, verify.ProcessProblem{Problem: p})
	}
	for _, s := range t.Steps {
		r.Steps = append(r.Steps, verify.Step{
			Name: string(verify.PhaseScenario), Subject: s.Name, Line: s.Line, Status: s.Status, DurationMS: s.DurationMS, N: s.N, Problems: s.Problems,
		})
	}
	return r
}

type phaseV1 struct {
	name string
	ms   *float64
}

func (t *timingsV1) steps() []phaseV1 {
	return []phaseV1{
		{"connect", t.Connect}, {"auth", t.Auth}, {"replaced", t.Replaced}, {"start", t.Start}, {"handshake", t.Handshake},
		{"list", t.List}, {"ping", t.Ping}, {"scenario", t.Scenario}, {"shutdown", t.Shutdown},
	}
}

func (d *CheckV1) addTo(r *verify.Report) {
	r.Command, r.Tool, r.Started, r.DurationMS, r.OK, r.Seed = "check", d.Tool, d.Started, d.DurationMS, d.OK, d.Seed
	r.FailOn, _ = verify.ParseFailOn(d.FailOn) // another word was of a later version
	r.Checked, r.RuleSet, r.Stopped, r.Stale, r.Expired = d.Checked, d.RuleSet, d.Stopped, d.Stale, d.Expired
	for i := range d.Targets {
		t := &d.Targets[i]
		one := verify.Result{
			Server: t.Server, Host: cmp.Or(t.Host, verify.Local), Source: t.Source, OK: t.OK, Message: t.Error, Hint: t.Hint, Said: t.Said,
			Servers: t.Servers, Problems: t.Problems, ProblemsMore: t.More, Partial: t.Partial, Recordings: t.Recordings, DurationMS: t.DurationMS,
		}
		switch {
		case t.Error != "":
			one.Cause = verify.CauseStart // the most that the document says
		case !t.OK:
			one.Cause = verify.CauseProtocol
		}
		for _, s := range t.Steps {
			one.Steps = append(one.Steps, verify.Step{
				Name: s.Name, Era: s.Era, Subject: s.Subject, Status: s.Status, Severity: s.Severity, Reason: s.Reason,
				Process: s.Process, N: s.N, DurationMS: s.DurationMS, Accepted: s.Accepted,
			})
		}
		r.Targets = append(r.Targets, one)
	}
}

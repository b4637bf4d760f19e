package copies

import (
	"context"
	"errors"
	"io"
	"sync/atomic"

	"mcpdbg/internal/wording"
	"mcpdbg/recordings"
	"mcpdbg/recordings/formats"
	"mcpdbg/recordings/redact"
	"mcpdbg/session"
	"mcpdbg/ui/workspace"
)

type exportJob struct {
	file    string         // the recording; "" if there is none
	source  session.Source // read if there is no recording
	format  formats.Format
	redact  bool
	rules   redact.Rules
	path    string
	replace bool
	stop    context.CancelFunc

	report *redact.Report // of what is removed, once run has returned
	rows   atomic.Int64   // read
	of     atomic.Int64   // 0 while secrets are removed
}

// run writes the file, which exists only after success.
func (j *exportJob) run(ctx context.Context) (err error) {
	source, release, err := j.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	j.of.Store(int64(source.Len()))
	return formats.WriteFile(j.path, j.replace, func(w io.Writer) error {
		return j.format.Write(ctx, w, formats.Selection{Source: workspace.Metered{Source: source, Read: &j.rows}})
	})
}

// open opens what is written: a copy of the recording without secrets, or the recording
// as it is now.
func (j *exportJob) open(ctx context.Context) (session.Source, func() error, error) {
	switch {
	case j.redact:
		copied, err := redact.Open(ctx, j.file, j.rules)
		if err != nil {
			return nil, nil, err
		}
		j.report = copied.Report
		return copied, copied.Close, nil
	case j.file != "":
		rec, err := recordings.OpenContext(ctx, j.file)
		if err != nil {
			return nil, nil, err
		}
		return rec, rec.Close, nil
	}
	return j.source, func() error { return nil }, nil
}

func (j *exportJob) removed() string {
	if j.report == nil {
		return ""
	}
	return "; " + wording.Counted(j.report.Removed, "secret") + " removed: read it before you share it"
}

// done returns how much is written, from 0 to 1.
func (j *exportJob) done() float64 {
	if j == nil {
		return 0
	}
	return float64(j.rows.Load()) / float64(max(j.of.Load(), 1))
}

func (j *exportJob) doing() string {
	of := j.of.Load()
	if of == 0 {
		return "removing secrets ..."
	}
	return "writing " + wording.Percent(int(min(j.rows.Load(), of-1)), int(of)) + " ..." // below 100 % until all is done
}

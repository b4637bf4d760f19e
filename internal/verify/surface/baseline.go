package surface

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mcpdbg/internal/input"
	"mcpdbg/recordings"
)

const maxServers = 256 // servers per report

// A Baseline is a file to compare with. Several goroutines may use it.
type Baseline struct {
	path    string
	servers []string // in order; a recording has one server, whose name is ""
	found   map[string]found
}

type found struct {
	inv *Surface
	err error
}

// FromFile reads a recording, or a report and the recording of the first passed target of
// each server; passed returns these targets of a report. A path in it is tried as it is,
// and relative to the report's folder, with and without its own folders. A file that is
// neither is a *recordings.FormatError.
func FromFile(ctx context.Context, path string, passed func(io.Reader) ([]Target, error)) (*Baseline, error) {
	inv, err := fromRecording(ctx, path)
	if format, ok := errors.AsType[*recordings.FormatError](err); ok && format.Major == 0 {
		return fromReport(ctx, path, passed, format)
	}
	if err != nil {
		return nil, err
	}
	return &Baseline{path: path, servers: []string{""}, found: map[string]found{"": {inv: inv}}}, nil
}

// For returns the surface for a server, whatever its name if the file has only one. An
// error is a *MissingError, or that of reading the recording.
func (b *Baseline) For(server string) (*Surface, error) {
	if len(b.servers) == 1 {
		server = b.servers[0]
	}
	f, ok := b.found[server]
	if !ok {
		return nil, &MissingError{
			Path: b.path, Reason: fmt.Sprintf("no passed target of server %q", server),
			Hint: "available servers: " + strings.Join(b.servers, ", "),
		}
	}
	return f.inv, f.err
}

func fromRecording(ctx context.Context, path string) (*Surface, error) {
	rec, err := recordings.OpenContext(ctx, path)
	if err != nil {
		return nil, err
	}
	defer rec.Close()
	inv, err := fromSource(ctx, rec)
	if missing, ok := errors.AsType[*MissingError](err); ok {
		missing.Path = path
	}
	return inv, err
}

// A Target of a report has a recording that may be compared with.
type Target struct{ Server, Recording string }

// notOne is the error to return for any other file.
func fromReport(ctx context.Context, path string, passed func(io.Reader) ([]Target, error), notOne error) (*Baseline, error) {
	f, err := input.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	targets, err := passed(f)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case targets == nil && err == nil:
		return nil, notOne
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	b := &Baseline{path: path, found: map[string]found{}}
	for _, t := range targets {
		if _, have := b.found[t.Server]; have || t.Recording == "" {
			continue
		}
		if len(b.servers) == maxServers {
			return nil, fmt.Errorf("%s has more than %d servers", path, maxServers)
		}
		inv, err := fromRecording(ctx, relocated(path, t.Recording))
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		b.servers = append(b.servers, t.Server)
		b.found[t.Server] = found{inv, err}
	}
	if len(b.servers) == 0 {
		return nil, &MissingError{Path: path, Reason: "no passed target has a recording", Hint: "use the report of a recorded run that passed"}
	}
	slices.Sort(b.servers)
	return b, nil
}

// relocated finds a recording: documents are moved together with its folder.
func relocated(document, recording string) string {
	folder := filepath.Dir(document)
	for _, path := range []string{recording, filepath.Join(folder, recording), filepath.Join(folder, filepath.Base(recording))} {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return recording
}

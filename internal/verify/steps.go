package verify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sort"
	"time"

	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/cause"
	"mcpdbg/session/diagnosis/rule"
	"mcpdbg/session/executor"
	"mcpdbg/session/mcp"
)

// Made is a session of a run, not yet started.
type Made struct {
	Session   *session.Session
	Recording string // path, or ""
	// Close ends the server by the shutdown sequence and closes the log, which can still
	// be read. It is called once, in any case.
	Close func(context.Context) (session.ShutdownReport, error)
	// Release, if set, is called once after Close, after the last read of the log.
	Release func()
}

// closeExtra is how much longer than its grace periods a shutdown may take; then SIGKILL
// is sent at once.
const closeExtra = 5 * time.Second

// Close ends the server even after the end of ctx.
func Close(ctx context.Context, made *Made) (session.ShutdownReport, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*session.Grace+closeExtra)
	defer cancel()
	return made.Close(ctx)
}

// EndedItself reports whether the server ended without our signal: the killed process was
// another one, which held its streams.
func EndedItself(report *session.ShutdownReport) bool {
	return report.Exit != nil && (report.Exit.Kind == executor.ExitCode || report.Exit.By == executor.EndedBySignal || report.Exit.By == executor.EndedByServer)
}

// Declared returns the lists that a server declares.
func Declared(server *session.Server) []mcp.List {
	var lists []mcp.List
	for _, list := range mcp.Lists {
		if len(server.Capabilities) > 0 && server.Offers(list) {
			lists = append(lists, list)
		}
	}
	return lists
}

// NoTemplates is for a server with resources and no templates: the capability covers
// both.
func NoTemplates(list mcp.List, err error) bool {
	var answer *session.RPCError
	return list.Name == "templates" && errors.As(err, &answer) && answer.Code == mcp.CodeMethodNotFound
}

// Ping sends a request without further work. The modern era has no ping.
func Ping(ctx context.Context, s *session.Session, opts session.CallOptions) error {
	method := mcp.MethodPing
	if s.Status().Server.Era == mcp.Modern {
		method = mcp.MethodDiscover
	}
	answer, err := s.Request(ctx, method, nil, opts)
	if err == nil && answer.Error != nil {
		err = answer.Error
	}
	if err == nil || errors.Is(err, session.ErrTimeout) { // which names the method
		return err
	}
	return fmt.Errorf("%s: %w", method, err)
}

// problemsTimeout limits the time for checking one log.
const problemsTimeout = 5 * time.Second

// Found is what the rules found.
type Found struct {
	Problems []diagnosis.Problem // the most severe first
	Ends     []diagnosis.End     // what Problems may follow from
	Count    diagnosis.Count     // of occurrences
	Rows     int                 // entries that were checked
	Of       int                 // all entries
	Gaps     []string            // as rule.Checker.Gaps
}

// Partial reports whether some entries were not checked.
func (f *Found) Partial() bool { return f.Rows < f.Of }

// CheckLog checks a closed log. Problems in texts of another program are as the log has
// them.
func CheckLog(src session.Source) Found {
	ctx, cancel := context.WithTimeout(context.Background(), problemsTimeout)
	defer cancel()
	checker := rule.New(src)
	more := checker.Advance(ctx, math.MaxInt, math.MaxInt)
	found := Found{Problems: checker.Problems(), Count: checker.Count(), Of: src.Len(), Gaps: checker.Gaps()}
	found.Rows = found.Of
	if more {
		found.Rows, _ = checker.Progress()
	}
	sort.SliceStable(found.Problems, func(i, j int) bool {
		a, b := &found.Problems[i], &found.Problems[j]
		return int(b.Severity)-int(a.Severity) < 0
	})
	found.Ends = cause.EndsOf(ctx, src, found.Problems)
	return found
}

// FromClient reports whether a message to the server, such as an invalid one of a test,
// has the problem, which is not the server's.
func FromClient(src session.Source, f diagnosis.Problem) bool {
	row, ok := session.RowAt(src, f.Row)
	return f.Rule.Side == diagnosis.Both && ok && row.Kind == session.KindStdin
}

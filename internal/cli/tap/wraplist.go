package tap

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/wording"
	"mcpdbg/session/target"
	"mcpdbg/session/target/edit"
	"mcpdbg/ui/widget/termsafe"
)

// printEntries prints the servers of config files and whether they are wrapped.
func printEntries(env *console.Env, entries []target.Entry) error {
	if len(entries) == 0 {
		note(env, "no config file with servers was found; --config FILE reads another one")
		return nil
	}
	rows := [][]string{{"NAME", "CLIENT", "SCOPE", "STATE", "FILE"}}
	for i := range entries {
		e := &entries[i]
		rows = append(rows, row(e, state(e)))
	}
	return printRows(env, rows)
}

// state returns whether an entry is wrapped, or why it cannot be.
func state(e *target.Entry) string {
	if e.Tap != nil {
		return "wrapped"
	}
	if refused := edit.Refusal(e, true); refused != nil {
		return "- (" + refused.Why + ")"
	}
	if e.Disabled {
		return "not wrapped (disabled)"
	}
	return "not wrapped"
}

func row(e *target.Entry, state string) []string {
	return []string{e.Name, string(e.Client), scope(e), state, fmt.Sprintf("%s:%d", wording.Path(e.File), e.Line)}
}

// scope returns the scope of an entry, with the project if that is not the file's.
func scope(e *target.Entry) string {
	if e.Scope == target.ScopeProject && !wording.IsWithin(e.Project, e.File) {
		return string(e.Scope) + " " + wording.Path(e.Project)
	}
	return string(e.Scope)
}

func printRows(env *console.Env, rows [][]string) error {
	widths := make([]int, len(rows[0])-1)
	for _, row := range rows {
		for i := range widths {
			widths[i] = max(widths[i], termsafe.Width(row[i]))
		}
	}
	var p console.Page
	for _, row := range rows {
		p.Columns(widths, row...)
	}
	_, err := fmt.Fprint(env.Stdout, p.String())
	return err
}

// printStatus prints the wrapped servers and whether their taps start. The error is a
// StatusError if one does not.
func printStatus(ctx context.Context, env *console.Env, ed *edit.Editor, entries []target.Entry) error {
	rows := [][]string{{"NAME", "CLIENT", "SCOPE", "TAP", "FILE"}}
	var failed error
	for i := range entries {
		e := &entries[i]
		if e.Tap == nil {
			continue
		}
		state := "starts"
		var err error
		if ed.Wrote(e) {
			err = tryProgram(ctx, e.Tap.Program)
		} else {
			state = "exists (not tried: written by hand)"
			_, err = exec.LookPath(e.Tap.Program)
		}
		if err != nil {
			state, failed = "does not start: "+err.Error(), &console.StatusError{Code: console.ExitFailure}
		}
		rows = append(rows, row(e, state))
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for _, key := range ed.Remembered() {
		if i := slices.IndexFunc(entries, func(e target.Entry) bool { return edit.KeyOf(&e) == key }); i >= 0 && entries[i].Tap == nil {
			note(env, where(&entries[i])+" is no longer wrapped: another program has changed it")
		}
	}
	if len(rows) == 1 {
		note(env, "no server is wrapped")
		return nil
	}
	if failed != nil {
		note(env, "mcpdbg unwrap NAME, then mcpdbg wrap NAME, writes the present path of mcpdbg")
	}
	return console.Printed(failed, printRows(env, rows))
}

// tryLimit is how long the mcpdbg of an entry may take to print its version.
const tryLimit = 5 * time.Second

// tryProgram starts the mcpdbg of an entry.
func tryProgram(ctx context.Context, program string) error {
	ctx, cancel := context.WithTimeout(ctx, tryLimit)
	defer cancel()
	out, err := exec.CommandContext(ctx, program, "version").Output()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("%s: not found", program)
	case err != nil:
		return fmt.Errorf("%s: %w", program, err)
	case !bytes.HasPrefix(out, []byte("mcpdbg ")):
		return fmt.Errorf("%s is another program", program)
	}
	return nil
}

// diff returns a change as lines, with values masked.
func diff(change *edit.Change) string {
	return fmt.Sprintf("%s\n- %s\n+ %s", where(&change.Before), masked(&change.Before), masked(&change.After))
}

// secretNames are parts of the names of flags whose values are not printed.
var secretNames = []string{"key", "token", "secret", "pass", "pwd", "auth", "cred", "cookie", "header", "bearer"}

// masked returns the command line of an entry as the file has it, without values: those
// after an equals sign, in a header, after a flag for a secret, and in a URL.
func masked(e *target.Entry) string {
	words := slices.Clone(e.Source.Words)
	for i, word := range words {
		if i > 0 && isSecretFlag(e.Source.Words[i-1]) && !strings.HasPrefix(word, "--") {
			words[i] = mask
			continue
		}
		words[i] = maskWord(word)
	}
	return wording.CommandLine(words)
}

const mask = "***"

func isSecretFlag(word string) bool {
	lower := strings.ToLower(word)
	return word == "-H" || strings.HasPrefix(word, "-") && slices.ContainsFunc(secretNames, func(name string) bool { return strings.Contains(lower, name) })
}

// maskWord masks the values in one argument.
func maskWord(word string) string {
	name, _, isPair := strings.Cut(word, "=")
	scheme, rest, isURL := strings.Cut(word, "://")
	if isPair && (!isURL || len(name) < len(scheme)) {
		return name + "=" + mask
	}
	if header, _, isHeader := strings.Cut(word, ": "); isHeader {
		return header + ": " + mask
	}
	if !isURL {
		return word
	}
	rest, _, isQuery := strings.Cut(rest, "?")
	if isQuery {
		rest += "?" + mask
	}
	host, _, _ := strings.Cut(rest, "/")
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		rest = mask + rest[at:]
	}
	return scheme + "://" + rest
}

package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"mcpdbg/recordings"
	"mcpdbg/recordings/notes"
	"mcpdbg/recordings/redact"
	"mcpdbg/ui/termsafe"
)

// shownRemoved is how many lines of a report are printed as text.
const shownRemoved = 40

// redactOptions say what is removed, and where the copy goes.
type redactOptions struct {
	out        string
	env        []string // names of variables
	files      []string // that hold a value each
	keys       []string
	pointers   []string
	patterns   []string
	noDefaults bool
	home       bool
	identity   bool
	notes      bool
	dryRun     bool
	json       bool
}

func (a *app) recRedactCommand() *cobra.Command {
	var o redactOptions
	cmd := &cobra.Command{
		Use:   "redact FILE -o OUT",
		Short: "Make a copy of a recording without secrets, to share",
		Long: `redact copies a recording and removes secrets from the copy: from messages, from
JSON inside of their strings, from lines that are no JSON, from stderr, and from
what the recorder noted. What is removed becomes [redacted:xxxxxxxx], equal
secrets alike; all else stays byte for byte, and rec verify accepts the copy.
What was removed where is printed to stderr, never what it was.

Without further flags it removes:

  - values with names such as authorization, cookie, password, secret, token,
    auth, otp, session_id and api_key: of members, of name=value, of options
    (--password X, also in arrays), and of {"name":"password","value":"X"};
  - tokens with a known shape: age, AWS, Azure, Databricks, DigitalOcean,
    Discord, GitHub, GitLab, Google, Hugging Face, Linear, Notion, npm, PyPI,
    SendGrid, Shopify, sk-..., Slack, Stripe, Telegram, Twilio, Vault, JSON web
    tokens, private keys, Bearer tokens, and passwords in addresses;
  - values of 8 bytes and more that the session was given with -e or as inputs:
    the recording has salted digests of them. Name shorter ones with --env.

Rules cannot know every secret: read the copy before you share it.

  --env NAME       the value that the variable has now, wherever it stands
  --value-from F   the text in a file, without its last newline
  --key NAME       the value of each member NAME; * stands for any characters
  --pointer P      all below a JSON pointer into messages, such as
                   /params/arguments/path or tools/call:/result/content/*/text
  --pattern RE     what the regular expression (RE2) finds: its first group, if
                   it has one

Not found is what is encoded, as in base64, and what was cut into several
strings.

` + recordingNames,
		Example: `  mcpdbg rec redact last -o share.jsonl --env API_KEY --home
  mcpdbg rec redact last --dry-run --json
  mcpdbg rec redact last -o a.jsonl --pointer 'tools/call:/params/arguments/*'`,
		ValidArgsFunction: completeRecordings,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) != 1:
				return usagef("rec redact takes one recording")
			case o.out == "" && !o.dryRun:
				return withHint(usagef("rec redact needs -o OUT, the copy to make"), "--dry-run only tells what would be removed")
			case o.out == "-":
				return withHint(usagef("the copy can't go to standard output: its first line is written last"), "name a file with -o")
			}
			path, err := resolveRecording(args[0])
			if err != nil {
				return err
			}
			return a.recRedact(cmd.Context(), path, o)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVarP(&o.out, "output", "o", "", "the copy to make, a new `file`")
	f.StringArrayVar(&o.env, "env", nil, "remove the value of the variable `name`")
	f.StringArrayVar(&o.files, "value-from", nil, "remove the text that `file` holds")
	f.StringArrayVar(&o.keys, "key", nil, "remove the values of members with this `name`")
	f.StringArrayVar(&o.pointers, "pointer", nil, "remove what is at or below `[method:]/pointer`")
	f.StringArrayVar(&o.patterns, "pattern", nil, "remove what the regular expression `re` finds")
	f.BoolVar(&o.noDefaults, "no-defaults", false, "only what the other flags name")
	f.BoolVar(&o.home, "home", false, "write ~ for home folders such as /home/ada")
	f.BoolVar(&o.identity, "identity", false, "remove names of users and hosts that the recording tells of, and yours")
	f.BoolVar(&o.notes, "notes", false, "copy also the marks and notes of the recording, redacted")
	f.BoolVar(&o.dryRun, "dry-run", false, "only tell what would be removed")
	f.BoolVar(&o.json, "json", false, "print the report as one JSON object to stdout")
	return cmd
}

func (a *app) recRedact(ctx context.Context, path string, o redactOptions) error {
	rules, err := o.rules(ctx, a)
	if err != nil {
		return err
	}
	report, err := redactTo(ctx, path, o.out, o.dryRun, rules)
	var usage *usageError
	var rule *redact.RuleError
	switch {
	case errors.As(err, &usage):
		return err
	case errors.As(err, &rule):
		return usagef("%v", rule)
	case err != nil:
		return unreadable(path, err)
	}
	if o.notes && !o.dryRun {
		if err := copyNotes(path, o.out, report); err != nil {
			return fmt.Errorf("rec redact: %w", err)
		}
	}
	if o.json {
		doc, err := json.Marshal(report)
		if err != nil {
			return fmt.Errorf("rec redact: %w", err)
		}
		return a.printJSON(doc)
	}
	printRedacted(a.stderr, report, o)
	return nil
}

// rules are the rules that the flags name.
func (o *redactOptions) rules(ctx context.Context, a *app) (redact.Rules, error) {
	var rules redact.Rules
	if !o.noDefaults {
		rules = redact.Default()
	}
	for _, name := range o.env {
		value, ok := os.LookupEnv(name)
		if !ok {
			return rules, withHint(usagef("--env %s: there is no such variable here", name), "set it for this command, or put its value into a file and name that with --value-from")
		}
		rules.Values = append(rules.Values, redact.Value{Name: "env " + name, Text: value})
	}
	for i, file := range o.files {
		text, err := a.readFile(ctx, "--value-from", file)
		if err != nil {
			return rules, err
		}
		rules.Values = append(rules.Values, redact.Value{Name: fmt.Sprintf("value %d", i+1), Text: strings.TrimRight(string(text), "\r\n")})
	}
	for i, expr := range o.patterns {
		rules.Patterns = append(rules.Patterns, redact.Pattern{Name: fmt.Sprintf("pattern %d", i+1), Expr: expr})
	}
	rules.Keys = append(rules.Keys, o.keys...)
	rules.Pointers = o.pointers
	rules.Home, rules.Identity = o.home, o.identity
	if o.identity {
		rules.Names = ownNames()
	}
	return rules, nil
}

// ownNames are the names of the user and the host of this process.
func ownNames() []string {
	names := []string{os.Getenv("USER"), os.Getenv("LOGNAME"), os.Getenv("USERNAME")}
	if host, err := os.Hostname(); err == nil {
		names = append(names, host)
	}
	return names
}

// redactTo makes the copy, or with dryRun only the report. A copy that could
// not be made to its end is none.
func redactTo(ctx context.Context, path, to string, dryRun bool, rules redact.Rules) (*redact.Report, error) {
	if dryRun {
		return redact.Copy(ctx, path, nil, rules)
	}
	out, err := createNew(to, false)
	if err != nil {
		return nil, err
	}
	report, err := redact.Copy(ctx, path, out, rules)
	if err = out.finish(err); err != nil {
		return nil, err
	}
	return report, nil
}

// copyNotes gives the copy the notes of the recording, redacted as it is.
func copyNotes(from, to string, report *redact.Report) error {
	rec, err := recordings.Peek(from)
	if err != nil {
		return err
	}
	all, err := notes.Open(from, rec.Header.ID)
	if err != nil {
		return err
	}
	copied, err := notes.Open(to, rec.Header.ID)
	if err != nil {
		return err
	}
	for _, e := range all.All() {
		e.Text = report.Text(e.Text)
		if err := copied.Set(e.N, e.Note); err != nil {
			return err
		}
	}
	return nil
}

// printRedacted prints what was removed. Names and pointers are what a server
// wrote, and are made safe.
func printRedacted(w io.Writer, r *redact.Report, o redactOptions) {
	line := func(format string, args ...any) { fmt.Fprintln(w, termsafe.String(fmt.Sprintf(format, args...))) }
	verb := "removed"
	if o.dryRun {
		verb = "would be removed"
	}
	line("%s %s; %d of %s differ", plural(uint64(r.Removed), "secret"), verb, r.Changed, plural(uint64(r.Entries), "entry"))
	for i, item := range r.Items {
		if i == shownRemoved {
			line("and at %d more places (--json has all)", len(r.Items)-i)
			break
		}
		line("%8d  %-28s %s", item.Count, item.Rule, item.Place)
	}
	if r.More > 0 {
		line("%8d  at places that are not listed", r.More)
	}
	for _, remark := range []struct {
		n    int
		text string
	}{
		{r.LeftOut, "left out: %s that could not be read as entries"},
		{r.Heads, "emptied: the beginnings of %s that never came to their end"},
		{r.Pieces, "searched in pieces, so that a secret over the seam of two stays: %s over many parts"},
	} {
		if remark.n > 0 {
			line(remark.text, plural(uint64(remark.n), "line"))
		}
	}
	if r.Torn {
		line("left out: the last line, which has no end")
	}
	if r.Removed == 0 {
		line("  try: name what is secret with --env, --key, --pointer or --pattern")
	}
	if !o.dryRun {
		line("%s: read it before you share it, for no rule knows your secrets", o.out)
	}
}

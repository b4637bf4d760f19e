package rec

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/wording"
	"mcpdbg/recordings"
	"mcpdbg/recordings/redact"
	"mcpdbg/recordings/store"
	"mcpdbg/ui/widget/termsafe"
)

const shownRemoved = 40

type redactOptions struct {
	redactRules
	out    string
	notes  bool
	dryRun bool
	json   bool
	copied bool
}

func recRedactCommand(env *console.Env) *cobra.Command {
	var o redactOptions
	cmd := &cobra.Command{
		Use:   "redact FILE -o OUT",
		Short: "Make a copy of a recording without secrets, to share",
		Long: `redact copies a recording and removes secrets from the copy: from messages, from
JSON inside their strings, from lines that are not JSON, from stderr, and from
the recorder's own entries. A removed value becomes [redacted:xxxxxxxx], the
same for equal secrets; all else stays byte for byte, and rec verify accepts the
copy. What kind of secret was removed, and where, is printed to stderr, never
the secret.

By default it removes:

  - values with names such as authorization, cookie, password, secret, token,
    auth, otp, session_id and api_key: of members, of name=value,
    of name: value, of options (--password X, also in arrays), and of
    {"name":"password","value":"X"};
  - values of names that end in _passwd, _pwd, _auth, _pat, _key or _sig in
    assignments to a NAME in capitals, and elsewhere if they look random;
  - tokens with a known shape: age, Atlassian, AWS, Azure, Databricks,
    DigitalOcean, Discord, Docker, Facebook, Figma, GitHub, GitLab, Google,
    Groq, Hugging Face, Linear, New Relic, Notion, npm, Perplexity, Pulumi,
    PyPI, SendGrid, Sentry, Shopify, sk-..., Slack, Stripe, Tailscale,
    Telegram, Twilio, Vault, JSON web tokens, private keys, PGP messages,
    Bearer tokens, passwords and signatures in addresses, curl -u, and netrc;
  - values of 8 bytes or more that the session was given with -e or as inputs:
    the recording has digests of them, which need a key of the machine that made
    it. Name shorter ones, and those of a file from elsewhere, with --env.

Rules cannot know every secret: read the copy before you share it.

  --env NAME       the current value of the variable, wherever it occurs
  --value-from F   the text in a file, without its last newline
  --key NAME       the value of each member NAME; * matches any characters
  --pointer P      everything below a JSON pointer into messages, such as
                   /params/arguments/path or tools/call:/result/content/*/text
  --pattern RE     matches of the regular expression (RE2): its first group, if
                   it has one

It does not find secrets that are encoded, as in base64, or split across several
strings.

` + flags.RecordingNames,
		Example: `  mcpdbg rec redact last -o share.jsonl --env API_KEY --home
  mcpdbg rec redact last --dry-run --json
  mcpdbg rec redact last -o a.jsonl --pointer 'tools/call:/params/arguments/*'`,
		ValidArgsFunction: flags.CompleteRecordings,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) != 1:
				return console.Usagef("rec redact takes one recording")
			case o.out == "" && !o.dryRun:
				return console.WithHint(console.Usagef("rec redact requires -o OUT, the file for the copy"), "--dry-run to only report what would be removed")
			case o.out == "-":
				return console.WithHint(console.Usagef("the copy cannot be written to standard output: its first line is written last"), "name a file with -o")
			}
			path, err := flags.ResolveRecording(args[0])
			if err != nil {
				return err
			}
			return recRedact(cmd.Context(), env, path, o)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVarP(&o.out, "output", "o", "", "write the copy to this new `file`")
	o.register(cmd)
	f.BoolVar(&o.notes, "notes", false, "also copy the marks and notes of the recording, redacted")
	f.BoolVar(&o.dryRun, "dry-run", false, "only report what would be removed")
	f.BoolVar(&o.json, "json", false, "print the report as one JSON object to stdout")
	return cmd
}

func recRedact(ctx context.Context, env *console.Env, path string, o redactOptions) error {
	rules, err := o.rules(ctx, env)
	if err != nil {
		return err
	}
	report, err := redactTo(ctx, path, o.out, o.dryRun, rules)
	var usage *console.UsageError
	var rule *redact.RuleError
	switch {
	case errors.As(err, &usage):
		return err
	case errors.As(err, &rule):
		return console.Usagef("%v", rule)
	case err != nil:
		return flags.Unreadable(path, err)
	}
	if o.notes && !o.dryRun {
		if err := copyNotes(path, o.out, report); err != nil {
			return fmt.Errorf("rec redact: %w", err)
		}
	}
	o.copied = !o.dryRun
	if o.json {
		return env.PrintDocument(report)
	}
	printRedacted(env.Stderr, report, o)
	return nil
}

// With dryRun there is only a report. An incomplete copy is removed.
func redactTo(ctx context.Context, path, to string, dryRun bool, rules redact.Rules) (*redact.Report, error) {
	if dryRun {
		return redact.Copy(ctx, path, nil, rules)
	}
	out, err := console.Create(to, false)
	if err != nil {
		return nil, err
	}
	report, err := redact.Copy(ctx, path, out, rules)
	if err = out.Finish(err); err != nil {
		return nil, err
	}
	return report, nil
}

func copyNotes(from, to string, report *redact.Report) error {
	rec, err := recordings.Peek(from)
	if err != nil {
		return err
	}
	all, err := store.OpenNotes(from, rec.Header.ID)
	if err != nil {
		return err
	}
	copied, err := store.OpenNotes(to, rec.Header.ID)
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

// Names and pointers come from the server and are sanitized.
func printRedacted(w io.Writer, r *redact.Report, o redactOptions) {
	line := func(format string, args ...any) { fmt.Fprintln(w, termsafe.String(fmt.Sprintf(format, args...))) }
	verb := "removed"
	if o.dryRun {
		verb = "would be removed"
	}
	line("%s %s; %d of %s changed", wording.Plural(r.Removed, "secret"), verb, r.Changed, wording.Plural(r.Entries, "entry"))
	for i, item := range r.Items {
		if i == shownRemoved {
			line("and at %d more places (--json lists all)", len(r.Items)-i)
			break
		}
		line("%8d  %-28s %s", item.Count, item.Rule, item.Place)
	}
	if r.More > 0 {
		line("%8d  at unlisted places", r.More)
	}
	for _, remark := range []struct {
		n    int
		text string
	}{
		{r.Skipped, "omitted: %s that could not be read as entries"},
		{r.Heads, "emptied: the beginnings of %s that were never completed"},
		{r.Pieces, "searched in pieces, which misses secrets that span two of them: %s in many parts"},
	} {
		if remark.n > 0 {
			line(remark.text, wording.Plural(remark.n, "line"))
		}
	}
	if r.GivenUnknown > 0 {
		line("not searched for: %s given to the session, unknown here: the recording was made with the key of another machine", wording.Plural(r.GivenUnknown, "value"))
		line("  try: name them with --env or --value-from")
	}
	if r.Torn {
		line("omitted: the incomplete last line")
	}
	if r.Removed == 0 && o.copied {
		line("only the header, which marks the copy as redacted, and the hash at the end (if there is one) differ")
	}
	if r.Removed == 0 {
		line("  try: name the secrets with --env, --key, --pointer or --pattern")
	}
	if !o.dryRun && o.out != "-" {
		line("%s: read it before you share it; rules cannot know every secret", o.out)
	}
}

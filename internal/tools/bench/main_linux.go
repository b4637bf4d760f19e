package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/pflag"
)

// Exit codes.
const (
	codeMissed = 1 // a goal was missed, or a figure is worse than before
	codeError  = 2 // nothing can be said
)

// options are the flags.
type options struct {
	run                             string
	rounds                          int
	size                            int64
	program, temp                   string
	list, json, write, check, short bool
	install, keep                   bool
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	code, err := run(ctx, os.Args[1:])
	if errors.Is(err, pflag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		code = codeError
	}
	os.Exit(code)
}

func parse(args []string) (options, error) {
	var o options
	f := pflag.NewFlagSet("bench", pflag.ContinueOnError)
	f.StringVar(&o.run, "run", "", "measure only cases whose id matches this `regexp`")
	f.IntVar(&o.rounds, "rounds", 0, "number of rounds `N` (default 9, or 5 with --short)")
	f.Int64Var(&o.size, "size", 0, "`bytes` of the large recording (default 1.4 GB, or 64 MiB with --short)")
	f.StringVar(&o.program, "program", "", "measure the mcpdbg in `FILE` instead of that of the current tree")
	f.StringVar(&o.temp, "temp", "", "make temporary files in the folder `DIR`")
	f.BoolVar(&o.list, "list", false, "list the cases")
	f.BoolVar(&o.json, "json", false, "print the results as one JSON document")
	f.BoolVar(&o.write, "write", false, "renew the report, the tables and the charts in docs")
	f.BoolVar(&o.check, "check", false, "fail if a ratio misses its goal by more than the noise")
	f.BoolVar(&o.short, "short", false, "measure less, and fail if a ratio is 30 % worse than in the committed report")
	f.BoolVar(&o.keep, "keep", false, "keep the temporary files")
	f.BoolVar(&o.install, "install", false, "fetch missing peers from their registries")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	if o.write && o.program != "" {
		return o, errors.New("--write and --program cannot be combined: the report is that of the current tree")
	}
	if o.rounds == 0 {
		o.rounds = 9
		if o.short {
			o.rounds = 5
		}
	}
	if o.size == 0 {
		o.size = 1_400_000_000
		if o.short {
			o.size = 64 << 20
		}
	}
	if o.rounds < 1 || o.size < 1<<20 {
		return o, errors.New("--rounds must be at least 1, and --size at least 1048576")
	}
	return o, nil
}

func run(ctx context.Context, args []string) (code int, err error) {
	o, err := parse(args)
	if err != nil {
		return 0, err
	}
	chosen, err := choose(o)
	if err != nil {
		return 0, err
	}
	if o.list {
		for _, b := range chosen {
			fmt.Printf("%-16s %s, against %s\n", b.id, b.what, b.peer)
		}
		return 0, nil
	}
	l, err := newLab(ctx, o.program, o.temp)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, l.close()) }()
	l.keep, l.size, l.install, l.short = o.keep, o.size, o.install, o.short
	now := Run{Date: time.Now().UTC().Format("2006-01-02"), Machine: machine(), Program: l.programVersion()}
	for _, b := range chosen {
		result, err := l.compare(b, o.rounds)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", b.id, err)
		}
		fmt.Fprint(os.Stderr, result.Line())
		now.Results = append(now.Results, result)
	}
	return l.finish(o, chosen, now)
}

// finish prints the results, writes the documents, and judges.
func (l *lab) finish(o options, chosen []bench, now Run) (int, error) {
	if o.json {
		out := json.NewEncoder(os.Stdout)
		out.SetIndent("", "  ")
		if err := out.Encode(now); err != nil {
			return 0, err
		}
	} else {
		fmt.Print(now.Markdown())
	}
	if o.write {
		return 0, publish(l.root, o.short, now)
	}
	var bad []string
	if o.check {
		for _, result := range now.Results {
			bad = append(bad, result.Check()...)
		}
	}
	if o.short {
		worse, err := l.regressions(o, chosen, now)
		if err != nil {
			return 0, err
		}
		bad = append(bad, worse...)
	}
	for _, line := range bad {
		fmt.Fprintln(os.Stderr, "FAIL", line)
	}
	if bad != nil {
		return codeMissed, nil
	}
	return 0, nil
}

func choose(o options) ([]bench, error) {
	pattern, err := regexp.Compile(o.run)
	if err != nil {
		return nil, fmt.Errorf("invalid --run: %w", err)
	}
	chosen := slices.DeleteFunc(benches(), func(b bench) bool { return !pattern.MatchString(b.id) || o.short && !b.short })
	if len(chosen) == 0 {
		return nil, fmt.Errorf("no case matches --run %q; --list lists them", o.run)
	}
	return chosen, nil
}

// The sides take turns, after one round that does not count.
func (l *lab) compare(b bench, rounds int) (Result, error) {
	result := Result{ID: b.id, What: b.what, Peer: b.peer, Goal: b.goal, Speed: b.speed}
	if b.program != "" {
		if v := version(b.program); v != "" {
			result.Peer += " (" + v + ")"
		}
	}
	ours, peer, err := b.sides(l)
	var lacks *missing
	if errors.As(err, &lacks) {
		result.Missing = lacks.Error()
		return result, nil
	}
	if err != nil {
		return result, err
	}
	if b.rounds > 0 {
		rounds = min(rounds, b.rounds)
	}
	if b.bytes != nil {
		result.Bytes = b.bytes(l)
	}
	var ourSamples, peerSamples []Sample
	for i := range rounds + 1 {
		theirs, err := l.run(peer)
		if err != nil && l.ctx.Err() == nil {
			result.Missing = "the peer failed: " + err.Error()
			return result, nil
		}
		if err != nil {
			return result, err
		}
		own, err := l.run(ours)
		if err != nil {
			return result, err
		}
		if i > 0 {
			ourSamples, peerSamples = append(ourSamples, own), append(peerSamples, theirs)
		}
	}
	return NewResult(result, ourSamples, peerSamples), nil
}

// regressions measures what seems worse than in the committed report a second time, with
// twice the rounds, and returns what still is.
func (l *lab) regressions(o options, chosen []bench, now Run) ([]string, error) {
	committed, err := Read(filepath.Join(l.root, reportFile))
	if err != nil {
		return nil, err
	}
	var bad []string
	for id := range now.Regressions(committed.Short) {
		at := slices.IndexFunc(chosen, func(b bench) bool { return b.id == id })
		again, err := l.compare(chosen[at], 2*o.rounds)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", id, err)
		}
		bad = append(bad, Run{Results: []Result{again}}.Regressions(committed.Short)[id]...)
	}
	slices.Sort(bad)
	return bad, nil
}

func (l *lab) scaled(n int64) int64 {
	if l.short {
		return n / 5
	}
	return n
}

// machine describes the machine in a few words.
func machine() string {
	words := []string{fmt.Sprintf("%d cores", runtime.NumCPU())}
	data, _ := os.ReadFile("/proc/cpuinfo")
	if _, rest, found := strings.Cut(string(data), "model name"); found {
		name, _, _ := strings.Cut(rest, "\n")
		words = append(words, strings.Join(strings.Fields(strings.Trim(name, ":\t ")), " "))
	}
	data, _ = os.ReadFile("/proc/sys/kernel/osrelease")
	words = append(words, "Linux "+strings.TrimSpace(string(data)), runtime.Version())
	return strings.Join(words, ", ")
}

func (l *lab) programVersion() string {
	out, err := exec.Command(l.mcpdbg, "version").Output()
	if err != nil {
		return "unknown version"
	}
	return strings.TrimSpace(string(out))
}

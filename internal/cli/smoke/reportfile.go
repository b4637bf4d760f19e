package smoke

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/report"
)

// format is a kind of report, with its extension.
type format struct {
	name, extension string
	write           func(io.Writer, *verify.Report) error
}

// formats are those of --report, longer extensions first.
func formats(path string) []format {
	run, _, _ := strings.Cut(filepath.Base(path), ".")
	return []format{
		{"codequality", ".codequality.json", report.CodeQuality}, {"json", ".json", report.Version2}, {"jsonl", ".jsonl", report.Version2Lines}, {"junit", ".xml", report.JUnit}, {"html", ".html", report.HTML},
		{"markdown", ".md", report.Markdown}, {"sarif", ".sarif", writeSARIF},
		{"prom", ".prom", func(w io.Writer, r *verify.Report) error { return report.Prom(w, r, run) }},
	}
}

// linesFlag is the flag of --report jsonl:FILE.
const linesFlag = "--report jsonl"

// reportFiles are the values of --report.
type reportFiles struct {
	values []string
	named  []console.Report[*verify.Report] // after parse
}

func (f *reportFiles) register(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.values, "report", nil, "write a report to `file`: .json, .jsonl, .xml (JUnit), .html, .md, .sarif, .prom, .codequality.json, or FORMAT:FILE; - is standard output; may be repeated")
}

// parse accepts a file with a known extension, or FORMAT:FILE.
func (f *reportFiles) parse() error {
	f.named = nil
	for _, value := range f.values {
		one, err := reportOf(value)
		if err != nil {
			return err
		}
		f.named = append(f.named, one)
	}
	return console.CheckReports(false, f.named)
}

func reportOf(value string) (console.Report[*verify.Report], error) {
	name, path, named := strings.Cut(value, ":")
	var names []string
	for _, f := range formats(path) {
		if named && f.name == name && path != "" {
			return console.Report[*verify.Report]{Flag: "--report " + name, Path: path, Write: f.write}, nil
		}
		names = append(names, f.name)
	}
	for _, f := range formats(value) {
		if strings.HasSuffix(value, f.extension) {
			return console.Report[*verify.Report]{Flag: "--report", Path: value, Write: f.write}, nil
		}
	}
	return console.Report[*verify.Report]{}, console.WithHint(console.Usagef("--report %s: unknown format", value),
		fmt.Sprintf("FORMAT:FILE with one of %s, or a file with its extension", strings.Join(names, ", ")))
}

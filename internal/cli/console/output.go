package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"mcpdbg/internal/wording"
	"mcpdbg/ui/widget/termsafe"
)

// PrintJSON prints a document as the server wrote it, or indented and sanitized on a
// terminal.
func (env *Env) PrintJSON(doc []byte) error {
	if !env.Terminal {
		return env.printBytes(doc)
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, doc, "", "  "); err != nil {
		return fmt.Errorf("print the result: %w", err)
	}
	for line := range bytes.Lines(pretty.Bytes()) {
		if _, err := fmt.Fprintln(env.Stdout, termsafe.String(string(bytes.TrimSuffix(line, []byte("\n"))))); err != nil {
			return err
		}
	}
	return nil
}

// Small documents take one write, which readers see as a whole; large ones are not
// copied.
func (env *Env) printBytes(doc []byte) error {
	const large = 64 << 10
	if len(doc) < large {
		_, err := env.Stdout.Write(append(bytes.Clone(doc), '\n'))
		return err
	}
	if _, err := env.Stdout.Write(doc); err != nil {
		return err
	}
	_, err := env.Stdout.Write([]byte{'\n'})
	return err
}

// PrintDocument is PrintJSON for a value.
func (env *Env) PrintDocument(value any) error {
	doc, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("print the result: %w", err)
	}
	return env.PrintJSON(doc)
}

// A Page collects lines of text, each sanitized.
type Page struct{ strings.Builder }

// Line adds a line of text.
func (p *Page) Line(text string) { p.WriteString(strings.TrimRight(termsafe.String(text), " ") + "\n") }

// Columns adds a line; its last text may be wider.
func (p *Page) Columns(widths []int, texts ...string) {
	var line []byte
	for i, text := range texts {
		width := termsafe.Width(text)
		if i < len(widths) {
			width = max(width, widths[i])
		}
		line = append(line, "  "...)
		line = termsafe.AppendAligned(line, []byte(text), width, termsafe.Left, termsafe.Options{})
	}
	p.WriteString(strings.TrimRight(string(line), " ") + "\n")
}

// LineOutput returns stdout for untrusted lines, sanitized if it is a terminal.
func (env *Env) LineOutput() io.Writer {
	out, _ := env.Stdout.(*ResultWriter)
	file, _ := out.W.(*os.File)
	if env.Terminal || file != nil && isTerminal(file) {
		return &safeWriter{w: env.Stdout}
	}
	return env.Stdout
}

// A safeWriter sanitizes line by line. A line in several writes is sanitized in pieces.
type safeWriter struct {
	w    io.Writer
	part []byte // of an incomplete character
	buf  []byte
}

// Write implements io.Writer.
func (s *safeWriter) Write(p []byte) (int, error) {
	text := append(s.part, p...)
	whole := wording.Whole(text)
	s.part = bytes.Clone(text[whole:])
	s.buf = s.buf[:0]
	for line := range bytes.Lines(text[:whole]) {
		end := bytes.HasSuffix(line, []byte("\n"))
		s.buf = termsafe.AppendAll(s.buf, string(bytes.TrimSuffix(line, []byte("\n"))))
		if end {
			s.buf = append(s.buf, '\n')
		}
	}
	if _, err := s.w.Write(s.buf); err != nil {
		return 0, err
	}
	return len(p), nil
}

package cli

import (
	"bytes"
	"fmt"
	"strings"
)

// In man(7) format.
type roff struct{ w *bytes.Buffer }

func (r roff) title(name, source string) {
	fmt.Fprintf(r.w, ".TH \"%s\" 1 \"\" \"%s\"\n", roffText(strings.ToUpper(name)), roffText(source))
}

func (r roff) section(name string) { fmt.Fprintf(r.w, ".SH %s\n", name) }

// text writes lines that may be reflowed.
func (r roff) text(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		fmt.Fprintln(r.w, roffText(line))
	}
}

// block writes preformatted lines.
func (r roff) block(text string) {
	r.w.WriteString(".nf\n")
	r.text(text)
	r.w.WriteString(".fi\n")
}

// Blank lines separate paragraphs. Lines that begin with a space, as in tables, are
// preformatted.
func (r roff) prose(text string) {
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		r.w.WriteString(".PP\n")
		lines := strings.Split(paragraph, "\n")
		for len(lines) > 0 {
			n := 1
			for n < len(lines) && strings.HasPrefix(lines[n], " ") == strings.HasPrefix(lines[0], " ") {
				n++
			}
			part := strings.Join(lines[:n], "\n")
			if strings.HasPrefix(part, " ") {
				r.block(part)
			} else {
				r.text(part)
			}
			lines = lines[n:]
		}
	}
}

func (r roff) term(word, means string) {
	fmt.Fprintf(r.w, ".TP\n\\fB%s\\fR\n", roffText(word))
	r.text(means)
}

func roffText(line string) string {
	line = strings.NewReplacer(`\`, `\e`, "-", `\-`, `"`, `\(dq`).Replace(line)
	if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		return `\&` + line
	}
	return line
}

package report

import (
	"cmp"
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"

	"mcpdbg/internal/verify"
)

// markup is HTML text. html/template is not used: it calls methods by name, so that the
// linker would keep every exported method of the program, 3 MB.
type markup struct{ text strings.Builder }

// In add, each %s is replaced by an escaped text. In a tag, %s may only be the value of
// an attribute, in double quotes.
func (m *markup) add(format string, texts ...string) {
	escaped := make([]any, len(texts))
	for i, text := range texts {
		escaped[i] = html.EscapeString(text)
	}
	fmt.Fprintf(&m.text, format, escaped...)
}

func (p *page) markup() string {
	var m markup
	m.add("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
	m.add("<meta http-equiv=\"Content-Security-Policy\" content=\"%s\">\n", policy())
	m.add("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"referrer\" content=\"no-referrer\">\n")
	m.add("<title>Smoke test: %s</title>\n<style>", p.Title)
	m.text.WriteString(pageStyle)
	m.add("</style>\n</head>\n<body>\n")
	p.header(&m)
	p.toolbar(&m)
	p.table(&m)
	m.add("<script>")
	m.text.WriteString(pageScript)
	m.add("</script>\n</body>\n</html>\n")
	return m.text.String()
}

func (p *page) header(m *markup) {
	class := "bad"
	if p.OK {
		class = "ok"
	}
	m.add("<header>\n<h1>Smoke test: <span class=\"%s\">%s</span></h1>\n<dl>", class, p.Title)
	for _, f := range p.Facts {
		m.add("<div><dt>%s</dt><dd>%s</dd></div>", f[0], f[1])
	}
	m.add("</dl>\n")
	if len(p.Causes) > 0 {
		m.add("<ul class=\"causes\">")
		for _, c := range p.Causes {
			m.add("<li><b>%s</b> %s</li>", strconv.Itoa(c.Count), c.Cause)
		}
		m.add("</ul>\n")
	}
	m.add("</header>\n")
}

func (p *page) toolbar(m *markup) {
	m.add(`<div id="bar" role="toolbar" aria-label="filter" hidden>
<input id="search" type="search" placeholder="search (/)" aria-label="search" autocomplete="off" spellcheck="false">
<select id="cause" aria-label="cause"><option value="">all targets</option><option value="!">only failed</option>`)
	if slices.ContainsFunc(p.Targets, func(t pageTarget) bool { return t.Verdict == verify.VerdictDoubtful }) {
		m.add(`<option value="?">only ok?</option>`)
	}
	for _, c := range p.Causes {
		m.add(`<option value="%s">%s</option>`, c.Cause, c.Cause)
	}
	m.add("</select>\n<span id=\"count\" role=\"status\"></span>\n</div>\n")
}

func (p *page) table(m *markup) {
	m.add(`<main>
<table>
<thead><tr><th data-sort="verdict">result</th><th data-sort="host">host</th><th data-sort="server">server</th><th data-sort="cause">cause</th><th data-sort="phase">phase</th><th data-sort="ms" class="r">time</th><th>phases</th><th>message</th></tr></thead>
<tbody>
`)
	for i := range p.Targets {
		p.Targets[i].row(m)
	}
	m.add("</tbody>\n</table>\n")
	if len(p.Legend) > 0 {
		m.add("<ul class=\"legend\">")
		for _, phase := range p.Legend {
			m.add(`<li><svg width="12" height="12" aria-hidden="true"><rect class="p-%s" width="12" height="12"/></svg> %s</li>`, phase, phase)
		}
		m.add("</ul>\n")
	}
	m.add("</main>\n")
}

func (t *pageTarget) row(m *markup) {
	m.add("<tr class=\"%s\" data-index=\"%s\" data-ms=\"%s\">\n", t.Class, strconv.Itoa(t.Index), strconv.FormatFloat(t.MS, 'f', -1, 64))
	m.add(`<td class="verdict">%s</td><td class="host">%s</td><td class="server">%s</td><td class="cause">%s</td><td class="phase">%s</td><td class="r ms">%s</td>`,
		t.Verdict, t.Host, t.Server, t.Cause, t.Phase, t.Took)
	m.add("\n<td class=\"bars\">")
	t.chart(m)
	m.add("</td>\n")
	t.details(m)
	m.add("</tr>\n")
}

func (t *pageTarget) chart(m *markup) {
	if len(t.Bars) == 0 {
		return
	}
	m.add(`<svg width="120" height="12" role="img" aria-label="phases">`)
	for _, b := range t.Bars {
		m.add(`<rect class="p-%s" x="%s" width="%s" y="0" height="12"><title>%s %s</title></rect>`, b.Phase, b.From, b.Width, b.Phase, b.Took)
	}
	m.add("</svg>")
}

func (t *pageTarget) details(m *markup) {
	m.add(`<td class="what"><details><summary>%s</summary>`, cmp.Or(t.Text, "details"))
	for _, hint := range t.Hint {
		m.add(`<p class="try">%s</p>`, hint)
	}
	m.add("\n<dl>")
	for _, f := range t.Facts {
		m.add("<div><dt>%s</dt><dd>%s</dd></div>", f[0], f[1])
	}
	for _, b := range t.Bars {
		m.add("<div><dt>%s</dt><dd>%s</dd></div>", b.Phase, b.Took)
	}
	m.add("</dl>\n")
	if len(t.Evidence) > 0 {
		m.add("<pre>")
		for _, line := range t.Evidence {
			m.add("%s\n", line)
		}
		m.add("</pre>\n")
	}
	m.add("</details></td>\n")
}

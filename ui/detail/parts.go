package detail

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/internal/wording"
	"mcpdbg/ui/detail/content"
	"mcpdbg/ui/host"
)

func partActions(of func(host.Context) *Pane) []host.Action {
	return []host.Action{
		{Entry: host.Entry{ID: actSavePart, Keys: []string{"ctrl+s"}, Scope: Scope, Title: "save part", Synonyms: []string{"write", "download", "export"}, Help: "Write the part under the cursor to a new file: a text, or a decoded picture, sound or blob.", Priority: 30,
			Enabled: func(c host.Context) (bool, string) {
				p := of(c).part()
				return p != nil && p.HasBytes(), "only a part of the content view with a text or data can be saved"
			},
		}, Do: func(c host.Context) tea.Cmd { return savePart(c, of(c).part()) }},
		{Entry: host.Entry{ID: actViewPart, Keys: []string{"ctrl+o"}, Scope: Scope, Title: "open in a viewer", Synonyms: []string{"image", "picture", "audio", "play", "external", "xdg-open"}, Help: "Open the picture, sound, video or PDF under the cursor in the program that the desktop has for it.", Priority: 28,
			Enabled: func(c host.Context) (bool, string) {
				p := of(c).part()
				return p != nil && p.Viewed() != "", "only a picture, sound, video or PDF in the content view is opened in another program"
			},
		}, Do: func(c host.Context) tea.Cmd { return viewPart(c, of(c).part()) }},
		{Entry: host.Entry{ID: actMarkdown, Keys: []string{"ctrl+t"}, Scope: Scope, Title: "plain or rendered", Synonyms: []string{"render"}, Help: "Show the text under the cursor as it is, or as Markdown or a tree. A text over 256K is plain at first.", Priority: 29,
			Now: func(c host.Context) (title string, priority int) { return of(c).otherForm(), 0 },
			Enabled: func(c host.Context) (bool, string) {
				if of(c).content == nil {
					return false, "only a text in the content view has two forms"
				}
				return of(c).content.CanSwitch()
			},
		}, Do: func(c host.Context) tea.Cmd { return of(c).content.Switch() }},
	}
}

// otherForm names the form that the part under the cursor would change to, "" if it
// has no other.
func (d *Pane) otherForm() string {
	if d.content == nil {
		return ""
	}
	return d.content.OtherForm()
}

// part returns the part under the cursor, nil without one.
func (d *Pane) part() *content.Part {
	if d.content == nil {
		return nil
	}
	return d.content.Selected()
}

// Part returns the text of the part under the cursor; ok is false without one.
func (d *Pane) Part() (name, text string, ok bool) {
	p := d.part()
	if p == nil {
		return "", "", false
	}
	if p.Link != "" {
		return "address of " + p.Name(), p.Link, true
	}
	text, ok = p.Text()
	return "text of " + p.Name(), text, ok
}

// Open reads the linked resource under the cursor, or folds or unfolds the value there.
func (d *Pane) Open(c host.Context) tea.Cmd {
	d.changed = true
	p := d.part()
	if p == nil || p.Link == "" {
		d.Act(host.ActOpen)
		return nil
	}
	if ok, why := host.CanReach(c); !ok {
		c.Host.Warn("read " + p.Link + ": " + why)
		return nil
	}
	return host.SendComposed(c, "resources/read "+p.Link, "resources/read", host.URIParams(p.Link), 0)
}

func viewPart(c host.Context, p *content.Part) tea.Cmd {
	save := c.Host.Key(actSavePart)
	return func() tea.Msg {
		data, err := p.Bytes()
		if err != nil {
			return host.Result{What: "open " + p.Name(), Err: err}
		}
		program, err := c.Host.OpenOutside(data, p.Viewed())
		if err != nil {
			err = fmt.Errorf("%w; %s saves it to a file", err, save)
		}
		return host.Result{What: "open " + p.Name(), Err: err, Text: p.Name() + ": opened with " + program}
	}
}

func savePart(c host.Context, p *content.Part) tea.Cmd {
	c.Host.Prompt(c.Workspace, host.Prompt{
		Label: "write to", Hint: "a new file", Text: fmt.Sprintf("mcpdbg-%d%s", c.Workspace.EntryRow(c.Workspace.Selected.Number)+1, p.Suffix()),
		Accept: func(c host.Context, name string) (tea.Cmd, error) {
			if strings.TrimSpace(name) == "" {
				return nil, nil
			}
			return func() tea.Msg {
				data, err := p.Bytes()
				if err == nil {
					err = c.Host.Save(name, string(data))
				}
				return host.Result{What: "write", Err: err, Text: p.Name() + ": " + wording.Size(int64(len(data))) + " written to " + name}
			}, nil
		},
	})
	return nil
}

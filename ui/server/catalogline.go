package server

import (
	"mcpdbg/internal/wording"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
	"mcpdbg/ui/widget/theme"
	"mcpdbg/ui/workspace"
)

const (
	// maxName is the width of the column of names, in cells.
	maxName = 24
	// maxSaid is how much of a description a line has, in bytes.
	maxSaid = 200
)

func widestName(items []*workspace.CatalogItem) int {
	width := 0
	for _, item := range items {
		width = min(max(width, termsafe.Width(wording.Cut(item.Name, maxSaid))), maxName)
	}
	return width
}

// paintLine paints an item: its name, whether it was used last, its arguments with a
// star behind required ones, and what it is.
func (v *Catalog) paintLine(screen *kit.Screen, l *paint.Line, item *workspace.CatalogItem, style theme.Style, selected bool) {
	begin := l.Cells()
	name := item.Name
	if name == "" {
		name = item.Key
	}
	l.Text(style, name)
	l.PadTo(min(begin+v.names, l.Cells()+l.Room()))
	arguments, said := screen.Theme.Key, screen.Theme.Dim
	if selected {
		arguments, said = style, style
	}
	if v.used == [2]string{item.Member, item.Key} {
		l.Text(said, "  (last used)")
	}
	list, more := item.Parameters()
	for i, p := range list {
		gap := " "
		if i == 0 {
			gap = "  "
		}
		l.Text(said, gap)
		l.Text(arguments, p.Name)
		if p.Required {
			l.Text(arguments, "*")
		}
	}
	if more > 0 {
		l.Text(said, " ...")
	}
	if text := aboutItem(item); text != "" && l.Room() > 2 {
		l.Text(said, "  ")
		l.Text(said, text)
	}
}

// aboutItem returns what a line says about an item: the URI of a resource, or the title or
// the first line of the description.
func aboutItem(item *workspace.CatalogItem) string {
	switch {
	case item.Key != item.Name:
		return item.Key
	case item.Title != "" && item.Title != item.Name:
		return item.Title
	}
	return wording.FirstLine(wording.Cut(item.Description, maxSaid))
}

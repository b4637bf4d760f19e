package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// tables turns paragraphs that are tables, as GitHub defines them, into nodes with cells
// for the parser. Its extension does the same, but its package compiles the patterns of
// all extensions at every start.
type tables struct{}

// Transform implements parser.ParagraphTransformer: the line below the heading decides.
func (tables) Transform(paragraph *ast.Paragraph, reader text.Reader, _ parser.Context) {
	lines, source := paragraph.Lines(), reader.Source()
	for i := 1; i < lines.Len(); i++ {
		alignments := alignmentsOf(lines.At(i), source)
		if alignments == nil {
			continue
		}
		heading := cellsOf(lines.At(i-1), source)
		if len(heading) != len(alignments) {
			return
		}
		table := extast.NewTable()
		table.Alignments = alignments
		table.AppendChild(table, extast.NewTableHeader(rowOf(heading, len(alignments))))
		for j := i + 1; j < lines.Len(); j++ {
			table.AppendChild(table, rowOf(cellsOf(lines.At(j), source), len(alignments)))
		}
		parent := paragraph.Parent()
		parent.InsertAfter(parent, paragraph, table)
		if lines.SetSliced(0, i-1); lines.Len() == 0 {
			parent.RemoveChild(parent, paragraph)
			return
		}
		last := lines.At(i - 2)
		lines.Set(i-2, last.TrimRightSpace(source))
		return
	}
}

// alignmentsOf returns the alignments of the columns of the line below a heading, such as
// |---|--:|, or else nil.
func alignmentsOf(line text.Segment, source []byte) (all []extast.Alignment) {
	if !strings.Contains(string(line.Value(source)), "-") {
		return nil
	}
	for _, cell := range cellsOf(line, source) {
		mark := string(cell.Value(source))
		dashes := strings.TrimSuffix(strings.TrimPrefix(mark, ":"), ":")
		if dashes == "" || strings.Trim(dashes, "-") != "" {
			return nil
		}
		switch left, right := strings.HasPrefix(mark, ":"), strings.HasSuffix(mark, ":"); {
		case left && right:
			all = append(all, extast.AlignCenter)
		case right:
			all = append(all, extast.AlignRight)
		default:
			all = append(all, extast.AlignLeft)
		}
	}
	if len(all) == 1 && !strings.Contains(string(line.Value(source)), "|") {
		return nil // the underline of a heading
	}
	return all
}

func cellsOf(line text.Segment, source []byte) (cells []text.Segment) {
	line = trimmed(line, source)
	row := line.Value(source)
	from, end := 0, len(row)
	if end > 0 && row[0] == '|' {
		from = 1
	}
	if end > from && row[end-1] == '|' && (end < 2 || row[end-2] != '\\') {
		end--
	}
	for i := from; i <= end && len(cells) <= maxColumns; i++ {
		if i < end && (row[i] != '|' || i > 0 && row[i-1] == '\\') {
			continue
		}
		cells = append(cells, trimmed(text.NewSegment(line.Start+from, line.Start+i), source))
		from = i + 1
	}
	return cells
}

func trimmed(s text.Segment, source []byte) text.Segment {
	s = s.TrimLeftSpace(source)
	return s.TrimRightSpace(source)
}

func rowOf(cells []text.Segment, n int) *extast.TableRow {
	row := extast.NewTableRow(nil)
	for i := range n {
		cell := extast.NewTableCell()
		if i < len(cells) {
			cell.Lines().Append(cells[i])
		}
		row.AppendChild(row, cell)
	}
	return row
}

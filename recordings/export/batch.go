package export

import (
	"context"
	"iter"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/elements"
)

// messages reads the rows of a selection like items, and of a batch its elements, each
// as an item of its own with its own partner.
func (s Selection) messages(ctx context.Context, source *elements.Source) iter.Seq2[item, error] {
	return func(yield func(item, error) bool) {
		s.Source = source
		for it, err := range s.items(ctx, 0) {
			if err != nil || it.row.Msg != framing.Batch {
				it.row = source.Paired(it.number, it.row)
				if !yield(it, err) {
					return
				}
				continue
			}
			for _, number := range source.Numbers(it.number) {
				row, ok := session.RowAt(source, number)
				if !ok {
					continue
				}
				e, err := source.Entry(row, 0)
				if !yield(item{number, row, e}, err) || err != nil {
					return
				}
			}
			source.Forget()
		}
	}
}

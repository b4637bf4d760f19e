package export

import (
	"context"
	"io"
)

// A Format is a form that recordings are exported in.
type Format struct {
	Name  string // also the extension of its files
	About string
	Write func(context.Context, io.Writer, Selection) error
}

// Formats returns all formats, those for people first.
func Formats() []Format {
	return []Format{
		{"html", "one self-contained page for a browser: facts, problems, all messages", writeHTML},
		{"md", "a report to paste into an issue", writeMarkdown},
		{"jsonl", "one message per line, with time and direction", JSONL},
		{"har", "an HTTP archive of requests and responses", writeHAR},
		{"txtar", "one file per message, in a text archive", writeTxtar},
	}
}

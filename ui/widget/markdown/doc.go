// Package markdown shows Markdown in cells of a terminal: headings, paragraphs,
// lists, quotes, code, tables and rules, wrapped to a width.
//
// Parse turns a text into a flat list of blocks, each with its text as one
// string, runs of styles, and the quotes and list items around it. Layout cuts
// the blocks into lines of a width; a line is only a part of the text of a
// block, so that a long document costs little. Paint paints one line: a frame
// costs what is visible.
//
// The parser is that of github.com/yuin/goldmark, without its renderer; tables
// are found here, and the boxes of task lists are text already. Links are shown
// as text, with their address, and HTML as its source. Text is made safe for
// the terminal when painted. Depth and numbers are limited; the excess is shown
// flatter or not at all, and the document says so.
package markdown

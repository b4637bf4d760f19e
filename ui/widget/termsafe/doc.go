// Package termsafe turns untrusted text into terminal text. It is the only way
// by which a byte from a server, a file or another host may reach a terminal,
// in the full-screen interface as well as in plain output.
//
// Such text can carry escape sequences that write to the clipboard, move the
// cursor or rename the window, bidirectional overrides that reorder what a
// person reads, and characters of disputed width, which push borders out of
// line. A debugger must show such bytes instead of obeying them. So every rune
// is in one of four classes:
//
//   - narrow: printed as it is, one cell
//   - wide: printed as it is, two cells
//   - mark: a combining mark, printed after a base character, no cell
//   - all else: printed as a visible escape, `\u001b`, `\u{1f3fb}` or, for a
//     byte that is not part of valid UTF-8, `\xff`
//
// A rune is printed as it is only if it always forms a cell of its own: the two
// width rules that the terminal library may use, the sum of wcwidth and the
// width of grapheme clusters, agree on it alone and next to any other rune that
// is printed. Therefore controls, DEL, C1, bidirectional controls, zero-width
// characters, variation selectors, joiners, regional indicators, conjoining
// jamo, skin tones, viramas, line separators, private and unassigned code
// points are escaped. A test checks the decision in table.go for every rune
// against both rules.
//
// Both rules read the environment variable RUNEWIDTH_EASTASIAN. With it set,
// box drawing, Greek and Cyrillic take two cells in the library, and neither
// this package nor any border drawn with it is in line.
package termsafe

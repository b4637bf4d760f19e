// Package compare says what two sessions with a server differ in.
//
// [Compare] reads both once and keeps a few words of each exchange: the hash of
// what it is matched by (see package match), the hash of its answer, and where
// both stand. Exchanges are paired by what was asked, those that ask the same in
// their order, and what is left by method and tool; pages of a list are one
// exchange. Only answers whose bytes differ are read again and compared, value
// by value: items of lists by their names, text that is JSON as JSON, other text
// by lines. Values that are others in each run, such as times and ids, are equal
// if they are of one type; rules of a person leave out more.
//
// The [Report] is data, and is written as text, JSON and JUnit XML. What it
// quotes comes from servers: it is bounded, and has to be made safe before a
// terminal sees it.
package compare

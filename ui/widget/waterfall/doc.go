// Package waterfall paints bars on an axis of time: how long something took, and
// what else happened meanwhile.
//
// An Axis maps times to cells. It covers the bars that are visible, and shortens
// the time in which nothing happened, or it covers a range that the user chose. A
// Bar is at least one cell long. Times are in microseconds since the start of a
// log.
package waterfall

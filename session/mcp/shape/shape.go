// Package shape knows the form of every message of the protocol, by method and
// revision: members, their types, which are required, and in which revisions they
// exist. It walks over the bytes of a message that is valid JSON, without decoding
// it, and does not allocate while the message fits.
//
// The tables were written from the specification. They say no more than it does:
// unknown members are allowed everywhere, and the contents of JSON Schemas, of
// structured output and of arguments are not checked.
package shape

import (
	"mcpdbg/session/mcp"
)

// A Shape is the form of a JSON value.
type Shape struct {
	kind       kind
	members    []member // of an object
	elem       *Shape   // of an array, and of the values of a dictionary
	values     []string // that a string may have
	deprecated []string // those of values that were deprecated in the modern era
	// instead is a member of an object whose presence makes all others optional, in
	// the revision in which that member exists.
	instead string
	// either are members of which an object needs at least one.
	either []string
	// An object may have one of several shapes. The member by has the name of the
	// shape, cases are the shapes, and otherwise is the shape of an object without
	// that member, nil if it must have one. Before the revision since all objects have
	// that shape.
	by        string
	since     uint8
	cases     []variant
	otherwise *Shape
}

// A kind is the type of a JSON value.
type kind uint8

const (
	anything kind = iota
	text
	number
	fraction // from 0 to 1
	integer
	natural // an integer that is not negative
	boolean
	object
	array
	dictionary // an object with any members, whose values have a shape
	selected   // an object with one of several shapes, which the value of a member names
	shown      // an object with one of several shapes, which it shows by a member that only that shape has
	oneOrMore  // a value or an array of such values
	identifier // a string or an integer
	primitive  // a string, number, boolean or an array of strings
	nullable   // an integer or null
)

var kindNames = [...]string{
	anything: "any value", text: "a string", number: "a number", fraction: "a number from 0 to 1", integer: "an integer",
	natural: "an integer of 0 or more", boolean: "true or false", object: "an object", array: "an array", dictionary: "an object",
	selected: "an object", shown: "an object", oneOrMore: "an object or an array", identifier: "a string or an integer",
	primitive: "a string, a number, true, false or an array of strings", nullable: "an integer or null",
}

// A revisions is a range of revisions, by their order. The zero value is all.
type revisions struct{ since, until uint8 }

func (r revisions) have(revision uint8) bool {
	return r.since <= revision && (r.until == 0 || revision <= r.until)
}

// A member of an object.
type member struct {
	name     string
	shape    *Shape
	required bool
	revisions
	deprecated uint8 // from which revision on
}

// A variant is one of the shapes of an object.
type variant struct {
	name  string
	shape *Shape
	revisions
	deprecated uint8 // from which revision on
}

func order(revision string) uint8 { return uint8(mcp.Order(revision)) }

// The constructors below are the language of the tables.

var (
	str   = &Shape{kind: text}
	num   = &Shape{kind: number}
	whole = &Shape{kind: integer}
	count = &Shape{kind: natural}
	ratio = &Shape{kind: fraction}
	truth = &Shape{kind: boolean}
	value = &Shape{}
	id    = &Shape{kind: identifier}
	bag   = &Shape{kind: object} // with any members

	orNull = &Shape{kind: nullable}
)

// obj is not inlined: its calls are many, and would add 38 KB to the program.
//
//go:noinline
func obj(members ...member) *Shape { return &Shape{kind: object, members: members} }

func (s *Shape) with(members ...member) *Shape {
	more := *s
	more.members = append(append([]member(nil), s.members...), members...)
	return &more
}

func list(elem *Shape) *Shape     { return &Shape{kind: array, elem: elem} }
func dict(elem *Shape) *Shape     { return &Shape{kind: dictionary, elem: elem} }
func enum(names ...string) *Shape { return &Shape{kind: text, values: names} }

// selectBy returns the shape of an object whose member by names its shape.
func selectBy(by string, otherwise *Shape, cases ...variant) *Shape {
	return &Shape{kind: selected, by: by, otherwise: otherwise, cases: cases}
}

// selectWith returns the shape of an object that has the members of one of several
// shapes; the first member of cases that it has decides.
func selectWith(cases ...variant) *Shape { return &Shape{kind: shown, cases: cases} }

func is(name string, shape *Shape) variant { return variant{name: name, shape: shape} }

func (v variant) from(revision string) variant {
	v.since = order(revision)
	return v
}

func (v variant) deprecatedIn(revision string) variant {
	v.deprecated = order(revision)
	return v
}

func req(name string, shape *Shape) member { return member{name: name, shape: shape, required: true} }
func opt(name string, shape *Shape) member { return member{name: name, shape: shape} }

func (m member) from(revision string) member {
	m.since = order(revision)
	return m
}

func (m member) to(revision string) member {
	m.until = order(revision)
	return m
}

func (m member) only(revision string) member { return m.from(revision).to(revision) }

func (m member) deprecatedIn(revision string) member {
	m.deprecated = order(revision)
	return m
}

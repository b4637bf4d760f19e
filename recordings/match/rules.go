package match

import "strings"

// Rules say what of messages counts when requests are matched and answers
// compared. The zero value, and nil, has none. Rules must not be changed while
// they are used; then any goroutine may use them.
type Rules struct {
	List []Rule
}

// A Rule is about one place in messages. Where several rules are about a value,
// or about what it stands in, the last one decides.
type Rule struct {
	Action  Action
	Method  string // "" is any; for a call its name may follow: tools/call:echo
	Pointer Pointer
	Type    Type // of ActionMask: what both sides must be; TypeAny is anything
}

// An Action is what a rule says of a value.
type Action uint8

// The actions. The zero value says nothing.
const (
	ActionNone   Action = iota
	ActionIgnore        // as if it were not there
	ActionMask          // any two values of one type are equal
	ActionKeep          // it counts, exactly, whatever is left out or masked otherwise
)

var actionNames = [...]string{"", "ignore", "mask", "keep"}

// String returns the action as rule files spell it.
func (a Action) String() string { return actionNames[a] }

// Add adds a rule behind the others, if it is not there yet.
func (r *Rules) Add(rule Rule) {
	for _, have := range r.List {
		if have == rule {
			return
		}
	}
	r.List = append(r.List, rule)
}

// About returns the rules for messages of a method, and of a subject: what
// Subject finds in the request. It is made for one message, or many of a kind.
func (r *Rules) About(method, subject string) Applied {
	if r == nil {
		return nil
	}
	var applied Applied
	for _, rule := range r.List {
		if rule.about(method, subject) {
			applied = append(applied, appliedRule{rule, rule.Pointer.Tokens()})
		}
	}
	return applied
}

func (r *Rule) about(method, subject string) bool {
	if r.Method == "" || r.Method == method {
		return true
	}
	rest, ok := strings.CutPrefix(r.Method, method)
	return ok && rest[0] == ':' && rest[1:] == subject && subject != ""
}

// Applied are the rules for messages of one kind.
type Applied []appliedRule

type appliedRule struct {
	rule    Rule
	pattern []string
}

// At returns what the rules say of the value at a path, whose first token is
// params, result or error.
func (a Applied) At(path []string) (Action, Type) {
	rule := a.Rule(path)
	return rule.Action, rule.Type
}

// Rule returns the rule that decides about the value at a path; the zero Rule if
// there is none.
func (a Applied) Rule(path []string) Rule {
	for i := len(a) - 1; i >= 0; i-- {
		if covers(a[i].pattern, path) {
			return a[i].rule
		}
	}
	return Rule{}
}

// KeepsWithin tells whether a rule keeps something inside the value at a path.
func (a Applied) KeepsWithin(path []string) bool {
	for _, rule := range a {
		if rule.rule.Action == ActionKeep && len(rule.pattern) > len(path) && covers(rule.pattern[:len(path)], path) {
			return true
		}
	}
	return false
}

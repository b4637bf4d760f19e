package match

import "strings"

// Rules define which parts of messages count when requests are matched and responses
// compared. The zero value and nil have no rules. Rules must not be changed while
// they are in use; then they are safe for concurrent use.
type Rules struct {
	List []Rule
}

// A Rule applies to one place in messages. If several rules apply to a value or to a
// value that contains it, the last one wins.
type Rule struct {
	Action  Action
	Method  string // "" is any; may be limited to one tool: tools/call:echo
	Pointer Pointer
	Type    Type // of ActionMask: the type that both sides must have; TypeAny is any
}

// An Action is the effect of a rule on a value.
type Action uint8

// The zero value does nothing.
const (
	ActionNone   Action = iota
	ActionIgnore        // treat as absent
	ActionMask          // any two values of the type are equal
	ActionKeep          // must be equal, overriding ignore and mask
)

var actionNames = [...]string{"", "ignore", "mask", "keep"}

// String returns the action as rule files spell it.
func (a Action) String() string { return actionNames[a] }

// Add appends a rule if it is not in the list yet.
func (r *Rules) Add(rule Rule) {
	for _, have := range r.List {
		if have == rule {
			return
		}
	}
	r.List = append(r.List, rule)
}

// For returns the rules for messages with the given method and subject, as returned
// by Subject. The result can be used for any number of such messages.
func (r *Rules) For(method, subject string) Applied {
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

// At returns what the rules do with the value at a path, whose first token is params,
// result or error.
func (a Applied) At(path []string) (Action, Type) {
	rule := a.Rule(path)
	return rule.Action, rule.Type
}

// Rule returns the rule that applies to the value at a path; the zero Rule if there is
// none.
func (a Applied) Rule(path []string) Rule {
	for i := len(a) - 1; i >= 0; i-- {
		if covers(a[i].pattern, path) {
			return a[i].rule
		}
	}
	return Rule{}
}

// KeepsWithin reports whether a rule keeps something inside the value at a path.
func (a Applied) KeepsWithin(path []string) bool {
	for _, rule := range a {
		if rule.rule.Action == ActionKeep && len(rule.pattern) > len(path) && covers(rule.pattern[:len(path)], path) {
			return true
		}
	}
	return false
}

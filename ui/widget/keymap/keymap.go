package keymap

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
)

// Global is the scope of every table whose actions are reachable from all scopes that are
// not modal.
const Global = "global"

// Scope is a part of the screen that can have the focus.
type Scope struct {
	ID string
	// Title is the heading in help and in docs/keys.md. A scope without a title never has
	// the focus; others inherit from it.
	Title string
	// Modal hides the actions of Global from the scope.
	Modal bool
	// Inherits is the ID of a scope without a title whose actions this one has, too: see
	// Inherit.
	Inherits string
}

// Action is something a person can do.
type Action[C any] struct {
	// ID is unique in the table and identifies the action in dispatch. Inherited actions
	// have derived IDs: the scope and the name, "catalog-down". In a scope without a
	// title, ID replaces the name in them.
	ID string
	// Name identifies an action where scopes inherit: an action overrides that of its
	// parent with the same name. Zero fields keep the parent's value; a negative priority
	// means zero.
	Name string
	// Keys trigger the action; the first one is shown. Without keys it is in the palette.
	Keys  []string
	Scope string
	// two or three words; a sentence
	Title, Help string
	// other words, in lower case, for the palette
	Synonyms []string
	// Words may be typed after its name in the palette: the action is then carried out
	// with that word. It must also be possible without one.
	Words []string
	// Priority decides about a place in the footer: the highest first, zero is never
	// shown.
	Priority int
	// Last puts the action at the end of the footer, always.
	Last bool
	// Hint replaces the first key and the title in the footer, for two actions in one
	// ("j/k", "move").
	Hint key.Help
	// reachable in modal scopes, for a global action
	Everywhere bool
	// Enabled reports whether the action is possible, and if not, why. Nil means always.
	Enabled func(C) (ok bool, reason string)
	// CurrentTitle, if set, returns the present meaning of the action if the footer
	// should show it first, or "".
	CurrentTitle func(C) string
	// Now, if set, returns the present title and priority for the footer; zero values
	// mean those of the action. A Hint keeps its title.
	Now func(C) (title string, priority int)
	// Yields lets the keys that an action took over from another give way to settings
	// that give them to an action of its scope or a global one, or of any scope if it is
	// global, as old settings do.
	Yields bool
	// Replaces is the ID of a global action with one of the keys: in the scope of this
	// action the key means this one.
	Replaces string
	// Asks is when the action asks before it does something: "each time", "while a call is
	// pending". "" means never.
	Asks string

	origin  string      // scope that declared it before overrides
	binding key.Binding // of its keys, with its hint; made by New
}

// State reports whether the action is possible, and if not, why.
func (a *Action[C]) State(c C) (ok bool, reason string) {
	if a.Enabled == nil {
		return true, ""
	}
	return a.Enabled(c)
}

// Table is a checked set of actions. It does not change after New, so any
// goroutine may read it.
type Table[C any] struct {
	scopes  []Scope
	actions []Action[C]
	byID    map[string]*Action[C]
	byKey   map[binding]*Action[C]
	reach   map[string][]*Action[C] // by scope, for the footer of each frame
}

type binding struct{ scope, key string }

// ConflictError reports a key with two meanings in a scope.
type ConflictError struct {
	Scope, Key string
	// First and Second are the IDs of the actions.
	First, Second string
}

// Error implements error.
func (e *ConflictError) Error() string {
	return fmt.Sprintf("key %q in scope %q belongs to both %q and %q", e.Key, e.Scope, e.First, e.Second)
}

// New checks the actions and returns their table. Scopes are without Global and those
// without a title, in the order of help. The error joins all problems; keys with two
// meanings are *ConflictError.
func New[C any](scopes []Scope, actions []Action[C]) (*Table[C], error) {
	t := &Table[C]{
		scopes:  append(slices.Clone(scopes), Scope{ID: Global, Title: "Everywhere"}),
		actions: slices.Clone(actions),
		byID:    make(map[string]*Action[C], len(actions)),
		byKey:   make(map[binding]*Action[C]),
		reach:   make(map[string][]*Action[C]),
	}
	errs := t.checkScopes()
	for i := range t.actions {
		errs = append(errs, t.add(&t.actions[i])...)
	}
	errs = append(errs, t.checkShadows()...)
	for _, s := range t.scopes {
		t.reach[s.ID] = t.reachable(s)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("action table: %w", err)
	}
	return t, nil
}

func (t *Table[C]) checkScopes() (errs []error) {
	seen := map[string]bool{}
	for _, s := range t.scopes {
		if s.ID == "" || s.Title == "" {
			errs = append(errs, fmt.Errorf("scope %q needs an id and a title", s.ID))
		}
		if seen[s.ID] {
			errs = append(errs, fmt.Errorf("duplicate scope %q", s.ID))
		}
		seen[s.ID] = true
	}
	return errs
}

func (t *Table[C]) add(a *Action[C]) (errs []error) {
	if a.ID == "" || a.Title == "" || a.Help == "" {
		errs = append(errs, fmt.Errorf("action %q needs an id, a title and a help text", a.ID))
	}
	if t.byID[a.ID] != nil {
		errs = append(errs, fmt.Errorf("duplicate action %q", a.ID))
	}
	t.byID[a.ID] = a
	if _, ok := t.Scope(a.Scope); !ok {
		errs = append(errs, fmt.Errorf("action %q has the unknown scope %q", a.ID, a.Scope))
	}
	if a.Everywhere && a.Scope != Global {
		errs = append(errs, fmt.Errorf("action %q in scope %q cannot be everywhere: only global actions can", a.ID, a.Scope))
	}
	hint := a.Hint
	if hint == (key.Help{}) && len(a.Keys) > 0 {
		hint = key.Help{Key: a.Keys[0], Desc: a.Title}
	}
	a.binding = key.NewBinding(key.WithKeys(a.Keys...), key.WithHelp(hint.Key, hint.Desc))
	for _, key := range a.Keys {
		if err := CheckKey(key); err != nil {
			errs = append(errs, fmt.Errorf("action %q: %w", a.ID, err))
		}
		at := binding{a.Scope, key}
		if first := t.byKey[at]; first != nil {
			errs = append(errs, &ConflictError{a.Scope, key, first.ID, a.ID})
		}
		t.byKey[at] = a
	}
	return errs
}

func (t *Table[C]) checkShadows() (errs []error) {
	for i := range t.actions {
		a := &t.actions[i]
		scope, ok := t.Scope(a.Scope)
		if !ok || scope.ID == Global {
			continue
		}
		for _, key := range a.Keys {
			if global := t.global(scope, key); global != nil && global.ID != a.Replaces {
				errs = append(errs, &ConflictError{scope.ID, key, global.ID, a.ID})
			}
		}
	}
	return errs
}

// Rebind changes the keys of actions, by ID. In their scopes, hints that describe two
// actions are removed: they may be wrong now.
func Rebind[C any](actions []Action[C], keys map[string][]string) {
	moved, given := map[string]bool{}, map[binding]bool{}
	for i := range actions {
		if other, ok := keys[actions[i].ID]; ok {
			actions[i].Keys = slices.Clone(other)
			moved[actions[i].Scope] = true
			for _, key := range other {
				given[binding{actions[i].Scope, key}], given[binding{"", key}] = true, true
			}
		}
	}
	for i, a := range actions {
		if _, bound := keys[a.ID]; a.Yields && !bound {
			actions[i].Keys = slices.DeleteFunc(slices.Clone(a.Keys), func(key string) bool {
				return given[binding{a.Scope, key}] || given[binding{Global, key}] || a.Scope == Global && given[binding{"", key}]
			})
		}
		if moved[actions[i].Scope] {
			actions[i].Hint = key.Help{}
		}
	}
}

// Lookup returns the action of a key in the focused scope.
func (t *Table[C]) Lookup(scope, key string) (*Action[C], bool) {
	if a := t.byKey[binding{scope, key}]; a != nil {
		return a, true
	}
	s, ok := t.Scope(scope)
	if !ok {
		return nil, false
	}
	a := t.global(s, key)
	return a, a != nil
}

// ByID returns an action.
func (t *Table[C]) ByID(id string) (*Action[C], bool) {
	a, ok := t.byID[id]
	return a, ok
}

// Reachable returns the actions of a scope, followed by the reachable ones of Global, in
// the given order, for the palette.
func (t *Table[C]) Reachable(scope string) []*Action[C] { return t.reach[scope] }

func (t *Table[C]) reachable(s Scope) []*Action[C] {
	actions := t.own(s.ID)
	if s.ID == Global {
		return actions
	}
	for _, a := range t.own(Global) {
		replaced := slices.ContainsFunc(actions, func(own *Action[C]) bool { return own.Replaces == a.ID })
		if (!s.Modal || a.Everywhere) && !replaced {
			actions = append(actions, a)
		}
	}
	return slices.Clip(actions)
}

// hintWidth returns the number of cells of "key title".
func hintWidth(h key.Help) int {
	return utf8.RuneCountInString(h.Key) + 1 + utf8.RuneCountInString(h.Desc)
}

// hintGap is the cells between two hints.
const hintGap = 2

// mostHints returns how many hints a footer of so many cells has: more would not be read.
func mostHints(width int) int {
	switch {
	case width < 70:
		return 5
	case width < 100:
		return 8
	case width < 160:
		return 11
	}
	return 18
}

// Footer appends the hints to show in width cells to some: of the possible actions, those
// with the highest priority, in that order, and those that are always last.
func (t *Table[C]) Footer(hints []key.Binding, scope string, c C, width int) []key.Binding {
	var last [2]key.Binding
	var ranks [18]int // of the hints
	room, most, lasts, begin := width+hintGap, mostHints(width), 0, len(hints)
	for _, a := range t.Reachable(scope) {
		hint, priority := a.hint(c)
		if priority <= 0 && !a.Last {
			continue
		}
		if possible, _ := a.State(c); !possible {
			continue
		}
		n := len(hints) - begin
		if a.Last {
			if lasts == 0 || last[lasts-1].Help().Desc != hint.Help().Desc {
				last[lasts] = hint
				lasts++
			}
			continue
		}
		at := n
		for at > 0 && ranks[at-1] < priority {
			at--
		}
		if at == len(ranks) {
			continue
		}
		if n < len(ranks) {
			hints = append(hints, hint)
		}
		copy(hints[begin+at+1:], hints[begin+at:])
		hints[begin+at] = hint
		copy(ranks[at+1:], ranks[at:])
		ranks[at] = priority
	}
	for _, h := range last[:lasts] {
		room -= hintWidth(h.Help()) + hintGap
	}
	for i, h := range hints[begin:] {
		if room -= hintWidth(h.Help()) + hintGap; room < 0 || i+lasts == most {
			hints = hints[:begin+i]
			break
		}
	}
	return append(hints, last[:lasts]...)
}

// hint returns the hint for the footer and its priority, shown only if positive.
func (a *Action[C]) hint(c C) (hint key.Binding, priority int) {
	hint, title := a.binding, ""
	if a.CurrentTitle != nil && len(a.Keys) > 0 {
		if title = a.CurrentTitle(c); title != "" {
			hint.SetHelp(a.Keys[0], title)
			return hint, math.MaxInt
		}
	}
	if a.Now != nil {
		title, priority = a.Now(c)
	}
	switch {
	case a.Hint != (key.Help{}):
	case len(a.Keys) == 0:
		return hint, 0
	case title != "":
		hint.SetHelp(a.Keys[0], title)
	}
	return hint, cmp.Or(priority, a.Priority)
}

// Scope returns a scope that can have the focus.
func (t *Table[C]) Scope(id string) (Scope, bool) {
	i := slices.IndexFunc(t.scopes, func(s Scope) bool { return s.ID == id })
	if i < 0 {
		return Scope{}, false
	}
	return t.scopes[i], true
}

// global returns the global action of a key that is reachable from a scope.
func (t *Table[C]) global(s Scope, key string) *Action[C] {
	a := t.byKey[binding{Global, key}]
	if a == nil || (s.Modal && !a.Everywhere) {
		return nil
	}
	return a
}

func (t *Table[C]) own(scope string) []*Action[C] {
	var own []*Action[C]
	for i := range t.actions {
		if t.actions[i].Scope == scope {
			own = append(own, &t.actions[i])
		}
	}
	return own
}

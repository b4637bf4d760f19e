package keymap

import (
	"cmp"
	"fmt"
)

// Inherit returns the actions of all scopes that can have the focus, with
// inherited ones. A is what actions are declared as, and entry the part that
// the table needs: the rest, what an action does, is inherited, too. Parents
// come before their children in scopes.
//
// An action overrides the inherited one with the same name, and places it. An
// inherited action without an override follows the one before it, if the same
// scope declares both and that one has an override; otherwise it comes last.
func Inherit[A, C any](scopes []Scope, actions []A, entry func(*A) *Action[C]) ([]A, error) {
	own := map[string][]A{}
	for i := range actions {
		scope := entry(&actions[i]).Scope
		own[scope] = append(own[scope], actions[i])
	}
	var all []A
	parents := map[string][]A{"": nil}
	for _, s := range scopes {
		base, ok := parents[s.Inherits]
		if !ok {
			return nil, fmt.Errorf("action table: scope %q inherits from %q, which is not a scope without a title before it", s.ID, s.Inherits)
		}
		of := inherit(s, own[s.ID], base, entry)
		if delete(own, s.ID); s.Title == "" {
			parents[s.ID] = of
		} else {
			all = append(all, of...)
		}
	}
	for i := range actions { // of Global, or of a scope that New reports as unknown
		if _, ok := own[entry(&actions[i]).Scope]; ok {
			all = append(all, actions[i])
		}
	}
	return all, nil
}

func inherit[A, C any](s Scope, own, base []A, entry func(*A) *Action[C]) []A {
	follow := map[string][]A{}  // inherited actions, by the name of the override before them
	last := map[string]string{} // that name, by the origin
	for i := range own {
		entry(&own[i]).origin = s.ID
	}
	all := make([]A, 0, len(own)+len(base))
	for i := range base {
		b, at := entry(&base[i]), 0
		for at < len(own) && entry(&own[at]).Name != b.Name {
			at++
		}
		if at < len(own) {
			over := entry(&own[at]).over(b, s)
			own[at], last[b.origin] = base[i], b.Name
			*entry(&own[at]) = over
			continue
		}
		to := append(follow[last[b.origin]], base[i])
		*entry(&to[len(to)-1]) = Action[C]{Name: b.Name}.over(b, s)
		follow[last[b.origin]] = to
	}
	for i := range own {
		e := entry(&own[i])
		if s.Title == "" {
			e.ID = cmp.Or(e.ID, e.Name)
		}
		all = append(all, own[i])
		if e.Name != "" {
			all = append(all, follow[e.Name]...)
		}
	}
	return append(all, follow[""]...)
}

// over completes an action with what it leaves to the one that it overrides. A hint is
// not inherited if the keys are not: it would be wrong.
func (a Action[C]) over(base *Action[C], s Scope) Action[C] {
	id := base.ID
	if s.Title != "" {
		id = s.ID + "-" + id
	}
	if a.Keys == nil {
		a.Keys, a.Hint = base.Keys, cmp.Or(a.Hint, base.Hint)
	}
	if a.Enabled == nil {
		a.Enabled = base.Enabled
	}
	if a.CurrentTitle == nil {
		a.CurrentTitle = base.CurrentTitle
	}
	if a.Now == nil {
		a.Now = base.Now
	}
	if a.Synonyms == nil {
		a.Synonyms = base.Synonyms
	}
	if a.Words == nil {
		a.Words = base.Words
	}
	a.ID, a.Scope, a.origin = cmp.Or(a.ID, id), s.ID, base.origin
	a.Title, a.Help = cmp.Or(a.Title, base.Title), cmp.Or(a.Help, base.Help)
	a.Priority = max(cmp.Or(a.Priority, base.Priority), 0)
	a.Asks = cmp.Or(a.Asks, base.Asks)
	a.Yields = a.Yields || base.Yields
	return a
}

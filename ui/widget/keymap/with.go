package keymap

// With returns an action for states of type D, of which of makes the state that
// the action needs.
func With[D, C any](a Action[C], of func(D) C) Action[D] {
	b := Action[D]{
		ID: a.ID, Name: a.Name, Keys: a.Keys, Scope: a.Scope, Title: a.Title, Help: a.Help, Synonyms: a.Synonyms, Words: a.Words, Priority: a.Priority,
		Hint: a.Hint, Everywhere: a.Everywhere, Yields: a.Yields, Destructive: a.Destructive, origin: a.origin,
	}
	if a.Enabled != nil {
		b.Enabled = func(d D) (ok bool, reason string) { return a.Enabled(of(d)) }
	}
	if a.CurrentTitle != nil {
		b.CurrentTitle = func(d D) string { return a.CurrentTitle(of(d)) }
	}
	if a.Now != nil {
		b.Now = func(d D) (title string, priority int) { return a.Now(of(d)) }
	}
	return b
}

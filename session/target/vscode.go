package target

func (r *reader) declare(inputs *node) {
	r.inputs = map[string]Input{}
	if inputs == nil {
		return
	}
	for _, n := range inputs.items {
		in := Input{ID: n.str("id"), Description: n.str("description")}
		in.Secret, _ = n.flag("password")
		switch kind := n.str("type"); kind {
		case "promptString":
		case "pickString":
			in.Kind = InputPick
			in.Options = options(n.list("options"))
		case "command":
			in.Kind = InputCommand
			if in.Description == "" {
				in.Description = "the result of the command " + n.str("command")
			}
		default:
			r.file.Unread = append(r.file.Unread, r.problem(n.at, "", "input of an unknown type ignored", "use promptString, pickString or command"))
			continue
		}
		if in.ID == "" {
			r.file.Unread = append(r.file.Unread, r.problem(n.at, "", "input without an id ignored", ""))
			continue
		}
		if def := n.ofKind("default", text); def != nil {
			in.Default = plain(def.text)
			if in.Secret {
				in.Default = in.Default.secret(in.ID)
			}
		}
		r.inputs[in.ID] = in
	}
}

// options returns the choices of a pickString: texts, or objects with a label.
func options(n *node) []Option {
	if n == nil {
		return nil
	}
	var out []Option
	for _, o := range n.items {
		switch {
		case o.kind == text:
			out = append(out, Option{o.text, o.text})
		case o.str("value") != "" || o.str("label") != "":
			label, value := o.str("label"), o.str("value")
			if value == "" {
				value = label
			}
			if label == "" {
				label = value
			}
			out = append(out, Option{label, value})
		}
	}
	return out
}

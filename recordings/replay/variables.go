package replay

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"mcpdbg/recordings/match"
	"mcpdbg/session"
)

// A variable is a text that the server sent in a response and the client sent afterwards.
type variable struct {
	match.Variable
	item  int // whose response has it
	users []int
}

// A use is in an item's params.
type use struct {
	path     []string // from params on
	variable int
}

// trace finds the values that items carry over from earlier responses.
func (r *reader) trace(ctx context.Context) error {
	found, err := match.Variables(ctx, r.p.src)
	if err != nil {
		return err
	}
	unmapped := r.p.opts.unmapped()
	for _, v := range found {
		item, ours := r.byRow[v.RespondsTo.Row]
		if action, _ := unmapped.At(v.Pointer.Tokens()); !ours || v.RespondsTo.N == 0 || action == match.ActionIgnore {
			continue
		}
		number, known := len(r.p.variables), variable{Variable: v, item: item}
		for _, u := range v.Uses {
			user, ours := r.byRow[u.At.Row]
			path := u.Pointer.Tokens()
			if action, _ := unmapped.At(path); !ours || user <= item || action == match.ActionIgnore || r.p.items[user].Kind == Raw {
				continue
			}
			known.users = append(known.users, user)
			r.p.items[user].uses = append(r.p.items[user].uses, use{path[1:], number})
		}
		if len(known.users) > 0 {
			r.p.variables = append(r.p.variables, known)
			r.p.given[item] = append(r.p.given[item], number)
		}
	}
	return nil
}

// In a list, places are not names.
func (v *variable) listed() bool {
	return slices.ContainsFunc(v.Pointer.Tokens(), func(token string) bool { return token != "" && strings.Trim(token, "0123456789") == "" })
}

func (v *variable) value(resp session.Response) (s string, ok bool) {
	if resp.Error == nil {
		return v.LiveValue(slices.Concat([]byte(`{"result":`), resp.Result, []byte("}")))
	}
	failure, err := json.Marshal(resp.Error)
	if err != nil {
		return "", false // its data is not valid JSON
	}
	return v.LiveValue(slices.Concat([]byte(`{"error":`), failure, []byte("}")))
}

// A Variable is a text of the recording that is different now.
type Variable struct {
	Text string `json:"recorded"`
	// Live is the current text; Absent if the response no longer has one in that
	// place.
	Live     string        `json:"live,omitempty"`
	Absent   bool          `json:"absent,omitempty"`
	Request  uint64        `json:"request"` // entries of the recording: the request whose response has it,
	Response uint64        `json:"answer"`  // and that response
	Method   string        `json:"method"`
	From     match.Pointer `json:"from"` // in the response
	To       []Target      `json:"to"`
}

// A Target is a place where a variable was inserted.
type Target struct {
	N       uint64        `json:"n"` // entry of the recording
	Pointer match.Pointer `json:"pointer"`
}

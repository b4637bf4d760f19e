package help

import (
	"strings"

	"mcpdbg/ui/host"
	"mcpdbg/ui/widget/keymap"
)

// A word of the screen is found by its other names, too: older ones, and those of other
// tools.
type word struct {
	names  string // the one on the screen first; _ is a space
	text   string
	filter string // that lists its rows, or ""
	action string // that shows it
}

var words = []word{
	{"lag lagged behind", "mcpdbg read late; nothing is lost unless a gap follows", "lag", ActMenu},
	{"gap lost missing", "Events of the process never arrived: their sequence numbers are missing", "gap", ActMenu},
	{"stall stalled", "mcpdbg did not read the output of the server for a while", "stall", ActMenu},
	{"noise stray not-json not_json", "A line on stdout that is not a message", "is:noise", ActMenu},
	{"no_answer lost orphan unanswered timeout", "The answer never came: the call timed out (--timeout), or its process ended", "is:unanswered", ActMenu},
	{"call exchange", "A request with its answer, in one row", "", ActMenu},
	{"message wire", "A line of JSON between client and server, in a row of its own", "", ActMenu},
	{"event act", "What mcpdbg, the process and you did, with a sequence number and a time", "", "events"},
	{"start phase probe", "From the spawn of the process to ready; the first request asks for the newest protocol", "", "overview"},
	{"rule canned policy", "How a request of the server is answered without you", "", "policies"},
	{"stop shutdown", "Close stdin, then SIGTERM, then SIGKILL, each after 2 s", "", ActMenu},
	{"cause evidence", "The likeliest reason of the problems, and the row that shows it", "", host.ActCauses},
	{"protocol legacy modern era", "A protocol is named by its date; the first line has the one in use", "", "overview"},
	{"play replay", "Show a recording as it happened", "", ActMenu},
	{"run_again replay", "Send the calls of a recording to a server, and compare the answers", "", ActMenu},
	{"settings timeout config preferences", "The file config.toml has keys, colors and limits; mcpdbg keys lists the names of actions", "", ActMenu},
	{"marks legend signs", "The last lines of the menu explain the marks on the screen", "", ActMenu},
}

// commands returns what the palette offers for a word: its filter, and its help.
func (w *word) commands() (found []command) {
	names := strings.Split(w.names, " ")
	for i := range names {
		names[i] = strings.ReplaceAll(names[i], "_", " ")
	}
	if w.filter != "" {
		found = append(found, command{keymap.Entry{ID: "filter", Title: "filter " + names[0], Help: "Show only rows with " + names[0] + ".", Synonyms: names}, w.filter})
	}
	return append(found, command{keymap.Entry{ID: w.action, Title: "help: " + names[0], Help: w.text, Synonyms: names}, ""})
}

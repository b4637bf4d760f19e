package rule

import (
	"mcpdbg/session/diagnosis"
)

var (
	prc01 = &diagnosis.Rule{ID: "PRC01", Severity: diagnosis.Warning, Side: diagnosis.Process, Title: "keeps running after stdin is closed",
		Explanation: "The server was still running 2 s after its stdin was closed (5 s: an error). Closing stdin asks it to exit.",
		Reference:   "lifecycle, shutdown; stdio, shutdown",
		Impact:      "every client has to kill it, so closing takes longer: the TypeScript SDK sends SIGTERM after 2 s"}
	prc02 = &diagnosis.Rule{ID: "PRC02", Severity: diagnosis.Warning, Side: diagnosis.Process, Title: "nonzero exit code after shutdown",
		Explanation: "The server exited with a nonzero code when its stdin was closed.",
		Reference:   "stdio, shutdown",
		Impact:      "supervisors and clients report a crash"}
	prc03 = &diagnosis.Rule{ID: "PRC03", Severity: diagnosis.Error, Side: diagnosis.Process, Title: "ended unexpectedly",
		Explanation: "The server crashed or exited with a nonzero code without being asked to, or was terminated by a signal that mcpdbg did not send. The details quote its last stderr lines. If server/discover was the only request and it exited with a code, this is a warning: clients that do not probe are not affected.",
		Reference:   "stdio, unexpected termination",
		Impact:      "the client shows the server as disconnected"}
	prc04 = &diagnosis.Rule{ID: "PRC04", Severity: diagnosis.Error, Side: diagnosis.Process, Title: "exit with requests in flight",
		Explanation: "The server exited by itself while requests were pending.",
		Reference:   "stdio, unexpected termination",
		Impact:      "every request in flight fails in the client"}
	prc05 = &diagnosis.Rule{ID: "PRC05", Severity: diagnosis.Warning, Side: diagnosis.Process, Title: "ignores SIGTERM",
		Explanation: "The server was still running 2 s after SIGTERM and had to be killed with SIGKILL.",
		Reference:   "lifecycle, shutdown",
		Impact:      "no cleanup: SIGKILL leaves temporary files, locks and child processes behind"}
	prc06 = &diagnosis.Rule{ID: "PRC06", Severity: diagnosis.Warning, Side: diagnosis.Process, Title: "streams outlive the process",
		Explanation: "Output arrived after the server's exit, or its streams stayed open for a second, because a child process inherited them. Give child processes their own streams, and terminate them.",
		Reference:   "lifecycle, shutdown",
		Impact:      "clients that wait for the end of stdout hang; the child process is leaked"}
	prc07 = &diagnosis.Rule{ID: "PRC07", Severity: diagnosis.Warning, Side: diagnosis.Process, Title: "responses buffered until stdin is closed",
		Explanation: "All responses came right after stdin was closed, half a second or more after the requests: stdout is block-buffered because it is not a terminal. Flush after every message (python -u).",
		Reference:   "transports, stdio",
		Impact:      "every client: the handshake times out"}
	prc08 = &diagnosis.Rule{ID: "PRC08", Severity: diagnosis.Info, Side: diagnosis.Process, Title: "requests dropped when stdin is closed",
		Explanation: "Requests that were in flight when stdin was closed got no response before the server exited. If it exited for another reason, PRC03 or PRC04 applies.",
		Reference:   "stdio, shutdown",
		Impact:      "scripts that pipe requests in and close the pipe get no responses (servers on the Go SDK)"}
	prc09 = &diagnosis.Rule{ID: "PRC09", Severity: diagnosis.Info, Side: diagnosis.Process, Title: "slow first response",
		Explanation: "The first response came more than 5 s after the first request.",
		Reference:   "-",
		Impact:      "clients with a short startup timeout; users think that it hangs"}
	prc10 = &diagnosis.Rule{ID: "PRC10", Severity: diagnosis.Warning, Side: diagnosis.Process, Title: "unset variable in the config file",
		Explanation: "The config file of a client names an environment variable that is not set. Its client leaves such a token unchanged, so the server got the token as an argument or a variable. Set the variable, or write the value in the file.",
		Reference:   "-",
		Impact:      "the server takes the token for a key or a path, and fails later"}
)

var processRules = []*diagnosis.Rule{prc01, prc02, prc03, prc04, prc05, prc06, prc07, prc08, prc09, prc10}

// aboutReplaced are the rules whose problems are only information for a process that
// was replaced: it was ended in the middle of a handshake.
var aboutReplaced = []*diagnosis.Rule{rpc19, prc01, prc02, prc04, prc05, prc09}

package lint

var (
	prc01 = &Rule{ID: "PRC01", Severity: Warning, Dir: Process, Title: "lives on after the end of stdin",
		Explanation: "The server was still there 2 s after its stdin was closed (5 s: an error). The end of stdin is the wish that it ends.",
		Reference:   "lifecycle, shutdown; stdio, shutdown",
		Breaks:      "every client has to kill it: the TypeScript SDK sends SIGTERM after 2 s; closing takes that much longer"}
	prc02 = &Rule{ID: "PRC02", Severity: Warning, Dir: Process, Title: "failure code after a clean end",
		Explanation: "The server exited with a code other than 0 when its stdin was closed.",
		Reference:   "stdio, shutdown",
		Breaks:      "supervisors and clients report a crash"}
	prc03 = &Rule{ID: "PRC03", Severity: Error, Dir: Process, Title: "ended unexpectedly",
		Explanation: "The server crashed or ended with a failure code, and nobody had asked it to end, or a signal ended it that mcpdbg did not send. The last stderr lines are in the finding. If all it was asked is server/discover, and it ended with a code, that is a warning: clients which do not probe get on with it.",
		Reference:   "stdio, unexpected termination",
		Breaks:      "the client shows the server as disconnected"}
	prc04 = &Rule{ID: "PRC04", Severity: Error, Dir: Process, Title: "exit with requests in flight",
		Explanation: "The server ended by itself while requests had no answer.",
		Reference:   "stdio, unexpected termination",
		Breaks:      "every request in flight fails in the client"}
	prc05 = &Rule{ID: "PRC05", Severity: Warning, Dir: Process, Title: "ignores SIGTERM",
		Explanation: "The server was still there 2 s after SIGTERM, so that SIGKILL was needed.",
		Reference:   "lifecycle, shutdown",
		Breaks:      "nothing is cleaned up: SIGKILL leaves temporary files, locks and child processes behind"}
	prc06 = &Rule{ID: "PRC06", Severity: Warning, Dir: Process, Title: "streams outlive the process",
		Explanation: "Bytes came after the server's exit, or its streams stayed open for a second: a child process has them. Start children with streams of their own, and end them.",
		Reference:   "lifecycle, shutdown",
		Breaks:      "clients that wait for the end of stdout hang; the child is left behind"}
	prc07 = &Rule{ID: "PRC07", Severity: Warning, Dir: Process, Title: "answers held in a buffer",
		Explanation: "All answers came right after stdin was closed, half a second and more after they were asked for: stdout is block-buffered because it is no terminal. Flush after every message (python -u).",
		Reference:   "transports, stdio",
		Breaks:      "every client: the handshake times out"}
	prc08 = &Rule{ID: "PRC08", Severity: Info, Dir: Process, Title: "requests dropped at the end of stdin",
		Explanation: "Requests that were in flight when stdin was closed got no answer before the server exited. An end that had another cause is PRC03 or PRC04.",
		Reference:   "stdio, shutdown",
		Breaks:      "scripts that pipe requests in and close the pipe get no answers (servers on the Go SDK)"}
	prc09 = &Rule{ID: "PRC09", Severity: Info, Dir: Process, Title: "slow first answer",
		Explanation: "The first answer came more than 5 s after the first request.",
		Reference:   "-",
		Breaks:      "clients with a short startup timeout; people think that it hangs"}
)

var processRules = []*Rule{prc01, prc02, prc03, prc04, prc05, prc06, prc07, prc08, prc09}

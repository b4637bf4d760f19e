package diagnosis

// A Cause is one likely cause of the problems of a session. Its texts
// may quote the server: they are untrusted, have one line and at most a few
// hundred bytes.
type Cause struct {
	ID       string // stable id, such as lsp-headers
	Severity Severity
	Text     string // what happened, with the line that shows it
	Brief    string // Text without that line; if Probable, only the inference
	Probable bool   // an inference: something else may explain the evidence as well
	Advice   string // what to do about it; may be empty
	Row      int    // of the log: the evidence; -1 if there is none
	Clock    bool   // Text contains a running time, so it changes: ask for the causes again
}

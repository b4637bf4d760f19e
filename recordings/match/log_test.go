package match

import "mcpdbg/recordings/rectest"

// written returns a session made of lines: see rectest.Session.
var written = rectest.Session

const started = rectest.Started

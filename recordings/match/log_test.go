package match

import "mcpdbg/recordings/rectest"

// written is a session out of lines: see rectest.Session.
var written = rectest.Session

const started = rectest.Started

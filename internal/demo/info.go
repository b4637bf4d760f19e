package demo

// instructions are the server's instructions for models.
const instructions = "A server to learn mcpdbg on. Call slow to see progress, ask to be asked, fail to see errors."

// serverName is the name of the server.
const serverName = "mcpdbg-demo"

// info returns the server's Implementation object in a revision.
func (s *server) info(revision string) object {
	info := object{"name": serverName, "version": s.opts.Version}
	if revision >= "2025-06-18" {
		info["title"] = "mcpdbg demo server"
	}
	if revision >= "2025-11-25" {
		info["description"] = "A tool, prompt and resource for everything a debugger can show"
		info["icons"] = []object{{"src": "data:image/png;base64," + pixelPNG, "mimeType": "image/png", "sizes": []string{"1x1"}}}
	}
	return info
}

// serverCapabilities returns the capabilities of the server in a revision.
func serverCapabilities(revision string) object {
	caps := object{
		"tools":     object{"listChanged": true},
		"prompts":   object{"listChanged": true},
		"resources": object{"listChanged": true, "subscribe": true},
		"logging":   object{},
	}
	if revision >= "2025-03-26" {
		caps["completions"] = object{}
	}
	switch revision {
	case legacyRevisions[0]:
		caps["tasks"] = object{"cancel": object{}, "requests": object{"tools": object{"call": object{}}}}
	case modernRevision:
		caps["extensions"] = object{tasksExtension: object{}}
	}
	return caps
}

// logLevels are the levels of RFC 5424, in ascending order of severity.
var logLevels = [...]string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// pixelPNG is a PNG picture of one pixel, in base64.
const pixelPNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// silenceWAV is a WAV sound without a sample, in base64.
const silenceWAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="

package mcp

// A Change describes a revision by its differences to the one before it, in plain
// sentences.
type Change struct {
	Revision   string
	Era        Era
	Added      []string
	Changed    []string
	Removed    []string
	Deprecated []string
}

var changes = []Change{
	{Revision: V20241105, Era: Legacy,
		Added: []string{
			"The base: tools, resources, prompts, completion, logging, sampling, roots, ping, progress and cancellation.",
		}},
	{Revision: V20250326, Era: Legacy,
		Added: []string{
			"JSON-RPC batches; both sides must accept them.",
			"Audio content.",
			"Annotations of tools: title, readOnlyHint, destructiveHint, idempotentHint, openWorldHint.",
			"The server capability completions.",
			"A message in progress notifications.",
		}},
	{Revision: V20250618, Era: Legacy,
		Added: []string{
			"Structured output: outputSchema of a tool and structuredContent of its result.",
			"Links to resources in content (resource_link).",
			"Elicitation: a server asks the person for input with a form.",
			"A title in addition to the name of tools, resources, prompts and implementations.",
			"_meta in more objects, with rules for its keys.",
			"A context of completion requests.",
		},
		Removed: []string{"JSON-RPC batches."}},
	{Revision: V20251125, Era: Legacy,
		Added: []string{
			"Tasks (experimental): a request returns a handle, and its result is fetched later.",
			"Elicitation by URL, notifications/elicitation/complete, and error -32042.",
			"Tools in sampling: tools, toolChoice, and content of type tool_use and tool_result.",
			"Icons of tools, resources, prompts and implementations.",
			"Rules for the names of tools.",
			"Enumerations with titles, several choices, and defaults in elicitation.",
			"A description and a website of implementations.",
		},
		Changed: []string{
			"JSON Schema 2020-12 is the default dialect of schemas.",
			"Invalid input to a tool is a result with isError, not a JSON-RPC error.",
		}},
	{Revision: V20260728, Era: Modern,
		Added: []string{
			"server/discover, which every server must have.",
			"subscriptions/listen for notifications about changes.",
			"Results that ask for input (resultType input_required); the client sends the request again with inputResponses.",
			"The capability extensions of both sides.",
			"Error codes -32020 to -32022, and -32020 to -32099 reserved.",
			"Keys for W3C trace context in _meta.",
		},
		Changed: []string{
			"Every request carries its version and the client's capabilities in _meta; there is no handshake and no session.",
			"Every result has a resultType; results of lists, resources/read and server/discover also have ttlMs and cacheScope.",
			"structuredContent may be any JSON value, and outputSchema any schema.",
			"A missing resource is error -32602.",
			"Tasks are the extension io.modelcontextprotocol/tasks, with tasks/get, tasks/update and tasks/cancel.",
		},
		Removed: []string{
			"initialize and notifications/initialized.",
			"ping.",
			"logging/setLevel.",
			"resources/subscribe and resources/unsubscribe.",
			"notifications/roots/list_changed and notifications/elicitation/complete.",
			"All requests from the server to the client.",
			"execution of tools, tasks/list and tasks/result.",
			"Error codes -32002 and -32042.",
		},
		Deprecated: []string{
			"Roots, sampling and logging.",
			"includeContext with thisServer or allServers.",
		}},
}

// Changes returns the published revisions with what each changed, oldest first.
func Changes() []Change { return append([]Change(nil), changes...) }

// ChangesIn returns what a revision changed, nil if it is not a published one. The
// result must not be changed.
func ChangesIn(revision string) *Change {
	for i := range changes {
		if changes[i].Revision == revision {
			return &changes[i]
		}
	}
	return nil
}

package lifecycle

import "mcpdbg/session/diagnosis"

// The rules for progress (PRG).
var (
	prg01 = &diagnosis.Rule{ID: "PRG01", Severity: diagnosis.Error, Side: diagnosis.Both, Title: "progress for an unknown token",
		Explanation: "A progress notification has a token that no request brought. Return the token exactly as it was sent, and its type too.",
		Reference:   "progress: MUST only reference tokens that were provided in an active request",
		Impact:      "clients drop the notification, or report an unknown token"}
	prg02 = &diagnosis.Rule{ID: "PRG02", Severity: diagnosis.Error, Side: diagnosis.Both, Title: "progress does not increase",
		Explanation: "The progress of a notification is not greater than that of the one before. It is a warning if progress exceeds total.",
		Reference:   "progress: the progress value MUST increase with each notification",
		Impact:      "progress bars jump back, or go beyond the end"}
	prg03 = &diagnosis.Rule{ID: "PRG03", Severity: diagnosis.Error, Side: diagnosis.Both, Title: "progress after the end",
		Explanation: "A progress notification came after the response to its request, or more than 1 s after the request was cancelled. Stop the reports before the response is sent. A request that became a task of the tasks extension has its response, and the task reports its status instead.",
		Reference:   "progress: notifications MUST stop after completion",
		Impact:      "the TypeScript SDK reports an unknown token as an error; server-everything sends 5 more after a cancellation"}
	prg04 = &diagnosis.Rule{ID: "PRG04", Severity: diagnosis.Error, Side: diagnosis.Both, Title: "progress token in use or invalid",
		Explanation: "A request has the progress token of another pending request, or one that is neither a string nor an integer. Use a new token for each request, such as the request id.",
		Reference:   "progress: tokens MUST be unique across all active requests",
		Impact:      "progress is shown at the wrong request"}
	prg05 = &diagnosis.Rule{ID: "PRG05", Severity: diagnosis.Warning, Side: diagnosis.Both, Title: "progress flood",
		Explanation: "More than 50 progress notifications within a second have the same token. Report at most some per second.",
		Reference:   "progress, implementation notes: SHOULD implement rate limiting",
		Impact:      "clients spend more time on progress than on the results"}
)

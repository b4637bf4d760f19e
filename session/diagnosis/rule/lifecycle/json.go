package lifecycle

import (
	"strconv"
	"time"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session/diagnosis/message"
)

// Methods that only these rules know.
const (
	methodSubscribe   = "resources/subscribe"
	methodUnsubscribe = "resources/unsubscribe"
	methodListen      = "subscriptions/listen"
	methodComplete    = "completion/complete"
	methodPromptsList = "prompts/list"
	methodResources   = "resources/list"
	methodTemplates   = "resources/templates/list"
	methodTasksGet    = "tasks/get"
	methodTasksResult = "tasks/result"
	methodTasksCancel = "tasks/cancel"
	methodTasksList   = "tasks/list"
	methodTasksUpdate = "tasks/update"

	notifyMessage      = "notifications/message"
	notifyRoots        = "notifications/roots/list_changed"
	notifyTools        = "notifications/tools/list_changed"
	notifyPrompts      = "notifications/prompts/list_changed"
	notifyResources    = "notifications/resources/list_changed"
	notifyUpdated      = "notifications/resources/updated"
	notifyAcknowledged = "notifications/subscriptions/acknowledged"
	notifyCompleted    = "notifications/elicitation/complete"
	notifyTaskStatus   = "notifications/tasks/status"

	metaSubscription = "io.modelcontextprotocol/subscriptionId"
	metaRelatedTask  = "io.modelcontextprotocol/related-task"
)

// key returns the name of a member without its quotes, escapes not decoded.
func key(object []byte, name framing.Span) string {
	return string(object[name.Start+1 : name.End-1])
}

func isString(token []byte) bool { return len(token) >= 2 && token[0] == '"' }

func codeOf(object []byte) (int, bool) {
	code, err := strconv.Atoi(string(message.Member(object, "code")))
	return code, err == nil
}

// progressOf returns the raw members of a progress notification, nil for those that
// it lacks.
func progressOf(params []byte) (token, value, total []byte) {
	if !message.IsObject(params) {
		return nil, nil, nil
	}
	for name, raw := range message.Members(params) {
		switch string(name) {
		case "progressToken":
			token = raw
		case "progress":
			value = raw
		case "total":
			total = raw
		}
	}
	return token, value, total
}

func seconds(t int64) string { return wording.Seconds(time.Duration(t) * time.Microsecond) }

package content

import (
	"bytes"
	"encoding/json"
	"time"

	"mcpdbg/internal/wording"
)

// A taskResult is a result that describes a task, in the spelling of either era.
type taskResult struct {
	ID             string          `json:"taskId"`
	Status         string          `json:"status"`
	Message        string          `json:"statusMessage"`
	Created        string          `json:"createdAt"`
	Updated        string          `json:"lastUpdatedAt"`
	TTL            *float64        `json:"ttl"`
	TTLMs          *float64        `json:"ttlMs"`
	PollInterval   *float64        `json:"pollInterval"`
	PollIntervalMs *float64        `json:"pollIntervalMs"`
	Requests       json.RawMessage `json:"inputRequests"`
	Result         json.RawMessage `json:"result"`
	Error          json.RawMessage `json:"error"`
}

// task reports whether the result describes a task.
func (p *Parts) task(raw []byte) bool {
	if !bytes.Contains(raw, []byte(`"taskId"`)) {
		return false
	}
	var created struct {
		Task *taskResult `json:"task"`
	}
	var t taskResult
	switch {
	case json.Unmarshal(raw, &created) == nil && created.Task != nil && created.Task.ID != "":
		t = *created.Task
	case json.Unmarshal(raw, &t) != nil || t.ID == "" || t.Status == "":
		return false
	}
	p.add(&Part{label: "task", facts: wording.Join("  ", t.ID, t.Status, t.Message)})
	if t.Created != "" || t.Updated != "" {
		p.add(&Part{label: "created", facts: wording.Join("  ", t.Created, "last updated "+t.Updated)})
	}
	p.add(&Part{label: "kept", facts: wording.Join("  ", keptFor(t.TTL, t.TTLMs), pollsOf(t.PollInterval, t.PollIntervalMs))})
	if t.Requests != nil {
		p.value("asks for", t.Requests)
	}
	if t.Error != nil {
		p.failure(t.Error)
	}
	if t.Result != nil {
		p.object("result", t.Result)
	}
	return true
}

func keptFor(ttl, ttlMs *float64) string {
	if ttl = either(ttl, ttlMs); ttl == nil {
		return "no time limit"
	}
	return "for " + wording.Time(milliseconds(*ttl))
}

func pollsOf(interval, intervalMs *float64) string {
	if interval = either(interval, intervalMs); interval == nil {
		return ""
	}
	return "polled every " + wording.Time(milliseconds(*interval))
}

func milliseconds(ms float64) time.Duration {
	const most = float64(1<<63-1) / float64(time.Millisecond) / 2
	return time.Duration(min(max(ms, 0), most) * float64(time.Millisecond))
}

func either(a, b *float64) *float64 {
	if a != nil {
		return a
	}
	return b
}

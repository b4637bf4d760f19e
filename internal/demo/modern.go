package demo

import (
	"context"
	"encoding/json"
	"slices"
	"sort"
)

// modernRevision is the one stateless revision.
const modernRevision = "2026-07-28"

// Keys of _meta in revision 2026-07-28.
const (
	metaVersion      = "io.modelcontextprotocol/protocolVersion"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	metaServerInfo   = "io.modelcontextprotocol/serverInfo"
	metaSubscription = "io.modelcontextprotocol/subscriptionId"
)

func (r *request) checkMeta() error {
	if *r.meta.ProtocolVersion != modernRevision {
		return &rpcError{Code: codeUnsupportedVer, Message: "unsupported protocol version",
			Data: object{"supported": []string{modernRevision}, "requested": *r.meta.ProtocolVersion}}
	}
	if r.meta.Capabilities == nil {
		return errorf(codeInvalidParams, "%s needs %s in _meta", r.method, metaCapabilities)
	}
	if r.meta.LogLevel != "" && !slices.Contains(logLevels[:], r.meta.LogLevel) {
		return errorf(codeInvalidParams, "no log level %q", r.meta.LogLevel)
	}
	return nil
}

func (s *server) discover(context.Context, *request) (any, error) {
	return object{
		"supportedVersions": []string{modernRevision},
		"capabilities":      serverCapabilities(modernRevision),
		"instructions":      instructions,
	}, nil
}

func (s *server) decorate(r *request, result any) any {
	fields, ok := result.(object)
	if !r.modern() || !ok {
		return result
	}
	if _, given := fields["resultType"]; !given {
		fields["resultType"] = "complete"
		if methods[r.method].cacheable {
			fields["ttlMs"], fields["cacheScope"] = 0, "private"
		}
	}
	info := object{"name": serverName, "version": s.opts.Version}
	if r.handshake() {
		info = s.info(modernRevision)
	}
	fields["_meta"] = object{metaServerInfo: info}
	return fields
}

// inputRequired tells a modern client to repeat the request with the answer under the
// same key.
func inputRequired(method string, params object, state string) object {
	return object{
		"resultType":    "input_required",
		"inputRequests": object{questionKey: object{"method": method, "params": params}},
		"requestState":  state,
	}
}

const questionKey = "answer"

// subscription has the changes that a client wants to be notified of.
type subscription struct {
	id        json.RawMessage
	Tools     bool     `json:"toolsListChanged,omitempty"`
	Prompts   bool     `json:"promptsListChanged,omitempty"`
	Resources bool     `json:"resourcesListChanged,omitempty"`
	URIs      []string `json:"resourceSubscriptions,omitempty"`
}

func (sub subscription) notify(s *server, method string, params object) {
	tagged := object{"_meta": object{metaSubscription: sub.id}}
	for key, value := range params {
		tagged[key] = value
	}
	s.notify(method, tagged)
}

// A subscription is acknowledged at once and has no result: it lasts until the client
// cancels it or the process exits.
func (s *server) listen(_ context.Context, r *request) (any, error) {
	var params struct {
		Notifications *subscription `json:"notifications"`
	}
	if err := r.decode(&params); err != nil {
		return nil, err
	}
	if params.Notifications == nil {
		return nil, errorf(codeInvalidParams, "subscriptions/listen without notifications")
	}
	sub := *params.Notifications
	sub.id = r.id
	s.mu.Lock()
	_, twice := s.listens[compact(r.id)]
	if twice || len(s.listens) >= maxCalls {
		s.mu.Unlock()
		return nil, errorf(codeInvalidRequest, "id %s listens already, or too many do", r.id)
	}
	s.listens[compact(r.id)] = sub
	s.mu.Unlock()
	sub.notify(s, "notifications/subscriptions/acknowledged", object{"notifications": sub})
	return noAnswer{}, nil
}

// noAnswer is the result of a request that stays open.
type noAnswer struct{}

func (s *server) listChanged(list string) {
	method := "notifications/" + list + "/list_changed"
	s.mu.Lock()
	ready := s.legacy.ready
	listens := s.subscriptions(func(sub subscription) bool {
		return list == "tools" && sub.Tools || list == "prompts" && sub.Prompts || list == "resources" && sub.Resources
	})
	s.mu.Unlock()
	if ready {
		s.notify(method, object{})
	}
	for _, sub := range listens {
		sub.notify(s, method, nil)
	}
}

func (s *server) resourceUpdated(uri string) {
	const method = "notifications/resources/updated"
	s.mu.Lock()
	subscribed := s.legacy.subscribed[uri]
	listens := s.subscriptions(func(sub subscription) bool { return slices.Contains(sub.URIs, uri) })
	s.mu.Unlock()
	if subscribed {
		s.notify(method, object{"uri": uri})
	}
	for _, sub := range listens {
		sub.notify(s, method, object{"uri": uri})
	}
}

// The order is stable. The caller must hold the lock.
func (s *server) subscriptions(want func(subscription) bool) []subscription {
	var found []subscription
	for _, sub := range s.listens {
		if want(sub) {
			found = append(found, sub)
		}
	}
	sort.Slice(found, func(i, j int) bool {
		a, b := &found[i], &found[j]
		return slices.Compare(a.id, b.id) < 0
	})
	return found
}

package demo

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
)

// legacyRevisions are the revisions with an initialize handshake, newest first.
var legacyRevisions = [...]string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// legacyState is the state of a legacy session, guarded by the server's lock.
type legacyState struct {
	revision   string // "" before initialize
	ready      bool   // notifications/initialized has been received
	caps       clientCapabilities
	logLevel   string          // "" until set: info and above are sent
	subscribed map[string]bool // resource URIs
	asked      map[string]chan message
	nextID     int  // next id of a server request, from 0
	visited    bool // the page that a call of ask requires
}

func (s *server) legacyRevision() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.legacy.revision
}

// The revision is the client's if supported, else the newest.
func (s *server) initialize(_ context.Context, r *request) (any, error) {
	var params struct {
		ProtocolVersion string             `json:"protocolVersion"`
		Capabilities    clientCapabilities `json:"capabilities"`
	}
	if err := r.decode(&params); err != nil {
		return nil, err
	}
	if params.ProtocolVersion == "" {
		return nil, errorf(codeInvalidParams, "initialize without protocolVersion")
	}
	revision := params.ProtocolVersion
	if !slices.Contains(legacyRevisions[:], revision) {
		revision = legacyRevisions[0]
	}
	s.mu.Lock()
	s.legacy.revision, s.legacy.caps = revision, params.Capabilities
	s.mu.Unlock()
	r.revision = revision
	return object{
		"protocolVersion": revision,
		"capabilities":    serverCapabilities(revision),
		"serverInfo":      s.info(revision),
		"instructions":    instructions,
	}, nil
}

func (s *server) ping(context.Context, *request) (any, error) { return object{}, nil }

func (s *server) setLevel(_ context.Context, r *request) (any, error) {
	var params struct {
		Level string `json:"level"`
	}
	if err := r.decode(&params); err != nil {
		return nil, err
	}
	if !slices.Contains(logLevels[:], params.Level) {
		return nil, errorf(codeInvalidParams, "no log level %q", params.Level)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.legacy.logLevel = params.Level
	return object{}, nil
}

func (s *server) subscribe(_ context.Context, r *request) (any, error) {
	uri, err := s.knownURI(r)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.legacy.subscribed[uri] = true
	return object{}, nil
}

func (s *server) unsubscribe(_ context.Context, r *request) (any, error) {
	uri, err := s.knownURI(r)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.legacy.subscribed, uri)
	return object{}, nil
}

func (s *server) notified(m message) {
	switch m.Method {
	case "notifications/initialized":
		s.mu.Lock()
		s.legacy.ready = true
		s.mu.Unlock()
	case "notifications/cancelled":
		s.cancelled(m)
	case "notifications/roots/list_changed":
		s.logf("the client's roots have changed")
	default:
		s.logf("notification %s ignored", m.Method)
	}
}

func (s *server) cancelled(m message) {
	var params struct {
		RequestID json.RawMessage `json:"requestId"`
		Reason    string          `json:"reason"`
	}
	if err := json.Unmarshal(m.Params, &params); err != nil {
		s.logf("notifications/cancelled: %v", err)
		return
	}
	key := compact(params.RequestID)
	s.mu.Lock()
	cancel := s.running[key]
	delete(s.listens, key)
	s.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

func (s *server) ask(ctx context.Context, method string, params object) (message, error) {
	s.mu.Lock()
	id := strconv.Itoa(s.legacy.nextID)
	s.legacy.nextID++
	s.mu.Unlock()
	return s.askAs(ctx, id, method, params)
}

func (s *server) askAs(ctx context.Context, id, method string, params object) (message, error) {
	answer := make(chan message, 1)
	s.mu.Lock()
	s.legacy.asked[id] = answer
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.legacy.asked, id)
	}()
	s.send(false, object{"jsonrpc": "2.0", "id": json.RawMessage(id), "method": method, "params": params})
	select {
	case m := <-answer:
		return m, nil
	case <-ctx.Done():
		s.notify("notifications/cancelled", object{"requestId": json.RawMessage(id), "reason": "the call that asked was cancelled"})
		return message{}, ctx.Err()
	}
}

func (s *server) receiveAnswer(m message) {
	s.mu.Lock()
	answer := s.legacy.asked[compact(m.ID)]
	delete(s.legacy.asked, compact(m.ID))
	s.mu.Unlock()
	if answer == nil {
		s.logf("response to an unknown request id: %s", m.ID)
		return
	}
	answer <- m
}

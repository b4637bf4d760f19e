package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"mcpdbg/framing"
	"mcpdbg/session/mcp"
)

// Offers reports whether the server has declared that it has a list. A server
// with unknown capabilities, such as one without a handshake, may have any.
func (s *Server) Offers(list mcp.List) bool { return s.declares(list.Capability()) }

func (s *Server) declares(name string) bool {
	var declared map[string]json.RawMessage
	if json.Unmarshal(s.Capabilities, &declared) != nil {
		return true
	}
	value, ok := declared[name]
	return ok && string(value) != "null"
}

const maxPages = 10_000

// maxListBytes bounds a list, which is kept in memory.
const maxListBytes = 64 << 20

// ListAll requests all pages of a list and returns the items as the server sent
// them. An error response is returned as an *RPCError, with the items so far.
// Lists of more than 10,000 pages or 64 MiB are an error, too.
func (s *Session) ListAll(ctx context.Context, list mcp.List) ([]json.RawMessage, error) {
	var items []json.RawMessage
	var params json.RawMessage
	seen := map[string]bool{}
	bytes := 0
	for range maxPages {
		resp, err := s.Request(ctx, list.Method, params, CallOptions{})
		switch {
		case errors.Is(err, ErrTimeout):
			return items, err // it names the method
		case err != nil:
			return items, fmt.Errorf("%s: %w", list.Method, err)
		}
		if resp.Error != nil {
			return items, fmt.Errorf("%s: %w", list.Method, resp.Error)
		}
		if bytes += len(resp.Result); bytes > maxListBytes {
			return items, fmt.Errorf("%s: more than %d MiB", list.Method, maxListBytes>>20)
		}
		page, next, err := readPage(resp.Result, list.Member, s.era())
		if err != nil {
			return items, fmt.Errorf("%s: %w", list.Method, err)
		}
		items = append(items, page...)
		if next == nil {
			return items, nil
		}
		if seen[*next] {
			return items, fmt.Errorf("%s: the server gave the cursor %q twice: the list would never end", list.Method, *next)
		}
		seen[*next] = true
		params, err = json.Marshal(map[string]string{"cursor": *next})
		if err != nil {
			return items, fmt.Errorf("%s: %w", list.Method, err)
		}
	}
	return items, fmt.Errorf("%s: more than %d pages", list.Method, maxPages)
}

// readPage reads one page; next is nil at the end. An empty cursor ends a list in
// the legacy era and is a cursor like any other in the modern one.
func readPage(result json.RawMessage, member string, era mcp.Era) (items []json.RawMessage, next *string, err error) {
	var object map[string]json.RawMessage
	if err := framing.Unmarshal(result, &object); err != nil {
		return nil, nil, fmt.Errorf("result: %w", err)
	}
	raw, ok := object[member]
	if !ok {
		return nil, nil, fmt.Errorf("result has no member %q", member)
	}
	if err := framing.Unmarshal(raw, &items); err != nil {
		return nil, nil, fmt.Errorf("result: %s: %w", member, err)
	}
	if raw, ok := object["nextCursor"]; ok {
		if err := framing.Unmarshal(raw, &next); err != nil {
			return nil, nil, fmt.Errorf("result: nextCursor: %w", err)
		}
	}
	if next != nil && *next == "" && era != mcp.Modern {
		next = nil
	}
	return items, next, nil
}

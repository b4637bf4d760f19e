package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"mcpdbg/session/execserver/wire"
	"mcpdbg/session/executor"
)

// maxRequests is how many requests of a connection are executed at once.
const maxRequests = 1024

// A connection reads the messages of a client, one after the other.
type connection struct {
	server  *Server
	lines   *wire.Lines
	out     *out
	running sync.WaitGroup
	pending atomic.Int32

	// The fields below belong to the goroutine that reads.
	ctx     context.Context // ends with the connection
	session *session        // nil before initialize
	ready   bool            // the client has sent initialized
	heard   time.Time
	lease   *time.Timer // nil before the first heartbeat
}

func newConnection(s *Server, stream io.ReadWriteCloser) *connection {
	lines := wire.NewLines(stream, MaxMessage)
	return &connection{server: s, lines: lines, out: newOut(lines)}
}

// serve returns when the connection has ended, and its requests with it.
func (c *connection) serve(ctx context.Context) {
	var cancel context.CancelFunc
	c.ctx, cancel = context.WithCancel(ctx)
	defer context.AfterFunc(c.ctx, c.out.close)()
	done := make(chan struct{})
	c.running.Go(func() { c.out.run(done) })
	for {
		text, err := c.lines.Read(c.ctx)
		if err != nil {
			break
		}
		c.hear()
		c.message(text)
	}
	cancel()
	c.out.close()
	close(done)
	c.leave()
	c.running.Wait()
}

// hear notes that the client is there.
func (c *connection) hear() {
	if c.lease != nil {
		c.heard = time.Now()
		c.lease.Reset(c.server.lease())
	}
}

// beat notes that the client sends a heartbeat: when it stops, its session ends.
func (c *connection) beat() {
	if c.lease == nil {
		c.heard, c.lease = time.Now(), time.AfterFunc(c.server.lease(), func() { c.session.endOf(c) })
	}
}

// leave detaches the session. A client with a heartbeat may have been gone before the
// connection has ended.
func (c *connection) leave() {
	if c.session == nil {
		return
	}
	left := c.server.Keep
	if c.lease != nil {
		c.lease.Stop()
		left = min(left, c.server.lease()-time.Since(c.heard))
	}
	c.session.detach(c, left)
	if c.server.Keep == 0 {
		c.session.end()
	}
}

func (c *connection) message(text []byte) {
	if c.ready {
		if id, w, ok := wire.ParseWrite(text); ok {
			c.write(id, w)
			return
		}
	}
	m, err := wire.Decode(text)
	switch {
	case err != nil, m.Method != "" && m.ID != nil && !isID(m.ID):
		c.fail(json.RawMessage("-1"), &wire.Error{Code: wire.ErrRequest, Message: "failed to parse JSON-RPC message"})
	case m.Method == wire.NoteInitialized && m.ID == nil:
		c.ready = c.session != nil
	case m.Method != "" && m.ID != nil:
		c.request(m)
	}
}

// isID reports whether a JSON value is a string or an integer.
func isID(id json.RawMessage) bool {
	if len(id) > 0 && id[0] == '"' {
		return true
	}
	_, err := strconv.ParseInt(string(id), 10, 64)
	return err == nil
}

func (c *connection) request(m wire.Message) {
	id := bytes.Clone(m.ID)
	switch {
	case m.Method == wire.MethodInitialize:
		c.initialize(id, m.Params)
		return
	case c.session == nil:
		c.fail(id, &wire.Error{Code: wire.ErrRequest, Message: "client must call initialize before other methods"})
		return
	case !c.ready:
		c.fail(id, &wire.Error{Code: wire.ErrRequest, Message: "client must send initialized before other methods"})
		return
	}
	if m.Method == wire.MethodStatus {
		c.beat()
	}
	task, err := c.task(id, m.Method, m.Params)
	switch {
	case err != nil:
		c.fail(id, err)
	case task == nil: // done
	case c.pending.Add(1) > maxRequests:
		c.pending.Add(-1)
		c.fail(id, &wire.Error{Code: wire.ErrInternal, Message: "too many requests are pending"})
	default:
		c.running.Go(func() {
			defer c.pending.Add(-1)
			task()
		})
	}
}

func (c *connection) initialize(id json.RawMessage, params json.RawMessage) {
	var p wire.InitializeParams
	err := decode(params, &p, "clientName")
	if c.session != nil {
		err = &wire.Error{Code: wire.ErrRequest, Message: "initialize may only be sent once per connection"}
	}
	var x *session
	if err == nil {
		x, err = c.server.open(c, p)
	}
	if err != nil {
		c.fail(id, err)
		return
	}
	c.session = x
	r := wire.InitializeResult{SessionID: x.id, Environment: c.server.Environment, KeepSeconds: int(c.server.Keep / time.Second)}
	if c.server.Keep > 0 {
		r.ResumeToken = x.token
	}
	c.reply(id, r)
}

func (c *connection) reply(id json.RawMessage, result any) {
	text, err := wire.Response(id, result)
	if err != nil {
		c.fail(id, &wire.Error{Code: wire.ErrInternal, Message: err.Error()})
		return
	}
	c.out.add(text)
	c.out.ring()
}

func (c *connection) fail(id json.RawMessage, e *wire.Error) {
	text, err := wire.Failure(id, *e)
	if err == nil { // always
		c.out.add(text)
		c.out.ring()
	}
}

// write executes a write, in the order of the connection. The id is that of a message, which
// is over when it returns.
func (c *connection) write(id json.RawMessage, w wire.WriteParams) {
	if err := checkWrite(w); err != nil {
		c.fail(id, err)
		return
	}
	p := c.session.find(w.ProcessID)
	if p == nil {
		r, _ := c.session.exec.Process(w.ProcessID).Write(now(), "", nil)
		if r.Status == executor.Accepted { // it runs, and its start is about to be answered
			r.Status = executor.Starting
		}
		c.reply(id, wire.WriteResult{Status: statusOf(r.Status)})
		return
	}
	status, done := p.stdin.try(w)
	switch {
	case done && status == executor.Accepted:
		c.out.accepted(id)
	case done:
		c.reply(id, wire.WriteResult{Status: statusOf(status)})
	default:
		id = bytes.Clone(id)
		if !p.stdin.wait(w, func(s executor.WriteStatus) { c.reply(id, wire.WriteResult{Status: statusOf(s)}) }) {
			c.fail(id, &wire.Error{Code: wire.ErrInternal, Message: "failed to write to process stdin: too many writes wait for the process to read"})
		}
	}
}

func checkWrite(w wire.WriteParams) *wire.Error {
	switch {
	case w.WriteID == "":
		return &wire.Error{Code: wire.ErrParams, Message: "writeId must not be empty"}
	case len(w.Chunk) > wire.MaxWrite:
		return &wire.Error{Code: wire.ErrParams, Message: "chunk is larger than " + strconv.Itoa(wire.MaxWrite) + " bytes"}
	}
	return nil
}

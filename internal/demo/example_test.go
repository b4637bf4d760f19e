package demo_test

import (
	"context"
	"io"
	"os"
	"strings"

	"mcpdbg/internal/demo"
)

func ExampleServe() {
	in := strings.NewReader(`{"jsonrpc":"2.0","id":"a","method":"ping"}` + "\n")
	demo.Serve(context.Background(), in, os.Stdout, io.Discard, demo.Options{})
	// Output: {"jsonrpc":"2.0","id":"a","result":{}}
}

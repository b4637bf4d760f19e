package tty

import "context"

// OnResize does nothing: on Windows, a change of the size is input.
func OnResize(context.Context, func()) (listen func()) { return func() {} }

package recordings

import "context"

// OpenContext is Open until ctx ends: reading a large recording takes seconds.
// The error is then the cause of that.
func OpenContext(ctx context.Context, path string) (*Recording, error) {
	r, err := begin(path, false)
	if err != nil {
		return nil, err
	}
	select {
	case <-r.indexed:
	case <-ctx.Done():
		_ = r.Close() // it was only read
		return nil, context.Cause(ctx)
	}
	if err := r.Progress().Err; err != nil {
		_ = r.Close()
		return nil, err
	}
	return r, nil
}

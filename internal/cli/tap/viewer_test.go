package tap_test

import (
	"context"
	"fmt"

	"mcpdbg/session/tap/control"
)

// viewerOf is the variable that makes this program a viewer of the tap in a folder, which
// holds what has the text HOLD. Its end is a signal, or that of the tap.
const viewerOf = "MCPDBG_TEST_VIEWER"

func beViewer(folder string) (code int) {
	ctx := context.Background()
	taps, err := control.List(folder)
	if err != nil || len(taps) != 1 {
		fmt.Println(taps, err)
		return 1
	}
	v, err := taps[0].Watch(ctx)
	if err == nil {
		err = v.Steer(ctx, false)
	}
	if err == nil {
		err = v.Hold(ctx, "HOLD")
	}
	fmt.Println("holding, error:", err)
	<-v.Done()
	return 0
}

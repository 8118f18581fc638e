package bus

import (
	"flag"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if file := os.Getenv(natsConfig); file != "" {
		serveNATS(file)
	}
	// Each draw of TestNothingSealedGetsOut is a run on a server. The command
	// line, which is read after this, can ask for more: -rapid.checks 1000.
	floorEvery = 20 * time.Millisecond
	if err := flag.Set("rapid.checks", "40"); err != nil && flag.Lookup("rapid.checks") != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if err := os.RemoveAll(builtDir); err != nil {
			panic(err)
		}
		os.Exit(code)
	}))
}

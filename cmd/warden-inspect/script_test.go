package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/warden-trace/warden/cmd/program"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		name: func() { os.Exit(program.Main(Run)) },
	})
}

// TestScripts runs the stories in testdata/script: what a user types, and what
// then is on the screen and in the files.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
	})
}

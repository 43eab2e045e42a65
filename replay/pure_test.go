package replay_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestPure checks that the rules and the machine do no I/O, read no clock and
// start no goroutine (architecture.md): they import none of the packages that
// could, and call none of the functions of those that they need for types.
func TestPure(t *testing.T) {
	const module = "github.com/warden-trace/warden/"
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`,
		module+"analyze/...", module+"replay").Output()
	if err != nil {
		t.Fatal(err)
	}
	banned := map[string]bool{"os": true, "net": true, "net/http": true, "io/ioutil": true, "os/exec": true, "syscall": true,
		"log": true, "log/slog": true, "math/rand": true, "math/rand/v2": true, "crypto/rand": true, "context": true, "runtime": true}
	packages := 0
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		packages++
		fields := strings.Fields(line)
		for _, i := range fields[1:] {
			if banned[i] {
				t.Errorf("%s imports %s", fields[0], i)
			}
			if strings.HasPrefix(i, module) && !strings.HasPrefix(i, module+"analyze") {
				t.Errorf("%s imports %s, which lies above it", fields[0], i)
			}
		}
	}
	if packages < 10 {
		t.Errorf("only %d packages looked at", packages)
	}
	grep := exec.Command("git", "grep", "-nE", `time\.(Now|Since|Sleep|After|NewTimer|NewTicker)\(|\bgo func|^\s*go [a-z]`, "--", "../analyze/*.go", "*.go", ":!*_test.go", ":!*/*.go", "../analyze/**/*.go", ":!../analyze/**/*_test.go")
	if found, _ := grep.Output(); len(found) > 0 {
		t.Errorf("a clock or a goroutine:\n%s", found)
	}
}

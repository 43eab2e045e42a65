package program

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warden-trace/warden/replay"
)

func TestUnknownLimits(t *testing.T) {
	for _, c := range []struct {
		limit, hint string
		profile     bool
		ok          bool
	}{
		{"foo=5", "known are", false, false}, {"foo=5", "known are", true, false},
		{"maxInputDepth=5", "write guwah.maxInputDepth", false, false}, {"guwah.foo=5", "", false, false}, {"guwah.guwah.maxInputDepth=5", "", false, false},
		{"guwah.maxErrorMessageBytes=5", "", false, false}, {"MaxErrorMessageBytes=5", "known are", false, false},
		{"maxErrorMessageBytes=5", "", false, true}, {"maxErrorMessageBytes=5", "", true, true}, {"guwah.maxInputDepth=5", "", false, true},
	} {
		r := RuleFlags{Limit: []string{c.limit}}
		if c.profile {
			r.Profile = []string{"ocu-mcp-2025-06-18"}
		}
		_, err := families(&replay.Config{}, &r)
		var said strings.Builder
		if err != nil {
			PrintError(&said, "prog", err)
		}
		if (err == nil) != c.ok || err != nil && (Code(err) != ExitError || !strings.Contains(said.String(), c.hint)) {
			t.Errorf("%s: %v, %s", c.limit, err, said.String())
		}
	}
}

func TestManyFaultsOfAPolicy(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p.yaml")
	if err := os.WriteFile(file, []byte("version: 1\nfoo: 1\nbar: 2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := families(&replay.Config{}, &RuleFlags{Policy: file})
	var said strings.Builder
	PrintError(&said, "prog", err)
	if strings.Contains(said.String(), `\n`) || !strings.Contains(said.String(), "p.yaml:2: foo: unknown key") || !strings.Contains(said.String(), "; "+file+":3: bar: ") {
		t.Errorf("said %s", said.String())
	}
}

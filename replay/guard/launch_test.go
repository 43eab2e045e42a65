package guard

import (
	"slices"
	"testing"
)

func TestACommandIsRecordedWithoutSecrets(t *testing.T) {
	in := []string{"/opt/x/AKIA-server", "-y", "@modelcontextprotocol/server-filesystem", "/tmp/TestGuardStories2345678/001/docs",
		"--token", "hunter2", "--api-key=k1", "API_TOKEN=abc", "--token-file", "--verbose", "AKIAQ3EGRIPVUKIG5LXD",
		"postgres://u:pw@h/db", "https://h/v1", "q8Zt4Lw2Rx7Vn1Kc5Hs9Bd3Fg6Jm0PyA", "level=3", "--author", "eve", "--basic-auth", "u:p", ""}
	want := []string{"/opt/x/AKIA-server", "-y", "@modelcontextprotocol/server-filesystem", "/tmp/TestGuardStories2345678/001/docs",
		"--token", "…(len=7)", "--api-key=…(len=2)", "API_TOKEN=…(len=3)", "--token-file", "--verbose", "AKIA…(len=20)",
		"postgres://u:…(len=2)@h/db", "https://h/v1", "q8Zt…(len=32)", "level=3", "--author", "eve", "--basic-auth", "…(len=3)", ""}
	if got := launch(in); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

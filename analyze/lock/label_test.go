package lock

import (
	"strings"
	"testing"
)

// URIs, commands and keys of a schema are redacted to the last random piece;
// names of tools by the vendor patterns alone.
func TestDriftHidesRandomPieces(t *testing.T) {
	const random = "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW"
	old := surfaceOf(`{"name":"a","inputSchema":{"type":"object","properties":{}}}`)
	now := surfaceOf(`{"name":"a","inputSchema":{"type":"object","properties":{"` + random + `":{"type":"string"}}}}`)
	old.Resources = [][]byte{}
	now.Resources = [][]byte{[]byte(`{"uri":"docs://` + random + `","name":"r"}`)}
	old.Server, now.Server = &Launch{Command: "srv"}, &Launch{URL: "https://" + random + ".example/"}
	drift, err := mustBuild(t, old, PinOptions{}).Against(now)
	if err != nil || len(drift) < 3 {
		t.Fatalf("%v, %v", drift, err)
	}
	for _, d := range drift {
		if strings.Contains(d.Target+d.Detail, random[:8]) {
			t.Errorf("%s: %s: %s", d.Class, d.Target, d.Detail)
		}
	}
	now.Resources = append(now.Resources, now.Resources[0])
	if _, err := Build(now, PinOptions{}); err == nil || strings.Contains(err.Error(), random[:8]) {
		t.Errorf("an error shows it: %v", err)
	}
	if got := target("tools", random); got != "tools/"+random {
		t.Errorf("a tool's name: %s", got)
	}
}

package report

import (
	"bytes"
	"testing"
)

func textHandler(o TextOptions) func(*bytes.Buffer) Handler {
	return func(b *bytes.Buffer) Handler { return NewText(b, o, testRun()) }
}

func TestTextGoldens(t *testing.T) {
	for _, c := range []struct {
		name  string
		o     TextOptions
		story func(*testing.T, Handler)
	}{
		{"text.txt", TextOptions{}, tell},
		{"text-verbose.txt", TextOptions{Verbose: true}, tell},
		{"text-quiet.txt", TextOptions{Quiet: true}, tell},
		{"text-color.txt", TextOptions{Color: true}, tell},
		{"text-narrow.txt", TextOptions{Width: 50}, tell},
		{"text-clean.txt", TextOptions{}, nothing},
	} {
		t.Run(c.name, func(t *testing.T) {
			golden(t, c.name, render(t, c.story, textHandler(c.o)))
		})
	}
}

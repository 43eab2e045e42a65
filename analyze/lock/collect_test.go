package lock

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func feed(c *SurfaceCollector, method, cursor, result string) {
	var r []byte
	if result != "" {
		r = []byte(result)
	}
	c.Feed(method, cursor, r)
}

func names(entries [][]byte) string {
	if entries == nil {
		return "nil"
	}
	var s []string
	for _, e := range entries {
		s = append(s, string(e))
	}
	return strings.Join(s, " ")
}

func TestCollector(t *testing.T) {
	var c SurfaceCollector
	feed(&c, "initialize", "", `{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"resources":{}}}`)
	feed(&c, "tools/list", "", `{"tools":[1]}`)
	feed(&c, "tools/list", "", `{"tools":[2],"nextCursor":"n"}`)
	feed(&c, "tools/list", "n", `{"tools":[3]}`)
	feed(&c, "tools/list", "n", `{"tools":[4]}`) // nobody's page
	feed(&c, "tools/list", "", `{"tools":[5],"nextCursor":"m"}`)
	feed(&c, "tools/list", "other", `{"tools":[6]}`)
	feed(&c, "tools/list", "", `{"tools":null}`)
	feed(&c, "tools/list", "", `{"tools":[7`)
	feed(&c, "tools/list", "", ``)
	feed(&c, "resources/list", "", `{"resources":[8]}`)
	feed(&c, "tools/call", "", `{"tools":[9]}`)
	s, err := c.Surface()
	if err != nil {
		t.Fatal(err)
	}
	if names(s.Tools) != "2 3" || names(s.Resources) != "8" || names(s.Prompts) != "" || s.Prompts == nil || s.Protocol != "2025-11-25" {
		t.Errorf("tools %s, resources %s, prompts %s, %s", names(s.Tools), names(s.Resources), names(s.Prompts), s.Protocol)
	}
}

func TestCollectorUnknownLists(t *testing.T) {
	var c SurfaceCollector
	feed(&c, "tools/list", "", `{"tools":[]}`)
	s, err := c.Surface()
	if err != nil || s.Tools == nil || s.Resources != nil || s.Prompts != nil {
		t.Errorf("got %+v %v", s, err)
	}
	for name, feedIt := range map[string]func(*SurfaceCollector){
		"nothing":     func(*SurfaceCollector) {},
		"half a list": func(c *SurfaceCollector) { feed(c, "tools/list", "", `{"tools":[],"nextCursor":"n"}`) },
		"not asked":   func(c *SurfaceCollector) { feed(c, "initialize", "", `{"capabilities":{"tools":{}}}`) },
	} {
		c := SurfaceCollector{}
		feedIt(&c)
		if _, err := c.Surface(); !errors.Is(err, ErrNoTools) {
			t.Errorf("%s: %v", name, err)
		}
	}
	c = SurfaceCollector{}
	feed(&c, "initialize", "", `{"capabilities":{"prompts":{}}}`)
	if s, err := c.Surface(); err != nil || s.Tools == nil || len(s.Tools) != 0 {
		t.Errorf("a server without tools: %+v %v", s, err)
	}
}

func TestCollectorIsBounded(t *testing.T) {
	var c SurfaceCollector
	entry := `"` + strings.Repeat("x", 1<<20) + `"`
	// The same list again and again is held once.
	for range 100 {
		feed(&c, "tools/list", "", `{"tools":[`+entry+`]}`)
	}
	if _, err := c.Surface(); err != nil || c.held != len(entry) {
		t.Errorf("%d bytes held, %v", c.held, err)
	}
	feed(&c, "tools/list", "", `{"tools":[`+entry+`],"nextCursor":"0"}`)
	for i := range 100 {
		feed(&c, "tools/list", fmt.Sprint(i), fmt.Sprintf(`{"tools":[%s],"nextCursor":"%d"}`, entry, i+1))
	}
	if _, err := c.Surface(); !errors.Is(err, ErrSurface) || c.held > maxSurface+2*len(entry) {
		t.Errorf("%d bytes held, %v", c.held, err)
	}
}

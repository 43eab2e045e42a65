package lock

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// What two clients could read in two ways is not pinned.
func TestCollectorRefusesTwoReadings(t *testing.T) {
	clean := `{"tools":[{"name":"a"}]}`
	for _, bad := range []string{
		`{"tools":[{"name":"evil"}],"tools":[{"name":"a"}]}`, `{"tools":[{"name":"a"}],"tools":null}`, `{"tools":[{"name":"a"}],"Tools":[{"name":"evil"}]}`,
		`{"Tools":[{"name":"evil"}]}`, `{"tools":[{"name":"a"}],"nextCursor":"x","nextCursor":""}`, `{"tools":[{"name":"a"}],"NextCursor":"x"}`, `{"tool\u0073":[],"tools":[{"name":"a"}]}`,
	} {
		var c SurfaceCollector
		feed(&c, "tools/list", "", clean)
		feed(&c, "tools/list", "", bad)
		if _, err := c.Surface(); !errors.Is(err, ErrAmbiguous) {
			t.Errorf("%s: %v", bad, err)
		}
		// The last complete list counts, also after a bad one.
		feed(&c, "tools/list", "", clean)
		if s, err := c.Surface(); err != nil || names(s.Tools) != `{"name":"a"}` {
			t.Errorf("%s, then a clean list: %v", bad, err)
		}
		for _, why := range []error{ErrAmbiguous, ErrUnrecorded} {
			c.Refuse("tools/list", why)
			if _, err := c.Surface(); !errors.Is(err, why) {
				t.Errorf("refused: %v", err)
			}
		}
	}
	var c SurfaceCollector
	feed(&c, "tools/list", "", clean)
	c.Refuse("prompts/list", ErrUnrecorded)
	if _, err := c.Surface(); !errors.Is(err, ErrUnrecorded) || !strings.Contains(err.Error(), "prompts/list") {
		t.Errorf("prompts: %v", err)
	}
}

func TestBuildRefusesKeysInAnotherCase(t *testing.T) {
	for _, tool := range []string{
		`{"name":"a","Description":"x"}`, `{"name":"a","NAME":"b"}`, `{"name":"a","inputSchema":{},"inputschema":{}}`, `{"name":"a","Annotations":{}}`, `{"name":"a","OUTPUTSCHEMA":{}}`,
	} {
		l := mustBuild(t, surfaceOf(`{"name":"a"}`), PinOptions{})
		if _, err := Build(surfaceOf(tool), PinOptions{}); !errors.Is(err, ErrAmbiguous) {
			t.Errorf("%s is pinned: %v", tool, err)
		}
		if _, err := l.Against(surfaceOf(tool)); !errors.Is(err, ErrAmbiguous) {
			t.Errorf("%s is compared: %v", tool, err)
		}
	}
	s := surfaceOf(`{"name":"a","x-Name":1,"title":"t"}`)
	s.Resources = [][]byte{[]byte(`{"uri":"u","MimeType":"x"}`)}
	if _, err := Build(s, PinOptions{}); !errors.Is(err, ErrAmbiguous) {
		t.Errorf("a resource: %v", err)
	}
	s.Resources, s.Prompts = nil, [][]byte{[]byte(`{"name":"p","Arguments":[]}`)}
	if _, err := Build(s, PinOptions{}); !errors.Is(err, ErrAmbiguous) {
		t.Errorf("a prompt: %v", err)
	}
}

// Depth counts from what is hashed, not from the entry around it.
func TestDepthOfASchema(t *testing.T) {
	deep := func(n int) string {
		return `{"name":"a","inputSchema":{"a":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}}`
	}
	l, err := Build(surfaceOf(deep(512)), PinOptions{})
	if err != nil {
		t.Fatalf("512 arrays below the root: %v", err)
	}
	if _, err := Build(surfaceOf(deep(513)), PinOptions{}); !errors.Is(err, errDeep) {
		t.Errorf("513: %v", err)
	}
	g := NewGate(l, 0)
	g.ListChanged()
	g.Asked("1", false)
	if _, diverged, err := g.Answered("1", []byte(`{"tools":[`+deep(512)+`]}`)); diverged || err != nil {
		t.Errorf("the gate: %v %v", diverged, err)
	}
	if _, err := Canon([]byte(strings.Repeat("[", 513) + strings.Repeat("]", 513))); err != nil {
		t.Errorf("a root and 512 below: %v", err)
	}
	if _, err := Canon([]byte(strings.Repeat("[", 513) + "1" + strings.Repeat("]", 513))); !errors.Is(err, errDeep) {
		t.Errorf("a value at 513: %v", err)
	}
}

// A number that no digest covers is the business of whoever wrote it.
func TestLargeNumbersInAPin(t *testing.T) {
	text := strings.Replace(fullLock(t), `"approved": true`, `"serial": 9007199254740993, "scale": 1e999, "approved": true`, 1)
	l, err := ParseStrict("l", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	l, err = Rotate(l, RotateOptions{Now: time.Unix(0, 0), Actor: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if out := mustWrite(t, l); !strings.Contains(out, `"serial": 9007199254740993`) || !strings.Contains(out, `"scale": 1e999`) {
		t.Errorf("the numbers are not kept:\n%s", out)
	}
	entry := strings.Replace(fullLock(t), `"name": "a"`, `"serial": 9007199254740993, "name": "a"`, 1)
	if _, err := ParseStrict("l", []byte(entry)); err == nil {
		t.Error("an entry that can't be hashed is taken")
	}
	if _, warnings, err := Parse("l", []byte(entry)); err != nil || len(warnings) != 1 {
		t.Errorf("an entry that can't be hashed: %v, %v", warnings, err)
	}
}

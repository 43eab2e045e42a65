package offline_test

import (
	"bytes"
	"testing"

	"github.com/warden-trace/warden/bench/gen"
	"github.com/warden-trace/warden/formats/report"
	"github.com/warden-trace/warden/replay/offline"
)

// TestLastingFrames: a page that copies the bytes of frames no sooner than it is
// told to is the page that copies them at once, however many workers fill the
// memory anew.
func TestLastingFrames(t *testing.T) {
	var b bytes.Buffer
	if _, err := gen.Write(&b, gen.Options{Bytes: 4 << 20, Seed: 3, Sessions: 12, Findings: 0.05}); err != nil {
		t.Fatal(err)
	}
	page := func(jobs int, lasting bool) string {
		o := offline.Options{Config: config(t), Jobs: jobs, Fingerprints: true}
		var out bytes.Buffer
		h := report.NewHTML(&out, &report.Run{Rules: o.Config.Rules.Rules})
		o.Handler, o.Observe = h, offline.Frames(h)
		if lasting {
			o.Settle = h.(report.Settler).Settle
		} else {
			each := o.Observe
			o.Observe = func(ob *offline.Observation) { ob.Lasting = false; each(ob) }
		}
		sum, err := offline.Run(inputs(b.String()), o)
		if err != nil {
			t.Fatal(err)
		}
		if err := h.Close(sum); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	want := page(1, false)
	if len(want) < 200_000 {
		t.Fatalf("%d bytes show too little", len(want))
	}
	for _, jobs := range []int{1, 2, 5} {
		if page(jobs, true) != want {
			t.Errorf("%d workers: another page", jobs)
		}
	}
}

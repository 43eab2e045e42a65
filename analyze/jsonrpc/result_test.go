package jsonrpc

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// show writes what was found in a message, short enough to read in a table.
func show(m *Message) string {
	roles := map[Role]string{RoleOther: "other", RoleText: "text", RoleResourceText: "restext", RoleResourceURI: "resuri", RoleLink: "link", RoleStructured: "value", RoleKey: "key"}
	whys := map[Why]string{WhyBinary: "binary", WhyUnknown: "unknown", WhyNoObject: "noobject", WhyNoText: "notext", WhyLink: "link"}
	var out []string
	mark := func(on bool, s string) string {
		if on {
			return s
		}
		return ""
	}
	for _, t := range m.Texts {
		s, _ := Unquote(nil, m.Raw[t.Start:t.End])
		out = append(out, fmt.Sprintf("%s@%d=%s%s%s%s%s", roles[t.Role], t.Block, s, mark(t.Nested, " nested"), mark(t.Error, " error"), mark(t.Input, " input"), mark(t.Shadowed, " shadowed")))
	}
	for _, n := range m.Notes {
		out = append(out, fmt.Sprintf("note@%d %s%s%s", n.Block, whys[n.Why], mark(n.Nested, " nested"), mark(n.Shadowed, " shadowed")))
	}
	return strings.Join(out, "; ")
}

func TestBlocks(t *testing.T) {
	for block, want := range map[string]string{
		`{"type":"text","text":"a"}`:                "other@0=text; text@0=a",
		`{"text":"a","type":"text"}`:                "text@0=a; other@0=text",
		`{"type":"te\u0078t","t\u0065xt":"a"}`:      "other@0=text; text@0=a",
		`{"type":"text","text":"a","data":"AAAA"}`:  "other@0=text; text@0=a",
		`{"type":"text","text":"a","data":"A-A"}`:   "other@0=text; text@0=a; other@0=A-A",
		`{"type":"text","text":7}`:                  "other@0=text; note@0 notext",
		`{"type":"text","text":["a"]}`:              "other@0=text; other@0=a; note@0 notext",
		`{"type":"text"}`:                           "other@0=text; note@0 notext",
		`{"type":"Text","text":"a"}`:                "other@0=Text; other@0=a; note@0 unknown",
		`{"text":"a"}`:                              "other@0=a; note@0 unknown",
		`{"type":5,"text":"a"}`:                     "other@0=a; note@0 unknown",
		`{}`:                                        "note@0 unknown",
		`null`:                                      "note@0 noobject",
		`5`:                                         "note@0 noobject",
		`"a"`:                                       "other@0=a; note@0 noobject",
		`[{"type":"text","text":"a"}]`:              "other@0=text; other@0=a; note@0 noobject",
		`{"type":"image","data":"A\/+=\r\n\u000a"}`: "other@0=image; note@0 binary",
		`{"type":"image","data":"see \u0041"}`:      "other@0=image; other@0=see A; note@0 binary",
		`{"type":"audio","data":["AAAA"]}`:          "other@0=audio; other@0=AAAA; note@0 binary",
		`{"type":"blob","blob":"AAAA"}`:             "other@0=blob; note@0 binary",
		`{"type":"resource","resource":{"uri":"u","text":"t"}}`:              "other@0=resource; resuri@0=u; restext@0=t",
		`{"resource":{"uri":"u","mimeType":"m"},"type":"resource"}`:          "resuri@0=u; other@0=m; other@0=resource",
		`{"type":"resource","resource":{"uri":"u","blob":"AAAA"}}`:           "other@0=resource; resuri@0=u; note@0 binary",
		`{"type":"resource","resource":{"uri":"u","blob":"A A"}}`:            "other@0=resource; resuri@0=u; other@0=A A; note@0 binary",
		`{"type":"resource","resource":{"blob":"AAAA"}}`:                     "other@0=resource; note@0 binary",
		`{"type":"resource","resource":{"text":"t","blob":null}}`:            "other@0=resource; restext@0=t",
		`{"type":"resource","resource":{"mimeType":"x"}}`:                    "other@0=resource; other@0=x; note@0 notext",
		`{"type":"resource","resource":{"text":1,"uri":null}}`:               "other@0=resource; note@0 notext",
		`{"type":"resource","resource":"x"}`:                                 "other@0=resource; other@0=x; note@0 notext",
		`{"type":"resource"}`:                                                "other@0=resource; note@0 notext",
		`{"type":"resource","text":"t","uri":"u"}`:                           "other@0=resource; other@0=t; other@0=u; note@0 notext",
		`{"type":"resource_link","uri":"u","name":"n","description":"d"}`:    "other@0=resource_link; link@0=u; link@0=n; link@0=d; note@0 link",
		`{"type":"resource_link","icons":[{"src":"s"}]}`:                     "other@0=resource_link; other@0=s; note@0 link",
		`{"type":"image","type":"text","text":"a"}`:                          "other@0=image shadowed; other@0=text; text@0=a",
		`{"type":"text","type":"image","text":"a"}`:                          "other@0=text shadowed; other@0=image; other@0=a; note@0 binary",
		`{"type":"text","Type":"image","text":"a","TEXT":"b"}`:               "other@0=text; other@0=image shadowed; text@0=a; text@0=b shadowed",
		`{"type":"text","text":"a","text":5}`:                                "other@0=text; text@0=a shadowed; note@0 notext",
		`{"type":"text","type":7,"text":"a"}`:                                "other@0=text shadowed; other@0=a; note@0 unknown",
		`{"type":"resource","resource":{"text":"a"},"resource":"b"}`:         "other@0=resource; restext@0=a shadowed; other@0=b; note@0 notext",
		`{"type":"resource","resource":{"text":"a","text":"b","uRi":"c"}}`:   "other@0=resource; restext@0=a shadowed; restext@0=b; resuri@0=c shadowed",
		`{"type":"resource","resource":{"blob":"AAAA","blob":null}}`:         "other@0=resource; note@0 notext",
		`{"type":"resource","Resource":{"text":"a"},"resource":{"uri":"u"}}`: "other@0=resource; restext@0=a shadowed; resuri@0=u",
	} {
		m, ok := parse([]byte(`{"id":1,"result":{"content":[`+block+`]}}`), false)
		if got := show(m); !ok || got != want {
			t.Errorf("%s\n got %s\nwant %s", block, got, want)
		}
	}
}

func TestWhereTextsStand(t *testing.T) {
	const block = `[{"type":"text","text":"a"}]`
	for doc, want := range map[string]string{
		`{"method":"tools/call","params":{"name":"x","arguments":{"a":"b"}}}`: "",
		`{"result":"a"}`:                                             "other@-1=a",
		`{"result":[["a"],{"k":"b"}]}`:                               "other@-1=a; other@-1=b",
		`{"result":{"content":"a"}}`:                                 "other@-1=a",
		`{"result":{"content":{"type":"text","text":"a"}}}`:          "other@-1=text; other@-1=a",
		`{"result":{"content":[],"toolResult":"a"}}`:                 "other@-1=a",
		`{"result":{"content":[1,2],"_meta":{"k":"a"}}}`:             "other@-1=a; note@0 noobject; note@1 noobject",
		`{"result":{"structuredContent":{"k":[{"l":"a"}],"m":1}}}`:   "key@-1=k; key@-1=l; value@-1=a; key@-1=m",
		`{"result":{"structuredContent":"a","x":{"k":"b"}}}`:         "value@-1=a; other@-1=b",
		`{"result":{"inputRequests":{"k":{"message":"a"}},"x":"b"}}`: "other@-1=a input; other@-1=b",
		`{"error":{"code":1,"message":"a","data":{"k":["b"]}}}`:      "other@-1=a error; other@-1=b error",
		`{"error":"a","result":"b"}`:                                 "other@-1=a error; other@-1=b",
		`{"result":{"status":"completed","result":{"content":` + block + `,"structuredContent":{"k":"v"},"inputRequests":"i","result":{"content":` + block + `}}}}`: "other@-1=completed; other@0=text nested; text@0=a nested; key@-1=k nested; value@-1=v nested; other@-1=i nested; other@-1=text nested; other@-1=a nested",
		`{"method":"notifications/tasks/status","params":{"status":"s","result":{"content":` + block + `}}}`:                                                        "other@0=text nested; text@0=a nested",
		`{"params":{"result":{"content":[5,"a"]}},"method":"notifications/tasks","result":"z"}`:                                                                     "other@1=a nested; other@-1=z; note@0 noobject nested; note@1 noobject nested",
		`{"params":{"result":{"content":[5,"a"]}},"method":"ping","result":"z"}`:                                                                                    "other@-1=z",
		`{"result":"y","params":{"result":{"content":[5,"a"]}},"params":{"result":"b"},"result":{"content":[6]}}`:                                                   "other@-1=y shadowed; note@0 noobject",
		`{"method":"notifications/tasks","params":{"result":"a"},"method":"x"}`:                                                                                     "other@-1=a nested shadowed",
		`{"METHOD":"notifications/tasks","params":{"result":"a"}}`:                                                                                                  "other@-1=a nested shadowed",
		`{"method":"notifications/tasks","params":{"result":"a"},"params":{"result":"b","Result":"c"}}`:                                                             "other@-1=a nested shadowed; other@-1=b nested; other@-1=c nested shadowed",
		`{"result":{"content":` + block + `},"Result":{"content":` + block + `}}`:                                                                                   "other@0=text; text@0=a; other@0=text shadowed; text@0=a shadowed",
		`{"result":{"content":` + block + `},"result":{"content":[]}}`:                                                                                              "other@0=text shadowed; text@0=a shadowed",
		`{"result":{"content":` + block + `,"content":[7]}}`:                                                                                                        "other@0=text shadowed; text@0=a shadowed; note@0 noobject",
		`{"result":{"x":"a","x":"b"}}`: "other@-1=a; other@-1=b",
	} {
		m, ok := parse([]byte(doc), false)
		if got := show(m); !ok || got != want {
			t.Errorf("%s\n got %s\nwant %s", doc, got, want)
		}
	}
}

func TestOccurrences(t *testing.T) {
	m, _ := parse([]byte(`{"id":1,"ID":2,"jsonrpc":"2.0","x":{"id":3},"params":{"name":"a","arguments":{},"name":"b"},"Params":[1],"RESULT":5,"error":{},"method":"m"}`), false)
	var got []string
	for _, o := range m.Alt {
		got = append(got, o.Key+" "+string(o.Raw))
	}
	want := []string{"id 1", "id 2", `params {"name":"a","arguments":{},"name":"b"}`, `params/name "a"`, "params/arguments {}", `params/name "b"`, "params [1]", "result 5", "error {}", `method "m"`}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q", got)
	}
	if string(m.Name) != "b" || string(m.ID) != "1" || m.Result != nil || m.Has&HasResult != 0 {
		t.Errorf("%q %q %q", m.Name, m.ID, m.Result)
	}
}

func TestKeySet(t *testing.T) {
	var s keySet
	for range 5 {
		s.reset()
		for i := range 10_000 {
			if s.add(fmt.Appendf(nil, "%d", i)) {
				t.Fatal("found what is not there", i)
			}
		}
		for i := range 10_000 {
			if !s.add(fmt.Appendf(nil, "%d", i)) {
				t.Fatal("lost", i)
			}
		}
	}
	s.reset()
	for i := range 9 {
		s.add([]byte{byte(i)})
	}
	if len(s.slot) > 1<<12 {
		t.Error("keeps the memory of a huge object:", len(s.slot))
	}
	// Every name is found, exactly spelt and not.
	for lv, list := range names {
		for id, n := range list {
			if n == "" {
				continue
			}
			if got, exact := classify(level(lv), []byte(n)); got != member(id) || !exact {
				t.Error(n, got, exact)
			}
			if got, exact := classify(level(lv), []byte(strings.ToUpper(n))); got != member(id) || exact {
				t.Error(strings.ToUpper(n), got, exact)
			}
			if got, _ := classify(level(lv), []byte(n+"x")); got != 0 {
				t.Error(n+"x", got)
			}
		}
	}
}

func TestTextResult(t *testing.T) {
	text := `{"type":"text","text":"a"}`
	for doc, want := range map[string]bool{
		`{"result":{"content":[` + text + `]}}`:                                                  true,
		`{"result":{"content":[{"text":"","type":"t\u0065xt"},` + text + `],"isError":false}}`:   true,
		`{"result":{"isError":true,"other":{"content":1},"content":[]}}`:                         true,
		`{"result":{"content":[` + strings.Repeat(text+",", MaxTextBlocks-1) + text + `]}}`:      true,
		`{"result":{"content":[` + strings.Repeat(text+",", MaxTextBlocks) + text + `]}}`:        false,
		`{"result":{"content":[` + text + `],"isError":"true"}}`:                                 false,
		`{"result":{"content":[` + text + `],"isError":null}}`:                                   false,
		`{"result":{"content":[` + text + `],"_meta":{}}}`:                                       false,
		`{"result":{"content":[` + text + `],"structuredContent":{}}}`:                           false,
		`{"result":{"content":[{"type":"text","text":1}]}}`:                                      false,
		`{"result":{"content":[{"type":"text"}]}}`:                                               false,
		`{"result":{"content":[{"type":"text","text":"a","annotations":{}}]}}`:                   false,
		`{"result":{"content":[{"type":"image","text":"a"}]}}`:                                   false,
		`{"result":{"content":[1,` + text + `]}}`:                                                false,
		`{"result":{"content":{}}}`:                                                              false,
		`{"result":{}}`:                                                                          false,
		`{"result":{"result":{"content":[` + text + `]}}}`:                                       false,
		`{"result":{"content":[1],"result":{"content":[` + text + `]}}}`:                         false,
		`{"params":{"result":{"content":[` + text + `]}},"method":"notifications/tasks/status"}`: false,
	} {
		buf := append(make([]byte, 0, len(doc)+Pad), doc...)
		var p Parser
		var m Message
		p.Load(buf)
		if _, ok := p.Message(0, len(buf), &m); !ok || m.TextResult != want {
			t.Errorf("%.90s: %v, %v", doc, ok, m.TextResult)
		}
	}
}

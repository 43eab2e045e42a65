package profile

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
)

// jwt makes a token that nobody signed, of claims that the test names.
func jwt(claims string) string {
	part := base64.RawURLEncoding.EncodeToString
	return part([]byte(`{"alg":"none"}`)) + "." + part([]byte(claims)) + "." + part([]byte("not a signature"))
}

// post is a request record with headers, and the answer to it.
func post(id, url string, status string, headers ...string) []string {
	h := map[string]string{"MCP-Protocol-Version": "2025-06-18"}
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i+1] == "" {
			delete(h, headers[i])
			continue
		}
		h[headers[i]] = headers[i+1]
	}
	b, _ := json.Marshal(map[string]any{"method": "POST", "url": url, "headers": h})
	r := strings.Replace(req(id, "ping", ""), "> ", "> http "+string(b)+" ", 1)
	if status == "" {
		return []string{r}
	}
	return []string{r, strings.Replace(res(id, "{}"), "< ", `< http {"status":`+status+`,"headers":{}} `, 1)}
}

func TestHTTP(t *testing.T) {
	const u = "https://mcp.example.com/mcp"
	audience := Options{Audience: "https://mcp.example.com"}
	mine, theirs := jwt(`{"aud":"https://mcp.example.com"}`), jwt(`{"aud":"https://mcp.example.com.evil.example"}`)
	initHTTP := strings.Replace(req("1", "initialize", initParams), "> ", `> http {"method":"POST","url":"`+u+`","headers":{}} `, 1)
	run(t, MCP, []story{
		{"a request in order", Options{}, post("1", u, "200"), ""},
		{"no version header", Options{}, post("1", u, "200", "MCP-Protocol-Version", ""), "OCU-HTTP-VERSION-HEADER"},
		{"another version", Options{}, post("1", u, "200", "MCP-Protocol-Version", "2025-03-26"), "OCU-HTTP-VERSION-HEADER"},
		{"header in another case", Options{}, post("1", u, "200", "MCP-Protocol-Version", "", "mcp-protocol-version", "2025-06-18"), ""},
		{"twice, and one is another", Options{}, post("1", u, "200", "mcp-protocol-version", "2025-03-26"), "OCU-HTTP-VERSION-HEADER"},
		{"not looked at on initialize", Options{}, lines(initHTTP), ""},
		{"a GET without a message", Options{}, lines(`> http {"method":"GET","url":"` + u + `","headers":{}} -`), "OCU-HTTP-VERSION-HEADER"},

		{"access_token", Options{}, post("1", u+"?access_token=x", ""), "OCU-HTTP-TOKEN-IN-QUERY"},
		{"access_token by escapes", Options{}, post("1", u+"?a=1&%61ccess_token=x", ""), "OCU-HTTP-TOKEN-IN-QUERY"},
		{"access_token in the fragment", Options{}, post("1", u+"#?access_token=x", ""), ""},
		{"access_token in the path", Options{}, post("1", u+"/access_token=x", ""), ""},
		{"another parameter", Options{}, post("1", u+"?my_access_token_id=7&t=abc.def.ghi", ""), ""},
		{"a JWT under any name", Options{}, post("1", "/mcp?t="+mine, ""), "OCU-HTTP-TOKEN-IN-QUERY"},
		{"the opaque bearer token", Options{}, post("1", u+"?k=opaque%2D1", "", "Authorization", "bearer opaque-1"), "OCU-HTTP-TOKEN-IN-QUERY"},
		{"another opaque value", Options{}, post("1", u+"?k=opaque-2", "", "Authorization", "Bearer opaque-1"), ""},

		{"our audience", audience, post("1", u, "", "Authorization", "Bearer "+mine), ""},
		{"one of several", audience, post("1", u, "", "Authorization", "Bearer "+jwt(`{"aud":["x","https://mcp.example.com"]}`)), ""},
		{"another audience", audience, post("1", u, "", "Authorization", "Bearer "+theirs), "OCU-HTTP-AUDIENCE"},
		{"no audience", audience, post("1", u, "", "authorization", "BEARER "+jwt(`{}`)), "OCU-HTTP-AUDIENCE"},
		{"audience a number", audience, post("1", u, "", "Authorization", "Bearer "+jwt(`{"aud":1}`)), "OCU-HTTP-AUDIENCE"},
		{"audience twice", audience, post("1", u, "", "Authorization", "Bearer "+jwt(`{"aud":"https://mcp.example.com","aud":"x"}`)), "OCU-HTTP-AUDIENCE"},
		{"audience twice, the other way", audience, post("1", u, "", "Authorization", "Bearer "+jwt(`{"aud":"x","aud":"https://mcp.example.com"}`)), "OCU-HTTP-AUDIENCE"},
		{"our audience twice", audience, post("1", u, "", "Authorization", "Bearer "+jwt(`{"aud":"https://mcp.example.com","aud":["https://mcp.example.com"]}`)), ""},
		{"no JWT", audience, post("1", u, "", "Authorization", "Bearer a.b.c"), ""},
		{"rule off", Options{}, post("1", u, "", "Authorization", "Bearer "+theirs), ""},

		{"own origin", Options{}, post("1", u, "200", "Origin", "http://MCP.example.com.:8080"), ""},
		{"foreign origin", Options{}, post("1", u, "200", "origin", "https://evil.example"), "OCU-HTTP-ORIGIN"},
		{"foreign origin refused", Options{}, post("1", u, "403", "Origin", "https://evil.example"), ""},
		{"origin null", Options{}, post("1", u, "204", "Origin", "null"), "OCU-HTTP-ORIGIN"},
		{"origin not answered", Options{}, post("1", u, "", "Origin", "https://evil.example"), ""},
		{"loopback by name and number", Options{}, post("1", "http://127.0.0.1:3000/mcp", "200", "Origin", "http://localhost:3000"), "OCU-HTTP-ORIGIN"},
		{"host header where the url has none", Options{}, post("1", "/mcp", "200", "Origin", "https://a.example", "Host", "b.example:80"), "OCU-HTTP-ORIGIN"},
		{"answered out of order", Options{}, func() []string {
			a, b := post("1", u, "200", "Origin", "https://evil.example"), post("2", u, "200")
			return []string{a[0], b[0], b[1], a[1]}
		}(), "OCU-HTTP-ORIGIN"},
		{"refused without a message, then a good one", Options{}, lines(post("1", u, "", "Origin", "https://evil.example"),
			`< http {"status":403,"headers":{}} -`, post("2", u, ""), `< http {"status":200,"headers":{}} -`), ""},

		{"401 without a challenge", Options{}, lines(post("1", u, ""), `< http {"status":401,"headers":{"Server":"x"}} -`), "OCU-HTTP-401-CHALLENGE"},
		{"401 with one", Options{}, lines(post("1", u, ""), `< http {"status":401,"headers":{"www-authenticate":"Bearer resource_metadata=\"https://x\""}} -`), ""},
		{"403 needs none", Options{}, lines(post("1", u, ""), `< http {"status":403,"headers":{}} -`), ""},
		{"a member that is no object", Options{}, lines(`> http [1] -`, `> http {"status":[]} -`), ""},
	})
}

// TestTokensAreNotShown: no finding holds a token.
func TestTokensAreNotShown(t *testing.T) {
	token := jwt(`{"aud":"https://other.example","sub":"u"}`)
	found := tell(t, MCP, Options{Audience: "https://mcp.example.com"},
		lines(post("1", "https://mcp.example.com/mcp?access_token="+token, "", "Authorization", "Bearer "+token, "MCP-Protocol-Version", token))...)
	if ids(found) != "OCU-HTTP-VERSION-HEADER OCU-HTTP-TOKEN-IN-QUERY OCU-HTTP-AUDIENCE" {
		t.Fatalf("got %s", ids(found))
	}
	b, _ := json.Marshal(found)
	if strings.Contains(string(b), token[4:20]) {
		t.Errorf("a token is shown: %s", b)
	}
}

func TestPendingIsBounded(t *testing.T) {
	p, _ := New(MCP, Options{})
	w := &told{s: p.NewSession(), pending: map[string]*Request{}}
	for range 3 * maxPendingHTTP {
		w.line(t, `> http {"method":"POST","url":"https://a/b","headers":{"MCP-Protocol-Version":"2025-06-18"}} -`)
	}
	if n := len(w.s.(*mcpSession).http.pending); n > maxPendingHTTP {
		t.Errorf("%d pending requests are kept", n)
	}
}

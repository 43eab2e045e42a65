package profile

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// httpLog remembers the requests that no response record has answered yet, as
// far as OCU-HTTP-ORIGIN needs them. Only stray ones stay; they are bounded.
type httpLog struct {
	pending []pendingHTTP
}

type pendingHTTP struct {
	id     jsonrpc.Key
	hasID  bool
	origin string // an Origin of another host; "" where there was none
}

const maxPendingHTTP = 1024

// httpMember is a record's `http` member (policy.md, section 4).
type httpMember struct {
	method, url string
	status      int
	request     bool // it has a method or a url
	response    bool // it has a status
	headers     []httpHeader
}

type httpHeader struct{ name, value string }

// maxHTTP bounds what is decoded of the member.
var maxHTTP = jsonrpc.DecodeOptions{MaxDepth: 16, MaxNodes: 10_000, Lenient: true}

func readHTTP(raw []byte) (h httpMember, ok bool) {
	v, err := jsonrpc.Decode(raw, maxHTTP)
	if err != nil || v.Kind != jsonrpc.Object {
		return h, false
	}
	if s, ok := v.Get("method").IsString(); ok {
		h.method, h.request = s, true
	}
	if s, ok := v.Get("url").IsString(); ok {
		h.url, h.request = s, true
	}
	if st := v.Get("status"); st != nil {
		text := string(st.Raw)
		if s, ok := st.IsString(); ok {
			text = s
		}
		if n, err := strconv.Atoi(text); err == nil {
			h.status, h.response = n, true
		}
	}
	if hs := v.Get("headers"); hs != nil && hs.Kind == jsonrpc.Object {
		for _, m := range hs.Members {
			if s, ok := m.Value.IsString(); ok {
				h.headers = append(h.headers, httpHeader{strings.ToLower(strings.TrimSpace(m.Key)), strings.Trim(s, " \t")})
			}
		}
	}
	return h, true
}

// values are all values of a header, whatever the case of its name.
func (h *httpMember) values(name string) []string {
	var out []string
	for _, x := range h.headers {
		if x.name == name {
			out = append(out, x.value)
		}
	}
	return out
}

// httpRecord judges the `http` member of a record.
func (s *mcpSession) httpRecord(f *Frame, v *verdicts) {
	h, ok := readHTTP(f.HTTP)
	if !ok {
		return
	}
	if h.request {
		s.httpRequest(f, &h, v)
	}
	if h.response {
		s.httpResponse(f, &h, v)
	}
}

func (s *mcpSession) httpRequest(f *Frame, h *httpMember, v *verdicts) {
	if f.Msg == nil || string(f.Msg.Method) != "initialize" {
		s.versionHeader(h, v)
	}
	bearer := h.bearer()
	s.tokenInQuery(h, bearer, v)
	if s.p.audience != "" {
		for _, token := range bearer {
			if claims, ok := jwtClaims(token); ok && !audienceHolds(claims, s.p.audience) {
				f := v.add("OCU-HTTP-AUDIENCE", "", "the bearer token's audience does not name "+s.p.redact.name(s.p.audience))
				f.Snippet = redacted(token)
				break
			}
		}
	}
	p := pendingHTTP{origin: h.foreignOrigin()}
	if f.Msg != nil && f.Msg.Has&jsonrpc.HasID != 0 && f.Msg.Has&jsonrpc.HasMethod != 0 {
		p.id, p.hasID = jsonrpc.IDKey(f.Msg.ID)
	}
	if len(s.http.pending) >= maxPendingHTTP {
		s.http.pending = append(s.http.pending[:0], s.http.pending[1:]...)
	}
	s.http.pending = append(s.http.pending, p)
}

func (s *mcpSession) versionHeader(h *httpMember, v *verdicts) {
	const rule = "OCU-HTTP-VERSION-HEADER"
	got := h.values("mcp-protocol-version")
	if len(got) == 0 {
		v.add(rule, "", "the request lacks the MCP-Protocol-Version header")
		return
	}
	for _, g := range got {
		if g != revision {
			v.add(rule, "", "the MCP-Protocol-Version header says "+s.p.redact.name(g)+", not "+revision)
			return
		}
	}
}

// bearer is the token of each Authorization header of that scheme.
func (h *httpMember) bearer() []string {
	var out []string
	for _, a := range h.values("authorization") {
		scheme, token, ok := strings.Cut(a, " ")
		if token = strings.TrimSpace(token); ok && token != "" && strings.EqualFold(scheme, "bearer") {
			out = append(out, token)
		}
	}
	return out
}

// tokenInQuery looks for a token in the URL's query: a parameter access_token,
// or any that holds the request's own bearer token or a JWT.
func (s *mcpSession) tokenInQuery(h *httpMember, bearer []string, v *verdicts) {
	target, _, _ := strings.Cut(h.url, "#")
	_, query, ok := strings.Cut(target, "?")
	if !ok {
		return
	}
	for query != "" {
		var param string
		param, query, _ = strings.Cut(query, "&")
		name, value, _ := strings.Cut(param, "=")
		name, value = unescapeQuery(name), unescapeQuery(value)
		why := ""
		switch {
		case strings.EqualFold(name, "access_token"):
			why = "the parameter access_token"
		case isOneOf(value, bearer):
			why = "the request's own bearer token"
		default:
			if _, jwt := jwtClaims(value); jwt {
				why = "a JWT"
			}
		}
		if why != "" {
			f := v.add("OCU-HTTP-TOKEN-IN-QUERY", "", "the URL's query carries "+why)
			f.Snippet = s.p.redact.name(name) + "=" + redacted(value)
			return
		}
	}
}

func isOneOf(s string, list []string) bool {
	for _, x := range list {
		if s == x {
			return true
		}
	}
	return false
}

func unescapeQuery(s string) string {
	if u, err := url.QueryUnescape(s); err == nil {
		return u
	}
	return s
}

// foreignOrigin is the Origin of a request when it is of another host than the
// one that the request goes to. Where the recording does not say what host
// that is, nothing is known.
func (h *httpMember) foreignOrigin() string {
	host := ""
	if u, err := url.Parse(h.url); err == nil {
		host = u.Hostname()
	}
	if host == "" {
		for _, v := range h.values("host") {
			if u, err := url.Parse("//" + v); err == nil {
				host = u.Hostname()
			}
		}
	}
	if host == "" {
		return ""
	}
	for _, o := range h.values("origin") {
		if o == "" {
			continue
		}
		u, err := url.Parse(o)
		if err != nil || !sameHost(u.Hostname(), host) {
			return o
		}
	}
	return ""
}

// sameHost compares hosts without case and trailing dot; addresses by value.
func sameHost(a, b string) bool {
	a, b = strings.TrimSuffix(a, "."), strings.TrimSuffix(b, ".")
	if strings.EqualFold(a, b) {
		return true
	}
	x, errX := netip.ParseAddr(a)
	y, errY := netip.ParseAddr(b)
	return errX == nil && errY == nil && x.Unmap() == y.Unmap()
}

func (s *mcpSession) httpResponse(f *Frame, h *httpMember, v *verdicts) {
	if h.status == 401 {
		challenge := false
		for _, c := range h.values("www-authenticate") {
			challenge = challenge || c != ""
		}
		if !challenge {
			v.add("OCU-HTTP-401-CHALLENGE", "", "a 401 answer without a WWW-Authenticate header")
		}
	}
	p, ok := s.http.answered(f, h.status)
	if ok && p.origin != "" && h.status >= 200 && h.status <= 299 {
		found := v.add("OCU-HTTP-ORIGIN", "", "a request with another host's Origin was answered with status "+strconv.Itoa(h.status))
		found.Snippet = s.p.redact.name(p.origin)
	}
}

// answered takes the request that a response record answers: by the message's
// id where it has one; a 202 belongs to the oldest request without an id, any
// other to the latest.
func (l *httpLog) answered(f *Frame, status int) (pendingHTTP, bool) {
	at := -1
	if f.Msg != nil && f.Msg.IsResponse() {
		if key, ok := jsonrpc.IDKey(f.Msg.ID); ok {
			for i := len(l.pending) - 1; i >= 0; i-- {
				if l.pending[i].hasID && l.pending[i].id == key {
					at = i
					break
				}
			}
			if at < 0 {
				return pendingHTTP{}, false // a later message of a stream
			}
		}
	}
	if at < 0 && status == 202 {
		for i := range l.pending {
			if !l.pending[i].hasID {
				at = i
				break
			}
		}
	}
	if at < 0 {
		at = len(l.pending) - 1
	}
	if at < 0 {
		return pendingHTTP{}, false
	}
	p := l.pending[at]
	l.pending = append(l.pending[:at], l.pending[at+1:]...)
	return p, true
}

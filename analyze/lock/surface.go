package lock

import "net/url"

// Surface is what a server declares of itself, as raw JSON entries.
type Surface struct {
	Server    *Launch  // nil where nothing tells how the server is reached
	Tools     [][]byte // entries of tools/list; nil where no complete list was seen
	Resources [][]byte // entries of resources/list, likewise
	Prompts   [][]byte // entries of prompts/list, likewise
	Protocol  string   // MCP revision; "" where unknown
}

// Launch is how a server is reached: a command with its arguments or, for an
// HTTP server, a URL.
type Launch struct {
	Command string
	Args    []string
	URL     string
}

// digest is the command_digest (lock.md, "Digests").
func (c Launch) digest() string {
	o := []member{{"command", quote(c.Command)}, {"args", stringList(c.Args)}}
	if c.URL != "" {
		o = []member{{"url", quote(c.URL)}}
	}
	h, err := Hash(object(o))
	if err != nil {
		return "" // strings alone: not to be expected
	}
	return h
}

// known is false where nothing tells how the server is reached.
func (c Launch) known() bool { return c.Command != "" || c.URL != "" || len(c.Args) > 0 }

// String shows the command alone, or scheme and host of the URL: arguments,
// user information and queries hold secrets.
func (c Launch) String() string {
	if c.URL == "" {
		return hidden(c.Command)
	}
	u, err := url.Parse(c.URL)
	if err != nil || u.Host == "" {
		return "a URL"
	}
	return hidden(u.Scheme + "://" + u.Host)
}

package gen

import "strconv"

// Plant is a kind of planted finding.
type Plant uint8

// The kinds that are planted, each as likely as the others.
const (
	PlantANSI Plant = iota
	PlantOpenAI
	PlantGitHub
	PlantAWS
	PlantSlack
	PlantJWT
	PlantKey
	PlantEntropy
	PlantDomain
	PlantAddress
	PlantPhrase
	PlantInvisible
	plantKinds
)

var plantNames = [plantKinds]string{"ansi", "openai", "github", "aws", "slack", "jwt", "privkey", "entropy", "domain", "address", "phrase", "invisible"}

// String names the kind in a word.
func (p Plant) String() string { return plantNames[p] }

var (
	listed  = []string{"ngrok.io", "pastebin.com", "transfer.sh", "webhook.site", "oast.fun", "interact.sh", "requestbin.com", "0x0.st"}
	phrases = []string{"ignore previous instructions", "Ignore all  previous\ninstructions", "from now on you are",
		"do not tell\tthe user", "reveal your system prompt", "Exfiltrate", "send the following to", "SYSTEM PROMPT:"}
	pemKinds = []string{"RSA ", "EC ", "OPENSSH ", ""}
)

// plant appends a finding of kind k, with a space on both sides.
func (r *rng) plant(b []byte, k Plant) []byte {
	b = append(b, ' ')
	switch k {
	case PlantANSI:
		b = join(b, "\x1b[31m", r.word(), "\x1b[0m")
	case PlantOpenAI:
		b = r.chars(append(b, "sk-"...), alnum, 24+r.n(25))
	case PlantGitHub:
		b = append(b, "gh"...)
		b = append(b, "pousr"[r.n(5)], '_')
		b = r.chars(b, alnum, 36)
	case PlantAWS:
		b = r.chars(append(b, "AKIA"...), upperNum, 16)
	case PlantSlack:
		b = append(b, "xox"...)
		b = append(b, "baprs"[r.n(5)], '-')
		b = append(r.chars(b, digits, 12), '-')
		b = r.chars(b, alnum, 24)
	case PlantJWT:
		b = append(r.chars(append(b, "eyJ"...), alnum, 30), '.')
		b = append(r.chars(b, base64url, 60), '.')
		b = r.chars(b, base64url, 42)
		b = append(b, 'x') // a hyphen at the end would stand outside the pattern
	case PlantKey:
		b = join(b, "-----BEGIN ", r.pick(pemKinds), "PRIVATE KEY-----\n")
		b = r.chars(b, base64std, 64)
	case PlantEntropy:
		b = r.chars(append(b, "token: "...), alnum, 40)
	case PlantDomain:
		b = r.chars(append(b, "https://"...), letters, 8)
		b = join(b, ".", r.pick(listed), "/", r.word())
	case PlantAddress:
		b = append(b, "http://192.168."...)
		b = strconv.AppendInt(b, int64(r.n(256)), 10)
		b = append(b, '.')
		b = strconv.AppendInt(b, int64(r.n(256)), 10)
		b = append(b, ":8080/"...)
	case PlantPhrase:
		b = append(b, r.pick(phrases)...)
	case PlantInvisible:
		b = join(b, r.word(), "\u202e", r.word(), "\u202c")
	}
	return append(b, ' ')
}

//go:build unix

package guard

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// roles are the scripted programs that the test binary can be. Each tells its
// process id on standard error first, so that a test can look for what it has
// left behind.
var roles = map[string]func(args []string){
	"echo":      echo,
	"swallow":   swallow,
	"die":       die,
	"half":      half,
	"flood":     flood,
	"stubborn":  stubborn,
	"lurker":    lurker,
	"deaf":      deaf,
	"one-line":  oneLine,
	"promise":   promise,
	"garbage":   garbage,
	"mute":      mute,
	"speak":     speak,
	"guard":     guardRole,
	"lines-out": linesOut,
}

func hello() { fmt.Fprintf(os.Stderr, "pid %d\n", os.Getpid()) }

func idOf(line []byte) []byte {
	_, rest, _ := bytes.Cut(line, []byte(`"id":`))
	end := bytes.IndexAny(rest, ",}")
	if end < 0 {
		return nil
	}
	return rest[:end]
}

// echo answers every request and tells of every line on standard error; at the
// end of its input it exits with the code in args, if there is one.
func echo(args []string) {
	hello()
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			break
		}
		fmt.Fprintf(os.Stderr, "got %.60s\n", bytes.TrimSpace(line))
		if id := idOf(line); id != nil {
			os.Stdout.Write(result(id, "ok"))
		}
	}
	if len(args) > 0 {
		n, _ := strconv.Atoi(args[0])
		os.Exit(n)
	}
}

// swallow reads n requests and answers none; then it exits with a code.
func swallow(args []string) {
	hello()
	n, _ := strconv.Atoi(args[0])
	in := bufio.NewReader(os.Stdin)
	for range n {
		if _, err := in.ReadString('\n'); err != nil {
			break
		}
	}
	code, _ := strconv.Atoi(args[1])
	os.Exit(code)
}

// die reads n requests, answers the first, writes half a frame, and is killed
// by a signal.
func die(args []string) {
	hello()
	n, _ := strconv.Atoi(args[0])
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for i := range n {
		line, err := in.ReadBytes('\n')
		if err != nil {
			os.Exit(98)
		}
		if i == 0 {
			os.Stdout.Write(result(idOf(line), "first"))
		}
	}
	io.WriteString(os.Stdout, `{"jsonrpc":"2.0","id":2,"result":{"content":[`)
	syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

// half writes what its argument says and leaves.
func half(args []string) {
	hello()
	bufio.NewReader(os.Stdin).ReadString('\n')
	io.WriteString(os.Stdout, args[0])
}

// flood answers its first request with n results of 64 KiB, while it goes on
// telling of the lines that it gets.
func flood(args []string) {
	hello()
	n, _ := strconv.Atoi(args[0])
	in := bufio.NewReader(os.Stdin)
	in.ReadString('\n')
	fmt.Fprintln(os.Stderr, "flooding")
	heard := make(chan struct{})
	go func() {
		defer close(heard)
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				return
			}
			fmt.Fprintf(os.Stderr, "got %.60s\n", strings.TrimSpace(line))
		}
	}()
	text := strings.Repeat("plain words of an ordinary result ", 64<<10/34)
	for i := range n {
		if _, err := os.Stdout.Write(result(strconv.AppendInt(nil, int64(i), 10), text)); err != nil {
			os.Exit(9)
		}
	}
	<-heard
}

// stubborn ignores every polite signal and the end of its input, and has a
// child that does the same.
func stubborn(args []string) {
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	self, _ := os.Executable()
	grandchild := exec.Command(self, roleArg, "lurker")
	grandchild.Stdout, grandchild.Stderr = os.Stdout, os.Stderr
	if err := grandchild.Start(); err != nil {
		os.Exit(97)
	}
	hello()
	if len(args) > 0 { // leave the grandchild behind
		bufio.NewReader(os.Stdin).ReadString('\n')
		os.Exit(4)
	}
	time.Sleep(time.Hour)
}

// lurker holds what it was given, whatever it is told.
func lurker([]string) {
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	hello()
	time.Sleep(time.Hour)
}

// deaf never reads, and leaves when it is asked to, as the signal has it.
func deaf([]string) {
	sig := make(chan os.Signal, 1)
	signal.Notify(sig)
	go func() {
		for s := range sig {
			if s == syscall.SIGURG {
				continue // the runtime's own
			}
			// By the signal itself, which the runtime would turn into an exit
			// code for some.
			signal.Reset(s)
			syscall.Kill(os.Getpid(), s.(syscall.Signal))
		}
	}()
	hello()
	time.Sleep(time.Hour)
}

// oneLine answers with one line of n MiB.
func oneLine(args []string) {
	hello()
	n, _ := strconv.Atoi(args[0])
	line, _ := bufio.NewReader(os.Stdin).ReadBytes('\n')
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"`, idOf(line))
	mib := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	for range n {
		out.Write(mib)
	}
	out.WriteString("\"}]}}\n")
	out.Flush()
	io.Copy(io.Discard, os.Stdin)
}

// promise declares 10 GiB, writes a little of it, and waits for its end.
func promise([]string) {
	hello()
	bufio.NewReader(os.Stdin).ReadString('\n')
	io.WriteString(os.Stdout, "Content-Length: 10737418240\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":1,")
	io.Copy(io.Discard, os.Stdin)
}

// garbage writes random bytes and reads what comes.
func garbage(args []string) {
	hello()
	seed, _ := strconv.ParseUint(args[0], 10, 64)
	go io.Copy(io.Discard, os.Stdin)
	os.Stdout.Write(noise(seed, 1<<20))
}

// noise is random bytes with the signs of both framings among them.
func noise(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	parts := []string{"\n", "\r\n", "\r\n\r\n", "Content-Length: ", "Content-Length: 17\r\n\r\n", "{", "}", "[", `"id":1`, `{"jsonrpc":"2.0","id":1,"result":{}}` + "\n", "\x00", "\xff\xfe"}
	var b []byte
	for len(b) < n {
		if r.IntN(3) == 0 {
			b = append(b, parts[r.IntN(len(parts))]...)
			continue
		}
		for range r.IntN(64) {
			b = append(b, byte(r.Uint32()))
		}
	}
	return b[:n]
}

// mute closes its standard output and goes on.
func mute([]string) {
	hello()
	os.Stdout.Close()
	io.Copy(io.Discard, os.Stdin)
	os.Exit(6)
}

// speak says its argument before anybody has asked, and leaves.
func speak(args []string) {
	hello()
	io.WriteString(os.Stdout, args[0])
}

// linesOut answers every request with its number of small notifications.
func linesOut(args []string) {
	n, _ := strconv.Atoi(args[0])
	in := bufio.NewReader(os.Stdin)
	out := bufio.NewWriterSize(os.Stdout, 64<<10)
	in.ReadString('\n')
	for i := range n {
		fmt.Fprintf(out, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"line %d"}}`+"\n", i)
	}
	out.Flush()
	io.Copy(io.Discard, in)
}

// guardRole is a guard in a process of its own, before the server that the
// rest of its arguments name. At its end it tells its peak memory.
func guardRole(args []string) {
	cfg, err := makeConfig(nil)
	if err != nil {
		os.Exit(96)
	}
	record := args[0]
	var observe func(*Seen)
	if record != "" {
		r, err := Record(record, false, nil, time.Now(), func(s string) { fmt.Fprintln(os.Stderr, "note", s) })
		if err != nil {
			fmt.Fprintln(os.Stderr, "note", err)
			os.Exit(2)
		}
		defer r.Close()
		observe = r.Frame
	}
	code := Run(RunOptions{
		Options: Options{Config: cfg, Observe: observe}, Command: args[1:],
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Grace: 300 * time.Millisecond,
		Note: func(s string) { fmt.Fprintln(os.Stderr, "note", s) },
	})
	fmt.Fprintf(os.Stderr, "peak %d KiB\n", peak())
	os.Exit(code)
}

// peak is the most memory that this process has had resident, in KiB; 0 where
// the system does not tell.
func peak() int {
	status, _ := os.ReadFile("/proc/self/status")
	_, rest, ok := strings.Cut(string(status), "VmHWM:")
	if !ok {
		return 0
	}
	n, _ := strconv.Atoi(strings.Fields(rest)[0])
	return n
}

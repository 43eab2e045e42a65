package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"time"
)

// times are durations of one kind.
type times []time.Duration

func (t times) at(q float64) time.Duration {
	s := slices.Sorted(slices.Values(t))
	return s[int(q*float64(len(s)-1))]
}

func (t times) median() time.Duration { return t.at(0.5) }

// session is a running server, maybe behind something, and a client's two pipes
// to it.
type session struct {
	cmds []*exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	line []byte
}

// start starts a server in the given role, behind the guard unless that is "".
func start(guard, role string) (*session, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self)
	if guard != "" {
		cmd = exec.Command(guard, "guard", "--", self)
	}
	cmd.Env = append(os.Environ(), roleKey+"="+role)
	s := &session{cmds: []*exec.Cmd{cmd}}
	if s.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.out = bufio.NewReaderSize(out, 256<<10)
	return s, cmd.Start()
}

// startCat is a server whose answers go through cat.
func startCat(role string) (*session, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	server, cat := exec.Command(self), exec.Command("cat")
	server.Env = append(os.Environ(), roleKey+"="+role)
	s := &session{cmds: []*exec.Cmd{server, cat}}
	if s.in, err = server.StdinPipe(); err != nil {
		return nil, err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	server.Stdout, cat.Stdin = w, r
	out, err := cat.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.out = bufio.NewReaderSize(out, 256<<10)
	for _, c := range s.cmds {
		if err := c.Start(); err != nil {
			return nil, err
		}
	}
	r.Close()
	w.Close()
	return s, nil
}

func (s *session) close() error {
	s.in.Close()
	io.Copy(io.Discard, s.out)
	for _, c := range s.cmds {
		if err := c.Wait(); err != nil {
			return fmt.Errorf("%s: %w", c.Path, err)
		}
	}
	return nil
}

// cpu is the processor time that the session's programs took, those that they
// started among them.
func (s *session) cpu() (d time.Duration) {
	for _, c := range s.cmds {
		d += c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	}
	return d
}

// ping sends one call and waits for its answer.
func (s *session) ping(id int) error {
	s.line = request(s.line[:0], id)
	if _, err := s.in.Write(s.line); err != nil {
		return err
	}
	_, err := s.out.ReadSlice('\n')
	return err
}

type rates struct{ cat, guarded float64 } // MB/s

func throughput(guard string, megabytes, rounds int) (r rates, err error) {
	var cat, guarded times
	for range rounds {
		s, err := startCat("stream")
		if err != nil {
			return r, err
		}
		d, err := stream(s, megabytes)
		if err != nil {
			return r, err
		}
		cat = append(cat, d)
		if s, err = start(guard, "stream"); err != nil {
			return r, err
		}
		if d, err = stream(s, megabytes); err != nil {
			return r, err
		}
		guarded = append(guarded, d)
	}
	mb := float64(megabytes)
	return rates{mb / cat.median().Seconds(), mb / guarded.median().Seconds()}, nil
}

// stream asks for megabytes of results, at most window ahead, and reads them.
func stream(s *session, megabytes int) (time.Duration, error) {
	n := megabytes * 1e6 / resultSize
	if err := s.ping0(); err != nil { // the programs have started
		return 0, err
	}
	const window = 64
	ahead := make(chan struct{}, window)
	failed := make(chan error, 1)
	from := time.Now()
	go func() {
		var line []byte
		for i := range n {
			ahead <- struct{}{}
			line = request(line[:0], i+1)
			if _, err := s.in.Write(line); err != nil {
				failed <- err
				return
			}
		}
		failed <- nil
	}()
	for range n {
		if err := s.skip(); err != nil {
			return 0, err
		}
		<-ahead
	}
	took := time.Since(from)
	if err := <-failed; err != nil {
		return 0, err
	}
	return took, s.close()
}

func (s *session) ping0() error {
	if _, err := s.in.Write(request(nil, 0)); err != nil {
		return err
	}
	return s.skip()
}

// skip reads one line of any length.
func (s *session) skip() error {
	for {
		_, err := s.out.ReadSlice('\n')
		if err != bufio.ErrBufferFull {
			return err
		}
	}
}

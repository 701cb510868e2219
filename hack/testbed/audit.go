package testbed

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// auditPolicy has every request that may write logged when it arrives and when it was answered. Left out are the API
// server's own bookkeeping and reviews, which are questions put as a create.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [ResponseStarted]
rules:
- level: None
  verbs: [get, list, watch]
- level: None
  users: ["system:apiserver"]
- level: None
  resources:
  - group: authentication.k8s.io
  - group: authorization.k8s.io
- level: Metadata
`

// Write is one mutating request as the API server itself saw it, refused ones included. Its name is empty where the
// API server is asked to generate one.
type Write struct {
	Verb                                          string // create, update, patch, delete or deletecollection
	Group, Resource, Subresource, Namespace, Name string
	User, UserAgent                               string
	DryRun                                        bool
	Code                                          int // HTTP status of the answer
}

// String reads like `patch topics.kafka-dedup.dev/status team-a/orders by operator (200)`.
func (w Write) String() string {
	resource, name, dryRun := w.Resource, w.Name, ""
	if w.Group != "" {
		resource += "." + w.Group
	}
	if w.Subresource != "" {
		resource += "/" + w.Subresource
	}
	if w.Namespace != "" {
		name = w.Namespace + "/" + w.Name
	}
	if w.DryRun {
		dryRun = ", dry run"
	}
	return fmt.Sprintf("%s %s %s by %s (%d%s)", w.Verb, resource, name, w.User, w.Code, dryRun)
}

// auditPatience bounds how long an answer may be missing in the log for a request that is there.
const auditPatience = 10 * time.Second

// auditLog reads the API server's audit log as it grows. The server writes it in blocking mode: a request is in the log
// before it is handled, so a write that any client has seen the effect of is there.
type auditLog struct {
	path string

	mu     sync.Mutex
	offset int64
	writes []Write
	index  map[string]int // audit ID → position in writes
	open   int            // requests that are not answered yet
}

// since returns the writes after the first n, in the order of their arrival. It waits for those in progress.
func (l *auditLog) since(ctx context.Context, n int) ([]Write, error) {
	ctx, cancel := context.WithTimeout(ctx, auditPatience)
	defer cancel()
	for {
		writes, open, err := l.read()
		if err != nil {
			return nil, fmt.Errorf("reading the API server's audit log: %w", err)
		}
		if open == 0 {
			return writes[min(n, len(writes)):], nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("%d writes are not answered yet, the last known one is %s: %w", open, writes[len(writes)-1], ctx.Err())
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// read takes in what was appended since the last time, whole lines only.
func (l *auditLog) read() (writes []Write, open int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	file, err := os.Open(l.path)
	if err != nil {
		return nil, 0, err
	}
	defer file.Close()
	if _, err := file.Seek(l.offset, io.SeekStart); err != nil {
		return nil, 0, err
	}
	for reader := bufio.NewReader(file); ; {
		line, err := reader.ReadBytes('\n')
		if err == io.EOF {
			return slices.Clip(l.writes), l.open, nil
		}
		if err != nil {
			return nil, 0, err
		}
		var event auditEvent
		if err := json.Unmarshal(line, &event); err != nil {
			return nil, 0, err
		}
		l.offset += int64(len(line))
		l.add(event)
	}
}

func (l *auditLog) add(event auditEvent) {
	at, known := l.index[event.AuditID]
	if !known {
		if l.index == nil {
			l.index = map[string]int{}
		}
		at = len(l.writes)
		l.index[event.AuditID] = at
		l.writes = append(l.writes, Write{})
		l.open++
	}
	l.writes[at] = event.write() // the answer also knows the name that a create had in its body
	if event.Stage != "RequestReceived" {
		l.open--
	}
}

// auditEvent is the part of an audit.k8s.io/v1 Event that says who wrote what.
type auditEvent struct {
	AuditID    string `json:"auditID"`
	Stage      string `json:"stage"`
	RequestURI string `json:"requestURI"`
	Verb       string `json:"verb"`
	User       struct {
		Username string `json:"username"`
	} `json:"user"`
	ImpersonatedUser *struct {
		Username string `json:"username"`
	} `json:"impersonatedUser"`
	UserAgent string `json:"userAgent"`
	ObjectRef struct {
		APIGroup    string `json:"apiGroup"`
		Resource    string `json:"resource"`
		Subresource string `json:"subresource"`
		Namespace   string `json:"namespace"`
		Name        string `json:"name"`
	} `json:"objectRef"`
	ResponseStatus struct {
		Code int `json:"code"`
	} `json:"responseStatus"`
}

func (e auditEvent) write() Write {
	user := e.User.Username
	if e.ImpersonatedUser != nil {
		user = e.ImpersonatedUser.Username
	}
	return Write{
		Verb: e.Verb, Group: e.ObjectRef.APIGroup, Resource: e.ObjectRef.Resource, Subresource: e.ObjectRef.Subresource,
		Namespace: e.ObjectRef.Namespace, Name: e.ObjectRef.Name,
		User: user, UserAgent: e.UserAgent, Code: e.ResponseStatus.Code,
		DryRun: strings.Contains(e.RequestURI, "dryRun="),
	}
}

package mcp

import (
	"encoding/json"
	"slices"
)

// The versions of the protocol, newest first. The first one has no initialize: it is stated in every request.
var (
	statelessVersions = []string{"2026-07-28"}
	sessionVersions   = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}
)

const batchVersion = "2025-03-26"

// What a request or a result of a stateless version says about its sender.
const (
	versionKey = "io.modelcontextprotocol/protocolVersion"
	serverKey  = "io.modelcontextprotocol/serverInfo"
)

// listLifetime is how long a client may keep the list of tools, in milliseconds. It never changes while a server runs.
const listLifetime = 3_600_000

// An era says in which form a request is answered.
type era int

const (
	withSession era = iota
	stateless
)

// eraOf returns the era of a request, which may be written for a version that the server does not have.
func (c *connection) eraOf(m message) (era, *Error) {
	var params struct {
		Meta map[string]json.RawMessage `json:"_meta"`
	}
	if json.Unmarshal(m.Params, &params) != nil || params.Meta[versionKey] == nil || m.Method == "initialize" {
		return withSession, nil
	}
	var version string
	if err := json.Unmarshal(params.Meta[versionKey], &version); err != nil {
		return withSession, &Error{Code: codeParams, Message: versionKey + " must be a string"}
	}
	if !slices.Contains(statelessVersions, version) {
		data := map[string]any{"supported": allVersions(), "requested": version}
		return stateless, &Error{Code: codeBadProtocol, Message: "unsupported protocol version", Data: data}
	}
	return stateless, nil
}

func allVersions() []string { return slices.Concat(statelessVersions, sessionVersions) }

func (e era) complete(result map[string]any, s *Server) map[string]any {
	if e == stateless {
		result["resultType"] = "complete"
		result["_meta"] = map[string]any{serverKey: s.identity()}
	}
	return result
}

// cacheable adds how long a result may be kept.
func (e era) cacheable(result map[string]any) map[string]any {
	if e == stateless {
		result["ttlMs"], result["cacheScope"] = listLifetime, "public"
	}
	return result
}

func (s *Server) identity() map[string]any {
	return map[string]any{"name": s.Name, "version": s.Version}
}

// capabilities says that there are tools, and that their list does not change.
func (s *Server) capabilities() map[string]any { return map[string]any{"tools": map[string]any{}} }

// version returns what initialize agreed on, or "".
func (c *connection) version() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.negotiated
}

// answer answers a request that takes no time.
func (c *connection) answer(m message) *response {
	e, err := c.eraOf(m)
	if m.Method == "server/discover" && err == nil {
		e = stateless // older versions do not have it
	}
	if err != nil {
		return failed(m.ID, err)
	}
	result, err := c.result(m, e)
	if err != nil {
		return failed(m.ID, err)
	}
	return answered(m.ID, e.complete(result, c.server))
}

func (c *connection) result(m message, e era) (map[string]any, *Error) {
	switch m.Method {
	case "initialize":
		return c.initialize(m.Params)
	case "server/discover":
		return e.cacheable(map[string]any{"supportedVersions": allVersions(), "capabilities": c.server.capabilities(),
			"instructions": c.server.Instructions}), nil
	case "ping":
		return map[string]any{}, nil
	case "tools/list":
		return c.list(m.Params, e)
	}
	return nil, &Error{Code: codeNoMethod, Message: "there is no method " + clipped(m.Method)}
}

// initialize agrees on a version: the client's, or else the newest of ours, with which the client may disagree.
func (c *connection) initialize(params json.RawMessage) (map[string]any, *Error) {
	var p struct {
		Version string `json:"protocolVersion"`
	}
	if err := json.Unmarshal(params, &p); err != nil || p.Version == "" {
		return nil, &Error{Code: codeParams, Message: "initialize needs a protocolVersion"}
	}
	version := p.Version
	if !slices.Contains(sessionVersions, version) {
		version = sessionVersions[0]
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.negotiated = version
	return map[string]any{
		"protocolVersion": version, "capabilities": c.server.capabilities(), "serverInfo": c.server.identity(),
		"instructions": c.server.Instructions,
	}, nil
}

// list lists the tools. There is one page of them.
func (c *connection) list(params json.RawMessage, e era) (map[string]any, *Error) {
	var p struct {
		Cursor *string `json:"cursor"`
	}
	if len(params) > 0 && json.Unmarshal(params, &p) != nil || p.Cursor != nil {
		return nil, &Error{Code: codeParams, Message: "there is only one page of tools"}
	}
	tools := make([]map[string]any, len(c.server.Tools))
	for i := range c.server.Tools {
		tools[i] = c.server.Tools[i].describe()
	}
	return e.cacheable(map[string]any{"tools": tools}), nil
}

// clipped returns a name of the client for a message: short, because it may be anything.
func clipped(name string) string {
	const most = 64
	if len(name) > most {
		name = name[:most] + "…"
	}
	quoted, _ := json.Marshal(name) // a string always is JSON
	return string(quoted)
}

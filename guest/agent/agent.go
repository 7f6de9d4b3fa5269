// SPDX-License-Identifier: Apache-2.0

package main

import (
	"log"
	"net"
	"net/http"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"dev.ramet/agent/workspace"
)

// agent answers the host. See the README for the list of its endpoints.
type agent struct {
	settings    settings
	handover    handover
	users       userFiles
	processes   processTable
	watches     watchTable
	connections connections
	system      system
	freezer     freezer
	cpu         cpuMeter
	starter     *starter // nil until something is started
	volumes     volumes
	workspaces  workspaces

	templateName, startLog string
	trustFiles             trustFiles
}

func newAgent(defaultUser string) *agent {
	return &agent{
		settings:    settings{user: defaultUser},
		handover:    handover{device: withPorts},
		users:       userFiles{passwd: "/etc/passwd", group: "/etc/group"},
		processes:   processTable{keepEnded: 30 * time.Second, all: make(map[int]*process)},
		watches:     watchTable{all: make(map[string]*keptWatch)},
		connections: connections{open: make(map[net.Conn]struct{})},
		system:      realSystem(),
		volumes:     volumes{mounts: make(map[volumeMount]*mountedVolume)},

		templateName: filepath.Join(ownDir(), templateName),
		startLog:     filepath.Join(ownDir(), startLogName),
		trustFiles:   systemTrustFiles(),
	}
}

type route struct {
	method string
	public bool // needs no access token
	handle http.HandlerFunc
}

func (a *agent) routes(path string) []route {
	switch path {
	case "/health":
		return []route{{"GET", true, a.health}}
	case "/init":
		return []route{{"POST", true, a.init}} // checks the caller itself
	case "/ready":
		return []route{{"POST", false, a.forHost(a.readiness)}}
	case "/settle":
		return []route{{"POST", false, a.forHost(a.settle)}}
	case "/template":
		return []route{{"POST", false, a.forHost(a.makeTemplate)}}
	case "/trust":
		return []route{{"POST", false, a.forHost(a.trust)}}
	case "/unpack":
		return []route{{"POST", false, a.forHost(a.unpack)}}
	case "/freeze":
		return []route{{"POST", false, a.forHost(a.freeze)}}
	case "/thaw":
		return []route{{"POST", false, a.forHost(a.thaw)}}
	case "/volume":
		return []route{{"POST", false, a.forHost(a.volume)}}
	case "/metrics":
		return []route{{"GET", false, a.metrics}}
	case "/envs":
		return []route{{"GET", false, a.envs}}
	case "/files":
		return []route{{"GET", true, a.readFile}, {"POST", true, a.writeFile}}
	case "/process.Process/Start":
		return []route{{"POST", false, a.start}}
	case "/process.Process/Connect":
		return []route{{"POST", false, a.connect}}
	case "/process.Process/List":
		return []route{{"POST", false, a.list}}
	case "/process.Process/SendInput":
		return []route{{"POST", false, a.sendInput}}
	case "/process.Process/SendSignal":
		return []route{{"POST", false, a.sendSignal}}
	case "/process.Process/CloseStdin":
		return []route{{"POST", false, a.closeStdin}}
	case "/filesystem.Filesystem/Stat":
		return []route{{"POST", false, a.stat}}
	case "/filesystem.Filesystem/ListDir":
		return []route{{"POST", false, a.listDir}}
	case "/filesystem.Filesystem/MakeDir":
		return []route{{"POST", false, a.makeDir}}
	case "/filesystem.Filesystem/Move":
		return []route{{"POST", false, a.move}}
	case "/filesystem.Filesystem/Remove":
		return []route{{"POST", false, a.remove}}
	case "/process.Process/StreamInput":
		return []route{{"POST", false, a.streamInput}}
	case "/process.Process/Update":
		return []route{{"POST", false, a.update}}
	case "/filesystem.Filesystem/WatchDir":
		return []route{{"POST", false, a.watchDir}}
	case "/filesystem.Filesystem/CreateWatcher":
		return []route{{"POST", false, a.createWatcher}}
	case "/filesystem.Filesystem/GetWatcherEvents":
		return []route{{"POST", false, a.watcherEvents}}
	case "/filesystem.Filesystem/RemoveWatcher":
		return []route{{"POST", false, a.removeWatcher}}
	case "/files/compose":
		return []route{{"POST", false, unimplemented}}
	}
	if strings.HasPrefix(path, workspace.Prefix) {
		return []route{{"GET", false, a.forHost(a.workspace)}, {"POST", false, a.forHost(a.workspace)}}
	}
	return nil
}

func (a *agent) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer recovered(w, r)
	routes := a.routes(r.URL.Path)
	if routes == nil {
		writeError(w, http.StatusNotFound, "no such endpoint: "+r.URL.Path)
		return
	}
	var allowed []string
	for _, route := range routes {
		allowed = append(allowed, route.method)
		if r.Method != route.method {
			continue
		}
		if !route.public && !a.settings.tokenMatches(r.Header.Get("X-Access-Token")) {
			refuse(w, r)
			return
		}
		route.handle(w, r)
		return
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	writeError(w, http.StatusMethodNotAllowed, r.Method+" is not allowed for "+r.URL.Path)
}

func isRPC(r *http.Request) bool { return strings.Contains(r.URL.Path, ".") }

func refuse(w http.ResponseWriter, r *http.Request) {
	const message = "a valid X-Access-Token is required"
	if isRPC(r) {
		writeUnaryError(w, failed(codeUnauthenticated, message))
	} else {
		writeError(w, http.StatusUnauthorized, message)
	}
}

func unimplemented(w http.ResponseWriter, r *http.Request) {
	message := r.URL.Path + " is not supported by this agent"
	if isRPC(r) {
		writeUnaryError(w, failed(codeUnimplemented, message))
	} else {
		writeError(w, http.StatusNotImplemented, message)
	}
}

// recovered keeps a panic in one request from ending the agent, and with it the clients of all
// processes.
func recovered(w http.ResponseWriter, r *http.Request) {
	if cause := recover(); cause != nil {
		if cause == http.ErrAbortHandler {
			panic(cause)
		}
		log.Printf("%s %s: %v\n%s", r.Method, r.URL.Path, cause, debug.Stack())
		writeError(w, http.StatusInternalServerError, "the agent failed; its log says more")
	}
}

func (a *agent) health(w http.ResponseWriter, r *http.Request) {
	w.WriteHeader(http.StatusNoContent)
}

func (a *agent) envs(w http.ResponseWriter, r *http.Request) {
	env := a.settings.defaultEnv()
	if env == nil {
		env = map[string]string{}
	}
	writeJSON(w, http.StatusOK, env)
}

// userOf returns the user that a call names, with Basic authorization and no password.
func (a *agent) userOf(r *http.Request) (account, error) {
	name, _, _ := r.BasicAuth()
	return a.userNamed(name)
}

func (a *agent) userNamed(name string) (account, error) {
	if name == "" {
		name = a.settings.defaultUser()
	}
	return a.users.lookup(name)
}

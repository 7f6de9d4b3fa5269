// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func templateFixture(t *testing.T) *fixture {
	f := newFixture(t)
	f.agent.templateName = filepath.Join(t.TempDir(), "own", "template.json")
	f.agent.startLog = filepath.Join(t.TempDir(), "start.log")
	return f
}

func (f *fixture) template(body string) answer {
	return f.do("POST", "/template", "application/json", body)
}

func TestATemplatesEnvironmentUserAndDirectoryHoldForAllCommands(t *testing.T) {
	f := templateFixture(t)
	dir := t.TempDir()
	f.want(f.template(`{"envVars":{"COLOR":"green","SIZE":"9"},"user":"tester","workdir":"`+dir+`"}`), 204, "")
	f.want(f.do("POST", "/init", "application/json", `{"envVars":{"SIZE":"10"}}`), 204, "")
	f.want(f.do("GET", "/envs", "", ""), 200, `{"COLOR":"green","SIZE":"10"}`)
	if got := f.agent.settings.defaultWorkdir(); got != dir {
		t.Errorf("directory %q", got)
	}

	// A later template inherits it; so does a machine that boots.
	f.want(f.template(`{"envVars":{"SHAPE":"round"}}`), 204, "")
	booted := newAgent("root")
	booted.users, booted.templateName = f.agent.users, f.agent.templateName
	if starts, err := booted.bootTemplate(true); starts || err != nil {
		t.Error(starts, err)
	}
	env := booted.settings.defaultEnv()
	if len(env) != 3 || env["COLOR"] != "green" || env["SHAPE"] != "round" || booted.settings.defaultUser() != "tester" ||
		booted.settings.defaultWorkdir() != dir {
		t.Errorf("%v %q %q", env, booted.settings.defaultUser(), booted.settings.defaultWorkdir())
	}
}

func TestATemplatesCommandTakesThePlaceOfTheEarlierOne(t *testing.T) {
	f := templateFixture(t)
	dir := t.TempDir()
	f.want(f.template(`{"workdir":"`+dir+`","envVars":{"COLOR":"green"},"start":"echo $COLOR >first; exec sleep 100"}`), 204, "")
	first := f.agent.starter.process
	// It has to have begun, or there is nothing to take the place of.
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(dir, "first")); err == nil {
			break
		}
	}
	f.want(f.template(`{"start":"sleep 0.3; touch second; exec sleep 100","ready":"test -e second"}`), 204, "")
	f.want(f.do("POST", "/ready", "", ""), 204, "")
	select {
	case <-first.exited:
	case <-time.After(time.Second):
		t.Error("the first still runs")
	}
	for _, name := range []string{"first", "second"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	f.want(f.template(`{"start":"echo no such luck; exit 4"}`), 204, "")
	f.want(f.do("POST", "/ready", "", ""), 424, "no such luck")
}

func TestATemplateThatCannotBeIsRefusedAndChangesNothing(t *testing.T) {
	f := templateFixture(t)
	for body, says := range map[string]string{
		`{`:                           "unexpected end",
		`{"user":"nobody-at-all"}`:    "nobody-at-all",
		`{"workdir":"/nowhere"}`:      "/nowhere",
		`{"envVars":{"A=B":"x"}}`:     "A=B",
		`{"start":"echo \u0000"}`:     "zero byte",
		`{"envVars":{"A":"\u0000"}}`:  "zero byte",
		`{"envVars":{"A":["1","2"]}}`: "cannot unmarshal",
	} {
		f.want(f.template(body), 400, says)
	}
	if _, err := os.Stat(f.agent.templateName); !os.IsNotExist(err) {
		t.Error(err)
	}
}

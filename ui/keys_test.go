package ui

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/ui/copies"
	"mcpdbg/ui/detail"
	"mcpdbg/ui/fleet"
	"mcpdbg/ui/help"
	"mcpdbg/ui/home"
	"mcpdbg/ui/host"
	"mcpdbg/ui/problems"
	"mcpdbg/ui/process"
	"mcpdbg/ui/send"
	"mcpdbg/ui/server"
	"mcpdbg/ui/steer"
	"mcpdbg/ui/traffic"
	"mcpdbg/ui/widget/keymap"
	"mcpdbg/ui/widget/paint"

	"mcpdbg/ui/compare"
)

// typedList are the keys of lists that typing narrows.
const typedList = `down,ctrl+n:*-down up,ctrl+p:*-up pgdown:*-page-down pgup:*-page-up home:*-top end:*-bottom ctrl+u:*-clear`

// composing are the keys of the composer that a form and a text share.
const composing = `ctrl+s:send ctrl+t:compose-view ctrl+e:compose-editor ctrl+r:compose-older ctrl+y:compose-newer f6:compose-clear f2:compose-copy`

// answering are the keys of a question in both views, and filling those of a form.
const (
	answering = `ctrl+s:answer-send ctrl+t:answer-view ctrl+e:answer-editor ctrl+x:answer-decline f7:answer-cancel ctrl+o:answer-always f5:answer-other f3:answer-call f2:answer-copy esc:answer-later`
	filling   = `enter:*-forward tab:*-complete shift+tab,up:*-previous down:*-next ctrl+n:*-add f8:*-remove ctrl+g:*-leave-out f9:*-null`
)

// boundKeys are the keys of each scope with the names of their actions; * is the scope.
var boundKeys = []struct{ scope, keys string }{
	{keymap.Global, `f1,ctrl+_,ctrl+/:menu-typing esc:back ctrl+c:interrupt ctrl+l:redraw ctrl+z:suspend
		j,down:down k,up:up pgup:page-up pgdown:page-down ctrl+u:half-page-up ctrl+d:half-page-down g,home:top G,end:bottom h,left:left l,right:right
		enter:open /:search n:next-match N:previous-match tab:next-pane shift+tab:previous-pane ?:help q:quit
		1:sessions 2:traffic 3:detail 4:stderr 5:events z:zoom {:lower }:higher w:timeline t:time :,ctrl+p:palette !:what-is-wrong L:findings V:evidence
		C:catalog c:compose A:answer r:resend R:edit-resend x:cancel =:compare-calls f:filter F:follow e:next-error E:previous-error s:next-slow S:previous-slow
		m:mark ':next-mark ":previous-mark ;:note B:notes y:copy-menu p:partner b:view-pair ` + "`" + `,backspace:jump-back T:time-zero W:time-clock
		I:info K:kill ctrl+r:restart O:open-session <:previous-session >:next-session D:compare U:replay ctrl+g:grid M:mouse Q:quit-now
		space:play ,,.:step-back,step-on [,]:slower,faster H,J:previous-point,next-point @:go-to-moment shift+left,shift+right:second-back,second-on
		ctrl+left,ctrl+right:ten-seconds-back,ten-seconds-on (,):percent-back,percent-on
		Z:watch-pause ctrl+w:watch-now d:watch-rest ctrl+y:watch-always`},
	{traffic.Scope, `+:unfold -:fold-flood *:fold-floods o:only-these`},
	{detail.Scope, `v:view +:expand-all -:fold *:collapse-all |:jq ctrl+s:save-part ctrl+o:view-part ctrl+t:markdown`},
	{scopeLog, `v:log-panes`},
	{traffic.ScopeWaterfall, `+:waterfall-zoom-in -:waterfall-zoom-out a:waterfall-whole v:*-next-tab s:waterfall-slowest t,q,esc:*-close j:*-down ctrl+u:*-page-up g:*-top`},
	{traffic.ScopeSequence, `p:sequence-partner v:*-next-tab t,q,esc:*-close`},
	{traffic.ScopeLatency, `o:latency-sort O:latency-reverse space:latency-histogram s:latency-slowest v:*-next-tab t,q,esc:*-close`},
	{compare.Scope, `p:compare-half e:compare-next E:compare-previous v:compare-view i:compare-ignore u:compare-undo w:compare-accept O:compare-rules a:compare-open-a b:compare-open-b
		d:compare-only z:compare-unfold V:compare-reveal r:compare-call-again ctrl+r:compare-again esc:compare-close q:compare-quit g:compare-first G:compare-last`},
	{problems.ScopeCauses, `enter:trouble-evidence ctrl+r:trouble-restart !,q,esc:close-trouble I:trouble-process y:trouble-report`},
	{problems.ScopeList, `/:find-finding ctrl+r:finding-restart !:finding-why I:finding-process y:finding-report q,esc:close-findings j:*-down G:*-bottom`},
	{process.ScopePane, `v:environment-values x:kill-one K:process-stop g,home:*-top G,end:*-bottom q,esc:close-process`},
	{help.ScopePalette, typedList + ` enter:palette-run esc:palette-close`},
	{server.ScopeCatalog, typedList + ` enter:catalog-open tab:catalog-next-list ctrl+r:catalog-reload ctrl+t:catalog-side ctrl+s:catalog-subscribe`},
	{home.Scope, typedList + ` enter:home-open tab:home-edit ctrl+r:home-reload`},
	{copies.ScopeNotes, typedList + ` enter:go-to-note`},
	{scopeSessions, `f2:rename-session delete:remove-session`},
	{send.ScopeComposerText, composing + ` tab:complete-word ctrl+g:presets f4:compose-newline`},
	{send.ScopeComposerForm, strings.NewReplacer(":", ":form-").Replace(composing) + ` ` + filling + ` f7:form-compose-task`},
	{send.ScopeAnswer, answering + ` ` + filling},
	{send.ScopeAnswerJSON, strings.ReplaceAll(answering, ":", ":json-")},
	{scopePrompt, `enter:accept tab:complete up:prompt-earlier down:prompt-later ctrl+u:prompt-clear esc:close-prompt`},
	{detail.ScopeJQ, `enter:jq-keep tab:jq-complete up:jq-earlier down:jq-later ctrl+u:jq-clear ctrl+y:jq-copy`},
	{scopeDialog, `y:yes a:always n,esc,enter:no`},
	{fleet.Scope, `r:grid-fresh e:grid-next-failed E:grid-previous-failed f:grid-failed s:grid-sort F:grid-follow y:grid-copy 1:grid-opened x:grid-stop`},
}

// TestKeysAreBound checks that each key has its action in each scope.
func TestKeysAreBound(t *testing.T) {
	table := Actions()
	for _, of := range boundKeys {
		for _, word := range strings.Fields(of.keys) {
			at := strings.LastIndexByte(word, ':')
			keys, ids := strings.Split(word[:at], ","), strings.Split(strings.ReplaceAll(word[at+1:], "*", of.scope), ",")
			if word[:at] == ",,." {
				keys = []string{",", "."}
			}
			for i, key := range keys {
				if key == "" {
					continue
				}
				action, ok := table.Lookup(of.scope, key)
				require.True(t, ok, "%s does nothing in %s", key, of.scope)
				require.Equal(t, ids[min(i, len(ids)-1)], action.ID, "%s in %s", key, of.scope)
			}
		}
	}
}

// TestDigitsArePanes checks that digits lead to panes, and do nothing else anywhere.
func TestDigitsArePanes(t *testing.T) {
	table := Actions()
	panes := []string{actSessions, actTraffic, actDetail, actStderr, actEvents, steer.ActFocus, "grid-opened"}
	for _, scope := range append(slices.Clone(scopes), keymap.Scope{ID: keymap.Global}) {
		for _, a := range table.Reachable(scope.ID) {
			for _, key := range a.Keys {
				require.False(t, len(key) == 1 && key >= "0" && key <= "9" && !slices.Contains(panes, a.ID), "%s is %s in %s", key, a.ID, scope.ID)
			}
		}
	}
}

// TestScopesAddToTheirParents checks that no scope has a key with two meanings: neither
// twice itself, nor one of the main screen next to it.
func TestScopesAddToTheirParents(t *testing.T) {
	for _, scope := range scopes {
		seen := map[string]string{}
		for _, a := range Actions().Reachable(scope.ID) {
			for _, key := range a.Keys {
				require.Empty(t, seen[key], "%s in %s", key, scope.ID)
				seen[key] = a.ID
			}
		}
		require.Contains(t, []string{help.ActMenuTyping, host.ActHelp}, seen["f1"], scope.ID)
	}
}

// TestWhatAsks checks that only actions ask that end or may change something that was not
// just written by hand.
func TestWhatAsks(t *testing.T) {
	want := []string{
		actQuit, host.ActInterrupt, "grid-quit", "grid-stop", host.ActRestart, "policy-restart", "kill-this", actRemoveSession, "export-write",
		host.ActReplay, actResend, "watch-rest", "watch-always", "drop",
	}
	asking := map[string]bool{}
	for _, scope := range append(slices.Clone(scopes), keymap.Scope{ID: keymap.Global}) {
		for _, a := range Actions().Reachable(scope.ID) {
			if a.Asks != "" {
				asking[a.ID] = true
			}
		}
	}
	require.ElementsMatch(t, want, slices.Collect(maps.Keys(asking)))
}

// TestHintsAreKept checks that hints that did not change cost no allocation.
func TestHintsAreKept(t *testing.T) {
	inBubble(t, 120, 36, echo, func(t *testing.T, d *driver, _ *fakeExecutor) {
		l := &paint.Line{}
		hints := func() {
			l.Reset(120, d.screen.Look())
			d.canvas.paintHints(d.visible, l)
		}
		hints()
		require.Zero(t, testing.AllocsPerRun(100, hints))
	})
}

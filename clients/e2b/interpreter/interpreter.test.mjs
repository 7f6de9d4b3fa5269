// SPDX-License-Identifier: Apache-2.0
//
// The unmodified client of the code interpreter.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { Sandbox, api, create, library, track } from '../test/host.mjs'

let sandbox

before(async () => {
  sandbox = await create()
})

test('results, output, errors', async () => {
  const sum = await sandbox.runCode('x = 41\nprint("said")\nx + 1')
  assert.equal(sum.text, '42')
  assert.deepEqual(sum.logs.stdout, ['said\n'])
  assert.equal(sum.error, undefined)
  assert.equal(sum.executionCount, 1)
  assert.equal((await sandbox.runCode('x')).text, '41')
  const failed = await sandbox.runCode('def f():\n  return 1 / 0\nf()')
  assert.equal(failed.error.name, 'ZeroDivisionError')
  assert.equal(failed.error.value, 'division by zero')
  assert.match(failed.error.traceback, /line 2, in f\n +return 1 \/ 0/)
  assert.equal((await sandbox.runCode('if')).error.name, 'SyntaxError')
  const both = await sandbox.runCode('import os\nos.system("echo out; echo err >&2")\nNone')
  assert.deepEqual([both.logs.stdout.join(''), both.logs.stderr.join('')], ['out\n', 'err\n'])
  const text = await sandbox.runCode('"üñ€" * 50_000')
  assert.equal(text.text, `'${'üñ€'.repeat(50_000)}'`)
})

test('rich results', async () => {
  const shown = []
  const code = `
class Table:
  def _repr_html_(self): return '<table></table>'
  def _repr_png_(self): return b'\\x89PNG'
display(Table())
Table()`
  const { results } = await sandbox.runCode(code, { onResult: (result) => shown.push(result) })
  assert.equal(results.length, 2)
  assert.deepEqual(results.map((result) => result.isMainResult), [false, true])
  assert.equal(results[1].html, '<table></table>')
  assert.equal(results[1].png, Buffer.from('\x89PNG', 'latin1').toString('base64'))
  assert.equal(shown.length, 2)
})

test('contexts, languages, environment', async () => {
  await sandbox.runCode('here = 1')
  const other = await sandbox.createCodeContext({ cwd: '/tmp' })
  assert.equal((await sandbox.runCode('here', { context: other })).error.name, 'NameError')
  assert.equal((await sandbox.runCode('import os; os.getcwd()', { context: other })).text, "'/tmp'")
  await sandbox.runCode('there = 1', { context: other })
  await sandbox.restartCodeContext(other)
  assert.equal((await sandbox.runCode('there', { context: other })).error.name, 'NameError')
  assert.ok((await sandbox.listCodeContexts()).some((context) => context.id === other.id))
  await sandbox.removeCodeContext(other)
  await assert.rejects(sandbox.runCode('1', { context: other }), library.NotFoundError)
  const shell = await sandbox.runCode('y=5; cd /; echo $LOCAL', { language: 'bash', envs: { LOCAL: 'l' } })
  assert.deepEqual(shell.logs.stdout, ['l\n'])
  assert.equal((await sandbox.runCode('echo $y$LOCAL $PWD', { language: 'bash' })).logs.stdout.join(''), '5 /\n')
  assert.equal((await sandbox.runCode('import os; os.environ["LOCAL"]', { envs: { LOCAL: 'l' } })).text, "'l'")
  assert.equal((await sandbox.runCode('os.environ.get("LOCAL") is None')).text, 'True')
  await assert.rejects(sandbox.runCode('1', { language: 'r' }), /400/)
})

test('streaming, and a client that leaves', async () => {
  const times = []
  await sandbox.runCode('import time\nfor i in range(3):\n  print(i, flush=True)\n  time.sleep(0.4)', {
    onStdout: () => times.push(Date.now()),
  })
  assert.equal(times.length, 3)
  assert.ok(times[2] - times[0] > 400)
  await assert.rejects(sandbox.runCode('kept = 7\ntime.sleep(100)', { timeoutMs: 1500 }), library.TimeoutError)
  // The code was told to stop, its context goes on.
  assert.equal((await sandbox.runCode('kept')).text, '7')
})

test('what was computed comes along: rollback, fork', async () => {
  const source = await create()
  await source.runCode('import os\nvalue = [1]\npid = os.getpid()')
  const snapshot = await source.createSnapshot()
  await source.runCode('value.append(2)')
  const rolledBack = await api(`/sandboxes/${source.sandboxId}/rollback`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ snapshotID: snapshot.snapshotId }),
  })
  assert.equal(rolledBack.status, 200)
  assert.equal((await source.runCode('value, pid == os.getpid()')).text, '([1], True)')
  const child = track(await Sandbox.create(snapshot.snapshotId, { timeoutMs: 300_000 }))
  await child.runCode('value.append(3)')
  assert.equal((await child.runCode('value, pid == os.getpid()')).text, '([1, 3], True)')
  assert.equal((await source.runCode('value')).text, '[1]')
})

test('the interpreter of a closed sandbox is there for who has its token', async () => {
  const closed = await create({ network: { allowPublicTraffic: false } })
  assert.equal((await closed.runCode('1 + 1')).text, '2')
  const headers = { 'E2b-Sandbox-Id': closed.sandboxId, 'E2b-Sandbox-Port': '49999' }
  assert.equal((await api('/contexts', { headers })).status, 403)
})

// SPDX-License-Identifier: Apache-2.0
//
// The unmodified client of the code interpreter, with TLS.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { create } from '../test/host.mjs'

test('results, and output as it comes', async () => {
  const sandbox = await create()
  const seen = []
  const began = Date.now()
  const code = 'import time\nprint("one", flush=True)\ntime.sleep(1)\nprint("two", flush=True)\n6 * 7'
  const run = await sandbox.runCode(code, { onStdout: (said) => seen.push([said.line, Date.now() - began]) })
  assert.equal(run.text, '42')
  assert.deepEqual(run.logs.stdout.join(''), 'one\ntwo\n')
  assert.ok(seen.at(-1)[1] - seen[0][1] > 800)
  assert.equal((await sandbox.runCode('1 / 0')).error.name, 'ZeroDivisionError')
})

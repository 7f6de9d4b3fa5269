// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Sandbox, api, create, eventually, library, sleep } from './host.mjs'

test('create, connect, look at, kill', async () => {
  const metadata = { 'k e': 'v/1&', ü: '100%' }
  const sandbox = await create({ metadata, envs: { GREETING: 'hello' } })
  const info = await sandbox.getInfo()
  assert.equal(info.sandboxId, sandbox.sandboxId)
  assert.equal(info.state, 'running')
  assert.deepEqual(info.metadata, metadata)
  assert.ok(info.endAt - info.startedAt > 290_000)
  assert.equal(await sandbox.isRunning(), true)

  const same = await Sandbox.connect(sandbox.sandboxId)
  assert.equal((await same.commands.run('echo $GREETING')).stdout, 'hello\n')

  assert.equal(await sandbox.kill(), true)
  assert.equal(await sandbox.kill(), false)
  assert.equal(await sandbox.isRunning(), false)
  await assert.rejects(Sandbox.connect(sandbox.sandboxId), library.SandboxNotFoundError)
  await assert.rejects(sandbox.setTimeout(1000), library.SandboxNotFoundError)
  await assert.rejects(sandbox.getInfo(), library.SandboxNotFoundError)
})

test('list with filters and pages', async () => {
  const mark = `mark-${process.pid}`
  const sandboxes = []
  for (let i = 0; i < 3; i++) sandboxes.push(await create({ metadata: { mark, 'n&=': `${i}%` } }))
  await sandboxes[2].pause()
  const ids = async (query, limit) => {
    const found = []
    for (const pages = Sandbox.list({ query, limit }); pages.hasNext; ) {
      const page = await pages.nextItems()
      assert.ok(page.length <= (limit ?? 100))
      found.push(...page.map((one) => one.sandboxId))
    }
    return found
  }
  const all = sandboxes.map((one) => one.sandboxId)
  assert.deepEqual(await ids({ metadata: { mark } }, 2), all.toReversed())
  assert.deepEqual(await ids({ metadata: { mark, 'n&=': '1%' } }), [all[1]])
  assert.deepEqual(await ids({ metadata: { mark }, state: ['paused'] }), [all[2]])
  assert.deepEqual(await ids({ metadata: { mark }, state: ['running'] }), [all[1], all[0]])
  assert.deepEqual(await ids({ metadata: { mark: 'other' } }), [])
  for (const one of sandboxes) assert.equal(await one.kill(), true)
})

test('a sandbox ends at its time, to a second', async () => {
  const sandbox = await create({ timeoutMs: 60_000 })
  const from = Date.now()
  await sandbox.setTimeout(3_000)
  await eventually(async () => !(await sandbox.isRunning()))
  const took = Date.now() - from
  assert.ok(took > 2_900 && took < 4_500, `${took} ms`)
})

test('connecting puts the end off and never brings it nearer', async () => {
  const sandbox = await create({ timeoutMs: 100_000 })
  const end = (await sandbox.getInfo()).endAt
  await sandbox.connect({ timeoutMs: 1_000 })
  assert.deepEqual((await sandbox.getInfo()).endAt, end)
  await sandbox.connect({ timeoutMs: 200_000 })
  assert.ok((await sandbox.getInfo()).endAt - end > 90_000)
})

test('metrics', async () => {
  const sandbox = await create()
  const [load] = await sandbox.getMetrics()
  assert.equal(load.cpuCount, 1)
  assert.ok(load.memUsed > 0 && load.memUsed < load.memTotal)
  assert.ok(load.diskUsed > 0 && load.diskUsed < load.diskTotal)
  assert.ok(Math.abs(load.timestamp - Date.now()) < 60_000)
  await sleep(1_100)
  assert.ok((await sandbox.getMetrics()).length >= 2)
  await sandbox.kill()
  await assert.rejects(sandbox.getMetrics(), library.SandboxNotFoundError)
})

test('what is wrong is said', async () => {
  await assert.rejects(Sandbox.create('no-such-template'), (error) => /404/.test(error.message))
  const refused = await api('/v2/sandboxes', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"templateID":7}',
  })
  assert.equal(refused.status, 400)
  assert.equal((await refused.json()).code, 400)
})

test('without its token an agent does nothing', async () => {
  const sandbox = await create()
  const headers = { 'E2b-Sandbox-Id': sandbox.sandboxId, 'E2b-Sandbox-Port': '49983' }
  const call = { method: 'POST', body: '{}', headers: { ...headers, 'Content-Type': 'application/json' } }
  assert.equal((await api('/process.Process/List', call)).status, 401)
  assert.equal((await api('/files?path=/etc/passwd', { headers })).status, 401)
  assert.equal((await api('/init', call)).status, 404)
  assert.equal((await api('/health', { headers })).status, 204)
})

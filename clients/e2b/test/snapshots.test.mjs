// SPDX-License-Identifier: Apache-2.0
//
// Beyond what the library checks itself: that memory and running processes really came along.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Sandbox, api, create, eventually, library, sleep, track } from './host.mjs'

// A program whose state is in memory alone, in its own variables and on /tmp.
async function startCounter(sandbox) {
  await sandbox.files.write('/tmp/in-memory', 'kept')
  const loop = 'i=0; while true; do i=$((i+1)); echo $i; sleep 0.1; done'
  const counter = await sandbox.commands.run(loop, { background: true, timeoutMs: 0 })
  await eventually(() => counter.stdout.includes('5\n'))
  await counter.disconnect()
  return { pid: counter.pid, reached: Number(counter.stdout.trim().split('\n').at(-1)) }
}

// The same process goes on from where it was, and its stream can be picked up.
async function assertGoesOn(sandbox, counter) {
  assert.equal(await sandbox.files.read('/tmp/in-memory'), 'kept')
  const again = await sandbox.commands.connect(counter.pid, { timeoutMs: 0 })
  const numbers = await eventually(() => {
    const all = again.stdout.trim().split('\n').map(Number)
    return all.length > 5 && all
  })
  assert.ok(numbers[0] > 1, `it began again: ${numbers}`)
  assert.ok(numbers.at(-1) > counter.reached)
  numbers.forEach((n, i) => assert.equal(n, numbers[0] + i, 'no number is missing'))
  await again.disconnect()
}

test('pause and resume with memory', async () => {
  const sandbox = await create()
  const counter = await startCounter(sandbox)
  assert.equal(await sandbox.pause(), true)
  assert.equal(await sandbox.pause(), false)
  assert.equal((await sandbox.getInfo()).state, 'paused')
  assert.equal(await sandbox.isRunning(), false)
  const same = await Sandbox.connect(sandbox.sandboxId, { timeoutMs: 100_000 })
  assert.equal((await same.getInfo()).state, 'running')
  await assertGoesOn(same, counter)
  await same.pause()
  assert.equal(await same.kill(), true)
  await assert.rejects(Sandbox.connect(same.sandboxId), library.SandboxNotFoundError)
})

test('pause without memory', async () => {
  const sandbox = await create({ envs: { NAME: 'value' } })
  await sandbox.files.write('/root/on-disk', 'kept')
  await startCounter(sandbox)
  assert.equal(await sandbox.pause({ keepMemory: false }), true)
  await sandbox.connect()
  assert.equal(await sandbox.files.read('/root/on-disk'), 'kept')
  assert.equal(await sandbox.files.exists('/tmp/in-memory'), false)
  assert.deepEqual(await sandbox.commands.list(), [])
  assert.equal((await sandbox.commands.run('echo $NAME')).stdout, 'value\n')
})

test('pause at the end, and a request that wakes', async () => {
  const sandbox = await create({
    timeoutMs: 300_000,
    lifecycle: { onTimeout: 'pause', autoResume: true },
  })
  assert.deepEqual((await sandbox.getInfo()).lifecycle, { onTimeout: 'pause', autoResume: true })
  const counter = await startCounter(sandbox)
  await sandbox.setTimeout(2_000)
  await eventually(async () => (await sandbox.getInfo()).state === 'paused')
  await sleep(500)
  assert.equal(await sandbox.files.read('/tmp/in-memory'), 'kept')
  assert.equal((await sandbox.getInfo()).state, 'running')
  await sandbox.setTimeout(100_000)
  await assertGoesOn(sandbox, counter)
})

test('pause at the end without waking', async () => {
  const sandbox = await create({ timeoutMs: 1_500, lifecycle: { onTimeout: 'pause' } })
  await eventually(async () => (await sandbox.getInfo()).state === 'paused')
  assert.equal(await sandbox.isRunning(), false)
  await sandbox.connect({ timeoutMs: 60_000 })
  assert.equal(await sandbox.isRunning(), true)
})

test('snapshot, create from it, list, delete', async () => {
  const sandbox = await create()
  const counter = await startCounter(sandbox)
  const snapshot = await sandbox.createSnapshot()
  await sandbox.files.write('/tmp/in-memory', 'changed')
  const other = track(await Sandbox.create(snapshot.snapshotId))
  assert.notEqual(other.sandboxId, sandbox.sandboxId)
  await assertGoesOn(other, counter)
  assert.equal(await sandbox.files.read('/tmp/in-memory'), 'changed')

  const pages = Sandbox.listSnapshots({ sandboxId: sandbox.sandboxId, limit: 1 })
  assert.deepEqual((await pages.nextItems()).map((one) => one.snapshotId), [snapshot.snapshotId])
  assert.equal(pages.hasNext, false)
  assert.equal(await Sandbox.deleteSnapshot(snapshot.snapshotId), true)
  assert.equal(await Sandbox.deleteSnapshot(snapshot.snapshotId), false)
  await assertGoesOn(other, counter) // deleted for new ones; those it has go on
  await assert.rejects(Sandbox.create(snapshot.snapshotId))
})

test('snapshots of one name', async () => {
  const sandbox = await create()
  const name = `work-${process.pid}`
  const take = async (what, as) => {
    await sandbox.files.write('/tmp/in-memory', what)
    return (await sandbox.createSnapshot({ name: as })).snapshotId
  }
  const held = async (reference) => {
    const other = track(await Sandbox.create(reference))
    const content = await other.files.read('/tmp/in-memory')
    await other.kill()
    return content
  }
  const list = async (of) => (await Sandbox.listSnapshots({ name: of }).nextItems()).map((one) => one.snapshotId)
  const first = await take('first', name)
  const green = await take('green', `${name}:green`)
  const second = await take('second', name)
  assert.equal(await held(name), 'second')
  assert.equal(await held(`${name}:green`), 'green')
  assert.equal(await held(first), 'first')
  await assert.rejects(Sandbox.create(`${name}:blue`), /not found/)
  const said = await (await api(`/snapshots/${name}:blue`)).json()
  assert.match(said.remedy, /default, green/)
  // The older library has no filter by names.
  if (process.env.E2B_LIBRARY !== 'e2b-older') {
    assert.deepEqual(await list(name), [second, green, first])
    assert.deepEqual(await list(`${name}:green`), [green])
    assert.deepEqual(await list(`${name}:blue`), [])
  }
  assert.equal(await Sandbox.deleteSnapshot(`${name}:default`), true)
  assert.equal(await Sandbox.deleteSnapshot(`${name}:default`), false)
  await assert.rejects(Sandbox.create(name), /not found/)
  assert.equal(await Sandbox.deleteSnapshot(name), true)
  assert.equal(await Sandbox.deleteSnapshot(green), false)
  assert.equal(await Sandbox.deleteSnapshot(first), false)
})

test('fork', async () => {
  const sandbox = await create()
  const counter = await startCounter(sandbox)
  const forks = await sandbox.fork({ count: 2, timeoutMs: 100_000 })
  assert.equal(forks.length, 2)
  for (const fork of forks) {
    const child = track(fork.sandbox ?? fork)
    await assertGoesOn(child, counter)
    await child.files.write('/tmp/in-memory', child.sandboxId)
  }
  await assertGoesOn(sandbox, counter)
})

test('rollback keeps the id and brings processes back', async () => {
  const sandbox = await create()
  const counter = await startCounter(sandbox)
  const { snapshotId } = await sandbox.createSnapshot()
  await sandbox.commands.kill(counter.pid)
  await sandbox.commands.run('rm -rf /tmp/in-memory /root')
  const answer = await api(`/sandboxes/${sandbox.sandboxId}/rollback`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ snapshotID: snapshotId }),
  })
  assert.equal(answer.status, 200)
  await assertGoesOn(sandbox, counter)
})

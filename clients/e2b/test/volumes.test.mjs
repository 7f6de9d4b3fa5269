// SPDX-License-Identifier: Apache-2.0
//
// Volumes: made, filled and read from outside, and seen by sandboxes.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { api, create, library, track } from './host.mjs'

const { Volume } = library
const made = []
const name = (what) => `${what}-${process.pid}`

// After the hook of host.mjs, which ends the sandboxes that have them.
after(async () => {
  for (const volume of made) await Volume.destroy(volume.volumeId)
})

async function volumeNamed(what) {
  const volume = await Volume.create(name(what))
  made.push(volume)
  return volume
}

test('create, list, look at, connect, destroy', async () => {
  const volume = await volumeNamed('life')
  assert.equal(volume.name, name('life'))
  assert.ok(volume.token.length >= 32)
  assert.ok((await Volume.list()).some((one) => one.volumeId === volume.volumeId && one.name === volume.name))
  assert.equal((await Volume.getInfo(volume.volumeId)).token, volume.token)
  await volume.writeFile('/f', 'kept')
  assert.equal(await (await Volume.connect(volume.volumeId)).readFile('/f'), 'kept')
  await assert.rejects(Volume.create(volume.name), /there is already a volume named/)
  await assert.rejects(Volume.create('no/name'))
  assert.equal(await Volume.destroy(volume.volumeId), true)
  assert.equal(await Volume.destroy(volume.volumeId), false)
  await assert.rejects(Volume.getInfo(volume.volumeId), library.VolumeNotFoundError ?? /not found/)
})

test('files and directories from outside', async () => {
  const volume = await volumeNamed('content')
  const written = await volume.writeFile('/hello.txt', 'hello', { uid: 1000, gid: 1000, mode: 0o600 })
  assert.deepEqual(
    [written.name, written.path, written.type, written.size, written.uid, written.gid, written.mode],
    ['hello.txt', '/hello.txt', library.VolumeFileType.FILE, 5, 1000, 1000, 0o600],
  )
  assert.ok(Math.abs(written.mtime - Date.now()) < 600_000, `${written.mtime}`)
  assert.equal(await volume.readFile('/hello.txt'), 'hello')
  await volume.writeFile('/hello.txt', new Uint8Array([0, 255, 10]).buffer)
  assert.deepEqual([...(await volume.readFile('/hello.txt', { format: 'bytes' }))], [0, 255, 10])
  assert.equal((await volume.getInfo('/hello.txt')).mode, 0o600, 'stays')
  await assert.rejects(volume.writeFile('/hello.txt', 'x', { force: false }), /already exists/)
  await volume.writeFile('/empty', '')
  assert.equal(await volume.readFile('/empty'), '')

  await assert.rejects(volume.writeFile('/no/such/file', 'x'), library.VolumePathNotFoundError)
  await assert.rejects(volume.makeDir('/a/b/c'), library.VolumePathNotFoundError)
  const dir = await volume.makeDir('/a/b/c', { force: true, mode: 0o700 })
  assert.deepEqual([dir.type, dir.mode, dir.path], [library.VolumeFileType.DIRECTORY, 0o700, '/a/b/c'])
  await assert.rejects(volume.makeDir('/a/b/c'), /already exists/)
  await volume.writeFile('/a/b/Zürich ü', 'x')
  assert.deepEqual((await volume.list('/')).map((e) => e.path), ['/a', '/empty', '/hello.txt'])
  assert.deepEqual((await volume.list('/a', { depth: 2 })).map((e) => e.path), ['/a/b', '/a/b/Zürich ü', '/a/b/c'])
  assert.equal((await volume.updateMetadata('/a', { mode: 0o711, uid: 5 })).mode, 0o711)
  assert.equal((await volume.getInfo('/a')).uid, 5)
  assert.equal(await volume.exists('/a/b/c'), true)
  await volume.remove('/a')
  assert.equal(await volume.exists('/a'), false)
  await assert.rejects(volume.remove('/a'), library.VolumePathNotFoundError)
  await assert.rejects(volume.readFile('/..'))
  await assert.rejects(volume.list('/hello.txt'), library.VolumePathNotFoundError)
})

test('a large file as a stream', async () => {
  const volume = await volumeNamed('large')
  const piece = new Uint8Array(1 << 20).map((_, i) => i % 251)
  const pieces = 24
  let sent = 0
  const body = new ReadableStream({
    pull(controller) {
      if (sent++ === pieces) controller.close()
      else controller.enqueue(piece)
    },
  })
  assert.equal((await volume.writeFile('/large', body)).size, pieces * piece.length)
  let at = 0
  for await (const chunk of await volume.readFile('/large', { format: 'stream' })) {
    for (const byte of chunk) assert.equal(byte, (at++ % piece.length) % 251)
  }
  assert.equal(at, pieces * piece.length)
})

test('only who has the token reads and writes', async () => {
  const volume = await volumeNamed('secret')
  const other = await volumeNamed('other')
  for (const token of [other.token, process.env.E2B_API_KEY, 'wrong']) {
    const stranger = new Volume(volume.volumeId, volume.name, token, volume.domain, volume.debug)
    await assert.rejects(stranger.readFile('/f'))
    await assert.rejects(stranger.writeFile('/f', 'x'))
    await assert.rejects(stranger.list('/'))
  }
  assert.deepEqual(await volume.list('/'), [])
})

test('sandboxes share a volume, and forks have it', async () => {
  const volume = await volumeNamed('shared')
  await volume.writeFile('/from-outside', 'hello')
  const volumeMounts = { '/mnt/shared': volume }
  const one = await create({ volumeMounts })
  const two = await create({ volumeMounts: { '/mnt/two': volume.name } })
  assert.deepEqual((await one.getInfo()).volumeMounts, [{ name: volume.name, path: '/mnt/shared' }])
  assert.equal(await one.files.read('/mnt/shared/from-outside'), 'hello')
  await one.files.write('/mnt/shared/dir/file', 'by the agent')
  assert.equal((await two.commands.run('cat /mnt/two/dir/file')).stdout, 'by the agent')
  await two.commands.run('echo by a command >> /mnt/two/dir/file')
  assert.match(await volume.readFile('/dir/file'), /by the agentby a command/)
  await volume.writeFile('/dir/file', 'from outside')
  assert.equal(await one.files.read('/mnt/shared/dir/file'), 'from outside')
  await assert.rejects(Volume.destroy(volume.volumeId), /in use/)

  const [fork] = await one.fork({ count: 1, timeoutMs: 100_000 })
  const child = track(fork.sandbox ?? fork)
  await child.commands.run('echo forked > /mnt/shared/forked')
  assert.equal(await one.files.read('/mnt/shared/forked'), 'forked\n')
  assert.deepEqual((await child.getInfo()).volumeMounts, [{ name: volume.name, path: '/mnt/shared' }])
  assert.equal(await one.pause(), true)
  await two.commands.run('echo changed > /mnt/two/forked')
  await one.connect()
  assert.equal(await one.files.read('/mnt/shared/forked'), 'changed\n')
  for (const sandbox of [one, two, child]) await sandbox.kill()
  assert.equal(await Volume.destroy(volume.volumeId), true)
})

test('mounts that cannot be are refused', async () => {
  const volume = await volumeNamed('refused')
  const listed = async () => (await (await api('/v2/sandboxes')).json()).length
  const before = await listed()
  await assert.rejects(create({ volumeMounts: { '/mnt': 'no-such-volume' } }), /not found/)
  for (const path of ['/', 'relative', '/proc/x', '/a/../b', '/a//b', '/etc']) {
    await assert.rejects(create({ volumeMounts: { [path]: volume } }), /volumeMounts/)
  }
  await assert.rejects(create({ volumeMounts: { '/a': volume, '/a/b': volume } }), /volumeMounts/)
  assert.equal(await listed(), before)
})

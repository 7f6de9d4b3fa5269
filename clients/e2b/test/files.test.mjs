// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { create, eventually, library } from './host.mjs'

let files
let sandbox

before(async () => {
  sandbox = await create()
  files = sandbox.files
})

test('write and read in every format', async () => {
  const info = await files.write('/tmp/a/b c/ü.txt', 'höllo')
  assert.equal(info.path, '/tmp/a/b c/ü.txt')
  assert.equal(await files.read('/tmp/a/b c/ü.txt'), 'höllo')
  const bytes = Uint8Array.from({ length: 300_000 }, (_, i) => i % 251)
  await files.write('bytes', bytes.buffer)
  assert.deepEqual(await files.read('bytes', { format: 'bytes' }), bytes)
  assert.equal((await files.read('bytes', { format: 'blob' })).size, 300_000)
  const chunks = []
  for await (const chunk of await files.read('bytes', { format: 'stream' })) chunks.push(chunk)
  assert.deepEqual(new Uint8Array(Buffer.concat(chunks)), bytes)
  await files.write('stream', new Blob(['from a blob']).stream())
  assert.equal(await files.read('stream'), 'from a blob')
  await files.write('empty', '')
  assert.equal(await files.read('empty'), '')
})

test('several files at once', async () => {
  const written = await files.write([
    { path: 'many/one', data: '1' },
    { path: 'many/two', data: '2' },
  ])
  assert.deepEqual(written.map((one) => one.name), ['one', 'two'])
  assert.equal(await files.read('many/two'), '2')
})

test('compressed both ways', async () => {
  const text = 'compressible '.repeat(10_000)
  await files.write('packed', text, { gzip: true })
  assert.equal((await files.getInfo('packed')).size, text.length)
  assert.equal(await files.read('packed', { gzip: true }), text)
})

test('metadata go with the file, and a write replaces them', async () => {
  await files.write('meta', '1', { metadata: { author: 'me', run: '7' } })
  assert.deepEqual((await files.getInfo('meta')).metadata, { author: 'me', run: '7' })
  await files.rename('meta', 'meta2')
  assert.deepEqual((await files.getInfo('meta2')).metadata, { author: 'me', run: '7' })
  await files.write('meta2', '2')
  assert.equal((await files.getInfo('meta2')).metadata, undefined)
})

test('directories', async () => {
  assert.equal(await files.makeDir('dir/in/dir'), true)
  assert.equal(await files.makeDir('dir'), false)
  await files.write('dir/in/file', 'x')
  const shallow = await files.list('dir')
  assert.deepEqual(shallow.map((one) => [one.name, one.type]), [['in', 'dir']])
  const deep = (await files.list('dir', { depth: 3 })).map((one) => one.path.replace(/.*\/dir\/in/, ''))
  assert.deepEqual(deep.toSorted(), ['', '/dir', '/file'])
  assert.equal(await files.exists('dir/in/file'), true)
  await files.remove('dir')
  assert.equal(await files.exists('dir/in/file'), false)
  await assert.rejects(files.list('dir'), library.NotFoundError)
})

test('owners and what stat says', async () => {
  await files.write('mine', 'x', { user: 'user' })
  const info = await files.getInfo('mine', { user: 'user' })
  assert.equal(info.path, '/home/user/mine')
  assert.equal(info.owner, 'user')
  assert.equal(info.permissions, '-rw-r--r--')
  assert.ok(Math.abs(info.modifiedTime - Date.now()) < 60_000)
  await sandbox.commands.run('ln -s mine link', { user: 'user' })
  assert.equal((await files.getInfo('link', { user: 'user' })).symlinkTarget, 'mine')
})

test('errors', async () => {
  await assert.rejects(files.read('nothing'), library.NotFoundError)
  await assert.rejects(files.getInfo('nothing'), library.NotFoundError)
  await assert.rejects(files.read('/tmp'), library.InvalidArgumentError)
  await assert.rejects(files.write('/tmp', 'x'), library.InvalidArgumentError)
  await assert.rejects(files.read('x', { user: 'nobody-there' }), library.AuthenticationError)
})

test('watch a directory and what is below it', async () => {
  const { FilesystemEventType: type } = library
  await files.makeDir('watched')
  await files.write('watched/old', '1')
  const seen = []
  const watch = await files.watchDir('watched', (event) => seen.push(event), { recursive: true })
  const has = (name, kind) => eventually(() => seen.some((e) => e.name === name && e.type === kind))
  await files.write('watched/old', '2')
  await has('old', type.WRITE)
  await files.write('watched/new/deep', '1')
  await has('new', type.CREATE)
  await has('new/deep', type.CREATE)
  await files.rename('watched/old', 'watched/renamed')
  await has('old', type.RENAME)
  await has('renamed', type.CREATE)
  await sandbox.commands.run('chmod 600 watched/renamed')
  await has('renamed', type.CHMOD)
  await files.remove('watched/renamed')
  await has('renamed', type.REMOVE)
  await watch.stop()
  assert.ok(!seen.some((event) => event.name.includes('upload')), JSON.stringify(seen))
  await assert.rejects(files.watchDir('nowhere', () => {}), library.NotFoundError)
})

test('signed URLs', async () => {
  const path = '/tmp/signed file'
  await files.write(path, 'by URL')
  const read = await sandbox.downloadUrl(path, { useSignatureExpiration: 60 })
  const answer = await fetch(read)
  assert.equal(answer.status, 200)
  assert.equal(await answer.text(), 'by URL')
  const other = await fetch(read.replace('signed', 'other'))
  assert.equal(other.status, 401)
  const late = await fetch(await sandbox.downloadUrl(path, { useSignatureExpiration: -5 }))
  assert.equal(late.status, 401)
  assert.equal((await late.json()).message, 'signature is already expired')

  const form = new FormData()
  form.append('file', new Blob(['uploaded']), 'name')
  const upload = await fetch(await sandbox.uploadUrl('/tmp/up'), { method: 'POST', body: form })
  assert.equal(upload.status, 200)
  assert.equal(await files.read('/tmp/up'), 'uploaded')
})

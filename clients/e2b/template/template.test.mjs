// SPDX-License-Identifier: Apache-2.0
//
// Templates that a program writes down and has built. They need a key of an administrator.
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Sandbox, api, eventually, library, track } from '../test/host.mjs'

const { BuildError, Template, waitForFile } = library
const name = `check-${process.pid}`
const context = await mkdtemp(join(tmpdir(), 'ramet-template-'))
const built = []

after(async () => {
  for (const one of built) await api(`/templates/${one}`, { method: 'DELETE' })
  await rm(context, { recursive: true })
})

// What the older library sends is the same: once is enough for what the host does with it.
const testOnce = process.env.E2B_LIBRARY === 'e2b-older' ? () => {} : test

const template = () => Template({ fileContextPath: context })

async function build(what, as, options = {}) {
  const said = []
  const made = await Template.build(what, as, { onBuildLogs: (entry) => said.push(entry), ...options })
  built.push(made.templateId)
  return { ...made, said: said.map((entry) => entry.message) }
}

test('run, copy, environment, directory, user, start and ready', async () => {
  await mkdir(join(context, 'app/sub'), { recursive: true })
  await writeFile(join(context, 'app/sub/file'), 'copied')
  await writeFile(join(context, 'app/left-out.log'), '')
  await symlink('sub/file', join(context, 'app/link'))
  await writeFile(join(context, 'tool.sh'), '#!/bin/sh\necho tool $1\n')
  // More than a request to the API may hold, and not to be compressed.
  await writeFile(join(context, 'large'), Buffer.from(Array.from({ length: 3 << 20 }, (_, i) => (i * i * 7919) >>> 5)))
  await writeFile(join(context, '.dockerignore'), '**/*.log\n')
  const { said, templateId } = await build(
    template()
      .fromTemplate('micro')
      .setEnvs({ GREETING: 'hello', WIDE: '${GREETING}, "all" of \\$5 `world`' })
      .copy('app', '/srv/app', { user: 'user' })
      .copy('tool.sh', '/usr/local/bin/tool', { mode: 0o755 })
      .copy('large', '/srv/', { gzip: false })
      .runCmd('mkdir /srv/work && chown user /srv/work')
      .setUser('user')
      .setWorkdir('/srv/work')
      .runCmd(['whoami >who', 'echo "$WIDE" >wide', 'echo so to say', 'echo as an error >&2'])
      .runCmd('whoami', { user: 'root' })
      .makeDir('made', { mode: 0o700 })
      .rename('wide', 'made/wide')
      .makeSymlink('made/wide', 'link')
      .remove('who')
      .copy('tool.sh', 'here/')
      .setWorkdir('made')
      .setStartCmd('echo $GREETING $(whoami) >started; exec sleep 100000', waitForFile('started')),
    name,
    { skipCache: true },
  )
  for (const line of ['so to say', 'as an error', 'root']) assert.ok(said.includes(line), `${line} in ${said}`)
  assert.ok(said.some((line) => line.includes('RUN whoami >who')))
  assert.equal(await Template.exists(name), true)
  assert.equal((await Template.getTags(name))[0].tag, 'default')

  for (const id of [name, templateId]) {
    const sandbox = track(await Sandbox.create(id, { envs: { MORE: 'of it' }, timeoutMs: 300_000 }))
    const run = async (command, options) => (await sandbox.commands.run(command, options)).stdout.trim()
    assert.equal(await run('pwd; whoami; echo $GREETING $MORE'), '/srv/work/made\nuser\nhello of it')
    assert.equal(await run('cat wide ../link started'), 'hello, "all" of $5 `world`\nhello, "all" of $5 `world`\nhello user')
    assert.equal(await run('stat -c %a .'), '700')
    assert.equal(await run('tool works; cat ../here/tool.sh | head -n 1; ls ..'), 'tool works\n#!/bin/sh\nhere\nlink\nmade')
    assert.equal(await run('cd /srv/app; cat link; stat -c "%U %n" . sub sub/file; ls'), 'copieduser .\nuser sub\nuser sub/file\nlink\nsub')
    assert.equal(await run('stat -c "%s %U" /srv/large', { cwd: '/' }), `${3 << 20} root`)
    assert.match(await run('ps'), /sleep 100000/)
    await sandbox.kill()
  }
})

testOnce('a template of a template, with more memory, which boots', async () => {
  await build(template().fromTemplate(name).setEnvs({ SECOND: '2' }).runCmd('echo $GREETING $SECOND >both'), `${name}-2`, {
    cpuCount: 1,
    memoryMB: 192,
  })
  const sandbox = track(await Sandbox.create(`${name}-2`, { timeoutMs: 300_000 }))
  assert.equal((await sandbox.getInfo()).memoryMB, 192)
  const { stdout } = await sandbox.commands.run('cat both; pwd; whoami; ps')
  assert.match(stdout, /^hello 2\n\/srv\/work\/made\nuser\n/)
  // It was started anew, once.
  assert.equal(stdout.match(/sleep 100000/g).length, 1)
  await sandbox.kill()
})

const exists = async (id) => (await api(`/templates/${id}`)).status === 200

async function versionOf(reference) {
  const sandbox = track(await Sandbox.create(reference, { timeoutMs: 300_000 }))
  const { stdout } = await sandbox.commands.run('cat /version')
  await sandbox.kill()
  return stdout.trim()
}

testOnce('versions by tags', async () => {
  const web = `${name}-3`
  const version = (number) => template().fromTemplate('micro').runCmd(`echo ${number} >/version`)
  const tags = async () => (await Template.getTags(web)).map(({ tag, buildId }) => `${tag} ${buildId}`)
  const first = await build(version(1), web)
  const second = await build(version(2), `${web}:v2`, { tags: ['next'] })
  assert.deepEqual(first.tags, ['default'])
  assert.deepEqual(second.tags, ['next', 'v2'])
  assert.deepEqual(await tags(), [`default ${first.templateId}`, `next ${second.templateId}`, `v2 ${second.templateId}`])
  for (const one of await Template.getTags(web)) assert.ok(Math.abs(Date.now() - one.createdAt) < 600_000)
  assert.equal(await versionOf(web), '1')
  assert.equal(await versionOf(`${web}:v2`), '2')
  assert.equal(await Template.exists(`${web}:v2`), true)
  assert.equal(await Template.exists(`${web}:v3`), false)
  await assert.rejects(Sandbox.create(`${web}:v3`), /not found/)
  await assert.rejects(Template.build(template().fromTemplate(`${web}:v3`), `${web}:v4`), /not found.*default, next, v2/)

  const { buildId, tags: assigned } = await Template.assignTags(`${web}:v2`, ['default', 'stable'])
  assert.equal(buildId, second.templateId)
  assert.deepEqual(assigned, ['default', 'stable'])
  assert.equal(await versionOf(web), '2')
  assert.equal(await exists(first.templateId), true, 'it stays without tags')
  await assert.rejects(Template.removeTags(web, ['stable', 'none']), /not found/)
  await Template.removeTags(web, ['stable', 'next', 'v2'])
  assert.deepEqual(await tags(), [`default ${second.templateId}`])
  await assert.rejects(Template.assignTags(`${web}:v2`, 'v1'), /not found/)
  await assert.rejects(Template.assignTags(web, 'v 1'), /tags/)

  // Built again, the version that has lost its last tag by that gives way; the other stays.
  const third = await build(version(3), web)
  assert.equal(await versionOf(web), '3')
  assert.equal(await exists(second.templateId), false)
  await Template.assignTags(first.templateId, 'v1')
  assert.equal(await versionOf(`${web}:v1`), '1')
  assert.equal((await api(`/templates/${encodeURIComponent(`${web}:v1`)}`, { method: 'DELETE' })).status, 204)
  assert.deepEqual(await tags(), [`default ${third.templateId}`])
})

test('a step that fails', async () => {
  const other = `${name}-failed`
  const failing = template().fromTemplate('micro').runCmd('true').runCmd('echo the reason why >&2; exit 3').runCmd('true')
  await assert.rejects(Template.build(failing, other), (error) => {
    assert.ok(error instanceof BuildError)
    assert.match(error.message, /exit status 3(.|\n)*the reason why/)
    return true
  })
  assert.equal(await Template.exists(other), false)
  for (const [what, says] of [
    [template().fromTemplate('micro').setUser('nobody-at-all'), /nobody-at-all/],
    [template().fromTemplate('micro').setStartCmd('echo no luck; exit 4', 'false'), /exit status 4(.|\n)*no luck/],
    [template().fromTemplate('none-such'), /none-such/],
    [template().fromImage('python:3.12'), /no images from registries.*--oci FILE --name python-3\.12/],
  ]) {
    await assert.rejects(Template.build(what, other), says)
  }
  assert.equal(await Template.exists(other), false)
})

test('what is asked in vain', async () => {
  await assert.rejects(Template.build(template().fromTemplate('micro'), name, { tags: ['v/1'] }), /tags/)
  await assert.rejects(Template.build(template().fromTemplate('micro'), `${name}:v1:v2`), /name/)
  await assert.rejects(Template.assignTags('none-such', 'v1'), /not found/)
  await assert.rejects(Template.build(template().fromTemplate('micro'), 'a/b'), /name/)
  const unknown = await api('/templates/t0000000000000000000/files/' + 'a'.repeat(64))
  assert.equal(unknown.status, 404)
})

testOnce('nothing is left of a build that was cancelled', async () => {
  const other = `${name}-cancelled`
  const begun = await Template.buildInBackground(template().fromTemplate('micro').runCmd('sleep 1000'), other)
  const status = () => Template.getBuildStatus(begun)
  await eventually(async () => (await status()).logEntries.some((entry) => entry.message.includes('sleep 1000')))
  const running = await (await api('/operations?state=running&kind=template.derive')).json()
  assert.equal(running.length, 1)
  assert.equal((await api(`/operations/${running[0].operationID}`, { method: 'DELETE' })).status, 202)
  await eventually(async () => (await status()).status === 'error')
  assert.match((await status()).reason.message, /cancelled/)
  assert.equal(await Template.exists(other), false)
})

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { dataFolder, poll, root, startProcess } from './servers/real-process.ts'

/** A folder as npm leaves it that was asked to install the package, and nothing else, from its tarball. */
function installPacked(folder: string): string {
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--loglevel=error', '--pack-destination', folder], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).replace(/^[^[]*/, ''),
  ) as [{ filename: string }]
  const modules = join(folder, 'node_modules')
  mkdirSync(modules)
  execFileSync('tar', ['xzf', join(folder, packed.filename), '-C', modules])
  execFileSync('mv', [join(modules, 'package'), join(modules, 'gatehouse')])
  // What npm would fetch is here already.
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (!name.startsWith('.cache')) symlinkSync(join(root, 'node_modules', name), join(modules, name))
  }
  return join(modules, 'gatehouse')
}

test('what npm packs runs where npm installs it, and brings its console along, built', async (t) => {
  const folder = dataFolder(t)
  const place = installPacked(folder)
  assert.ok(!existsSync(join(place, 'console', 'main.tsx')), 'the sources of the console are not needed')
  assert.ok(!existsSync(join(place, 'test')) && !existsSync(join(place, 'package-lock.json')))
  const command = [process.execPath, join(place, 'bin', 'gatehouse.mjs'), 'serve', '--json']
  const server = startProcess({ GATEHOUSE_DATA: join(folder, 'data') }, command)
  await poll('it is ready', () => server.output().includes('\n') || server.child.exitCode !== null, 120_000)
  const { url } = JSON.parse(server.output() || '{}')
  assert.ok(url, server.log())
  const page = await fetch(`${url}/`, { headers: { accept: 'text/html' } })
  const html = await page.text()
  assert.equal(page.status, 200)
  const [script] = /\/assets\/main-[^"]+\.js/.exec(html) ?? []
  assert.ok(script, html)
  assert.equal((await fetch(url + script)).status, 200)
  assert.equal((await fetch(`${url}/openapi.json`)).status, 200)
  server.child.kill('SIGTERM')
  assert.equal(await server.ended, 0, server.log())
})

import assert from 'node:assert/strict'
import { chmodSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { chooseIdentity, succeedsAs } from '../cluster/identity.ts'
import { temporaryFolder } from '../process/test-owner-process.ts'
import { prepareArchive, walFolder } from './wal-archive.ts'

test('an archive whose folders are not there yet is made so that PostgreSQL can write there, also by root', async (t) => {
  const folder = temporaryFolder()
  t.after(() => rmSync(folder, { recursive: true }))
  chmodSync(folder, 0o711)
  const identity = chooseIdentity(join(folder, 'cluster'), folder)
  const archive = join(folder, 'of', 'everything', 'id')
  await prepareArchive(archive, identity)
  assert.ok(await succeedsAs(identity, '/bin/sh', ['-c', 'cd -- "$1" && : > kept', 'sh', walFolder(archive)]))
})

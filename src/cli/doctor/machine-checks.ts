import { accessSync, constants, existsSync } from 'node:fs'
import { type FolderSpace, said } from '../../kernel/disk/disk-space.ts'
import { inspectEmbedded } from '../../postgres/inspect.ts'
import type { Settings } from '../../settings/settings.ts'

export type CheckResult = { part: string; state: 'ok' | 'warning' | 'problem'; detail: string; advice?: string }

export function examineRuntime(): CheckResult[] {
  return [
    { part: 'runtime', state: 'ok', detail: `Node ${process.versions.node} on ${process.platform} ${process.arch}` },
  ]
}

export function examineFolder(settings: Settings): CheckResult[] {
  const part = 'data folder'
  const folder = settings.dataFolder
  if (!existsSync(folder))
    return [
      { part, state: 'warning', detail: `${folder} does not exist yet`, advice: 'Start Gatehouse; it is made then.' },
    ]
  try {
    accessSync(folder, constants.R_OK | constants.W_OK)
  } catch {
    return [
      {
        part,
        state: 'problem',
        detail: `${folder} is not writable`,
        advice: 'Run as the user it belongs to, or set GATEHOUSE_DATA.',
      },
    ]
  }
  const findings: CheckResult[] = [{ part, state: 'ok', detail: folder }]
  return settings.databaseUrl ? findings : [...findings, ...examineEmbedded(folder)]
}

function examineEmbedded(folder: string): CheckResult[] {
  const state = inspectEmbedded(folder)
  const part = 'embedded PostgreSQL'
  if (!state.installedVersion) {
    return [
      {
        part,
        state: 'problem',
        detail: 'its programs are not installed for this platform',
        advice: 'Run npm ci without --omit=optional, or set DATABASE_URL.',
      },
    ]
  }
  if (!state.database) return [{ part, state: 'ok', detail: `version ${state.installedVersion}, not set up yet` }]
  const { cluster, server } = state.database
  return [
    { part, state: 'ok', detail: `${server ? `runs as process ${server.pid}` : 'is stopped'}, data in ${cluster}` },
  ]
}

export function examineDisks(spaces: readonly FolderSpace[]): CheckResult[] {
  return spaces.map((space) => {
    const [part, detail] = ['disk', said(space)]
    if (space.state === 'ok') return { part, state: 'ok', detail }
    const refused = space.isCache
      ? 'The cache gives way.'
      : 'Below GATEHOUSE_DISK_RESERVE_BYTES nothing more is written.'
    return { part, state: space.state, detail, advice: `Make room, or a larger disk. ${refused}` }
  })
}
